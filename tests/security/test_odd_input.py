"""Odd input in addresses never causes a server error."""

from collections.abc import Iterable
from urllib.parse import quote

from django.contrib.auth.models import User
from django.test import Client

from cases.models import Rubric
from evalsite.permissions import READ, list_methods
from tests.bed.routes import Route, all_routes

ODD = ["\0", "a\0b", "\ud7ff\uffff\u202e", "%", "'; --", "x" * 4000, "../../etc/passwd", " "]
ODD_NUMBERS = ["0", str(2**31), str(2**63), str(10**40)]
# The query parameters of the pages, and one that no page reads.
PARAMETERS = (
    *("q", "role", "page", "p", "next", "o", "show", "after", "case", "with", "across", "product"),
    *("rule", "about", "rubric", "reviews", "shape", "language", "verify", "archived", "revise"),
    "nothing",
)
# Pages that look up what they are asked for; all others are found by a release or a number first.
LOOKING_UP = {
    *("people", "person", "release-list", "rubric", "rubric-text", "trend"),
    *(
        "scoring",
        "my-reviews",
        "review-next",
        "invitation",
    ),
    *("admin:auth_user_changelist", "admin:auth_user_change", "admin:cases_event_changelist"),
}


def in_place_of_names(text: str, *, numbers: str, objects: str) -> list[Route]:
    part = quote(text, safe="")
    values = {"<str:username>": part, "<uidb64>": part, "<token>": part}
    values |= {"<path:object_id>": quote(objects, safe="")}
    values |= {"<int:number>": numbers, "<int:pk>": numbers}
    return [route for route in all_routes(values) if READ in list_methods(route.name)]


def query(odd: Iterable[str]) -> str:
    given = [quote(text, safe="") for text in odd]
    turn = zip(PARAMETERS, given * len(PARAMETERS), strict=False)
    return "?" + "&".join(f"{name}={one}" for name, one in turn) + f"&{given[0]}={given[0]}"


def mistakes(client: Client, addresses: Iterable[str]) -> list[str]:
    return [path for path in addresses if client.get(path).status_code == 500]


def signed_in(user: User) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(user)
    return client


def test_nothing_odd_in_an_address_is_a_mistake_of_ours(root: User, rita: User) -> None:
    """Try one odd text on each page, in turn."""
    client = signed_in(root)
    turns = [
        in_place_of_names(
            text, numbers=ODD_NUMBERS[turn % 4], objects=[text, *ODD_NUMBERS][turn % 5]
        )
        for turn, text in enumerate(ODD)
    ]
    # A NUL ends a request early, so it has a turn of its own.
    further = [text for text in ODD if "\0" not in text] + ODD_NUMBERS
    addresses = []
    for place, routes in enumerate(zip(*turns, strict=True)):
        route = routes[place % len(ODD)]
        first = place % len(further)
        addresses.append(route.path + query(further[first:] + further[:first]))
        if not route.name.startswith("admin:"):
            addresses.append(routes[(place + 3) % len(ODD)].path + query(["\0"]))
    assert len(addresses) > 150
    assert mistakes(client, addresses) == []


def test_whatever_odd_is_looked_up_it_is_no_mistake_of_ours(
    root: User, rita: User, rubric: Rubric
) -> None:
    """Try each text in every parameter of the pages that look something up."""
    client = signed_in(root)
    addresses, tried = [], set()
    for text in [*ODD, str(2**63)]:
        for route in in_place_of_names(text, numbers="1", objects=text):
            if route.name in LOOKING_UP:
                tried.add(route.name)
                addresses += [route.path + query([text])]
    assert tried == LOOKING_UP
    assert mistakes(client, addresses) == []


def test_an_odd_number_of_something_is_no_mistake_of_ours(root: User, rubric: Rubric) -> None:
    client = signed_in(root)
    addresses = [
        route.path
        for number in ODD_NUMBERS
        for route in all_routes({"<int:number>": number, "<int:pk>": number})
        if f"/{number}/" in route.path and READ in list_methods(route.name)
    ]
    assert len(addresses) > 30
    assert mistakes(client, addresses) == []


def test_odd_text_in_the_sign_in_form_is_no_mistake_of_ours(rita: User) -> None:
    client = Client(raise_request_exception=False)
    for text in ODD:
        answer = client.post("/sign-in/", {"login": text, "password": text, "next": text})
        assert answer.status_code == 200, ascii(text)
        chosen = client.post("/language/", {"language": text, "next": text})
        assert chosen.status_code in (302, 400), ascii(text)
