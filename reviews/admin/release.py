"""Releases in the admin site, with links to their cases, sample, reviews and answers."""

from typing import Any

from django.contrib import admin
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from cases.models import Case, Release
from cases.models.cases import MOST_COUNTED_IN_LISTS, case_count
from reviews.admin.base import ReleaseRecordAdmin, link_to_list
from reviews.admin.filters import HAVE_IT, LateReleases
from reviews.models import ChecklistAnswer, Review, SampledCase


@admin.register(Release)
class ReleaseAdmin(ReleaseRecordAdmin):
    list_display = [
        *("name", "product", "status", "due_date", "case_list"),
        *("sample_list", "review_list", "created_at"),
    ]
    list_select_related = ["rubric", "baseline"]
    deferred = ("rubric__text", "rubric__data")
    list_filter = [
        *("status", LateReleases, ("product", admin.AllValuesFieldListFilter)),
        ("archived_at", admin.EmptyFieldListFilter),
    ]
    search_fields = ["name", "product"]
    date_hierarchy = "created_at"
    ordering = ["-created_at", "-pk"]
    actions = ["change_due_date"]
    fieldsets = [
        (None, {"fields": ["name", "product", "status", "due_date", "created_at", "archived_at"]}),
        (
            _("How it is judged"),
            {"fields": ["rubric", "reviews_per_case", "baseline", "policy", "ledger_length"]},
        ),
        (
            _("What belongs to it"),
            {"fields": ["case_list", "sample_list", "review_list", "answer_list"]},
        ),
    ]
    readonly_fields = ["case_list", "sample_list", "review_list", "answer_list"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Release]:
        sample = SampledCase.objects.standing().filter(release=OuterRef("pk"))
        reviews = Review.objects.filter(release=OuterRef("pk"), status__in=HAVE_IT)
        rows: QuerySet[Release] = super().get_queryset(request)
        return rows.annotate(
            cases_counted=case_count(),
            sampled=count_rows(sample, "release"),
            assigned=count_rows(reviews, "release"),
            submitted=count_rows(reviews.submitted(), "release"),
        )

    def find_release(self, record: Any) -> Release:
        release: Release = record
        return release

    def view_on_site(self, release: Release) -> str:
        return release.get_absolute_url()

    @admin.display(description=_("cases"))
    def case_list(self, release: Any) -> str:
        count = release.cases_counted
        shown = f"{MOST_COUNTED_IN_LISTS}+" if count > MOST_COUNTED_IN_LISTS else count
        return link_to_list(Case, shown, release)

    @admin.display(description=_("sampled cases"))
    def sample_list(self, release: Any) -> str:
        return link_to_list(SampledCase, release.sampled, release)

    @admin.display(description=_("reviews submitted"))
    def review_list(self, release: Any) -> str:
        words = gettext("%(count)d of %(all)d") % {
            "count": release.submitted,
            "all": release.assigned,
        }
        return link_to_list(Review, words, release)

    @admin.display(description=_("answers"))
    def answer_list(self, release: Release) -> str:
        return link_to_list(ChecklistAnswer, _("Show the answers"), release)

    @admin.action(description=_("Change the due date of the chosen release"))
    def change_due_date(
        self, request: HttpRequest, chosen: QuerySet[Release]
    ) -> HttpResponse | None:
        """Redirect to the page that warns of weekends and holidays."""
        release = self.require_one(request, chosen)
        if release is None:
            return None
        return redirect(reverse("assignments", args=[release.name]) + "#id_due_date")


def count_rows(rows: QuerySet[Any], group: str) -> Coalesce:
    """Count the rows as a subquery, grouped by `group`."""
    counts = rows.order_by().values(group).annotate(count=Count("pk")).values("count")
    return Coalesce(Subquery(counts), 0)
