"""Filters of the admin lists, all computed by the database."""

from collections.abc import Iterable
from datetime import date
from typing import Any

from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Exists, F, OuterRef, Prefetch, Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from cases.models import Rubric, RubricTranslation
from cases.models.releases import Status
from evalsite.admin import ModelAdmin
from reviews.models import Pairing, Review, SampledCase
from reviews.models.reviews import OPEN, ReviewStatus

# Statuses of people who have a case: they write a review of it or have submitted one.
HAVE_IT = (*OPEN, ReviewStatus.SUBMITTED)
NO_KIND = "-"

Condition = Q | Exists
Lookups = Iterable[tuple[str, Any]]


class YesNoFilter(admin.SimpleListFilter):
    def lookups(self, request: HttpRequest, model_admin: ModelAdmin) -> Lookups:
        return [("yes", _("Yes")), ("no", _("No"))]

    def condition(self) -> Condition:
        raise NotImplementedError

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == "yes":
            return queryset.filter(self.condition())
        return queryset.filter(~self.condition()) if self.value() == "no" else queryset


class LateFilter(YesNoFilter):
    """Past the due date. Work that is due today is not late yet."""

    title = _("late")
    parameter_name = "late"

    def today(self) -> date:
        return timezone.localdate()


class LateReleases(LateFilter):
    def condition(self) -> Condition:
        # Without `isnull` a release without a due date would be neither late nor not late.
        return Q(due_date__isnull=False, due_date__lt=self.today(), status=Status.REVIEWING)


class LateCases(LateFilter):
    def condition(self) -> Condition:
        return Q(case__in=Review.objects.late(self.today()).values("case"))


class LateReviews(LateFilter):
    def condition(self) -> Condition:
        return Q(pk__in=Review.objects.late(self.today()).values("pk"))


class LatePairings(LateFilter):
    def condition(self) -> Condition:
        return Q(pk__in=Pairing.objects.late(self.today()).values("pk"))


class SampledFilter(YesNoFilter):
    """Filter cases by whether they are in the sample."""

    title = _("sampled")
    parameter_name = "sampled"

    def condition(self) -> Condition:
        return Exists(SampledCase.objects.standing().filter(case=OuterRef("pk")))


class WithdrawnFilter(YesNoFilter):
    """Filter sampled cases by whether they were withdrawn."""

    title = _("withdrawn")
    parameter_name = "withdrawn"

    def condition(self) -> Condition:
        return Q(withdrawn_at__isnull=False)


class ReviewersMissingFilter(YesNoFilter):
    """Filter sampled cases, annotated with `reviewers`, by whether they lack reviewers."""

    title = _("reviewers missing")
    parameter_name = "missing"

    def condition(self) -> Condition:
        return Q(withdrawn_at=None, reviewers__lt=F("release__reviews_per_case"))


class KindFilter(admin.SimpleListFilter):
    """Filter by kind, named as in the newest rubric that has it. `path` leads to the kind."""

    title = _("kind")
    parameter_name = "kind"
    path = "kind"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin) -> Lookups:
        kinds = SampledCase.objects.order_by("kind").values_list("kind", flat=True).distinct()
        texts = load_kind_texts()
        return [(kind or NO_KIND, texts.get(kind, kind) or _("none")) for kind in kinds]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        kind = self.value()
        if kind is None:
            return queryset
        return queryset.filter((self.path, "" if kind == NO_KIND else kind))


def load_kind_texts() -> dict[str, str]:
    """Return the text of every kind of any rubric, by key; newer versions win."""
    translations = RubricTranslation.objects.defer("text")
    rubrics = Rubric.objects.defer("text").order_by("number")
    return {
        kind.key: kind.text
        for rubric in rubrics.prefetch_related(Prefetch("translations", queryset=translations))
        for kind in rubric.text_for(get_language()).document.sampling.kinds
    }


class KindOfReview(KindFilter):
    path = "case__sampled__kind"


class ReviewerFilter(admin.SimpleListFilter):
    """Filter by reviewer. `path` leads from a row to its reviewer."""

    title = _("reviewer")
    parameter_name = "reviewer"
    path = "reviewer"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin) -> Lookups:
        """List everyone who has or had a review."""
        people = User.objects.filter(Exists(Review.objects.filter(reviewer=OuterRef("pk"))))
        names = people.order_by("username").values_list("username", flat=True)
        return [(name, name) for name in names]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        name = self.value()
        return queryset if name is None else queryset.filter(self.condition(name))

    def condition(self, username: str) -> Condition:
        return Q((f"{self.path}__username", username))


class ReaderFilter(ReviewerFilter):
    """Filter pairings by reader."""

    title = _("reader")
    parameter_name = "reader"
    path = "reader"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin) -> Lookups:
        people = User.objects.filter(Exists(Pairing.objects.filter(reader=OuterRef("pk"))))
        names = people.order_by("username").values_list("username", flat=True)
        return [(name, name) for name in names]


class ReviewerOfAnswer(ReviewerFilter):
    path = "review__reviewer"


class ReviewerOfCase(ReviewerFilter):
    """Filter sampled cases by the people who have the case now."""

    def condition(self, username: str) -> Condition:
        reviews = Review.objects.filter(status__in=HAVE_IT, reviewer__username=username)
        return Exists(reviews.filter(case=OuterRef("case")))
