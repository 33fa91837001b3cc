"""Pairings in the admin site: who reads which pair, and its status.

Nothing that was said is shown, and no side: an admin may be a reader too.
"""

from django.contrib import admin
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from reviews.admin.base import ReleaseRecordAdmin, link_to, link_to_person
from reviews.admin.filters import LatePairings, ReaderFilter
from reviews.models import Pairing


@admin.register(Pairing)
class PairingAdmin(ReleaseRecordAdmin):
    list_display = ["case", "reader_link", "release_link", "status", "late", "submitted_at"]
    list_select_related = ["case__sampled", "reader", "release"]
    deferred = ("case__data", "draft")
    list_filter = ["release", "status", LatePairings, ReaderFilter]
    linked_by = ("case",)
    search_fields = ["case__case_key", "case__code", "reader__username"]
    search_help_text = gettext_lazy("Key or code of the case, or name of the reader.")
    date_hierarchy = "assigned_at"
    fields = [
        *("case_link", "old_case_link", "reader_link", "release_link", "status", "version"),
        *("assigned_at", "saved_at", "submitted_at", "decline_reason", "pairs"),
    ]
    readonly_fields = ["case_link", "old_case_link", "reader_link", "release_link", "pairs"]

    @admin.display(description=gettext_lazy("reader"), ordering="reader__username")
    def reader_link(self, pairing: Pairing) -> str:
        return link_to_person(pairing.reader)

    @admin.display(description=gettext_lazy("case of the baseline"))
    def old_case_link(self, pairing: Pairing) -> str:
        return link_to(pairing.old_case)

    @admin.display(description=gettext_lazy("late"))
    def late(self, pairing: Pairing) -> str:
        is_late = pairing.is_late(timezone.localdate())
        return format_html('<strong class="lacking">{}</strong>', _("late")) if is_late else ""

    @admin.display(description=gettext_lazy("pairs"))
    def pairs(self, pairing: Pairing) -> str:
        address = reverse("pairings", args=[pairing.release.name])
        return format_html('<a href="{}">{}</a>', address, _("Side by side"))
