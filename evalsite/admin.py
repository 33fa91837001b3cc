"""Django's admin site, with the site's own sign-in and permission table."""

from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import BadRequest
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _

from evalsite.permissions import Role, roles_on


class SpotcheckAdminSite(admin.AdminSite):
    site_header = _("Spotcheck admin site")
    site_title = _("Spotcheck admin site")
    index_title = _("Records")

    def has_permission(self, request: HttpRequest) -> bool:
        return Role.ADMIN in roles_on(request)

    def register(self, model_or_iterable: Any, *args: Any, **kwargs: Any) -> None:
        """Leave out allauth's models, which contain the secrets of second factors."""
        models = [model_or_iterable] if isinstance(model_or_iterable, type) else model_or_iterable
        ours = [model for model in models if not model.__module__.startswith("allauth.")]
        super().register(ours, *args, **kwargs)

    def get_urls(self) -> list[Any]:
        """Leave out pages that the site has itself or that none of our models needs."""
        left_out = {"logout", "password_change", "password_change_done", "autocomplete"}
        left_out |= {"view_on_site"}
        return [
            route for route in super().get_urls() if getattr(route, "name", None) not in left_out
        ]

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Use the site's sign-in: Django's has no second factor and no limit on attempts."""
        return redirect("admin:index" if self.has_permission(request) else "account_login")


if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
else:
    ModelAdmin = admin.ModelAdmin


# Suffixes that list filters add to the name of their field.
FILTER_SUFFIXES = ("", "__exact", "__id__exact", "__isnull", "__isempty")
# Values that the date hierarchy links to. Django fails on years outside the calendar.
DATE_VALUES = {"year": range(1900, 3000), "month": range(1, 13), "day": range(1, 32)}
# A key with so many digits fits into a 64-bit column.
MOST_DIGITS = 18


class ReadOnlyAdmin(ModelAdmin):
    """Models that admins may view. Only the workflow changes them.

    `linked_by` are relations that links from other pages filter the list by; `deferred` are columns
    that no list reads, such as the content of a case.
    """

    view_on_site: Any = False
    show_full_result_count = False
    list_select_related: ClassVar[list[str] | tuple[str, ...]] = ()
    linked_by: tuple[str, ...] = ()
    deferred: tuple[str, ...] = ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request).defer(*self.deferred)
        return rows.select_related(*self.list_select_related) if self.list_select_related else rows

    def require_one(self, request: HttpRequest, chosen: QuerySet[Any]) -> Any:
        """Return the only chosen row; for several, show a warning and return None."""
        rows = list(chosen[:2])
        if len(rows) == 1:
            return rows[0]
        self.message_user(request, _("Choose exactly one row for this action."), messages.WARNING)
        return None

    def get_urls(self) -> list[Any]:
        return [
            route
            for route in super().get_urls()
            if not (route.name or "").endswith(("_add", "_delete"))
        ]

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Allow only lookups of the filters, the date hierarchy and links of the site.

        Django would allow every field of the table in the URL. The number of rows could then reveal
        the content of a draft, or whether a case was adjudicated.
        """
        filters = self.get_list_filter(request) if request else self.list_filter
        offered: set[str | None] = set()
        for entry in filters:
            if isinstance(entry, str):
                offered |= {entry + suffix for suffix in FILTER_SUFFIXES}
            elif isinstance(entry, tuple | list):
                offered |= {f"{entry[0]}{suffix}" for suffix in FILTER_SUFFIXES}
            elif isinstance(entry, type) and issubclass(entry, admin.SimpleListFilter):
                offered.add(entry.parameter_name)
        offered |= {f"{relation}__id__exact" for relation in self.linked_by}
        if self.date_hierarchy and lookup.startswith(f"{self.date_hierarchy}__"):
            values = DATE_VALUES.get(lookup.removeprefix(f"{self.date_hierarchy}__"), range(0))
            return value.isdecimal() and len(value) <= 4 and int(value) in values
        return lookup in offered

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Answer 400 to an action on keys that are not numbers; Django would answer 500."""
        chosen = request.POST.getlist(ACTION_CHECKBOX_NAME)
        if not all(key.isdecimal() and len(key) <= MOST_DIGITS for key in chosen):
            raise BadRequest
        return super().changelist_view(request, extra_context)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return Role.ADMIN in roles_on(request)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return Role.ADMIN in roles_on(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
