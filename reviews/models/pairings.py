"""Models of pairings: one person reads the old plan of a case beside the new one."""

from datetime import date
from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from cases.models import Case, Release
from cases.models.releases import Status
from reviews.models.reviews import LONGEST_ITEM, OPEN, OVER, ReviewStatus

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager


class Newer(models.TextChoices):
    """Whether a reader recognised which plan is the newer one, and which they think it is."""

    NO = "no", _("no")
    LEFT = "left", _("the left one")
    RIGHT = "right", _("the right one")


class Side(models.TextChoices):
    """The plans to which a question of the checklist applies."""

    LEFT = "left", _("left")
    RIGHT = "right", _("right")
    BOTH = "both", _("both")
    NEITHER = "neither", _("neither")


class PairingQuerySet(models.QuerySet["Pairing"]):
    def of(self, release: Release) -> "PairingQuerySet":
        return self.filter(release=release)

    def by(self, user: User) -> "PairingQuerySet":
        return self.filter(reader=user)

    def open(self) -> "PairingQuerySet":
        return self.filter(status__in=OPEN)

    def submitted(self) -> "PairingQuerySet":
        return self.filter(status=ReviewStatus.SUBMITTED)

    def counted(self) -> "PairingQuerySet":
        """Select submitted pairings of cases in the sample."""
        return self.submitted().filter(
            case__sampled__isnull=False, case__sampled__withdrawn_at=None
        )

    def not_withdrawn(self) -> "PairingQuerySet":
        return self.exclude(status=ReviewStatus.WITHDRAWN)

    def not_over(self) -> "PairingQuerySet":
        """Leave out what was declined or taken back."""
        return self.exclude(status__in=OVER)

    def standing(self) -> "PairingQuerySet":
        """Select pairings of cases in the sample of a release in review."""
        return self.filter(
            release__in=Release.objects.filter(status=Status.REVIEWING),
            case__sampled__isnull=False,
            case__sampled__withdrawn_at=None,
        )

    def late(self, today: date) -> "PairingQuerySet":
        """Select open pairings past the due date, as late reviews are selected."""
        return self.open().standing().filter(release__due_date__lt=today)

    def in_turn(self) -> "PairingQuerySet":
        """Order the queue as that of reviews: begun first, then by due date and shuffled place."""
        due = F("release__due_date").asc(nulls_last=True)
        saved = F("saved_at").desc(nulls_last=True)
        return self.order_by("-status", due, saved, "place", "pk")


class Pairing(models.Model):
    """One person's comparison of two plans for the same request. Only that person can write it.

    `case` is of this release and `old_case` of its baseline. A draft is one JSON column; answers
    are rows that only submit writes. `is_new_left` follows from a digest (reviews/pairings/sides),
    so that nobody chooses it.
    """

    case = models.ForeignKey(
        Case, verbose_name=_("case"), on_delete=models.PROTECT, related_name="pairings"
    )
    old_case = models.ForeignKey(
        Case, verbose_name=_("case of the baseline"), on_delete=models.PROTECT, related_name="+"
    )
    reader = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("reader"),
        on_delete=models.PROTECT,
        related_name="pairings",
    )
    release = models.ForeignKey(
        Release, verbose_name=_("release"), on_delete=models.PROTECT, related_name="pairings"
    )
    is_new_left = models.BooleanField(_("the new plan is on the left"))
    status = models.CharField(
        _("status"), max_length=10, choices=ReviewStatus.choices, default=ReviewStatus.ASSIGNED
    )
    version = models.PositiveIntegerField(
        _("version"), default=0, help_text=_("Goes up with every save.")
    )
    draft = models.JSONField(_("draft"), default=dict, blank=True)
    newer = models.CharField(
        _("recognised as newer"), max_length=5, choices=Newer.choices, blank=True
    )
    assigned_at = models.DateTimeField(_("assigned at"))
    saved_at = models.DateTimeField(_("saved at"), null=True, blank=True)
    submitted_at = models.DateTimeField(_("submitted at"), null=True, blank=True)
    # The place in the owner's queue: shuffled but stable.
    place = models.PositiveIntegerField(_("place in the queue"), default=0)
    decline_reason = models.TextField(_("why it was declined"), blank=True)

    objects = PairingQuerySet.as_manager()

    if TYPE_CHECKING:
        answers: "RelatedManager[PairAnswer]"
        revisions: "RelatedManager[PairRevision]"
        submissions: "RelatedManager[PairSubmission]"

    class Meta:
        verbose_name = _("pairing")
        verbose_name_plural = _("pairings")
        indexes = [
            models.Index(fields=["release", "status", "case"], name="pairing_by_status"),
            models.Index(fields=["reader", "release", "status"], name="pairing_by_work"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["case", "reader"],
                name="one_pairing_per_case_and_reader",
                violation_error_message=_("This person has this pair already."),
            ),
            models.CheckConstraint(
                condition=Q(status__in=ReviewStatus.values), name="pairing_status_is_known"
            ),
            models.CheckConstraint(
                condition=~Q(case=F("old_case")), name="a_pairing_has_two_cases"
            ),
            models.CheckConstraint(
                condition=~Q(status="submitted")
                | Q(submitted_at__isnull=False, newer__in=Newer.values),
                name="a_submitted_pairing_has_its_moment",
            ),
            models.CheckConstraint(
                condition=~Q(status="declined") | ~Q(decline_reason=""),
                name="a_declined_pairing_says_why",
                violation_error_message=_("Say why."),
            ),
        ]

    def __str__(self) -> str:
        """Name case and reader only if they are loaded, so that this runs no query."""
        is_known = {"case", "reader"} <= self._state.fields_cache.keys()
        return f"{self.case}, {self.reader}" if is_known else f"{self.case_id}, {self.reader_id}"

    def get_absolute_url(self) -> str:
        return reverse("pairing", args=[self.pk])

    @property
    def is_submitted(self) -> bool:
        return self.status == ReviewStatus.SUBMITTED

    @property
    def is_standing(self) -> bool:
        """Return whether its case is in the sample. Needs `case__sampled` selected."""
        sampled = getattr(self.case, "sampled", None)
        return sampled is not None and sampled.withdrawn_at is None

    def is_late(self, today: date) -> bool:
        """Return whether it is late, as the queryset's `late` selects.

        Needs `release` and `case__sampled` selected.
        """
        return self.status in OPEN and self.is_standing and self.release.is_late(today)

    @property
    def left(self) -> Case:
        return self.case if self.is_new_left else self.old_case

    @property
    def right(self) -> Case:
        return self.old_case if self.is_new_left else self.case


