"""The permission table against the URL map: every route, every method, every kind of person.

Of each answer on that walk the headers are looked at too, and whether a page has anything inline.
"""

from typing import Any

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from django.contrib.auth.models import User
from django.test import Client

from cases.models import Rubric
from evalsite.permissions import (
    PUBLIC,
    ROUTES,
    Answer,
    Role,
    answer_for,
    find_rights,
    find_roles,
    is_for_scripts,
    list_methods,
)
from tests.bed.routes import Route, all_routes
from tests.engines import share_out
from tests.people import PASSWORD
from tests.security.answers import faults, inline_in

METHODS = {"GET", "HEAD", "POST"}
CALL_METHODS = METHODS | {"PUT", "PATCH"}
# No page has these: they are refused before a view is asked.
OTHER_METHODS = ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]
WHO = ["anonymous", "inactive", "no role", "reviewer", "admin", "manager", "superuser"]


@pytest.fixture
def people(rita: User, ada: User, mina: User, sam: User, root: User) -> dict[str, User | None]:
    gone = User.objects.create_user("gone", is_active=False)
    return {
        "anonymous": None,
        "inactive": gone,
        "no role": sam,
        "reviewer": rita,
        "admin": ada,
        "manager": mina,
        "superuser": root,
    }


def test_every_route_stands_in_the_table() -> None:
    missing = [route for route in all_routes() if find_rights(route.name) is None]
    assert missing == []


def test_every_row_of_the_table_is_a_route() -> None:
    names = {route.name for route in all_routes()}
    unused = [
        row
        for row in ROUTES
        if row not in names
        and not (row.startswith("admin:") and any(name.startswith(row) for name in names))
    ]
    assert unused == []


STATUS = {
    Answer.SIGN_IN: {302},
    Answer.HIDDEN: {404},
    Answer.FORBIDDEN: {403},
    Answer.WRONG_METHOD: {405},
}


MAIN_PAGES = {"home", "account", "rubric-list", "rubric", "account_change_password", "mfa_index"}
# Some pages that must have been shown, so that no person meets only refusals.
PAGES_OF = {
    "anonymous": {"account_login", "openid_connect_login", "socialaccount_login_cancelled"},
    "inactive": {"account_login"},
    "no role": set(),
    "reviewer": MAIN_PAGES | {"mfa_activate_totp"},
    "admin": MAIN_PAGES
    | {"people", "person", "person-invite", "rubric-new", "admin:index"}
    | {f"admin:cases_{table}_changelist" for table in ("release", "case")}
    | {f"admin:reviews_{table}_changelist" for table in ("sampledcase", "review", "pairing")}
    | {"admin:reviews_checklistanswer_changelist"},
    "manager": MAIN_PAGES | {"mfa_view_recovery_codes", "mfa_deactivate_totp"},
    "superuser": MAIN_PAGES | {"people", "person", "admin:auth_user_change", "admin:auth_user_add"},
}


@pytest.mark.parametrize("who", share_out(*WHO))
def test_every_route_answers_everybody_as_the_table_says(
    who: str, people: dict[str, User | None], rubric: Rubric
) -> None:
    """Each person on one engine only, because the table is checked before any query."""
    rita = people["reviewer"]
    assert rita is not None
    there = {
        "<int:number>": str(rubric.number),
        "<str:username>": "rita",
        "<path:object_id>": str(rita.pk),
    }
    asked = [(route, "GET") for route in all_routes(there)]
    asked += [(route, "POST") for route in all_routes()]
    asked += [(route, "HEAD") for route in in_turn(all_routes(), who)]
    calls = [route for route in all_routes() if is_for_scripts(route.name)]
    asked += [(route, method) for route in calls for method in ("PUT", "PATCH")]
    pages: set[str] = set()
    assert answers_against_the_table(people[who], asked, pages) == []
    assert PAGES_OF[who] <= pages, sorted(PAGES_OF[who] - pages)


@pytest.mark.parametrize("who", share_out(*reversed(WHO)))
def test_every_route_refuses_everybody_the_methods_that_no_page_has(
    who: str, people: dict[str, User | None], rubric: Rubric
) -> None:
    """Each person tries each route with one of these methods, and together they try all."""
    first, count = WHO.index(who), len(OTHER_METHODS)
    asked = [
        (route, OTHER_METHODS[(first + place) % count]) for place, route in enumerate(all_routes())
    ]
    assert answers_against_the_table(people[who], asked, set()) == []


def in_turn(routes: list[Route], who: str) -> list[Route]:
    """Each person tries every seventh route, shifted, so that together they try all."""
    return routes[WHO.index(who) :: len(WHO)]


