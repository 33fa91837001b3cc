"""Tokens for scripts. Everything else that the site itself stores is in its cache."""

from django.conf import settings
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
    def of(self, user: models.Model) -> "ApiTokenQuerySet":
        return self.filter(user=user).order_by("-created", "token_key")


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
    last_used_at = models.DateTimeField(_("last used"), null=True, blank=True)

    # knox gives its own manager another way to create; evalsite/tokens.py makes tokens here.
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
    def scope_names(self) -> list[str]:
        return [str(one.label) for one in Scope if one in self.scopes]
