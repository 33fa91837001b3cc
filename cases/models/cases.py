"""Cases (a request with its plan), their tags and exclusions."""

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
from cases.releases.policy import Result
from cases.rubric import Kind, normal_tag

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager

# Without vowels, so that no code is a word, and without characters that look alike.
CODE_LETTERS = "23456789BCDFGHJKMNPQRSTVWXZ"
CODE_LENGTH = 5
# Long enough for nearly every request, so that its words can be searched.
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

    def eligible(self, release: Release) -> "CaseQuerySet":
        """Keep cases of the release that can be drawn: accepted, with a plan, not excluded."""
        return self.of(release).filter(eligible(release))

    def barred_by_warnings(self, release: Release) -> "CaseQuerySet":
        """Keep cases that could be drawn if the release accepted warnings; none if it does."""
        if release.accepts_warnings:
            return self.none()
        return self.of(release).filter(reviewable(["warn"]), exclusion=None)

    def containing(self, words: str) -> "CaseQuerySet":
        """Keep cases whose key or request contains each of the words, in any order.

        Beyond MOST_WORDS the rest is searched for as one phrase, so that no search takes long.
        """
        found = self
        for word in words.split(maxsplit=MOST_WORDS - 1):
            found = found.filter(Q(case_key__icontains=word) | Q(opening__icontains=word))
        return found

    def without_content(self) -> "CaseQuerySet":
        """Leave out the itinerary, which lists do not need."""
        return self.defer("data")

    def with_tags(self) -> "CaseQuerySet":
        """Prefetch what `standing_tags` needs, without the reasons."""
        tags = CaseTag.objects.defer("reason", "wording")
        return self.prefetch_related(models.Prefetch("tags", queryset=tags))

    def counts(self, release: Release) -> dict[str, int]:
        """Count the cases by what an admin asks first, in one query, up to MOST_COUNTED."""
        excluded = Exists(Exclusion.objects.filter(case=OuterRef("pk")))
        rows = self.of(release).order_by().annotate(is_excluded=excluded)
        some = rows.values("pk", "check_status", "has_plan", "is_excluded")[: MOST_COUNTED + 1]
        return some.aggregate(
            total=Count("pk"),
            eligible=Count("pk", filter=reviewable(release.accept) & Q(is_excluded=False)),
            excluded=Count("pk", filter=Q(is_excluded=True)),
            passed=Count("pk", filter=accepted(["pass"])),
            warned=Count("pk", filter=accepted(["warn"])),
            not_passed=Count("pk", filter=~accepted(["pass", "warn"])),
            without_plan=Count("pk", filter=accepted(release.accept) & Q(has_plan=False)),
        )

    def counts_of_kinds(self, kinds: Iterable[Kind]) -> dict[str, int]:
        """Count the cases that fit each kind, by its key, in one query."""
        places = {f"kind_{place}": kind for place, kind in enumerate(kinds)}
        counts = self.aggregate(
            **{name: Count("pk", filter=_fits(kind)) for name, kind in places.items()}
        )
        return {kind.key: counts[name] for name, kind in places.items()}


