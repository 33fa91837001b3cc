"""Models of escapes: what reviewers found in cases that had passed the automated checks."""

from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.utils.translation import gettext_lazy as _

from cases.itinerary.format import LONGEST_KEY
from cases.models import Case, LedgerEvent
from reviews.models.outcomes import Closing
from reviews.models.reviews import LONGEST_ITEM

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager

LONGEST_RULE = 100
WORDING_LENGTH = 16


class About(models.TextChoices):
    METRIC = "metric", _("metric")
    QUESTION = "question", _("question")
    FLAG = "flag", _("flag")


class EscapeState(models.TextChoices):
    OPEN = "open", _("open")
    RULE = "rule", _("became a rule")
    FIXED = "fixed", _("fixed")
    ACCEPTED = "accepted", _("accepted")


# What should not be found again in a later release.
DONE_WITH = (EscapeState.RULE, EscapeState.FIXED)
# What is open, or came back. Needs `with_return`.
TO_DO = Q(state=EscapeState.OPEN) | Q(came_back=True)


class EscapeQuerySet(models.QuerySet["Escape"]):
    def of(self, product: str) -> "EscapeQuerySet":
        return self.filter(product=product)

    def in_force(self) -> "EscapeQuerySet":
        """Select escapes that the report of a closed release has now."""
        return self.filter(Exists(Sighting.objects.in_force().filter(escape=OuterRef("pk"))))

    def with_return(self) -> "EscapeQuerySet":
        """Annotate whether it came back: a later release has it although it was done with."""
        later = Sighting.objects.in_force().filter(
            escape=OuterRef("pk"), since__gt=OuterRef("event__at")
        )
        return self.annotate(came_back=Q(state__in=DONE_WITH) & Q(Exists(later)))

    def to_do(self) -> "EscapeQuerySet":
        return self.filter(TO_DO)


class Escape(models.Model):
    """A finding against a case of a product, in whichever of its releases.

    `key` is that of the metric, question or flag, `wording` a digest of its text: a question that
    asks something else under the same key is another one. `event` moved it to its state, and has
    the reason. Which releases have it: see Sighting.
    """

    product = models.CharField(_("product"), max_length=200, blank=True)
    about = models.CharField(_("about"), max_length=8, choices=About.choices)
    key = models.CharField(_("metric, question or flag"), max_length=LONGEST_ITEM)
    wording = models.CharField(_("digest of its text"), max_length=WORDING_LENGTH, blank=True)
    case_key = models.CharField(_("case key"), max_length=LONGEST_KEY)
    state = models.CharField(
        _("state"), max_length=8, choices=EscapeState.choices, default=EscapeState.OPEN
    )
    rule = models.CharField(_("rule"), max_length=LONGEST_RULE, blank=True)
    event = models.ForeignKey(
        LedgerEvent,
        verbose_name=_("event"),
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
    )

    objects = EscapeQuerySet.as_manager()

    if TYPE_CHECKING:
        sightings: "RelatedManager[Sighting]"

    class Meta:
        verbose_name = _("escape")
        verbose_name_plural = _("escapes")
        constraints = [
            models.UniqueConstraint(
                fields=["product", "case_key", "about", "key", "wording"],
                name="one_escape_per_finding",
            ),
            models.CheckConstraint(
                condition=Q(about__in=About.values, state__in=EscapeState.values),
                name="escape_is_known",
            ),
            models.CheckConstraint(
                condition=Q(state=EscapeState.OPEN) | Q(event__isnull=False),
                name="an_escape_is_moved_by_an_event",
            ),
            models.CheckConstraint(
                condition=Q(rule="") | Q(state=EscapeState.RULE),
                name="an_escape_names_a_rule_only_as_one",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.key} {self.case_key}"

    @property
    def reason(self) -> str:
        """Return why it was moved. Needs `event` selected."""
        found: dict[str, Any] = self.event.data if self.event else {}
        return str(found.get("reason", ""))


class SightingQuerySet(models.QuerySet["Sighting"]):
    def in_force(self) -> "SightingQuerySet":
        return self.filter(closing__reopened_at=None)

    def newest_first(self) -> "SightingQuerySet":
        return self.order_by(F("closing__closed_at").desc(), "-pk")


class Sighting(models.Model):
    """That the report of a closing has this finding. Void while that closing is reopened.

    `since`: when a closing of this release had it first. `is_counted`: the case is one of those
    that the figures of the report count, not one from outside the plan or withdrawn.
    """

    escape = models.ForeignKey(
        Escape, verbose_name=_("escape"), on_delete=models.PROTECT, related_name="sightings"
    )
    closing = models.ForeignKey(
        Closing, verbose_name=_("closing"), on_delete=models.PROTECT, related_name="sightings"
    )
    case = models.ForeignKey(
        Case, verbose_name=_("case"), on_delete=models.PROTECT, related_name="sightings"
    )
    since = models.DateTimeField(_("since"))
    is_counted = models.BooleanField(_("counted"), default=True)

    objects = SightingQuerySet.as_manager()

    class Meta:
        verbose_name = _("finding at a closing")
        verbose_name_plural = _("findings at closings")
        constraints = [
            models.UniqueConstraint(
                fields=["escape", "closing"], name="one_sighting_per_escape_and_closing"
            )
        ]

    def __str__(self) -> str:
        return f"{self.escape_id} {self.closing_id}"
