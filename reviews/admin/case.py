"""Cases in the admin site, with their kind in the sample."""

import json

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from cases.models import Case
from reviews.admin.base import (
    NOTHING,
    ReleaseRecordAdmin,
    link_to,
    link_to_list,
    name_kind,
    prefetch_releases,
)
from reviews.admin.filters import SampledFilter
from reviews.models import Review


@admin.register(Case)
class CaseAdmin(ReleaseRecordAdmin):
    """The list defers the content, which is as large as everything else together."""

    list_display = [
        *("case_key", "code", "release_link", "check_status", "locale", "days"),
        *("sampled_link", "imported_at"),
    ]
    list_select_related = ["batch", "sampled"]
    deferred = ("data",)
    list_filter = ["release", SampledFilter, "check_status", "has_plan"]
    search_fields = ["case_key", "code", "opening"]
    search_help_text = _("Key, code, or words of the request.")
    date_hierarchy = "batch__created_at"
    fieldsets = [
        (None, {"fields": ["case_key", "code", "release_link", "batch", "opening"]}),
        (
            _("Read from the content"),
            {
                "fields": [
                    *("check_status", "has_plan", "plan_status", "locale", "days"),
                    *("produced_by", "digest"),
                ]
            },
        ),
        (_("Sample and reviews"), {"fields": ["sampled_link", "review_list"]}),
        (_("Content"), {"fields": ["content"], "classes": ["collapse"]}),
    ]
    readonly_fields = ["release_link", "sampled_link", "review_list", "content"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Case]:
        return prefetch_releases(super().get_queryset(request))

    def view_on_site(self, case: Case) -> str:
        return case.get_absolute_url()

    @admin.display(description=_("sampled case"), ordering="sampled__kind")
    def sampled_link(self, case: Case) -> str:
        sampled = getattr(case, "sampled", None)
        if sampled is None:
            return NOTHING
        # Saves a query for the case of each row.
        sampled.case = case
        kind = name_kind(case.release, sampled.kind) if sampled.kind else _("no kind")
        words = _("withdrawn") if sampled.withdrawn_at else kind
        return format_html("{} ({})", link_to(sampled), words)

    @admin.display(description=_("imported at"), ordering="batch__created_at")
    def imported_at(self, case: Case) -> object:
        return case.batch.created_at

    @admin.display(description=_("reviews"))
    def review_list(self, case: Case) -> str:
        return link_to_list(Review, _("Show the reviews"), case)

    @admin.display(description=_("content"))
    def content(self, case: Case) -> str:
        words = json.dumps(case.content, ensure_ascii=False, indent=2)
        return format_html('<pre class="case-content">{}</pre>', words)
