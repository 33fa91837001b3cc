"""What a second pair of eyes found about people and signing in: each was wrong once."""

import re
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    generate_totp_secret,
    hotp_value,
)
from django.contrib.auth.models import Group, User
from django.test import Client

from reviews.people import forms
from tests.people import PASSWORD, AsUser

INVITATION: dict[str, Any] = {
    "username": "wei",
    "email": "",
    "capacity": "3",
    "roles": ["reviewer"],
    "interface_language": "en",
}


def text_of(response: Any) -> str:
    return str(response.content.decode())


def test_the_page_of_a_superuser_without_reviewer_data_opens(
    as_user: AsUser, root: User, ada: User
) -> None:
    assert as_user(root).get("/people/root/").status_code == 200
    page = text_of(as_user(ada).get("/people/root/"))
    assert "Only a superuser can change" in page
    assert "Deactivate now" not in page
    assert 'class="number">–</td>' in text_of(as_user(ada).get("/people/"))


def test_the_same_days_away_twice_are_refused_in_words(as_user: AsUser, rita: User) -> None:
    client = as_user(rita)
    away = {"first_date": "2099-01-01", "last_date": "2099-01-02"}
    assert client.post("/account/absences/", away).status_code == 302
    again = client.post("/account/absences/", away)
    assert again.status_code == 422
    assert "in your list already" in text_of(again)


def test_days_away_that_are_over_are_refused_in_words(as_user: AsUser, rita: User) -> None:
    away = {"first_date": "2020-01-01", "last_date": "2020-01-02"}
    response = as_user(rita).post("/account/absences/", away)
    assert response.status_code == 422
    assert "These days are in the past." in text_of(response)


def test_a_mail_server_that_is_away_does_not_lose_the_link(
    as_user: AsUser, ada: User, settings: Any
) -> None:
    settings.MAIL_IS_CONFIGURED = True
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    client = as_user(ada)
    invitation = INVITATION | {"email": "wei@example.com"}
    page = text_of(client.post("/invite/", invitation, follow=True))
    assert "/invitation/" in page
    assert "It could not be mailed to wei@example.com." in page


def test_the_only_superuser_cannot_lock_everybody_out(as_user: AsUser, root: User) -> None:
    as_user(root).post("/people/root/deactivate/")
    assert User.objects.get(username="root").is_active


def test_an_admin_who_never_came_in_does_not_count_as_one(as_user: AsUser, ada: User) -> None:
    client = as_user(ada)
    client.post("/invite/", INVITATION | {"roles": ["admin"]})
    client.post("/people/ada/deactivate/")
    assert User.objects.get(username="ada").is_active


@pytest.mark.django_db
def test_a_superuser_with_capitals_in_the_name_can_sign_in() -> None:
    User.objects.create_superuser("Root", password=PASSWORD)
    answer = Client().post("/sign-in/", {"login": "Root", "password": PASSWORD})
    assert answer.status_code == 302


@pytest.mark.parametrize("path", ["/people/?q=%00", "/people/a%00/", "/rubrics/1/?language=%00"])
def test_a_nul_in_an_address_is_a_bad_request(as_user: AsUser, ada: User, path: str) -> None:
    assert as_user(ada).get(path).status_code == 400


@pytest.mark.parametrize(
    "fields",
    [
        {"email": "w" * 60 + "@" + ("x" * 60 + ".") * 4 + "com"},
        {"username": "İ" * 150},
        {"username": ".."},
        {"username": "ｒｉｔａ"},
        {"username": "RITA"},
    ],
    ids=["address too long", "name too long in lower case", "dots", "looks alike", "capitals"],
)
def test_what_could_not_be_kept_or_told_apart_is_refused(
    as_user: AsUser, ada: User, rita: User, fields: dict[str, str]
) -> None:
    assert as_user(ada).post("/invite/", INVITATION | fields).status_code == 422
    assert User.objects.count() == 2


