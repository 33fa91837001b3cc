"""Django's admin site, behind the site's own sign-in and permission table."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _

from evalsite.permissions import Role, roles_on


class SpotcheckAdminSite(admin.AdminSite):
    site_header = _("Spotcheck records")
    site_title = _("Spotcheck records")
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
        return [one for one in super().get_urls() if getattr(one, "name", None) not in left_out]

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Never Django's own sign-in: it has no second factor and no limit on guessing."""
        return redirect("admin:index" if self.has_permission(request) else "account_login")


if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
else:
    ModelAdmin = admin.ModelAdmin


class ReadOnlyAdmin(ModelAdmin):
    """Records that admins may look at. They change only through the pages, which keep the rules."""

    view_on_site = False

    def one_of(self, request: HttpRequest, chosen: QuerySet[Any]) -> Any:
        """The row for an action that leads to the page of one thing; None, and why, for several."""
        rows = list(chosen[:2])
        if len(rows) == 1:
            return rows[0]
        self.message_user(request, _("Choose exactly one for this."), messages.WARNING)
        return None

    def get_urls(self) -> list[Any]:
        return [
            one for one in super().get_urls() if not (one.name or "").endswith(("_add", "_delete"))
        ]

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
