"""Models of notices to a team's own command: how far it has got."""

from typing import TYPE_CHECKING

from django.db import models
from django.utils.translation import gettext_lazy as _

from cases.models import Release

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager

LONGEST_NAME = 200
LONGEST_KEY = 200


class Subscription(models.Model):
    """A command that gets notices, under a name that stays when the command changes."""

    name = models.CharField(_("name"), max_length=LONGEST_NAME, unique=True)
    started_at = models.DateTimeField(_("started at"))

    if TYPE_CHECKING:
        cursors: "RelatedManager[NoticeCursor]"
        notices: "RelatedManager[Notice]"

    class Meta:
        verbose_name = _("subscription to notices")
        verbose_name_plural = _("subscriptions to notices")

    def __str__(self) -> str:
        return self.name


class NoticeCursor(models.Model):
    """The last event of a release that a subscription is done with."""

    subscription = models.ForeignKey(
        Subscription,
        verbose_name=_("subscription to notices"),
        on_delete=models.CASCADE,
        related_name="cursors",
    )
    release = models.ForeignKey(
        Release, verbose_name=_("release"), on_delete=models.CASCADE, related_name="+"
    )
    number = models.PositiveIntegerField(_("event"))

    class Meta:
        verbose_name = _("cursor of notices")
        verbose_name_plural = _("cursors of notices")
        constraints = [
            models.UniqueConstraint(
                fields=["subscription", "release"], name="one_cursor_per_subscription_and_release"
            )
        ]

    def __str__(self) -> str:
        return f"{self.subscription_id}, {self.release_id}: {self.number}"


class Notice(models.Model):
    """A notice that is worked out and in no ledger, such as that a release is late; once each."""

    subscription = models.ForeignKey(
        Subscription,
        verbose_name=_("subscription to notices"),
        on_delete=models.CASCADE,
        related_name="notices",
    )
    key = models.CharField(_("what"), max_length=LONGEST_KEY)
    sent_at = models.DateTimeField(_("sent at"))

    class Meta:
        verbose_name = _("notice")
        verbose_name_plural = _("notices")
        constraints = [
            models.UniqueConstraint(
                fields=["subscription", "key"], name="one_notice_of_a_kind_per_subscription"
            )
        ]

    def __str__(self) -> str:
        return self.key
