"""Django's admin site, behind the site's own sign-in and permission table."""

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
        """Not allauth's records: they hold the secrets of second factors."""
        models = [model_or_iterable] if isinstance(model_or_iterable, type) else model_or_iterable
        ours = [model for model in models if not model.__module__.startswith("allauth.")]
        super().register(ours, *args, **kwargs)

    def get_urls(self) -> list[Any]:
        """Without what the site's own account pages do, and what no record of ours needs."""
        left_out = {"logout", "password_change", "password_change_done", "autocomplete"}
        left_out |= {"view_on_site"}
        return [
            route for route in super().get_urls() if getattr(route, "name", None) not in left_out
        ]

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Never Django's own sign-in: it has no second factor and no limit on guessing."""
        return redirect("admin:index" if self.has_permission(request) else "account_login")


if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
else:
    ModelAdmin = admin.ModelAdmin


# What the filters of a list add to the path of their field.
OF_FILTERS = ("", "__exact", "__id__exact", "__isnull", "__isempty")
# What a link of the dates may ask for. Django fails on years that no calendar has.
OF_DATES = {"year": range(1900, 3000), "month": range(1, 13), "day": range(1, 32)}
# A key that a column of 64 bits can hold.
MOST_DIGITS = 18


class ReadOnlyAdmin(ModelAdmin):
    """Records that admins may look at. They change only by acts of the workflow.

    `linked_by` are the relations that links from other records filter the list by; `deferred` are
    the columns that no list reads, such as the content of a case.
    """

    view_on_site: Any = False
    show_full_result_count = False
    list_select_related: ClassVar[list[str] | tuple[str, ...]] = ()
    linked_by: tuple[str, ...] = ()
    deferred: tuple[str, ...] = ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request).defer(*self.deferred)
        return rows.select_related(*self.list_select_related) if self.list_select_related else rows

    def one_of(self, request: HttpRequest, chosen: QuerySet[Any]) -> Any:
        """The row for an action that leads to the page of one thing; None, and why, for several."""
        rows = list(chosen[:2])
        if len(rows) == 1:
            return rows[0]
        self.message_user(request, _("Choose exactly one for this."), messages.WARNING)
        return None

    def get_urls(self) -> list[Any]:
        return [
            route
            for route in super().get_urls()
            if not (route.name or "").endswith(("_add", "_delete"))
        ]

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Only what a filter, the dates or a link of the site asks for.

        Django lets an address ask for every field of the table: what a draft says, or whether a
        case was adjudicated, could then be learnt from the number of rows.
        """
        filters = self.get_list_filter(request) if request else self.list_filter
        offered: set[str | None] = set()
        for entry in filters:
            if isinstance(entry, str):
                offered |= {entry + suffix for suffix in OF_FILTERS}
            elif isinstance(entry, tuple | list):
                offered |= {f"{entry[0]}{suffix}" for suffix in OF_FILTERS}
            elif isinstance(entry, type) and issubclass(entry, admin.SimpleListFilter):
                offered.add(entry.parameter_name)
        offered |= {f"{relation}__id__exact" for relation in self.linked_by}
        if self.date_hierarchy and lookup.startswith(f"{self.date_hierarchy}__"):
            values = OF_DATES.get(lookup.removeprefix(f"{self.date_hierarchy}__"), range(0))
            return value.isdecimal() and len(value) <= 4 and int(value) in values
        return lookup in offered

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Answers 400 to an action on keys that are no numbers; Django would answer 500."""
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
