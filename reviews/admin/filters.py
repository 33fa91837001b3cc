"""The filters of the lists. All of them are answered by the database."""

from collections.abc import Iterable
from datetime import date
from typing import Any

from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from cases.models.releases import Status
from evalsite.admin import ModelAdmin
from reviews.models import Review, SampledCase
from reviews.models.reviews import OPEN, ReviewStatus

# Those who have a case: they write a review of it, or have written it.
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
    """Past the due date; what is due today is not late yet.

    Late work is looked for in the few open releases first, not row by row.
    """

    title = _("late")
    parameter_name = "late"

    def today(self) -> date:
        return timezone.localdate()


class LateReleases(LateFilter):
    def condition(self) -> Condition:
        # Also with no due date the answer is yes or no, and not unknown.
        return Q(due_date__isnull=False, due_date__lt=self.today(), status=Status.REVIEWING)


class LateCases(LateFilter):
    def condition(self) -> Condition:
        return Q(case__in=Review.objects.late(self.today()).values("case"))


class LateReviews(LateFilter):
    def condition(self) -> Condition:
        return Q(pk__in=Review.objects.late(self.today()).values("pk"))


class SampledFilter(YesNoFilter):
    """Of cases: whether they are read by hand."""

    title = _("sampled")
    parameter_name = "sampled"

    def condition(self) -> Condition:
        return Exists(SampledCase.objects.standing().filter(case=OuterRef("pk")))


class WithdrawnFilter(YesNoFilter):
    """Of sampled cases, which stay when they are withdrawn."""

    title = _("withdrawn")
    parameter_name = "withdrawn"

    def condition(self) -> Condition:
        return Q(withdrawn_at__isnull=False)


class ReviewersMissingFilter(YesNoFilter):
    """Of sampled cases that count their `reviewers`: whether they have too few."""

    title = _("reviewers missing")
    parameter_name = "missing"

    def condition(self) -> Condition:
        return Q(withdrawn_at=None, reviewers__lt=F("release__reviews_per_case"))


class KindFilter(admin.SimpleListFilter):
    """`path` leads from a row to its kind."""

    title = _("kind")
    parameter_name = "kind"
    path = "kind"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin) -> Lookups:
        kinds = SampledCase.objects.order_by("kind").values_list("kind", flat=True).distinct()
        return [(kind or NO_KIND, kind or _("none")) for kind in kinds]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        kind = self.value()
        if kind is None:
            return queryset
        return queryset.filter((self.path, "" if kind == NO_KIND else kind))


class KindOfReview(KindFilter):
    path = "case__sampled__kind"


class ReviewerFilter(admin.SimpleListFilter):
    """`path` leads from a row to its reviewer."""

    title = _("reviewer")
    parameter_name = "reviewer"
    path = "reviewer"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin) -> Lookups:
        """Everybody who has or had a review."""
        people = User.objects.filter(Exists(Review.objects.filter(reviewer=OuterRef("pk"))))
        names = people.order_by("username").values_list("username", flat=True)
        return [(name, name) for name in names]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        name = self.value()
        return queryset if name is None else queryset.filter(self.condition(name))

    def condition(self, username: str) -> Condition:
        return Q((f"{self.path}__username", username))


class ReviewerOfAnswer(ReviewerFilter):
    path = "review__reviewer"


class ReviewerOfCase(ReviewerFilter):
    """Of sampled cases: the people who have the case now, not those who gave it back."""

    def condition(self, username: str) -> Condition:
        reviews = Review.objects.filter(status__in=HAVE_IT, reviewer__username=username)
        return Exists(reviews.filter(case=OuterRef("case")))
