"""Making, finding and revoking tokens. A token itself is known only to whoever it was shown to."""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db.models import Q
from knox.crypto import create_token_string, hash_token
from knox.settings import CONSTANTS

from evalsite.models import ApiToken, Scope, digest_token
from evalsite.statements import Statement

# So that whoever finds one in a log or a repository knows what it is.
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
    """The row, and the token itself. Takes those of the same person away that have run out.

    `by_password`: it ends with the password that it was got by."""
    ApiToken.objects.filter(user=user, expiry__lte=now).delete()
    text = PREFIX + create_token_string()
    digest = hash_token(text)
    token = ApiToken.objects.create(
        digest=digest,
        token_key=digest[: CONSTANTS.TOKEN_KEY_LENGTH],
        user=user,
        name=name,
        scopes=[one.value for one in Scope if one in scopes],
        expiry=now + lasts,
        password_digest=digest_token(user.password) if by_password else "",
    )
    return token, text


def find(text: str, *, now: datetime) -> ApiToken | None:
    """One that stands, of somebody who may sign in."""
    for token in _by_digest.objects(hash_token(text)):
        stands = token.expiry is not None and token.expiry > now
        if stands and token.user.is_active and not token.is_of_another_password:
            return token
    return None


_by_digest = Statement[ApiToken](
    lambda digest: ApiToken.objects.select_related("user").filter(digest=digest)
)


def note_use(token: ApiToken, *, now: datetime) -> None:
    """At most once a minute, however often it is used."""
    if token.last_used_at is None or now - token.last_used_at >= BETWEEN_USES:
        due = Q(last_used_at=None) | Q(last_used_at__lte=now - BETWEEN_USES)
        ApiToken.objects.filter(due, pk=token.pk).update(last_used_at=now)


def revoke(*, user: User, key: str) -> bool:
    """Whether there was one of this person's to revoke."""
    deleted, _by_model = ApiToken.objects.filter(user=user, token_key=key).delete()
    return bool(deleted)


def revoke_by_password(user: User) -> None:
    """Those that a password alone was enough for."""
    ApiToken.objects.filter(user=user).by_password().delete()


def revoke_all(user: User) -> None:
    ApiToken.objects.filter(user=user).delete()
