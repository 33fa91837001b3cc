from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from reviews.home.daily_mail import send_digests


class Command(BaseCommand):
    help = "Mail each person what is waiting, due or late; at most one mail a day."

    def handle(self, **options: Any) -> None:
        if not settings.MAIL_IS_CONFIGURED:
            self.stdout.write("Mail is not configured (EMAIL_URL), so nothing was sent.")
            return
        sent = send_digests(now=timezone.now())
        self.stdout.write(f"{len(sent.mailed)} mailed.")
        if sent.failed:
            raise CommandError(f"Could not be mailed: {', '.join(sent.failed)}.")
