from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from cases.models import Batch, Case, Event, Exclusion, Release, Rubric, RubricTranslation
from evalsite.admin import ReadOnlyAdmin


@admin.register(Rubric)
class RubricAdmin(ReadOnlyAdmin):
    list_display = ["number", "language", "digest", "published_at", "published_by"]
    list_select_related = ["published_by"]


@admin.register(RubricTranslation)
class RubricTranslationAdmin(ReadOnlyAdmin):
    list_display = ["rubric", "language", "digest", "published_at", "published_by"]
    list_select_related = ["rubric", "published_by"]


@admin.register(Release)
class ReleaseAdmin(ReadOnlyAdmin):
    list_display = ["name", "product", "status", "rubric", "due_date", "created_at"]
    list_select_related = ["rubric"]
    exclude = ["ledger_head"]
    actions = ["change_due_date"]

    @admin.action(description=_("Change the due date of the chosen release"))
    def change_due_date(
        self, request: HttpRequest, chosen: QuerySet[Release]
    ) -> HttpResponse | None:
        """Leads to the page that warns of weekends and holidays."""
        one = self.one_of(request, chosen)
        return redirect(reverse("assignments", args=[one.name]) + "#id_due_date") if one else None


@admin.register(Batch)
class BatchAdmin(ReadOnlyAdmin):
    list_display = ["release", "number", "created_at", "by", "undone_at"]
    list_select_related = ["release"]


@admin.register(Case)
class CaseAdmin(ReadOnlyAdmin):
    list_display = ["case_key", "code", "release", "check_status", "locale"]
    list_select_related = ["release"]
    search_fields = ["case_key", "code"]
    show_full_result_count = False


@admin.register(Exclusion)
class ExclusionAdmin(ReadOnlyAdmin):
    list_display = ["case", "release", "reason", "by"]
    list_select_related = ["case", "release"]


@admin.register(Event)
class EventAdmin(ReadOnlyAdmin):
    """Without details and digests, which depend on what was scored; the History page has them."""

    list_display = ["release", "number", "at", "by", "kind"]
    list_select_related = ["release"]
    fields = ["release", "number", "at", "by", "kind"]
    show_full_result_count = False
