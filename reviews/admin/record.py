"""Other records in the admin site, read-only."""

from django.contrib import admin

from evalsite.admin import ReadOnlyAdmin
from reviews.models import Absence, Decision, Draw, Question, Reviewer, Ruling, Waiver


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
    deferred = ("record",)


@admin.register(Waiver)
class WaiverAdmin(ReadOnlyAdmin):
    list_display = ["release", "rule", "reason", "by", "waived_at"]
    list_select_related = ["release"]
    # It names the cases on which reviewers disagree.
    exclude = ["covers"]


@admin.register(Decision)
class DecisionAdmin(ReadOnlyAdmin):
    list_display = ["release", "decision", "by", "decided_at", "voided_at"]
    list_select_related = ["release"]


@admin.register(Question)
class QuestionAdmin(ReadOnlyAdmin):
    list_display = ["text", "subject", "release", "case", "asked_by", "asked_at"]
    list_select_related = ["release", "case", "asked_by"]
    deferred = ("case__data",)


@admin.register(Ruling)
class RulingAdmin(ReadOnlyAdmin):
    list_display = ["text", "subject", "rubric", "by", "given_at", "look_again", "supersedes"]
    list_select_related = ["rubric", "supersedes"]
