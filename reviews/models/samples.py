"""Models of draws and samples, and of people's last visits to a release."""

from functools import cached_property

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from cases.models import Case, Release
from cases.releases.policy import accept_passed
from cases.rubric import LONGEST_NAME
from reviews.sample.draw import Ranks
from reviews.sample.order import Order, unpack
from reviews.sample.pool import Wanted


class DrawQuerySet(models.QuerySet["Draw"]):
    def of(self, release: Release) -> "DrawQuerySet":
        return self.filter(release=release)

    def last(self) -> "Draw | None":
        """Return the last draw, deferring its record, which is as large as the pool."""
        return self.defer("record").order_by("-number").first()


class Draw(models.Model):
    """A draw with everything that is needed to repeat it. It never changes.

    `record` holds every case of the pool in the order of the draw.
    """

    release = models.ForeignKey(
        Release, verbose_name=_("release"), on_delete=models.PROTECT, related_name="draws"
    )
    number = models.PositiveIntegerField(_("number"))
    size = models.PositiveIntegerField(_("size"), help_text=_("How many cases were wished for."))
    drawn_at = models.DateTimeField(_("drawn at"))
    by = models.CharField(
        _("by"), max_length=150, blank=True, help_text=_("Empty: the command line.")
    )
    rubric_digest = models.CharField(_("digest of the rubric"), max_length=64)
    kinds = models.JSONField(_("kinds"), help_text=_("Each kind that was filled, and its tags."))
    waived = models.JSONField(_("waived kinds"), default=list, blank=True)
    fitting = models.JSONField(_("cases that fit each kind"))
    accept = models.JSONField(
        _("accepted results"),
        default=accept_passed,
        help_text=_("Results of the automated checks with which a case was in the pool."),
    )
    pool_size = models.PositiveIntegerField(_("cases in the pool"))
    pool_digest = models.CharField(_("digest of the pool"), max_length=64)
    changes = models.JSONField(
        _("what changed in the pool"), default=dict, help_text=_("Since the draw before.")
    )
    record = models.BinaryField(_("pool and order, packed"))
    # The number of the draw's event: later events may have changed the pool.
    event = models.PositiveIntegerField(_("event"))

    objects = DrawQuerySet.as_manager()

    class Meta:
        verbose_name = _("draw")
        verbose_name_plural = _("draws")
        ordering = ["release", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["release", "number"], name="draw_number_is_unique_in_its_release"
            )
        ]

    def __str__(self) -> str:
        return _("Draw %(number)d") % {"number": self.number}

    @property
    def wanted(self) -> list[Wanted]:
        return [Wanted(key, frozenset(tags)) for key, tags in self.kinds]

    @cached_property
    def order(self) -> Order:
        """Return every case of the pool in the order of the draw."""
        return unpack(bytes(self.record))

    def ranks(self, release_name: str) -> Ranks:
        return Ranks(self.rubric_digest, release_name)


class Origin(models.TextChoices):
    DRAWN = "drawn", _("drawn")
    NEXT = "next", _("next in line")
    HAND = "hand", _("by hand")


class Cause(models.TextChoices):
    """Why a case left the sample after the start. Only a swapped case may return."""

    BROKEN = "broken", _("broken")
    WRONG_DATA = "wrong-data", _("wrong data")
    DUPLICATE = "duplicate", _("duplicate")
    SWAPPED = "swapped", _("swapped by hand")


class SampledCaseQuerySet(models.QuerySet["SampledCase"]):
    def of(self, release: Release) -> "SampledCaseQuerySet":
        return self.filter(release=release)

    def standing(self) -> "SampledCaseQuerySet":
        return self.filter(withdrawn_at=None)

    def planned(self) -> "SampledCaseQuerySet":
        """Select cases of the plan; those outside it enter no figure that decides."""
        return self.filter(is_outside=False)

    def lost(self) -> "SampledCaseQuerySet":
        """Select cases that were withdrawn for good; a swapped one may return."""
        return self.filter(withdrawn_at__isnull=False).exclude(cause=Cause.SWAPPED)

    def stuck(self) -> "SampledCaseQuerySet":
        """Select cases that cannot be added: they are in the sample or were withdrawn for good."""
        return self.filter(Q(withdrawn_at=None) | ~Q(cause=Cause.SWAPPED))

    def in_order(self) -> "SampledCaseQuerySet":
        return self.order_by(models.F("place").asc(nulls_last=True), "case__case_key")

    def with_cases(self) -> "SampledCaseQuerySet":
        """Load the cases without their itineraries."""
        return self.select_related("case", "case__exclusion").defer("case__data")

    def with_eligibility(self) -> "SampledCaseQuerySet":
        """Load only the columns of the case that decide whether it is eligible."""
        return self.select_related("case", "case__exclusion", "case__release").only(
            *("release", "kind", "case__case_key", "case__check_status", "case__has_plan"),
            *("case__exclusion__release", "case__release__policy"),
        )


