"""A case: one request with its plan, and the tags it has."""

from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property, reduce
from operator import and_, or_
from typing import TYPE_CHECKING, Any

import msgspec
from django.db import models
from django.db.models import Count, Exists, OuterRef, Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from cases.itinerary import format as itinerary_format
from cases.itinerary import reading
from cases.itinerary.language import detect_language
from cases.models.imports import Batch
from cases.models.releases import MOST_WORDS, Release
from cases.rubric import Kind, normal_tag

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager

# Without vowels, so that no word appears, and without what looks alike.
CODE_LETTERS = "23456789BCDFGHJKMNPQRSTVWXZ"
CODE_LENGTH = 5
# Nearly every request in whole, so that its words can be searched.
LONGEST_OPENING = 2_000
LONGEST_TAG = 80
SHORT = 110


class CheckStatus(models.TextChoices):
    PASS = "PASS", _("passed")
    WARN = "WARN", _("warnings")
    FAIL = "FAIL", _("failed")
    NONE = "", _("not checked")


class CaseQuerySet(models.QuerySet["Case"]):
    def of(self, release: Release) -> "CaseQuerySet":
        return self.filter(release=release)

    def with_tag(self, tag: str) -> "CaseQuerySet":
        return self.filter(_has_tag(tag))

    def fitting(self, kind: Kind) -> "CaseQuerySet":
        return self.filter(_fits(kind))

    def fitting_any(self, kinds: Iterable[Kind]) -> "CaseQuerySet":
        return self.filter(reduce(or_, map(_fits, kinds)))

    def reviewable(self) -> "CaseQuerySet":
        """Passed its automated checks, and has a plan to read."""
        return self.filter(REVIEWABLE)

    def eligible(self) -> "CaseQuerySet":
        """What a sample can be drawn from: reviewable, and nobody excluded it."""
        return self.filter(ELIGIBLE)

    def saying(self, words: str) -> "CaseQuerySet":
        """Each of the words stands in the key or in the request, in whatever order.

        Many words in a row are looked for as they stand: a search must end.
        """
        found = self
        for word in words.split(maxsplit=MOST_WORDS - 1):
            found = found.filter(Q(case_key__icontains=word) | Q(opening__icontains=word))
        return found

    def without_content(self) -> "CaseQuerySet":
        """For lists: the itinerary itself is not read."""
        return self.defer("data")

    def with_tags(self) -> "CaseQuerySet":
        """For lists: what `standing_tags` needs, without the reasons."""
        tags = CaseTag.objects.defer("reason", "wording")
        return self.prefetch_related(models.Prefetch("tags", queryset=tags))

    def counts(self) -> dict[str, int]:
        """By what an admin asks first, in one query. Counts no further than MOST_COUNTED."""
        excluded = Exists(Exclusion.objects.filter(case=OuterRef("pk")))
        rows = self.order_by().annotate(is_excluded=excluded)
        some = rows.values("pk", "check_status", "has_plan", "is_excluded")[: MOST_COUNTED + 1]
        passed = Q(check_status=CheckStatus.PASS)
        return some.aggregate(
            total=Count("pk"),
            eligible=Count("pk", filter=REVIEWABLE & Q(is_excluded=False)),
            excluded=Count("pk", filter=Q(is_excluded=True)),
            not_passed=Count("pk", filter=~passed),
            without_plan=Count("pk", filter=passed & Q(has_plan=False)),
        )

    def counts_of_kinds(self, kinds: Iterable[Kind]) -> dict[str, int]:
        """How many of these cases fit each kind, by key, in one query."""
        places = {f"kind_{place}": kind for place, kind in enumerate(kinds)}
        counts = self.aggregate(
            **{name: Count("pk", filter=_fits(kind)) for name, kind in places.items()}
        )
        return {kind.key: counts[name] for name, kind in places.items()}


