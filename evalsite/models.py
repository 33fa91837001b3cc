"""Tokens for scripts. Everything else that the site itself stores is in its cache."""

from hashlib import sha256

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from knox.models import AbstractAuthToken


class Scope(models.TextChoices):
    """What a token may be used for; never more than its owner may do."""

    READ = "read", _("read")
    PUSH = "push", _("push cases")
    RUN = "run", _("run a release")
    REVIEW = "review", _("review")


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    def of(self, user: AbstractBaseUser) -> "ApiTokenQuerySet":
        """Without those whose password is no longer: nobody can use them."""
        known = ("", digest_token(user.password))
        return self.filter(user=user, password_digest__in=known).order_by("-created", "token_key")

    def by_password(self) -> "ApiTokenQuerySet":
        return self.exclude(password_digest="")


def digest_token(password: str) -> str:
    """Of a password as it is stored, which is a salted digest itself."""
    return sha256(password.encode()).hexdigest()


class ApiToken(AbstractAuthToken):  # type: ignore[misc]
    """Only the digest of a token is stored; `token_key` is the beginning of that digest."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("person"),
        on_delete=models.CASCADE,
        related_name="auth_token_set",
    )
    name = models.CharField(_("name"), max_length=80)
    scopes = models.JSONField(_("may"), default=list)
    # Of what it was got by. Like a session it ends with that password, however it is changed; one
    # that was made on the account page is not got by a password, and stays.
    password_digest = models.CharField(_("password digest"), max_length=64, blank=True, default="")
    last_used_at = models.DateTimeField(_("last used"), null=True, blank=True)

    # knox gives its own manager another way to create; ours is evalsite/accounts/tokens.py.
    objects = ApiTokenQuerySet.as_manager()

    class Meta:
        verbose_name = _("token")
        verbose_name_plural = _("tokens")

    def __str__(self) -> str:
        return self.name

    @property
    def is_over(self) -> bool:
        return self.expiry is not None and self.expiry <= timezone.now()

    @property
    def is_of_another_password(self) -> bool:
        return self.password_digest not in ("", digest_token(self.user.password))

    @property
    def scope_names(self) -> list[str]:
        return [str(one.label) for one in Scope if one in self.scopes]