class SampledCase(models.Model):
    """A case of the sample. Rows can be deleted before the start; after it they stay.

    `kind` is the kind that the case fills, or empty.
    """

    release = models.ForeignKey(
        Release, verbose_name=_("release"), on_delete=models.PROTECT, related_name="sample"
    )
    case = models.OneToOneField(
        Case, verbose_name=_("case"), on_delete=models.CASCADE, related_name="sampled"
    )
    kind = models.CharField(_("kind"), max_length=LONGEST_NAME, blank=True)
    origin = models.CharField(_("origin"), max_length=5, choices=Origin.choices)
    place = models.PositiveIntegerField(
        _("place in the draw"), null=True, help_text=_("Empty: the case came after the draw.")
    )
    # Chosen by hand after the start of a release with planned looks: read, but in no figure.
    is_outside = models.BooleanField(_("outside the plan"), default=False)
    reason = models.TextField(_("reason"), blank=True)
    added_at = models.DateTimeField(_("added at"))
    withdrawn_at = models.DateTimeField(_("withdrawn at"), null=True, blank=True)
    cause = models.CharField(_("cause"), max_length=10, choices=Cause.choices, blank=True)
    withdrawal_reason = models.TextField(_("reason of the withdrawal"), blank=True)

    objects = SampledCaseQuerySet.as_manager()

    class Meta:
        verbose_name = _("sampled case")
        verbose_name_plural = _("sampled cases")
        indexes = [models.Index(fields=["release", "withdrawn_at", "kind"], name="sample_by_kind")]
        constraints = [
            models.CheckConstraint(
                condition=Q(origin__in=Origin.values), name="sampled_case_origin_is_known"
            ),
            models.CheckConstraint(
                condition=~Q(origin="hand") | ~Q(reason=""),
                name="a_case_chosen_by_hand_has_a_reason",
                violation_error_message=_("Say why."),
            ),
            models.CheckConstraint(
                condition=Q(is_outside=False) | Q(origin="hand"),
                name="only_a_case_chosen_by_hand_is_outside_the_plan",
            ),
            models.CheckConstraint(
                condition=Q(withdrawn_at=None, cause="", withdrawal_reason="")
                | (
                    Q(withdrawn_at__isnull=False, cause__in=Cause.values) & ~Q(withdrawal_reason="")
                ),
                name="a_withdrawn_case_has_cause_and_reason",
                violation_error_message=_("Say why."),
            ),
        ]

    def __str__(self) -> str:
        """Use the key of the case only if it is loaded, so that this runs no query."""
        is_known = "case" in self._state.fields_cache
        return str(self.case) if is_known else f"{self.case_id} ({self.kind or '–'})"


class LastLook(models.Model):
    """The last event of a release that a person has seen, now and on the visit before."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, verbose_name=_("person"), on_delete=models.CASCADE
    )
    release = models.ForeignKey(Release, verbose_name=_("release"), on_delete=models.CASCADE)
    looked_at = models.DateTimeField(_("looked at"))
    seen = models.PositiveIntegerField(_("events seen"))
    seen_before = models.PositiveIntegerField(_("events seen on the visit before"))
    before_at = models.DateTimeField(_("visit before"), null=True)

    class Meta:
        verbose_name = _("last look")
        verbose_name_plural = _("last looks")
        constraints = [
            models.UniqueConstraint(fields=["user", "release"], name="one_last_look_a_release")
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.release_id}: {self.seen}"