def test_a_name_that_is_taken_at_the_same_moment_is_said_in_words(
    as_user: AsUser, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The form's check passes, then the insert meets a row."""
    unchecked = property(lambda form: lambda: form.cleaned_data["username"])
    monkeypatch.setattr(forms.InvitationForm, "clean_username", unchecked)
    response = as_user(ada).post("/invite/", INVITATION | {"username": "ada"})
    assert response.status_code == 422
    assert "This user name is taken." in text_of(response)


def test_going_back_with_htmx_brings_the_whole_page(as_user: AsUser, ada: User) -> None:
    headers = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    assert "<html" in text_of(as_user(ada).get("/people/", headers=headers))


def test_a_refusal_is_said_once(as_user: AsUser, rita: User, ada: User) -> None:
    wrong = Client().post("/sign-in/", {"login": "rita", "password": "x"})
    assert text_of(wrong).count("password is wrong") == 1
    last = as_user(ada).post("/people/ada/", {"name": "", "email": "", "capacity": "3"})
    assert text_of(last).count("This is the last active admin") == 1


def test_the_links_of_a_refusal_lead_to_their_fields(as_user: AsUser, ada: User) -> None:
    wrong = INVITATION | {"roles": ["nonsense"], "languages": ["xx"], "capacity": "-1"}
    page = text_of(as_user(ada).post("/invite/", wrong))
    targets = re.findall(r'<li><a href="#([^"]*)"', page)
    assert len(targets) == 3
    assert [one for one in targets if f'id="{one}"' not in page] == []


def test_the_second_step_can_be_left(rita: User) -> None:
    TOTP.activate(rita, generate_totp_secret())
    client = Client()
    client.post("/sign-in/", {"login": "rita", "password": PASSWORD})
    assert "/sign-out/" in text_of(client.get("/sign-in/second-factor/"))
    client.post("/sign-out/")
    assert "Start over" not in text_of(client.get("/sign-in/"))


def test_a_code_does_not_work_again_after_its_half_minute(rita: User) -> None:
    secret = generate_totp_secret()
    TOTP.activate(rita, secret)
    moment = datetime(2031, 3, 3, 9, 0, tzinfo=UTC)
    with time_machine.travel(moment, tick=False) as clock:
        code = format_hotp_value(hotp_value(secret, int(time.time()) // 30))
        signed_in = []
        for _ in range(2):
            client = Client()
            client.post("/sign-in/", {"login": "rita", "password": PASSWORD})
            client.post("/sign-in/second-factor/", {"code": code})
            signed_in.append(client.get("/").status_code == 200)
            clock.shift(timedelta(seconds=31))
    assert signed_in == [True, False]


def test_letting_somebody_back_in_does_not_revive_old_sessions(
    as_user: AsUser, ada: User, rita: User
) -> None:
    hers, admin = as_user(rita), as_user(ada)
    admin.post("/people/rita/deactivate/")
    admin.post("/people/rita/reactivate/")
    assert hers.get("/").status_code == 302
    assert admin.get("/").status_code == 200


def test_a_deactivated_person_gets_no_link(as_user: AsUser, ada: User, rita: User) -> None:
    client = as_user(ada)
    client.post("/people/rita/deactivate/")
    page = text_of(client.post("/people/rita/link/", follow=True))
    assert "Send this link" not in page
    assert "This person is deactivated." in page


def test_an_open_screen_of_an_admin_does_not_give_the_account_away(
    as_user: AsUser, ada: User
) -> None:
    """Their own keys change only where the password is asked for."""
    TOTP.activate(ada, generate_totp_secret())
    client = as_user(ada)
    page = text_of(client.post("/people/ada/link/", follow=True))
    assert "Send this link" not in page
    assert "Change your own password" in page
    client.post("/people/ada/reset-second-factor/")
    assert Authenticator.objects.filter(user=ada).exists()


def test_a_head_request_does_not_use_the_link_up(as_user: AsUser, ada: User, rita: User) -> None:
    client = as_user(ada)
    client.post("/people/rita/link/")
    client.head("/people/rita/")
    assert "Send this link" in text_of(client.get("/people/rita/"))


def test_a_corrected_address_does_not_end_a_link(as_user: AsUser, ada: User, rita: User) -> None:
    client = as_user(ada)
    page = text_of(client.post("/people/rita/link/", follow=True))
    link = re.search(r'value="http://testserver(/invitation/[^"]+)"', page)
    assert link
    fields = {"name": "", "email": "rita@new.example", "roles": ["reviewer"], "capacity": "3"}
    assert client.post("/people/rita/", fields).status_code == 302
    assert "Set password" in text_of(Client().get(link[1], follow=True))


def test_saving_a_person_leaves_other_groups_alone(as_user: AsUser, ada: User, rita: User) -> None:
    rita.groups.add(Group.objects.create(name="Book club"))
    fields = {"name": "", "email": "", "roles": ["manager"], "capacity": "3"}
    as_user(ada).post("/people/rita/", fields)
    names = set(rita.groups.values_list("name", flat=True))
    assert names == {"Book club", "Managers"}


def test_a_changed_password_leads_back_to_the_account(as_user: AsUser, rita: User) -> None:
    new = "a quite different one"
    fields = {"oldpassword": PASSWORD, "password1": new, "password2": new}
    assert as_user(rita).post("/account/password/", fields).headers["Location"] == "/account/"


def test_no_answer_repeats_a_typed_password(rita: User) -> None:
    fields = {"login": "rita", "password": "a secret of mine"}
    answer = Client().post("/sign-in/", fields, headers={"X-Requested-With": "XMLHttpRequest"})
    assert "a secret of mine" not in text_of(answer)
