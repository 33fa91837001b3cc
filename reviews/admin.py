from django.contrib import admin

from evalsite.admin import ReadOnlyAdmin
from reviews.models import Absence, Reviewer


@admin.register(Reviewer)
class ReviewerAdmin(ReadOnlyAdmin):
    list_display = ["user", "capacity", "languages", "interface_language"]
    list_select_related = ["user"]


@admin.register(Absence)
class AbsenceAdmin(ReadOnlyAdmin):
    list_display = ["reviewer", "first_date", "last_date"]
    list_select_related = ["reviewer__user"]
