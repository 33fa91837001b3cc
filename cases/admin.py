from django.contrib import admin

from cases.models import Rubric, RubricTranslation
from evalsite.admin import ReadOnlyAdmin


@admin.register(Rubric)
class RubricAdmin(ReadOnlyAdmin):
    list_display = ["number", "language", "digest", "published_at", "published_by"]
    list_select_related = ["published_by"]


@admin.register(RubricTranslation)
class RubricTranslationAdmin(ReadOnlyAdmin):
    list_display = ["rubric", "language", "digest", "published_at", "published_by"]
    list_select_related = ["rubric", "published_by"]
