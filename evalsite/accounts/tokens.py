"""Make, find and revoke API tokens. The token itself is shown once and never stored."""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db.models import Q
from knox.crypto import create_token_string, hash_token
from knox.settings import CONSTANTS

from evalsite.models import ApiToken, Scope, digest_password
from evalsite.statements import Statement

# Marks a token that turns up in a log or a repository.
PREFIX = "spotcheck_"
BETWEEN_USES = timedelta(minutes=1)


def make(
    *,
    user: User,
    name: str,
    scopes: Collection[Scope],
    lasts: timedelta,
    now: datetime,
    by_password: bool = False,
) -> tuple[ApiToken, str]:
    """Return a new row and its token, and delete the user's expired tokens.

    With `by_password` the token ends when the user's password changes."""
    ApiToken.objects.filter(user=user, expiry__lte=now).delete()
    text = PREFIX + create_token_string()
    digest = hash_token(text)
    token = ApiToken.objects.create(
        digest=digest,
        token_key=digest[: CONSTANTS.TOKEN_KEY_LENGTH],
        user=user,
        name=name,
        scopes=[scope.value for scope in Scope if scope in scopes],
        expiry=now + lasts,
        password_digest=digest_password(user.password) if by_password else "",
    )
    return token, text


def find(text: str, *, now: datetime) -> ApiToken | None:
    """Return the valid token with this text whose owner may sign in."""
    for token in _by_digest.objects(hash_token(text)):
        is_valid = token.expiry is not None and token.expiry > now
        if is_valid and token.user.is_active and not token.is_for_an_old_password:
            return token
    return None


_by_digest = Statement[ApiToken](
    lambda digest: ApiToken.objects.select_related("user").filter(digest=digest)
)


def note_use(token: ApiToken, *, now: datetime) -> None:
    """Record when the token was last used, at most once a minute."""
    if token.last_used_at is None or now - token.last_used_at >= BETWEEN_USES:
        due = Q(last_used_at=None) | Q(last_used_at__lte=now - BETWEEN_USES)
        ApiToken.objects.filter(due, pk=token.pk).update(last_used_at=now)


def revoke(*, user: User, key: str) -> bool:
    """Revoke a token of this user. Return whether there was one."""
    deleted, _by_model = ApiToken.objects.filter(user=user, token_key=key).delete()
    return bool(deleted)


def revoke_by_password(user: User) -> None:
    """Revoke the tokens that were issued for a password alone."""
    ApiToken.objects.filter(user=user).by_password().delete()


def revoke_all(user: User) -> None:
    ApiToken.objects.filter(user=user).delete()
