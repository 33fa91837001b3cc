"""Tokens are made and revoked by their owner, limited in time and scope, and stored as digests."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
import time_machine
from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    hotp_value,
    yield_hotp_counters_from_time,
)
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection
from django.test import Client, RequestFactory
from django.utils import timezone
from pytest_django import Settings

from cases.models import Rubric
from evalsite.accounts import tokens as accounts_tokens
from evalsite.api.permissions import WRITING
from evalsite.models import ApiToken, Scope
from evalsite.permissions import CHANGE, REPLACE, ROUTES, WRITE, is_for_scripts, is_public
from reviews.people import workflow as people_workflow
from tests.bed.api import Script, by, code, token_of
from tests.people import PASSWORD

SIGN_IN = {"username": "rita", "password": PASSWORD}


# --- By password ----------------------------------------------------------------------------------


def test_a_password_gets_a_token_that_reads_and_reviews_for_twelve_hours(rita: User) -> None:
    answer = Script().post("auth/token/", SIGN_IN)
    assert answer.status_code == 201
    body = answer.json()
    assert body["scopes"] == ["read", "review"]
    script = Script(body["token"])
    assert script.get("rubrics/").status_code == 200
    with time_machine.travel(timezone.now() + timedelta(hours=12, seconds=1)):
        assert code(script.get("rubrics/")) == (401, "bad_token")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"password": "wrong"}, (401, "bad_credentials")),
        ({"username": "nobody"}, (401, "bad_credentials")),
        ({"password": ""}, (400, "invalid")),
        ({"username": "x" * 200}, (400, "invalid")),
        ({"scopes": ["run"]}, (400, "bad_body")),
    ],
)
def test_nothing_else_gets_one(
    changes: dict[str, object], expected: tuple[int, str], rita: User
) -> None:
    assert code(Script().post("auth/token/", SIGN_IN | changes)) == expected
    assert not ApiToken.objects.exists()


def test_somebody_deactivated_gets_none(rita: User, ada: User) -> None:
    people_workflow.deactivate(by=ada, user=rita)
    assert code(Script().post("auth/token/", SIGN_IN)) == (401, "bad_credentials")


def test_somebody_with_a_second_factor_gets_none(rita: User) -> None:
    TOTP.activate(rita, "JBSWY3DPEHPK3PXP")
    assert code(Script().post("auth/token/", SIGN_IN)) == (403, "second_factor")
    assert not ApiToken.objects.exists()


NEW = "another horse battery"


def by_account_page(client: Client, ada: User) -> None:
    page = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}
    assert client.post("/account/password/", page).status_code == 302


def by_invitation_link(client: Client, ada: User) -> None:
    rita = User.objects.get(username="rita")
    link = people_workflow.build_invitation_link(
        by=ada, user=rita, request=RequestFactory().get("/")
    )
    browser = Client()
    address = browser.get(link)["Location"]
    set_to = {"new_password1": NEW, "new_password2": NEW}
    assert browser.post(address, set_to).status_code == 302


def by_command_line(client: Client, ada: User) -> None:
    rita = User.objects.get(username="rita")
    rita.set_password(NEW)
    rita.save()


def by_a_second_step(client: Client, ada: User) -> None:
    client.get("/account/second-factor/on/")
    secret = client.session["mfa.totp.secret"]
    code = format_hotp_value(hotp_value(secret, next(yield_hotp_counters_from_time())))
    assert client.post("/account/second-factor/on/", {"code": code}).status_code == 302


@pytest.mark.parametrize(
    "change", [by_account_page, by_invitation_link, by_command_line, by_a_second_step]
)
def test_a_token_got_by_password_ends_with_it_and_one_made_by_its_owner_stays(
    change: Callable[[Client, User], None], rita: User, ada: User
) -> None:
    cache.clear()
    got = Script(Script().post("auth/token/", SIGN_IN).json()["token"])
    made, theirs = Script(token_of(rita, name="nightly")), by(ada)
    client = signed_in("rita")
    assert "Signed in by a script" in client.get("/account/").content.decode()
    change(client, ada)
    assert code(got.get("rubrics/")) == (401, "bad_token")
    assert [client.get("rubrics/").status_code for client in (made, theirs)] == [200, 200]
    rita.refresh_from_db()
    assert [token.name for token in ApiToken.objects.of(rita)] == ["nightly"]


def test_guessing_is_limited_together_with_the_sign_in_page(rita: User) -> None:
    cache.clear()
    client = Client()
    for _attempt in range(3):
        client.post("/sign-in/", {"login": "rita", "password": "wrong"})
    for _attempt in range(2):
        assert code(Script().post("auth/token/", SIGN_IN | {"password": "wrong"}))[0] == 401
    answer = Script().post("auth/token/", SIGN_IN)
    assert code(answer) == (429, "too_many_attempts")
    assert answer["Retry-After"] == "300"
    page = client.post("/sign-in/", {"login": "rita", "password": PASSWORD})
    assert "Too many failed attempts" in page.content.decode()


# --- What is stored -------------------------------------------------------------------------------


def test_only_the_digest_is_stored(rita: User) -> None:
    text = token_of(rita)
    secret = text.removeprefix(accounts_tokens.PREFIX)
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM evalsite_apitoken")
        [row] = cursor.fetchall()
    told = " ".join(map(str, row))
    assert secret not in told
    assert not any(secret[place : place + 8] in told for place in range(len(secret) - 8))


def test_the_last_use_is_written_at_most_once_a_minute(rita: User) -> None:
    script = by(rita)
    start = timezone.now()

    def last_use() -> timedelta:
        script.get("rubrics/")
        since: timedelta = ApiToken.objects.get().last_used_at - start
        return since

    with time_machine.travel(start, tick=False):
        assert last_use() == timedelta(0)
    with time_machine.travel(start + timedelta(seconds=59), tick=False):
        assert last_use() == timedelta(0)
    with time_machine.travel(start + timedelta(seconds=60), tick=False):
        assert last_use() == timedelta(seconds=60)


def test_making_one_takes_away_those_that_ran_out(rita: User, ada: User) -> None:
    token_of(rita, name="old", lasts=timedelta(0))
    token_of(ada, name="hers", lasts=timedelta(0))
    token_of(rita, name="new")
    assert set(ApiToken.objects.values_list("name", flat=True)) == {"new", "hers"}


# --- What it may be used for ----------------------------------------------------------------------


def test_every_call_that_writes_says_what_a_token_needs() -> None:
    writing = {
        name
        for name, rights in ROUTES.items()
        if is_for_scripts(name) and not is_public(name) and {WRITE, REPLACE, CHANGE} & set(rights)
    }
    assert writing == set(WRITING)


def test_push_opens_a_draft_and_nothing_else(ada: User, rubric: Rubric) -> None:
    script = by(ada, Scope.PUSH)
    assert script.post("releases/", {"name": "build-7"}).status_code == 201
    refused = [
        script.get("releases/"),
        script.get("rubrics/"),
        script.patch("releases/build-7/", {"product": "x"}),
        script.post("rubrics/", b"# x", content_type="text/markdown"),
    ]
    assert [code(answer) for answer in refused] == [(403, "scope_missing")] * 4
    routes = {name for name, scopes in WRITING.items() if Scope.PUSH in scopes}
    assert routes <= {"api-releases", "api-cases"}


def test_a_token_may_do_no_more_than_its_owner(rita: User) -> None:
    assert code(by(rita).post("releases/", {"name": "build-7"})) == (403, "forbidden")


def test_a_token_may_ask_so_often_in_a_minute(rita: User, settings: Settings) -> None:
    settings.API_CALLS = 2
    moment = timezone.now().replace(second=10)
    with time_machine.travel(moment, tick=False):
        first, other = by(rita), by(rita)
        assert [first.get("rubrics/").status_code for _call in range(2)] == [200, 200]
        answer = first.get("rubrics/")
        assert code(answer) == (429, "too_many_calls")
        assert answer["Retry-After"] == "50"
        assert other.get("rubrics/").status_code == 200
        refused = by(rita, Scope.REVIEW)
        answers = [
            refused.get("rubrics/"),
            refused.send("DELETE", "rubrics/", b""),
            refused.get("releases/"),
        ]
        assert [answer.status_code for answer in answers] == [403, 405, 429]
    with time_machine.travel(moment + timedelta(seconds=50), tick=False):
        assert first.get("rubrics/").status_code == 200


# --- The account page -----------------------------------------------------------------------------


def signed_in(username: str) -> Client:
    client = Client()
    client.post("/sign-in/", {"login": username, "password": PASSWORD})
    client.post("/account/confirm/", {"password": PASSWORD})
    return client


FORM = {"name": "nightly build", "scopes": ["read", "push"], "lasts": "30"}


def test_an_owner_makes_a_token_sees_it_once_and_revokes_it(ada: User) -> None:
    client = signed_in("ada")
    made = client.post("/account/tokens/new/", FORM)
    [text] = re.findall(r'value="(spotcheck_[0-9a-f]{64})"', made.content.decode())
    assert Script(text).get("rubrics/").status_code == 200
    page = client.get("/account/").content.decode()
    assert "nightly build" in page
    assert "read, push cases" in page
    assert "last used" in page
    assert text not in page
    [address] = re.findall(r'action="(/account/tokens/\w+/revoke/)"', page)
    client.post(address)
    assert code(Script(text).get("rubrics/")) == (401, "bad_token")
    assert client.post(address).status_code == 404


def test_whoever_finds_an_open_screen_is_asked_for_the_password(ada: User) -> None:
    client = Client()
    client.force_login(ada)
    for answer in (client.get("/account/tokens/new/"), client.post("/account/tokens/new/", FORM)):
        assert answer.headers["Location"].startswith("/account/confirm/")
    assert not ApiToken.objects.exists()


@pytest.mark.parametrize(
    "changes", [{"name": ""}, {"scopes": []}, {"scopes": ["review"]}, {"lasts": "9999"}]
)
def test_a_token_needs_a_name_something_to_do_and_an_end(
    changes: dict[str, object], ada: User
) -> None:
    answer = signed_in("ada").post("/account/tokens/new/", FORM | changes)
    assert answer.status_code == 422
    assert not ApiToken.objects.exists()


def test_nobody_revokes_the_token_of_another_but_an_admin(
    rita: User, omar: User, ada: User
) -> None:
    token_of(rita)
    key = ApiToken.objects.get().token_key
    client = Client()
    client.force_login(omar)
    assert client.post(f"/account/tokens/{key}/revoke/").status_code == 404
    assert client.post(f"/people/rita/tokens/{key}/revoke/").status_code == 403
    client.force_login(ada)
    assert f"/people/rita/tokens/{key}/revoke/" in client.get("/people/rita/").content.decode()
    client.post(f"/people/rita/tokens/{key}/revoke/")
    assert not ApiToken.objects.exists()


def test_the_tokens_of_a_superuser_are_out_of_reach(root: User, ada: User) -> None:
    token_of(root)
    key = ApiToken.objects.get().token_key
    client = Client()
    client.force_login(ada)
    client.post(f"/people/root/tokens/{key}/revoke/")
    assert ApiToken.objects.exists()


def test_deactivating_somebody_ends_their_tokens_for_good(rita: User, ada: User) -> None:
    script = by(rita)
    people_workflow.deactivate(by=ada, user=rita)
    people_workflow.reactivate(by=ada, user=rita)
    assert code(script.get("rubrics/")) == (401, "bad_token")