def test_no_page_has_another_method_and_no_call_any_but_these() -> None:
    pages = {route.name for route in all_routes() if not is_for_scripts(route.name)}
    calls = {route.name for route in all_routes()} - pages
    assert {method for name in pages for method in list_methods(name)} == METHODS
    assert {method for name in calls for method in list_methods(name)} == CALL_METHODS


def answers_against_the_table(
    user: User | None, asked: list[tuple[Route, str]], pages: set[str]
) -> list[str]:
    """Return the problems of the answers, and add the names of pages to `pages`."""
    client = signed_in_client(user)
    signed_in = user is not None and user.is_active
    roles = find_roles(user) if user is not None and signed_in else frozenset[Role]()
    wrong = []
    for route, method in asked:
        if route.name == "account_logout" and method == "POST":
            continue  # would end the walk
        expected = answer_for(route=route.name, method=method, signed_in=signed_in, roles=roles)
        response = client.generic(method, route.path)
        what = f"{method} {route.path} ({route.name})"
        if not fits(response, expected, route):
            wrong.append(f"{what}: {expected} but {response.status_code}")
        if found := faults(response):
            wrong.append(f"{what}: {found}")
        if method == "GET" and is_page(response):
            pages.add(route.name)
            if inline := inline_in(response.content.decode()):
                wrong.append(f"{what}: {inline}")
    return wrong


def signed_in_client(user: User | None) -> Client:
    """Sign in freshly, so that the pages of the second factor do not ask for confirmation."""
    client = Client()
    if user is None:
        return client
    if not user.is_active:
        client.force_login(user)
        return client
    code = ""
    if user.username == "mina":
        TOTP.activate(user, "JBSWY3DPEHPK3PXP")
        code = RecoveryCodes.activate(user).get_unused_codes()[0]
    client.post("/sign-in/", {"login": user.username, "password": PASSWORD})
    if code:
        client.post("/sign-in/second-factor/", {"code": code})
    client.post("/account/confirm/", {"password": PASSWORD})
    assert client.session["_auth_user_id"] == str(user.pk)
    return client


# Of these only their owner learns what is wrong with a call.
OWN_ROWS = ("/api/v1/reviews/987/", "/api/v1/pairings/987/")


def fits(response: Any, expected: Answer, route: Route) -> bool:
    status = response.status_code
    if expected is Answer.SIGN_IN and is_for_scripts(route.name):
        return bool(status == 401)  # a script is sent to no page
    if expected is Answer.WRONG_METHOD and route.path.startswith(OWN_ROWS):
        return bool(status == 404)  # the example is no one's
    if expected is not Answer.ALLOWED:
        return status in STATUS[expected]
    # 404: the example names nothing. 302 elsewhere than to the sign-in page: done.
    sent_away = status == 302 and response.headers.get("Location", "").startswith("/sign-in/")
    is_door = find_rights(route.name) and PUBLIC in (find_rights(route.name) or {}).values()
    # 503: the sign-in provider of the tests is away.
    return status not in (403, 405, 500) and bool(is_door or not sent_away)


def is_page(response: Any) -> bool:
    is_html = response.headers.get("Content-Type", "").startswith("text/html")
    return bool(response.status_code == 200 and is_html)


def test_a_route_that_the_table_does_not_know_is_hidden_from_everybody() -> None:
    answer = answer_for(route="no-such-route", method="GET", signed_in=True, roles=frozenset(Role))
    assert answer is Answer.HIDDEN


def test_a_person_without_a_role_finds_nothing_but_can_sign_out(sam: User) -> None:
    client = Client()
    client.force_login(sam)
    page = client.get("/")
    assert page.status_code == 404
    assert "no role yet" in page.content.decode()
    assert client.post("/sign-out/").status_code == 302
    assert client.get("/").headers["Location"].startswith("/sign-in/")


def test_a_closed_route_is_refused_before_anything_is_looked_up(rita: User, ada: User) -> None:
    client = Client()
    client.force_login(rita)
    assert client.get("/people/ada/").status_code == 403
    assert client.get("/people/nobody/").status_code == 403


def test_wrong_method_names_the_right_ones(ada: User) -> None:
    client = Client()
    client.force_login(ada)
    response = client.get("/people/ada/deactivate/")
    assert response.status_code == 405
    assert response.headers["Allow"] == "POST"
    assert list_methods("people") == ["GET", "HEAD"]


def test_an_anonymous_htmx_request_is_sent_to_the_sign_in_page_as_a_whole() -> None:
    response = Client().get("/people/", headers={"HX-Request": "true"})
    assert response.status_code == 401
    assert response.headers["HX-Redirect"] == "/sign-in/"


def test_rights_end_with_the_role_at_once(ada: User) -> None:
    client = Client()
    client.force_login(ada)
    assert client.get("/people/").status_code == 200
    ada.groups.clear()
    assert client.get("/people/").status_code == 404
