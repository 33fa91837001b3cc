"""A redirect target in a request leads only to pages of this site."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.people import PASSWORD

FOREIGN = [
    "https://evil.example/",
    "http://evil.example",
    "//evil.example/",
    "///evil.example/",
    "/\\evil.example/",
    "\\\\evil.example/",
    "https:evil.example",
    "http:///evil.example",
    "https://testserver@evil.example/",
    "https://testserver.evil.example/",
    "javascript:alert(1)",
    "data:text/html,x",
    " https://evil.example/",
    "\thttps://evil.example/",
    "https://evil.example\\@testserver/",
]


@pytest.mark.django_db
@pytest.mark.parametrize("target", FOREIGN)
def test_choosing_a_language_does_not_lead_to_a_foreign_site(target: str) -> None:
    response = Client().post("/language/", {"language": "en", "next": target})
    assert (response.status_code, response.headers["Location"]) == (302, "/")


@pytest.mark.parametrize("target", FOREIGN)
def test_signing_in_does_not_lead_to_a_foreign_site(target: str, rita: User) -> None:
    fields = {"login": "rita", "password": PASSWORD, "next": target}
    response = Client().post("/sign-in/", fields)
    assert (response.status_code, response.headers["Location"]) == (302, "/")
    by_address = Client().post("/sign-in/?" + f"next={target}", fields | {"next": ""})
    assert by_address.headers["Location"] == "/"
    shown = Client().get("/sign-in/", {"next": target}).content.decode()
    assert "evil.example" not in shown.partition("<form")[0]


@pytest.mark.parametrize("target", FOREIGN)
def test_signing_out_and_confirming_do_not_lead_to_a_foreign_site(target: str, rita: User) -> None:
    client = Client()
    client.force_login(rita)
    confirmed = client.post("/account/confirm/", {"password": PASSWORD, "next": target})
    assert confirmed.status_code == 302
    assert not urlsplit(confirmed.headers["Location"]).netloc
    signed_out = client.post("/sign-out/", {"next": target})
    assert (signed_out.status_code, signed_out.headers["Location"]) == (302, "/sign-in/")


@pytest.mark.parametrize("target", ["/rubrics/", "/account/?a=1"])
def test_pages_of_ours_are_found_again(target: str, rita: User) -> None:
    client = Client()
    chosen = client.post("/language/", {"language": "en", "next": target})
    assert chosen.headers["Location"] == target
    entered = client.post("/sign-in/", {"login": "rita", "password": PASSWORD, "next": target})
    assert entered.headers["Location"] == target


@pytest.mark.django_db
@pytest.mark.parametrize("target", ["", "people", "rubric", "no-such-word", "."])
def test_a_word_that_is_no_address_leads_home(target: str) -> None:
    response = Client().post("/language/", {"language": "en", "next": target})
    assert (response.status_code, response.headers["Location"]) == (302, "/")


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["", "fr", "xx", "en\r\nSet-Cookie: a=b", "../zh-hans"])
def test_a_language_that_we_do_not_speak_is_not_remembered(language: str) -> None:
    client = Client()
    client.post("/language/", {"language": language, "next": "/"})
    assert "django_language" not in client.cookies


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path", ["//evil.example/", "/%2fevil.example/", "/people/?a=//evil.example"]
)
def test_the_way_to_the_sign_in_page_and_back_stays_here(path: str) -> None:
    response = Client().get(path, follow=False)
    location = response.headers.get("Location", "")
    assert not urlsplit(location).netloc
    for back in parse_qs(urlsplit(location).query).get("next", []):
        assert not urlsplit(back).netloc


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["//evil.example/people", "//evil.example", "/\\evil.example/a"])
def test_a_missing_slash_is_not_put_behind_a_foreign_name(path: str) -> None:
    response = Client().get(path)
    assert not urlsplit(response.headers.get("Location", "")).netloc


# --- The host name in links -------------------------------------------------------------------


def link_made(ada: User, rita: User, **headers: str) -> Any:
    client = Client()
    client.force_login(ada)
    made = client.post("/people/rita/link/", headers=headers)
    if made.status_code != 302:
        return made
    return client.get("/people/rita/", headers=headers).context["link"]


def test_a_host_that_is_not_ours_gets_no_link(ada: User, rita: User) -> None:
    assert link_made(ada, rita, host="evil.example").status_code == 400


@pytest.mark.parametrize("name", ["X-Forwarded-Host", "X-Host", "Forwarded", "X-Original-Host"])
def test_other_headers_do_not_change_the_host_in_a_link(ada: User, rita: User, name: str) -> None:
    link = link_made(ada, rita, **{name: "evil.example"})
    assert urlsplit(link).netloc == "testserver"


def test_a_link_follows_the_name_of_ours_that_the_admin_uses(
    ada: User, rita: User, settings: Any
) -> None:
    settings.ALLOWED_HOSTS = ["spotcheck.example.com", "testserver"]
    link = link_made(ada, rita, host="spotcheck.example.com")
    assert urlsplit(link).netloc == "spotcheck.example.com"


@pytest.mark.parametrize(
    "host", ["spotcheck.example.com.evil.example", "evil.example:80@testserver"]
)
def test_a_host_that_only_looks_like_ours_is_refused(
    ada: User, rita: User, host: str, settings: Any
) -> None:
    settings.ALLOWED_HOSTS = ["spotcheck.example.com", "testserver"]
    assert link_made(ada, rita, host=host).status_code == 400
