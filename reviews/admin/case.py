"""Cases, with their part in the sample."""

import json

from django.contrib import admin
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from cases.models import Case
from reviews.admin.base import NOTHING, ReleaseRecordAdmin, link_to, link_to_list
from reviews.admin.filters import SampledFilter
from reviews.models import Review


@admin.register(Case)
class CaseAdmin(ReleaseRecordAdmin):
    """Lists do not read the content, which is as large as everything else together."""

    list_display = [
        *("case_key", "code", "release_link", "check_status", "locale", "days"),
        *("sampled_link", "imported_at"),
    ]
    list_select_related = ["release", "batch", "sampled"]
    deferred = ("data",)
    list_filter = ["release", SampledFilter, "check_status", "has_plan"]
    search_fields = ["case_key", "code", "opening"]
    search_help_text = _("Key, code, or words of the request.")
    date_hierarchy = "batch__created_at"
    fieldsets = [
        (None, {"fields": ["case_key", "code", "release_link", "batch", "opening"]}),
        (
            _("What was read from it"),
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

    def view_on_site(self, case: Case) -> str:
        return case.get_absolute_url()

    @admin.display(description=_("sampled case"), ordering="sampled__kind")
    def sampled_link(self, case: Case) -> str:
        sampled = getattr(case, "sampled", None)
        if sampled is None:
            return NOTHING
        # The row knows its case only by key; asking for it would be a query for each.
        sampled.case = case
        words = _("withdrawn") if sampled.withdrawn_at else sampled.kind or _("no kind")
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