class Counted(models.Subquery):
    """Counts the rows of a subquery. Joining and grouping would read every case of all releases."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) AS counted)"
    output_field = models.IntegerField()


def case_count() -> Counted:
    """Count the cases of a release, for lists of releases, up to MOST_COUNTED_IN_LISTS + 1."""
    cases = Case.objects.filter(release=OuterRef("pk")).order_by().values("pk")
    return Counted(cases[: MOST_COUNTED_IN_LISTS + 1])


# The status of a case, by its name in the policy of a release.
STATUS: dict[Result, CheckStatus] = {"pass": CheckStatus.PASS, "warn": CheckStatus.WARN}


def accepted(accept: Iterable[Result]) -> Q:
    """Cases whose automated checks have one of these results."""
    return Q(check_status__in=[STATUS[result] for result in accept])


def reviewable(accept: Iterable[Result]) -> Q:
    """Accepted cases with a plan."""
    return accepted(accept) & Q(has_plan=True)


def eligible(release: Release) -> Q:
    """Cases that can be drawn in this release."""
    return reviewable(release.accept) & Q(exclusion=None)


MOST_COUNTED = 10_000
# Per release in a list: 25 large ones must not cost more than 25 small ones.
MOST_COUNTED_IN_LISTS = 1_000


def _has_tag(tag: str) -> Exists:
    return Exists(CaseTag.objects.standing().filter(case=OuterRef("pk"), tag=normal_tag(tag)))


def _fits(kind: Kind) -> Q:
    """The rule of cases.rubric.fits as a database condition."""
    return reduce(and_, (Q(_has_tag(tag)) for tag in kind.required_tags))


class Case(models.Model):
    """A case. `data` is the imported row as JSON text, since jsonb would lose the order of fields.

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
            # With the digest, so that a draw reads only this index and never a plan.
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
        """The tags of the case, by the rule of CaseTagQuerySet.standing. Prefetch `tags`."""
        return sorted({row.tag for row in self.unremoved_tags if row.counts})

    @property
    def unremoved_tags(self) -> "list[CaseTag]":
        rows = self.tags.all()
        removed = {row.tag for row in rows if row.removed}
        return [row for row in rows if row.tag not in removed]

    @property
    def standing_exclusion(self) -> "Exclusion | None":
        """The exclusion or None; a template that asked for `exclusion` itself would be slow."""
        return getattr(self, "exclusion", None)

    @property
    def is_accepted(self) -> bool:
        """Whether the release takes cases with this result of the automated checks."""
        return self.check_status in [STATUS[result] for result in self.release.accept]

    @property
    def is_reviewable(self) -> bool:
        return self.is_accepted and self.has_plan

    @property
    def is_eligible(self) -> bool:
        """Whether the case can be drawn, by the rule of `eligible`. Load the release before."""
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
        """Keep tags, strong and weak, that no admin removed."""
        # Only admins remove tags (a constraint), so the small index of removed tags is enough.
        removed = CaseTag.objects.filter(case=OuterRef("case"), tag=OuterRef("tag"), removed=True)
        return self.filter(~Exists(removed), removed=False)

    def standing(self) -> "CaseTagQuerySet":
        """Keep the rows that give a case its tags. A case can have a tag by several rows."""
        return self.unremoved().exclude(WEAKLY_DETECTED)

    def names_in(self, cases: Iterable["Case"]) -> dict[int, list[str]]:
        """Return the tags of these cases by primary key; cases without tags are left out."""
        found = defaultdict[int, set[str]](set)
        for case, tag in self.standing().filter(case__in=cases).values_list("case", "tag"):
            found[case].add(tag)
        return {case: sorted(tags) for case, tags in found.items()}


class CaseTag(models.Model):
    """One source's statement on one tag of a case: the file's, a detector's or an admin's.

    A case has a tag if an admin set it, or if it is declared or strongly detected and no admin
    removed it. An admin's change is a row of its own, so the findings stay untouched.
    """

    case = models.ForeignKey(
        Case, verbose_name=_("case"), on_delete=models.CASCADE, related_name="tags"
    )
    tag = models.CharField(_("tag"), max_length=LONGEST_TAG)
    origin = models.CharField(_("origin"), max_length=10, choices=TagOrigin.choices)
    strength = models.CharField(_("strength"), max_length=6, choices=TagStrength.choices)
    removed = models.BooleanField(_("removed"), default=False)
    reason = models.TextField(_("reason"), blank=True)
    # A detector's reason as a sentence to translate: message, plural, params.
    wording = models.JSONField(_("wording"), default=dict, blank=True)

    objects = CaseTagQuerySet.as_manager()

    class Meta:
        verbose_name = _("tag")
        verbose_name_plural = _("tags")
        # Few tags are removed, so looking for a removal must cost next to nothing.
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
        """Whether this row alone gives the case the tag."""
        return not self.removed and (
            self.origin != TagOrigin.DETECTED or self.strength == TagStrength.STRONG
        )


class Exclusion(models.Model):
    """A case that an admin excluded from the draw. Deleted when the case is let in again."""

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
