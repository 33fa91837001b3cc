"""Addresses that nobody types: never a mistake of ours, whoever sends them."""

from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.test import Client

from cases.models import Rubric
from evalsite.permissions import READ, methods_of
from tests.bed.routes import Route, all_routes

ODD = ["\0", "a\0b", "\ud7ff\uffff\u202e", "%", "'; --", "x" * 4000, "../../etc/passwd", " "]
ODD_NUMBERS = ["0", str(2**31), str(2**63), str(10**40)]
# The admin site, nearly half of all routes, has one way to read a parameter: these are enough.
ODDEST = {"\0", "'; --", str(2**63)}


def routes_for(odd: str, values: dict[str, str]) -> list[Route]:
    everywhere = odd in ODDEST
    return [one for one in all_routes(values) if everywhere or not one.name.startswith("admin:")]


@pytest.mark.parametrize("text", ODD, ids=ascii)
def test_odd_text_in_an_address_is_no_mistake_of_ours(
    text: str, root: User, rita: User, rubric: Rubric
) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(root)
    part = quote(text, safe="")
    values = {"<str:username>": part, "<uidb64>": part, "<token>": part, "<path:object_id>": part}
    query = f"?q={part}&role={part}&page={part}&next={part}&o={part}&{part}={part}"
    paths = [
        route.path + query for route in routes_for(text, values) if READ in methods_of(route.name)
    ]
    answers = {path: client.get(path).status_code for path in paths}
    assert {path: status for path, status in answers.items() if status == 500} == {}


@pytest.mark.parametrize("number", ODD_NUMBERS, ids=len)
def test_odd_numbers_in_an_address_are_no_mistake_of_ours(
    number: str, root: User, rubric: Rubric
) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(root)
    values = {"<int:number>": number, "<int:pk>": number, "<path:object_id>": number}
    paths = [route.path for route in routes_for(number, values) if "admin/logout" not in route.path]
    answers = {path: client.get(f"{path}?page={number}&p={number}").status_code for path in paths}
    assert {path: status for path, status in answers.items() if status == 500} == {}


@pytest.mark.parametrize("text", ODD, ids=ascii)
def test_odd_text_in_the_sign_in_form_is_no_mistake_of_ours(text: str, rita: User) -> None:
    client = Client(raise_request_exception=False)
    answer = client.post("/sign-in/", {"login": text, "password": text, "next": text})
    assert answer.status_code == 200
    assert client.post("/language/", {"language": text, "next": text}).status_code in (302, 400)
