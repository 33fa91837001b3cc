"""Cookies, and when a session ends."""

from http.cookies import Morsel
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from evalsite.permissions import Role
from reviews.people import workflow as people_workflow
from tests.people import PASSWORD, make_person

NEW_PASSWORD = "gumtree lantern 42"


def signed_in(username: str) -> Client:
    client = Client()
    response = client.post("/sign-in/", {"login": username, "password": PASSWORD})
    assert response.status_code == 302
    return client


def is_signed_in(client: Client) -> bool:
    return client.get("/account/").status_code == 200


@pytest.mark.parametrize("https", [True, False])
def test_no_cookie_can_be_read_by_a_script_or_goes_along_from_another_site(
    rita: User, https: bool, settings: Any
) -> None:
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = https
    settings.LANGUAGE_COOKIE_SECURE = https
    client = Client()
    client.get("/sign-in/", secure=https)
    client.post("/language/", {"language": "zh-hans"}, secure=https)
    client.post("/sign-in/", {"login": "rita", "password": PASSWORD}, secure=https)
    cookies: dict[str, Morsel[str]] = dict(client.cookies)
    assert cookies.keys() == {"sessionid", "csrftoken", "django_language"}
    for cookie in cookies.values():
        assert cookie["httponly"] is True
        assert cookie["samesite"] == "Lax"
        assert bool(cookie["secure"]) == https
        assert cookie["domain"] == ""
        assert cookie["path"] == "/"


def test_signing_in_changes_the_number_of_the_session(rita: User) -> None:
    """A session id that was set before signing in is replaced."""
    client = Client()
    client.get("/people/")
    session = client.session
    session["planted"] = True
    session.save()
    client.cookies["sessionid"] = str(session.session_key)
    client.post("/sign-in/", {"login": "rita", "password": PASSWORD})
    assert client.cookies["sessionid"].value != session.session_key
    assert not Session.objects.filter(session_key=session.session_key).exists()


def test_signing_out_ends_the_session_on_the_server_too(rita: User) -> None:
    client = signed_in("rita")
    stolen = Client()
    stolen.cookies["sessionid"] = client.cookies["sessionid"].value
    assert is_signed_in(stolen)
    client.post("/sign-out/")
    assert not is_signed_in(client)
    assert not is_signed_in(stolen)


def test_opening_the_sign_out_page_does_not_sign_out(rita: User) -> None:
    client = signed_in("rita")
    client.get("/sign-out/")
    assert is_signed_in(client)


def test_deactivation_ends_every_session_at_once(rita: User, ada: User) -> None:
    at_home, at_work, admin = signed_in("rita"), signed_in("rita"), signed_in("ada")
    admin.post("/people/rita/deactivate/")
    assert not is_signed_in(at_home)
    assert not is_signed_in(at_work)
    refused = Client().post("/sign-in/", {"login": "rita", "password": PASSWORD})
    assert refused.status_code == 200


def test_a_new_password_ends_the_other_sessions_and_keeps_this_one(rita: User) -> None:
    here, elsewhere = signed_in("rita"), signed_in("rita")
    response = here.post(
        "/account/password/",
        {"oldpassword": PASSWORD, "password1": NEW_PASSWORD, "password2": NEW_PASSWORD},
    )
    assert response.status_code == 302
    assert is_signed_in(here)
    assert not is_signed_in(elsewhere)


def test_the_old_password_is_needed_for_a_new_one(rita: User) -> None:
    client = signed_in("rita")
    fields = {"oldpassword": "wrong", "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
    client.post("/account/password/", fields)
    client.post("/account/password/set/", fields)
    rita.refresh_from_db()
    assert rita.check_password(PASSWORD)


def test_a_new_invitation_link_that_is_used_ends_the_sessions_from_before(
    rita: User, ada: User
) -> None:
    elsewhere, admin = signed_in("rita"), signed_in("ada")
    admin.post("/people/rita/link/")
    page = admin.get("/people/rita/")
    link = page.context["link"].removeprefix("http://testserver")
    owner = Client()
    form = owner.get(link).headers["Location"]
    owner.post(form, {"new_password1": NEW_PASSWORD, "new_password2": NEW_PASSWORD})
    assert not is_signed_in(elsewhere)
    rita.refresh_from_db()
    assert rita.check_password(NEW_PASSWORD)
    # A link that sets a password leads to its form; one that is used up does not.
    assert Client().get(link).status_code == 200


def test_a_role_that_was_taken_ends_its_rights_in_running_sessions(ada: User, root: User) -> None:
    admin = signed_in("ada")
    assert admin.get("/people/").status_code == 200
    fields: dict[str, Any] = {
        "by": root,
        "user": ada,
        "name": "",
        "email": "",
        "capacity": 1,
        "languages": [],
    }
    make_person("omar", Role.ADMIN)  # one admin must remain
    people_workflow.change(**fields, roles=[Role.REVIEWER])
    assert admin.get("/people/").status_code == 403
    people_workflow.change(**fields, roles=[])
    assert admin.get("/people/").status_code == 404


def test_a_session_ends_after_two_weeks(rita: User) -> None:
    client = signed_in("rita")
    key = client.cookies["sessionid"].value
    Session.objects.filter(session_key=key).update(expire_date=timezone.now())
    assert not is_signed_in(client)
    fresh = signed_in("rita")
    assert int(fresh.cookies["sessionid"]["max-age"]) <= 14 * 24 * 3600


def test_a_made_up_session_number_is_not_taken_over(rita: User) -> None:
    client = Client()
    client.cookies["sessionid"] = "a" * 32
    client.post("/sign-in/", {"login": "rita", "password": PASSWORD})
    assert client.cookies["sessionid"].value != "a" * 32
