"""Invite people, change their roles and deactivate them. No one is ever deleted."""

from collections.abc import Collection
from typing import Any

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.contrib.auth.models import Group, User
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.contrib.sessions.models import Session
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from evalsite.accounts import tokens as accounts_tokens
from evalsite.mail import Mailed, can_be_mailed, mail
from evalsite.permissions import GROUP_OF, Role
from reviews.models import Reviewer


class InvitationTokens(PasswordResetTokenGenerator):
    """A link is valid until a new password or the next sign-in; changing the e-mail keeps it."""

    key_salt = "reviews.people.workflow.InvitationTokens"

    def _make_hash_value(self, user: AbstractBaseUser, timestamp: int) -> str:
        return f"{user.pk} {user.password} {user.last_login} {timestamp}"


invitation_tokens = InvitationTokens()
LINK_DAYS = settings.PASSWORD_RESET_TIMEOUT // (24 * 3600)


class AccountRefused(Exception):
    """A change to an account that is not allowed; the message gives the reason."""

    message: Any = ""

    def __str__(self) -> str:
        return str(self.message)


class LastAdmin(AccountRefused):
    message = _("This is the last active admin. Make another person an admin first.")


class SuperuserIsOutOfReach(AccountRefused):
    message = _("Only a superuser can change a superuser's account.")


class OwnKeys(AccountRefused):
    message = _(
        "Change your own password and second step on your account page: it asks for your password."
    )


class IsDeactivated(AccountRefused):
    message = _("This person is deactivated. Let them sign in again first.")


class NameIsTaken(AccountRefused):
    message = _("This user name is taken.")


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
    """Create a person without a password; the link of `build_invitation_link` lets them set one.

    Raise NameIsTaken, also if two admins invite the same person at the same time.
    """
    user = User(username=username, first_name=name, email=email)
    user.set_unusable_password()
    try:
        with transaction.atomic():
            user.save()
    except IntegrityError as error:
        raise NameIsTaken from error
    set_roles(user, roles)
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
    """Change a person's roles and settings. Raise LastAdmin or SuperuserIsOutOfReach."""
    check_reach(by=by, user=user)
    lock_admins()
    if Role.ADMIN not in roles:
        check_not_last_admin(user)
    User.objects.filter(pk=user.pk).update(first_name=name, email=email)
    set_roles(user, roles)
    Reviewer.objects.update_or_create(
        user=user, defaults={"capacity": capacity, "languages": languages}
    )


def set_roles(user: User, roles: Collection[Role]) -> None:
    """Set the person's roles. Groups that are not roles do not change."""
    others = Group.objects.filter(user=user).exclude(name__in=GROUP_OF.values())
    chosen = Group.objects.filter(name__in=[GROUP_OF[role] for role in roles])
    user.groups.set([*others, *chosen])


@transaction.atomic
def deactivate(*, by: User, user: User) -> None:
    """Sign the person out everywhere, revoke their tokens, and keep their work.

    Raise LastAdmin or SuperuserIsOutOfReach.
    """
    check_reach(by=by, user=user)
    lock_admins()
    check_not_last_admin(user)
    User.objects.filter(pk=user.pk).update(is_active=False)
    end_sessions(user)
    accounts_tokens.revoke_all(user)


def end_sessions(user: User) -> None:
    """Delete the person's sessions: otherwise reactivating them would revive an open session."""
    sessions = Session.objects.filter(expire_date__gt=timezone.now()).iterator()
    theirs = [
        session.pk for session in sessions if session.get_decoded().get(SESSION_KEY) == str(user.pk)
    ]
    Session.objects.filter(pk__in=theirs).delete()


def reactivate(*, by: User, user: User) -> None:
    check_reach(by=by, user=user)
    User.objects.filter(pk=user.pk).update(is_active=True)


def reset_second_factor(*, by: User, user: User) -> None:
    """Remove the second step of a person who lost phone and recovery codes.

    Raise OwnKeys or SuperuserIsOutOfReach.
    """
    check_reach(by=by, user=user)
    check_not_oneself(by=by, user=user)
    Authenticator.objects.filter(user=user).delete()


def build_invitation_link(*, by: User, user: User, request: HttpRequest) -> str:
    """Build a link that sets a password once; it expires after use or after a week.

    Raise SuperuserIsOutOfReach, OwnKeys or IsDeactivated.
    """
    check_reach(by=by, user=user)
    check_not_oneself(by=by, user=user)
    if not user.is_active:
        raise IsDeactivated
    path = reverse(
        "invitation",
        kwargs={
            "uidb64": urlsafe_base64_encode(force_bytes(user.pk)),
            "token": invitation_tokens.make_token(user),
        },
    )
    return request.build_absolute_uri(path)


def mail_invitation(*, user: User, link: str) -> Mailed:
    """Mail the link, if mail is configured and the person has an address."""
    if not can_be_mailed(user):
        return Mailed.NO
    reviewer = Reviewer.objects.filter(user=user).first()
    language = reviewer.interface_language if reviewer else ""
    context = {"person": user, "link": link, "days": LINK_DAYS}
    with translation.override(language or settings.LANGUAGE_CODE):
        body = render_to_string("reviews/people/invitation_mail.txt", context)
        return mail(user, subject=gettext("Your Spotcheck account"), body=body)


def check_reach(*, by: User, user: User) -> None:
    if user.is_superuser and not by.is_superuser:
        raise SuperuserIsOutOfReach


def check_not_oneself(*, by: User, user: User) -> None:
    """Refuse changes to one's own keys: an unlocked screen must not be enough to take them over."""
    if by.pk == user.pk:
        raise OwnKeys


def lock_admins() -> None:
    """Lock the admins, so that two who remove each other at the same time cannot both succeed."""
    Group.objects.select_for_update().get(name=GROUP_OF[Role.ADMIN])


def check_not_last_admin(user: User) -> None:
    """Refuse to remove the last admin. Invited people who never signed in do not count."""
    never_came = Q(password__startswith=UNUSABLE_PASSWORD_PREFIX, last_login=None)
    able = User.objects.filter(is_active=True).exclude(never_came)
    is_admin = Q(groups__name=GROUP_OF[Role.ADMIN])
    for who in (is_admin, is_admin | Q(is_superuser=True)):
        holders = set(able.filter(who).values_list("pk", flat=True))
        if holders == {user.pk}:
            raise LastAdmin
