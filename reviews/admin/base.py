"""Base of the admin pages of a release's records: history, links, actions, names of kinds."""

from collections.abc import Collection
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.utils import unquote
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth.models import User
from django.db.models import Model, Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from cases.models import Case, Release, RubricTranslation
from evalsite.admin import ReadOnlyAdmin
from reviews.assignments.workflow import MOST_AT_ONCE
from reviews.sample.rule import kind_texts

NOTHING = "–"
BY_RELEASE = "release__id__exact"
# Largest table in which dates are looked up without a filter by release.
MOST_DATED = 20_000


class ReleaseRecordAdmin(ReadOnlyAdmin):
    """A record that belongs to a release. Its history is the ledger of the release."""

    empty_value_display = NOTHING
    ordering = ["-pk"]

    class Media:
        css = {"all": ["spotcheck/admin.css"]}

    def find_release(self, record: Any) -> Release:
        release: Release = record.release
        return release

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        record = self.get_object(request, unquote(object_id))
        if record is None:
            return super().history_view(request, object_id, extra_context)
        return redirect("event-list", self.find_release(record).name)

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """Drop the date hierarchy of a large table, which would read every row.

        Filtering by release brings it back.
        """
        found = super().get_changelist_instance(request)
        if BY_RELEASE not in request.GET:
            newest = (
                self.model._default_manager.order_by("-pk").values_list("pk", flat=True).first()
            )
            if (newest or 0) > MOST_DATED:
                found.date_hierarchy = None
        return found

    def read_rows(self, request: HttpRequest, chosen: QuerySet[Any]) -> list[Any]:
        """Return the chosen rows in list order; warn and return none if too many or gone."""
        rows = list(chosen[: MOST_AT_ONCE + 1])
        if len(rows) > MOST_AT_ONCE:
            words = gettext("Choose at most %(most)d at once.") % {"most": MOST_AT_ONCE}
            self.message_user(request, words, messages.WARNING)
            return []
        if not rows:
            words = gettext("The chosen rows are no longer in this list. Nothing changed.")
            self.message_user(request, words, messages.WARNING)
        return rows

    def show_action(
        self,
        request: HttpRequest,
        page: str,
        *,
        rows: Collection[Any],
        status: int = 200,
        **context: Any,
    ) -> HttpResponse:
        """Show the form of an action. Submitting it repeats the action with the same rows."""
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
    """Link to the record in the admin site."""
    meta = record._meta
    address = reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=[record.pk])
    return format_html('<a href="{}">{}</a>', address, record)


def link_to_person(person: User) -> SafeString:
    """Link to the page of the person: accounts in the admin site are for superusers."""
    username = person.get_username()
    return format_html('<a href="{}">{}</a>', reverse("person", args=[username]), username)


def link_to_list(model: type[Model], words: object, record: Release | Case | Model) -> SafeString:
    """Link to the list of the rows that belong to a record."""
    meta = model._meta
    query = urlencode({f"{record._meta.model_name}__id__exact": record.pk})
    address = reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist")
    return format_html('<a href="{}?{}">{}</a>', address, query, words)


def prefetch_releases(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Prefetch the release of each row with its rubric, to name kinds in the reader's language."""
    translations = RubricTranslation.objects.defer("text")
    releases = Release.objects.select_related("rubric").defer("rubric__text")
    releases = releases.prefetch_related(Prefetch("rubric__translations", queryset=translations))
    return rows.prefetch_related(Prefetch("release", queryset=releases))


def name_kind(release: Release, kind: str) -> str:
    """Return the rubric's text of a kind; an unknown kind keeps its key."""
    return kind_texts(release).get(kind, kind)