class Counted(models.Subquery):
    """How many rows a query gives. Joining and grouping would read every case of every release."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) AS counted)"
    output_field = models.IntegerField()


def case_count() -> Counted:
    """For lists of releases. Counts no further than one more than MOST_COUNTED_IN_LISTS."""
    cases = Case.objects.filter(release=OuterRef("pk")).order_by().values("pk")
    return Counted(cases[: MOST_COUNTED_IN_LISTS + 1])


REVIEWABLE = Q(check_status=CheckStatus.PASS, has_plan=True)
ELIGIBLE = REVIEWABLE & Q(exclusion=None)
MOST_COUNTED = 10_000
# Of each release on the page: 25 large ones must not cost more than 25 small ones.
MOST_COUNTED_IN_LISTS = 1_000


def _has_tag(tag: str) -> Exists:
    return Exists(CaseTag.objects.standing().filter(case=OuterRef("pk"), tag=normal_tag(tag)))


def _fits(kind: Kind) -> Q:
    """The same rule as cases.rubric.fits, asked of the database."""
    return reduce(and_, (Q(_has_tag(tag)) for tag in kind.required_tags))


class Case(models.Model):
    """`data` is the row as it came, as JSON text: jsonb would lose the order of its fields.

    The columns beside it are read from the row when it comes in, for lists and for the draw.
    """

    release = models.ForeignKey(
        Release, verbose_name=_("release"), on_delete=models.PROTECT, related_name="cases"
    )
    case_key = models.CharField(_("case key"), max_length=itinerary_format.LONGEST_KEY)
    code = models.CharField(
        _("code"), max_length=8, unique=True, help_text=_("What reviewers know the case by.")
    )
    data = models.TextField(_("content"))
    digest = models.CharField(_("digest"), max_length=64)
    check_status = models.CharField(
        _("automated checks"), max_length=4, choices=CheckStatus.choices, blank=True
    )
    has_plan = models.BooleanField(_("has a plan"))
    plan_status = models.CharField(_("plan status"), max_length=10, blank=True)
    locale = models.CharField(_("locale"), max_length=35, blank=True)
    days = models.PositiveIntegerField(_("days planned"))
    opening = models.CharField(_("request begins"), max_length=LONGEST_OPENING)
    produced_by = models.JSONField(_("produced by"), default=list)
    batch = models.ForeignKey(
        Batch, verbose_name=_("import"), on_delete=models.PROTECT, related_name="cases"
    )

    objects = CaseQuerySet.as_manager()

    if TYPE_CHECKING:
        tags: "RelatedManager[CaseTag]"

    class Meta:
        verbose_name = _("case")
        verbose_name_plural = _("cases")
        constraints = [
            models.UniqueConstraint(
                fields=["release", "case_key"],
                name="case_key_is_unique_in_its_release",
                violation_error_message=_("The release has a case with this key already."),
            ),
            models.CheckConstraint(
                condition=Q(check_status__in=CheckStatus.values),
                name="case_check_status_is_known",
            ),
        ]
        indexes = [
            models.Index(fields=["case_key"], name="case_by_key"),
            # With the digest, so that a draw reads the index alone and no page with a plan.
            models.Index(
                fields=["release", "check_status", "has_plan", "case_key", "digest"],
                name="case_by_check",
            ),
            models.Index(fields=["release", "days", "case_key"], name="case_by_days"),
        ]

    def __str__(self) -> str:
        return self.case_key

    def get_absolute_url(self) -> str:
        return reverse("case", args=[self.code])

    def get_check_status_display(self) -> str:  # type: ignore[no-redef]
        """Django's own translates every choice each time, which is felt in a list."""
        return str(CheckStatus(self.check_status).label)

    @cached_property
    def content(self) -> dict[str, Any]:
        found: dict[str, Any] = msgspec.json.decode(self.data)
        return found

    @cached_property
    def itinerary(self) -> itinerary_format.Case:
        return reading.case_from(self.data)

    @property
    def shortened(self) -> str:
        """The first words of the request, for a row of a list."""
        return self.opening if len(self.opening) <= SHORT else self.opening[: SHORT - 1] + "…"

    @property
    def opening_language(self) -> str:
        return detect_language(self.opening, self.locale)

    @cached_property
    def standing_tags(self) -> list[str]:
        """The rule of CaseTagQuerySet.standing over rows at hand. Prefetch `tags`."""
        return sorted({row.tag for row in self.unremoved_tags if row.counts})

    @property
    def unremoved_tags(self) -> "list[CaseTag]":
        rows = self.tags.all()
        removed = {row.tag for row in rows if row.removed}
        return [row for row in rows if row.tag not in removed]

    @property
    def standing_exclusion(self) -> "Exclusion | None":
        """Select `exclusion`. A template that asks for what is not there pays dearly for it."""
        return getattr(self, "exclusion", None)

    @property
    def is_reviewable(self) -> bool:
        return self.check_status == CheckStatus.PASS and self.has_plan

    @property
    def is_eligible(self) -> bool:
        """The rule of CaseQuerySet.eligible over a row at hand. Select `exclusion`."""
        return self.is_reviewable and not self.standing_exclusion


