"""Inviting people and changing what they may do. Nobody is ever deleted."""

from collections.abc import Collection
from typing import Any

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.models import Group, User
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core.mail import send_mail
from django.db import transaction
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from evalsite.permissions import GROUP_OF, Role
from reviews.models import Reviewer

invitation_tokens = PasswordResetTokenGenerator()
LINK_DAYS = settings.PASSWORD_RESET_TIMEOUT // (24 * 3600)


class Refused(Exception):
    """A change to somebody's account that must not happen; the message says why."""

    message: Any = ""

    def __str__(self) -> str:
        return str(self.message)


class LastAdmin(Refused):
    message = _("This is the last active admin. Make somebody else an admin first.")


class SuperuserIsOutOfReach(Refused):
    message = _("Only a superuser can change a superuser's account.")


@transaction.atomic
def invite(
    *,
    username: str,
    name: str,
    email: str,
    roles: Collection[Role],
    capacity: int,
    languages: list[str],
    interface_language: str,
) -> User:
    """A person who has no password yet; the link of `invitation_link` lets them set one."""
    user = User(username=username, first_name=name, email=email)
    user.set_unusable_password()
    user.save()
    user.groups.set(Group.objects.filter(name__in=[GROUP_OF[role] for role in roles]))
    Reviewer.objects.create(
        user=user,
        capacity=capacity,
        languages=languages,
        interface_language=interface_language,
    )
    return user


@transaction.atomic
def change(
    *,
    by: User,
    user: User,
    name: str,
    email: str,
    roles: Collection[Role],
    capacity: int,
    languages: list[str],
) -> None:
    """Raises LastAdmin and SuperuserIsOutOfReach."""
    check_reach(by=by, user=user)
    lock_admins()
    if Role.ADMIN not in roles:
        check_not_last_admin(user)
    User.objects.filter(pk=user.pk).update(first_name=name, email=email)
    user.groups.set(Group.objects.filter(name__in=[GROUP_OF[role] for role in roles]))
    Reviewer.objects.update_or_create(
        user=user, defaults={"capacity": capacity, "languages": languages}
    )


@transaction.atomic
def deactivate(*, by: User, user: User) -> None:
    """Signs the person out everywhere and keeps all they did. Raises as `change`."""
    check_reach(by=by, user=user)
    lock_admins()
    check_not_last_admin(user)
    User.objects.filter(pk=user.pk).update(is_active=False)


def reactivate(*, by: User, user: User) -> None:
    check_reach(by=by, user=user)
    User.objects.filter(pk=user.pk).update(is_active=True)


def reset_second_factor(*, by: User, user: User) -> None:
    """For somebody who lost the phone and the recovery codes."""
    check_reach(by=by, user=user)
    Authenticator.objects.filter(user=user).delete()


def invitation_link(*, by: User, user: User, request: HttpRequest) -> str:
    """A link that sets a password once; it ends with its use, or after a week."""
    check_reach(by=by, user=user)
    path = reverse(
        "invitation",
        kwargs={
            "uidb64": urlsafe_base64_encode(force_bytes(user.pk)),
            "token": invitation_tokens.make_token(user),
        },
    )
    return request.build_absolute_uri(path)


def mail_invitation(*, user: User, link: str) -> bool:
    """Sends the link where mail is configured and the person has an address."""
    if not (settings.MAIL_IS_CONFIGURED and user.email):
        return False
    reviewer = Reviewer.objects.filter(user=user).first()
    language = reviewer.interface_language if reviewer else ""
    context = {"person": user, "link": link, "days": LINK_DAYS}
    with translation.override(language or settings.LANGUAGE_CODE):
        body = render_to_string("reviews/invitation_mail.txt", context)
        send_mail(gettext("Your Spotcheck account"), body, None, [user.email])
    return True


def check_reach(*, by: User, user: User) -> None:
    if user.is_superuser and not by.is_superuser:
        raise SuperuserIsOutOfReach


def lock_admins() -> None:
    """Two admins who remove each other at the same moment must not both succeed."""
    Group.objects.select_for_update().get(name=GROUP_OF[Role.ADMIN])


def check_not_last_admin(user: User) -> None:
    admins = User.objects.filter(is_active=True, groups__name=GROUP_OF[Role.ADMIN])
    if admins.filter(pk=user.pk).exists() and not admins.exclude(pk=user.pk).exists():
        raise LastAdmin
