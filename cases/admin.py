"""Read-only admin pages of rubrics, imports, exclusions, ledgers. Others are in reviews/admin."""

from django.contrib import admin

from cases.models import (
    Batch,
    Event,
    Exclusion,
    Ledger,
    LedgerEvent,
    Rubric,
    RubricTranslation,
)
from evalsite.admin import ReadOnlyAdmin


@admin.register(Rubric)
class RubricAdmin(ReadOnlyAdmin):
    list_display = ["number", "language", "digest", "published_at", "published_by"]
    list_select_related = ["published_by"]
    deferred = ("text", "data")


@admin.register(RubricTranslation)
class RubricTranslationAdmin(ReadOnlyAdmin):
    list_display = ["rubric", "language", "digest", "published_at", "published_by"]
    list_select_related = ["rubric", "published_by"]
    deferred = ("text", "data", "rubric__text", "rubric__data")


@admin.register(Batch)
class BatchAdmin(ReadOnlyAdmin):
    list_display = ["release", "number", "created_at", "by", "undone_at"]
    list_select_related = ["release"]


@admin.register(Exclusion)
class ExclusionAdmin(ReadOnlyAdmin):
    list_display = ["case", "release", "reason", "by"]
    list_select_related = ["case", "release"]
    deferred = ("case__data",)


@admin.register(Event)
class EventAdmin(ReadOnlyAdmin):
    """Hides details and digests, which depend on scores; the History page has them."""

    list_display = ["release", "number", "at", "by", "kind"]
    list_select_related = ["release"]
    fields = ["release", "number", "at", "by", "kind"]


@admin.register(Ledger)
class LedgerAdmin(ReadOnlyAdmin):
    list_display = ["name", "ledger_length"]
    fields = ["name", "ledger_length"]


@admin.register(LedgerEvent)
class LedgerEventAdmin(ReadOnlyAdmin):
    """Hides what EventAdmin hides."""

    list_display = ["ledger", "number", "at", "by", "kind"]
    fields = ["ledger", "number", "at", "by", "kind"]
    list_select_related = ["ledger"]