class PairAnswer(models.Model):
    """A step between the plans on a metric, or the plans to which a question applies.

    Sides are as the reader saw them: a step is from -3 (left much better) to 3 (right much better).
    """

    pairing = models.ForeignKey(
        Pairing, verbose_name=_("pairing"), on_delete=models.CASCADE, related_name="answers"
    )
    release = models.ForeignKey(
        Release, verbose_name=_("release"), on_delete=models.PROTECT, related_name="+"
    )
    item = models.CharField(_("metric or question"), max_length=LONGEST_ITEM)
    step = models.SmallIntegerField(_("step"), null=True, blank=True)
    side = models.CharField(_("side"), max_length=7, choices=Side.choices, blank=True)
    why = models.TextField(_("why"), blank=True)

    class Meta:
        verbose_name = _("answer of a pairing")
        verbose_name_plural = _("answers of pairings")
        indexes = [models.Index(fields=["release", "item"], name="pair_answer_by_release")]
        constraints = [
            models.UniqueConstraint(fields=["pairing", "item"], name="one_pair_answer_per_item"),
            models.CheckConstraint(
                condition=Q(step__gte=-3, step__lte=3, side="")
                | Q(step=None, side__in=Side.values, why=""),
                name="a_pair_answer_is_a_step_or_a_side",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item}: {self.side or self.step}"


class PairRevision(models.Model):
    """An earlier version of a pairing that was submitted again."""

    pairing = models.ForeignKey(
        Pairing, verbose_name=_("pairing"), on_delete=models.CASCADE, related_name="revisions"
    )
    release = models.ForeignKey(
        Release, verbose_name=_("release"), on_delete=models.PROTECT, related_name="+"
    )
    version = models.PositiveIntegerField(_("version"))
    content = models.JSONField(_("what it said"))
    submitted_at = models.DateTimeField(_("submitted at"))
    replaced_at = models.DateTimeField(_("replaced at"))

    class Meta:
        verbose_name = _("revision of a pairing")
        verbose_name_plural = _("revisions of pairings")
        constraints = [
            models.UniqueConstraint(
                fields=["pairing", "version"], name="one_pair_revision_per_version"
            )
        ]

    def __str__(self) -> str:
        return f"{self.pairing_id} version {self.version}"


class PairSubmission(models.Model):
    """An accepted submit of a pairing. Repeating it gives the same answer."""

    pairing = models.ForeignKey(
        Pairing, verbose_name=_("pairing"), on_delete=models.CASCADE, related_name="submissions"
    )
    release = models.ForeignKey(
        Release, verbose_name=_("release"), on_delete=models.PROTECT, related_name="+"
    )
    key = models.CharField(_("idempotency key"), max_length=200)
    body_digest = models.CharField(_("digest of the body"), max_length=64)
    version = models.PositiveIntegerField(_("version"), help_text=_("What was answered."))
    submitted_at = models.DateTimeField(_("submitted at"))

    class Meta:
        verbose_name = _("submission of a pairing")
        verbose_name_plural = _("submissions of pairings")
        constraints = [
            models.UniqueConstraint(fields=["pairing", "key"], name="one_pair_submission_per_key")
        ]

    def __str__(self) -> str:
        return self.key
