"""Send one mail to a person, if mail is configured and they have an address."""

import logging
from enum import StrEnum
from smtplib import SMTPException

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import send_mail

log = logging.getLogger("spotcheck.mail")


class Mailed(StrEnum):
    YES = "yes"
    NO = "no"
    FAILED = "failed"


def can_be_mailed(user: User) -> bool:
    return bool(settings.MAIL_IS_CONFIGURED and user.email)


def mail(user: User, *, subject: str, body: str) -> Mailed:
    """Send the mail. A failure is logged, and the answer says so."""
    if not can_be_mailed(user):
        return Mailed.NO
    try:
        send_mail(subject, body, None, [user.email])
    except (OSError, SMTPException):
        log.exception("A mail could not be sent")
        return Mailed.FAILED
    return Mailed.YES
