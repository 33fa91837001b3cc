"""The navigation bar: the pages that this person may open."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from evalsite.permissions import READ, Answer, answer_for, roles_on


@dataclass(frozen=True)
class Entry:
    label: str
    url: str
    is_current: bool


# Route, label, and the first path segments of the pages that belong to it.
PLACES = [
    ("home", _("Home"), {""}),
    ("my-reviews", _("My reviews"), {"reviews", "practice"}),
    ("release-list", _("Releases"), {"releases", "new-release", "cases", "flags", "trend"}),
    ("escapes", _("What got through"), {"escapes", "products", "rules"}),
    ("scoring", _("How we score"), {"scoring", "rubrics"}),
    ("question-list", _("Questions"), {"questions"}),
    ("mirror", _("My mirror"), {"mirror"}),
    ("people", _("People"), {"people", "invite"}),
    ("admin:index", pgettext_lazy("place in the site", "Admin"), {"admin"}),
]


def list_entries(request: HttpRequest) -> Iterator[Entry]:
    here = request.path.strip("/").split("/")[0]
    for route, label, first_parts in PLACES:
        answer = answer_for(route=route, method=READ, signed_in=True, roles=roles_on(request))
        if answer is Answer.ALLOWED:
            yield Entry(str(label), reverse(route), here in first_parts)


def navigation(request: HttpRequest) -> dict[str, object]:
    """Context processor. Lazy, so that a page without navigation needs no query for roles."""
    return {
        "navigation": SimpleLazyObject(lambda: list(list_entries(request))),
        "roles": SimpleLazyObject(lambda: roles_on(request)),
        "interface_languages": settings.LANGUAGES,
        "oidc_name": settings.OIDC_NAME if settings.OIDC_SERVER_URL else "",
    }
