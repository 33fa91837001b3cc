"""Releases of a product, and the events of their ledgers."""

from datetime import date
from typing import TYPE_CHECKING

from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from cases.models.ledgers import Chained, Ledgered
from cases.models.rubrics import Rubric
from cases.releases.policy import Result, read_accept, read_rules

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager

    from cases.models.cases import Case
    from cases.models.imports import Batch

RELEASE_NAME = r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,79}"
MOST_REVIEWS_PER_CASE = 20
# A search has at most this many words; the rest is searched for as one phrase.
MOST_WORDS = 10


class Status(models.TextChoices):
    DRAFT = "draft", _("draft")
    REVIEWING = "reviewing", _("reviewing")
    CLOSED = "closed", _("closed")


def is_past(due: date | None, today: date) -> bool:
    """Return whether the due date is over. Work that is due today is not late yet."""
    return due is not None and due < today


class ReleaseQuerySet(models.QuerySet["Release"]):
    def containing(self, words: str) -> "ReleaseQuerySet":
        """Keep releases whose name or product contains each of the words."""
        found = self
        for word in words.split(maxsplit=MOST_WORDS - 1):
            found = found.filter(Q(name__icontains=word) | Q(product__icontains=word))
        return found

    def closed_of(self, product: str) -> "ReleaseQuerySet":
        """Keep the closed releases of this product, newest first."""
        return self.filter(product=product, status=Status.CLOSED).newest_first()

    def newest_first(self) -> "ReleaseQuerySet":
        return self.order_by("-created_at", "-pk")

    def locked(self, release: "Release") -> "Release":
        """Reload and lock the release until the transaction ends. Every change begins with this."""
        return self.held().get(pk=release.pk)

    def held(self) -> "ReleaseQuerySet":
        """Lock the rows until the transaction ends."""
        return self.select_for_update(of=("self",)).select_related("rubric", "baseline")


class Release(Ledgered):
    name = models.CharField(
        _("name"),
        max_length=80,
        unique=True,
        validators=[
            RegexValidator(
                rf"^{RELEASE_NAME}\Z",
                _(
                    "A release name has up to 80 letters, digits and . _ @ + - and starts with a "
                    "letter or digit."
                ),
            )
        ],
        error_messages={"unique": _("There is a release of this name already.")},
        help_text=_("Letters, digits and . _ @ + -, for example planner-2026.11."),
    )
    product = models.CharField(
        _("product"),
        max_length=200,
        blank=True,
        help_text=_("Comparison, trend and history stay within one product."),
    )
    rubric = models.ForeignKey(
        Rubric,
        verbose_name=_("rubric"),
        on_delete=models.PROTECT,
        related_name="releases",
        help_text=_("The version that reviewers score by."),
    )
    reviews_per_case = models.PositiveSmallIntegerField(
        _("reviews per case"),
        default=2,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_REVIEWS_PER_CASE)],
        help_text=_("How many people score each case. With 1, agreement cannot be computed."),
    )
    baseline = models.ForeignKey(
        "self",
        verbose_name=_("baseline"),
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text=_("The release of the same product that this one is compared with."),
    )
    due_date = models.DateField(_("due date"), null=True, blank=True)
    status = models.CharField(
        _("status"), max_length=10, choices=Status.choices, default=Status.DRAFT
    )
    policy = models.JSONField(
        _("gate policy"),
        default=dict,
        blank=True,
        help_text=_("Empty: what cases/releases/policy.py says."),
    )
    created_at = models.DateTimeField(_("created at"))
    archived_at = models.DateTimeField(_("archived at"), null=True, blank=True)

    objects = ReleaseQuerySet.as_manager()

    if TYPE_CHECKING:
        cases: "RelatedManager[Case]"
        batches: "RelatedManager[Batch]"
        events: "RelatedManager[Event]"

    class Meta:
        verbose_name = _("release")
        verbose_name_plural = _("releases")
        indexes = [models.Index(fields=["product", "created_at"], name="release_by_product")]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(status__in=Status.values), name="release_status_is_known"
            ),
            models.CheckConstraint(
                condition=models.Q(
                    reviews_per_case__gte=1, reviews_per_case__lte=MOST_REVIEWS_PER_CASE
                ),
                name="release_has_1_to_20_reviews_per_case",
                violation_error_message=_("A case needs 1 to 20 reviews."),
            ),
            models.CheckConstraint(
                condition=~models.Q(baseline=models.F("id")),
                name="release_is_not_its_own_baseline",
                violation_error_message=_("A release cannot be its own baseline."),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("release", args=[self.name])

    def get_status_display(self) -> str:  # type: ignore[no-redef]
        """Django's own translates every choice each time, which is felt in a list."""
        return str(Status(self.status).label)

    @property
    def accept(self) -> list[Result]:
        """The results of the automated checks with which its cases can be sampled."""
        return read_accept(self.policy)

    @property
    def rules(self) -> int:
        """The version of the rules of its verdict, frozen at the start."""
        return read_rules(self.policy)

    @property
    def accepts_warnings(self) -> bool:
        return "warn" in self.accept

    @property
    def is_draft(self) -> bool:
        return self.status == Status.DRAFT

    @property
    def is_reviewing(self) -> bool:
        return self.status == Status.REVIEWING

    @property
    def is_closed(self) -> bool:
        return self.status == Status.CLOSED

    def is_late(self, today: date) -> bool:
        """Return whether its open reviews are late; `Review.objects.late` selects them."""
        return self.is_reviewing and is_past(self.due_date, today)


class Event(Chained):
    """One event of a release."""

    release = models.ForeignKey(
        Release, verbose_name=_("release"), on_delete=models.PROTECT, related_name="events"
    )

    class Meta:
        verbose_name = _("event")
        verbose_name_plural = _("events")
        ordering = ["release", "number"]
        indexes = [models.Index(fields=["release", "kind", "number"], name="event_by_kind")]
        constraints = [
            models.UniqueConstraint(
                fields=["release", "number"], name="event_number_is_unique_in_its_release"
            )
        ]

    def __str__(self) -> str:
        return f"{self.release_id}:{self.number} {self.kind}"
