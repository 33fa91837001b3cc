"""What the records of a release share in the admin site: their history, and links to each other."""

from collections.abc import Collection
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.utils import unquote
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth.models import User
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from cases.models import Case, Release
from evalsite.admin import ReadOnlyAdmin
from reviews.assignments.workflow import MOST_AT_ONCE

NOTHING = "–"
BY_RELEASE = "release__id__exact"
# As many rows as the dates of a list are looked for among, without a release to begin with.
MOST_DATED = 20_000


class ReleaseRecordAdmin(ReadOnlyAdmin):
    """A record with a release. Its history is the ledger, which knows who may read what."""

    empty_value_display = NOTHING
    ordering = ["-pk"]

    class Media:
        css = {"all": ["spotcheck/admin.css"]}

    def release_of(self, record: Any) -> Release:
        release: Release = record.release
        return release

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        record = self.get_object(request, unquote(object_id))
        if record is None:
            return super().history_view(request, object_id, extra_context)
        return redirect("event-list", self.release_of(record).name)

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """Without the dates of a large table: they are looked for row by row. Choosing a release
        brings them back."""
        found = super().get_changelist_instance(request)
        if BY_RELEASE not in request.GET:
            newest = (
                self.model._default_manager.order_by("-pk").values_list("pk", flat=True).first()
            )
            if (newest or 0) > MOST_DATED:
                found.date_hierarchy = None
        return found

    def rows_of(self, request: HttpRequest, chosen: QuerySet[Any]) -> list[Any]:
        """The chosen rows in the order of the list; nothing, and why, for none or too many."""
        rows = list(chosen[: MOST_AT_ONCE + 1])
        if len(rows) > MOST_AT_ONCE:
            words = gettext("Choose at most %(most)d at once.") % {"most": MOST_AT_ONCE}
            self.message_user(request, words, messages.WARNING)
            return []
        if not rows:
            words = gettext("None of the chosen rows is in this list any more. Nothing changed.")
            self.message_user(request, words, messages.WARNING)
        return rows

    def action_page(
        self,
        request: HttpRequest,
        page: str,
        *,
        rows: Collection[Any],
        status: int = 200,
        **context: Any,
    ) -> HttpResponse:
        """The form between choosing rows and doing something with them. It sends the same action
        with the same rows again."""
        meta = self.opts
        return TemplateResponse(
            request,
            f"admin/{meta.app_label}/{meta.model_name}/{page}.html",
            {
                **self.admin_site.each_context(request),
                "opts": meta,
                "media": self.media,
                "action": request.POST["action"],
                "action_checkbox_name": ACTION_CHECKBOX_NAME,
                "rows": rows,
                "list_url": request.get_full_path(),
                **context,
            },
            status=status,
        )

    @admin.display(description=_("release"), ordering="release__name")
    def release_link(self, record: Any) -> str:
        return link_to(record.release)

    @admin.display(description=_("case"), ordering="case__case_key")
    def case_link(self, record: Any) -> str:
        return link_to(record.case)

    @admin.display(description=_("reviewer"), ordering="reviewer__username")
    def reviewer_link(self, record: Any) -> str:
        return link_to_person(record.reviewer)


def link_to(record: Model) -> SafeString:
    """To the record in the admin site, by its name."""
    meta = record._meta
    address = reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=[record.pk])
    return format_html('<a href="{}">{}</a>', address, record)


def link_to_person(person: User) -> SafeString:
    """To the page of the person: accounts in the admin site are for superusers."""
    username = person.get_username()
    return format_html('<a href="{}">{}</a>', reverse("person", args=[username]), username)


def link_to_list(model: type[Model], words: object, record: Release | Case | Model) -> SafeString:
    """To the rows of a table that belong to a record, as its list filters them."""
    meta = model._meta
    query = urlencode({f"{record._meta.model_name}__id__exact": record.pk})
    address = reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist")
    return format_html('<a href="{}?{}">{}</a>', address, query, words)
