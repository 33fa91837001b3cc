from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from evalsite.admin import ReadOnlyAdmin
from reviews.assignments.workflow import MOST_TAKEN_BACK
from reviews.models import (
    Absence,
    Decision,
    Draw,
    Review,
    Reviewer,
    SampledCase,
    Waiver,
)
from reviews.models.reviews import OPEN


@admin.register(Reviewer)
class ReviewerAdmin(ReadOnlyAdmin):
    list_display = ["user", "capacity", "languages", "interface_language"]
    list_select_related = ["user"]


@admin.register(Absence)
class AbsenceAdmin(ReadOnlyAdmin):
    list_display = ["reviewer", "first_date", "last_date"]
    list_select_related = ["reviewer__user"]


@admin.register(Draw)
class DrawAdmin(ReadOnlyAdmin):
    list_display = ["release", "number", "size", "pool_size", "drawn_at", "by"]
    list_select_related = ["release"]
    exclude = ["record"]


@admin.register(SampledCase)
class SampledCaseAdmin(ReadOnlyAdmin):
    list_display = ["case", "release", "kind", "origin", "withdrawn_at"]
    list_select_related = ["case", "release"]
    actions = ["give"]

    @admin.action(description=_("Give the chosen case to somebody"))
    def give(self, request: HttpRequest, chosen: QuerySet[SampledCase]) -> HttpResponse | None:
        """Leads to the page that names who may take it."""
        one = self.one_of(request, chosen.select_related("release", "case").defer("case__data"))
        return redirect("assignment-give", one.release.name, one.case.code) if one else None


@admin.register(Waiver)
class WaiverAdmin(ReadOnlyAdmin):
    list_display = ["release", "rule", "reason", "by", "waived_at"]
    list_select_related = ["release"]
    # What it covers names the cases on which reviewers differ.
    exclude = ["covers"]


@admin.register(Decision)
class DecisionAdmin(ReadOnlyAdmin):
    list_display = ["release", "decision", "by", "decided_at", "voided_at"]
    list_select_related = ["release"]


@admin.register(Review)
class ReviewAdmin(ReadOnlyAdmin):
    """How far a review is. What it says is nobody's business here, before or after the closing."""

    list_display = ["case", "reviewer", "release", "status", "submitted_at"]
    list_select_related = ["case", "reviewer", "release"]
    fields = ["case", "reviewer", "release", "status", "version", "assigned_at", "submitted_at"]
    list_filter = ["status"]
    actions = ["move", "take_back"]

    @admin.action(description=_("Move the chosen open review to somebody else"))
    def move(self, request: HttpRequest, chosen: QuerySet[Review]) -> HttpResponse | None:
        """Leads to the page that names who may take it."""
        rows = chosen.select_related("release", "case", "reviewer").defer("case__data", "draft")
        one = self.one_of(request, rows)
        if one is None:
            return None
        if one.status in OPEN:
            return redirect(
                "assignment-move", one.release.name, one.case.code, one.reviewer.username
            )
        self.message_user(request, _("None of them is open."), messages.WARNING)
        return None

    @admin.action(description=_("Take the chosen open reviews back"))
    def take_back(self, request: HttpRequest, chosen: QuerySet[Review]) -> HttpResponse | None:
        """Leads to the page that asks for the reason and keeps the rules."""
        is_open = chosen.filter(status__in=OPEN).order_by("pk").values_list("pk", flat=True)
        keys = ",".join(map(str, is_open[:MOST_TAKEN_BACK]))
        if keys:
            return redirect(f"{reverse('take-back')}?reviews={keys}")
        self.message_user(request, _("None of them is open."), messages.WARNING)
        return None
