from django.contrib import admin

from evalsite.admin import ReadOnlyAdmin
from reviews.models import (
    Absence,
    Decision,
    Draw,
    Review,
    Reviewer,
    SampledCase,
    Waiver,
)


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


@admin.register(Waiver)
class WaiverAdmin(ReadOnlyAdmin):
    list_display = ["release", "rule", "reason", "by", "waived_at"]
    list_select_related = ["release"]


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
