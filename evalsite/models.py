"""API tokens."""

from hashlib import sha256

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from knox.models import AbstractAuthToken


class Scope(models.TextChoices):
    """What a token allows; never more than its owner may do."""

    READ = "read", _("read")
    PUSH = "push", _("push cases")
    RUN = "run", _("run a release")
    REVIEW = "review", _("review")


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    def of(self, user: AbstractBaseUser) -> "ApiTokenQuerySet":
        """Leave out tokens that ended with a changed password."""
        known = ("", digest_password(user.password))
        return self.filter(user=user, password_digest__in=known).order_by("-created", "token_key")

    def by_password(self) -> "ApiTokenQuerySet":
        return self.exclude(password_digest="")


def digest_password(password: str) -> str:
    """Digest the stored password, which is a salted digest itself."""
    return sha256(password.encode()).hexdigest()


class ApiToken(AbstractAuthToken):  # type: ignore[misc]
    """An API token. Only its digest is stored; `token_key` is the beginning of that digest."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("person"),
        on_delete=models.CASCADE,
        related_name="auth_token_set",
    )
    name = models.CharField(_("name"), max_length=80)
    scopes = models.JSONField(_("may"), default=list)
    # Digest of the password that the token was issued for. Like a session, the token ends when that
    # password changes. Empty for tokens made on the account page, which stay valid.
    password_digest = models.CharField(_("password digest"), max_length=64, blank=True, default="")
    last_used_at = models.DateTimeField(_("last used"), null=True, blank=True)

    # Not knox's manager: tokens are made in evalsite/accounts/tokens.py.
    objects = ApiTokenQuerySet.as_manager()

    class Meta:
        verbose_name = _("token")
        verbose_name_plural = _("tokens")

    def __str__(self) -> str:
        return self.name

    @property
    def has_expired(self) -> bool:
        return self.expiry is not None and self.expiry <= timezone.now()

    @property
    def is_for_an_old_password(self) -> bool:
        return self.password_digest not in ("", digest_password(self.user.password))

    @property
    def scope_names(self) -> list[str]:
        return [str(scope.label) for scope in Scope if scope in self.scopes]