class TagOrigin(models.TextChoices):
    DECLARED = "declared", _("declared in the file")
    DETECTED = "detected", _("detected")
    ADMIN = "admin", _("set by an admin")


class TagStrength(models.TextChoices):
    STRONG = "strong", _("strong")
    WEAK = "weak", _("weak")


WEAKLY_DETECTED = Q(origin=TagOrigin.DETECTED, strength=TagStrength.WEAK)


class CaseTagQuerySet(models.QuerySet["CaseTag"]):
    def unremoved(self) -> "CaseTagQuerySet":
        """What was found, surely or not, and no admin took away."""
        # Only admins remove, which a constraint holds; so the small index of removed tags will do.
        removed = CaseTag.objects.filter(case=OuterRef("case"), tag=OuterRef("tag"), removed=True)
        return self.filter(~Exists(removed), removed=False)

    def standing(self) -> "CaseTagQuerySet":
        """The rows by which a case has a tag. One case can have it by two of them."""
        return self.unremoved().exclude(WEAKLY_DETECTED)

    def names_in(self, cases: Iterable["Case"]) -> dict[int, list[str]]:
        """The tags that each of these cases has, by its key; one without any is left out."""
        found = defaultdict[int, set[str]](set)
        for case, tag in self.standing().filter(case__in=cases).values_list("case", "tag"):
            found[case].add(tag)
        return {case: sorted(tags) for case, tags in found.items()}


class CaseTag(models.Model):
    """One source's word on one tag. Together they say whether the case has it.

    A case has a tag if an admin set it, or if it is declared or strongly detected and no admin
    removed it. What an admin says is a row of its own, so the others stay as they were found.
    """

    case = models.ForeignKey(
        Case, verbose_name=_("case"), on_delete=models.CASCADE, related_name="tags"
    )
    tag = models.CharField(_("tag"), max_length=LONGEST_TAG)
    origin = models.CharField(_("origin"), max_length=10, choices=TagOrigin.choices)
    strength = models.CharField(_("strength"), max_length=6, choices=TagStrength.choices)
    removed = models.BooleanField(_("removed"), default=False)
    reason = models.TextField(_("reason"), blank=True)
    # What a detector found, as a sentence to translate: message, plural, params.
    wording = models.JSONField(_("wording"), default=dict, blank=True)

    objects = CaseTagQuerySet.as_manager()

    class Meta:
        verbose_name = _("tag")
        verbose_name_plural = _("tags")
        # Few tags are ever taken away: asking about each of the others must cost next to nothing.
        indexes = [
            models.Index(
                fields=["case", "tag"], condition=Q(removed=True), name="tag_that_was_removed"
            )
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["case", "tag", "origin"], name="one_word_on_a_tag_per_origin"
            ),
            models.CheckConstraint(
                condition=Q(origin="admin") | Q(removed=False),
                name="only_an_admin_removes_a_tag",
            ),
            models.CheckConstraint(
                condition=~Q(origin="admin") | ~Q(reason=""),
                name="an_admin_gives_a_reason_for_a_tag",
                violation_error_message=_("Say why."),
            ),
        ]

    def __str__(self) -> str:
        return self.tag

    @property
    def counts(self) -> bool:
        """Whether this row alone would give the case its tag."""
        return not self.removed and (
            self.origin != TagOrigin.DETECTED or self.strength == TagStrength.STRONG
        )


class Exclusion(models.Model):
    """A case that an admin keeps out of the draw. Goes when the case is let in again."""

    release = models.ForeignKey(
        Release, verbose_name=_("release"), on_delete=models.PROTECT, related_name="exclusions"
    )
    case = models.OneToOneField(
        Case, verbose_name=_("case"), on_delete=models.CASCADE, related_name="exclusion"
    )
    reason = models.TextField(_("reason"))
    excluded_at = models.DateTimeField(_("excluded at"))
    by = models.CharField(
        _("by"), max_length=150, blank=True, help_text=_("Empty: the command line.")
    )

    class Meta:
        verbose_name = _("exclusion")
        verbose_name_plural = _("exclusions")
        constraints = [
            models.CheckConstraint(
                condition=~Q(reason=""),
                name="an_exclusion_has_a_reason",
                violation_error_message=_("Say why."),
            )
        ]

    def __str__(self) -> str:
        return f"{self.case_id}: {self.reason}"
