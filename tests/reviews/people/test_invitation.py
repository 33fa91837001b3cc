"""The one-time link with which a person sets a password."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
import time_machine
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from pytest_django import Settings

from evalsite.permissions import Role
from reviews.models import Reviewer
from tests.people import PASSWORD, AsUser, make_person

CHOSEN = "a quite different one"
ENDED = "This link no longer works"


def link_on(page: bytes) -> str | None:
    """The link that the person page shows, without its host."""
    found = re.search(r'value="http://testserver(/invitation/[^"]*)"', page.decode())
    return unescape(found.group(1)) if found else None


def invite(client: Client, username: str = "wei", **more: str) -> str:
    """Invite a person on the page and take the link from the answer."""
    fields = {"username": username, "capacity": "20", "interface_language": "en", **more}
    response = client.post("/invite/", {**fields, "roles": ["reviewer"]}, follow=True)
    link = link_on(response.content)
    assert link is not None
    return link


def new_link(client: Client, username: str) -> str:
    link = link_on(client.post(f"/people/{username}/link/", follow=True).content)
    assert link is not None
    return link


def open_form(browser: Client, link: str) -> str:
    """Follow a link that works; the address of the form behind it."""
    response = browser.get(link, follow=True)
    assert 'name="new_password1"' in response.content.decode()
    return str(response.redirect_chain[-1][0])


def choose(browser: Client, address: str, password: str = CHOSEN) -> tuple[int, str]:
    both = {"new_password1": password, "new_password2": password}
    response = browser.post(address, both)
    return response.status_code, response.content.decode()


def is_dead(link: str) -> bool:
    page = Client().get(link, follow=True).content.decode()
    assert (ENDED in page) != ('name="new_password1"' in page)
    return ENDED in page


def can_sign_in(username: str, password: str) -> bool:
    browser = Client()
    browser.post("/sign-in/", {"login": username, "password": password})
    return browser.get("/").status_code == 200


@pytest.fixture
def link(as_user: AsUser, ada: User) -> str:
    """The link of wei, who was just invited as a reviewer."""
    return invite(as_user(ada))


# --- Using it -------------------------------------------------------------------------------------


def test_the_link_leads_to_a_password_and_the_password_leads_in(link: str) -> None:
    browser = Client()
    address = open_form(browser, link)
    both = {"new_password1": CHOSEN, "new_password2": CHOSEN}
    response = browser.post(address, both, follow=True)
    assert response.redirect_chain == [("/sign-in/", 302)]
    assert "Your password is set. Sign in with it." in response.content.decode()
    assert can_sign_in("wei", CHOSEN)


def test_the_page_tells_the_user_name(link: str) -> None:
    page = Client().get(link, follow=True).content.decode()
    assert "Your user name is <strong>wei</strong>." in page


def test_setting_a_password_does_not_sign_in(link: str) -> None:
    browser = Client()
    choose(browser, open_form(browser, link))
    assert browser.get("/").status_code == 302


def test_looking_at_the_page_does_not_use_the_link_up(link: str) -> None:
    for _time in range(3):
        assert not is_dead(link)


def test_the_link_works_once(link: str) -> None:
    browser = Client()
    choose(browser, open_form(browser, link))
    assert is_dead(link)
    assert ENDED in browser.get(link, follow=True).content.decode()


def test_of_two_browsers_with_the_form_open_only_the_first_sets_the_password(link: str) -> None:
    first, second = Client(), Client()
    address = open_form(first, link)
    open_form(second, link)
    choose(first, address)
    _status, page = choose(second, address, "somebody else's choice")
    assert ENDED in page
    assert can_sign_in("wei", CHOSEN)
    assert not can_sign_in("wei", "somebody else's choice")


def test_the_form_sent_twice_sets_the_first_password(link: str) -> None:
    browser = Client()
    address = open_form(browser, link)
    choose(browser, address)
    _status, page = choose(browser, address, "a second thought of mine")
    assert ENDED in page
    assert can_sign_in("wei", CHOSEN)


# --- Links that are none --------------------------------------------------------------------------


def test_a_token_with_one_wrong_character_does_not_work(link: str) -> None:
    token = link.split("/")[-2]
    wrong = token[:-1] + ("0" if token[-1] != "0" else "1")
    assert is_dead(link.replace(token, wrong))


def test_the_token_of_one_person_does_not_open_the_account_of_another(
    as_user: AsUser, ada: User, rita: User, link: str
) -> None:
    hers = new_link(as_user(ada), "rita")
    assert is_dead("/".join([*link.split("/")[:-2], *hers.split("/")[-2:]]))
    browser = Client()
    open_form(browser, link)
    rita_form = "/".join([*hers.split("/")[:-2], "set-password", ""])
    _status, page = choose(browser, rita_form)
    assert ENDED in page
    assert User.objects.get(username="rita").check_password(PASSWORD)


def test_the_form_without_its_link_does_not_work(link: str) -> None:
    form = link.replace(link.split("/")[-2], "set-password")
    assert is_dead(form)
    _status, page = choose(Client(), form)
    assert ENDED in page
    assert not User.objects.get(username="wei").has_usable_password()


@pytest.mark.django_db
@pytest.mark.parametrize("person", ["OTg3NjU0", "!!!", "AAAA", "x", "MQ" * 40, "LTE", "____"])
def test_a_link_to_nobody_says_the_same_as_an_old_one(person: str) -> None:
    response = Client().get(f"/invitation/{person}/abc-0123456789abcdef/")
    assert response.status_code == 200
    assert ENDED in response.content.decode()


# --- Time -----------------------------------------------------------------------------------------

MADE_AT = datetime(2031, 3, 3, 9, 0, 0, tzinfo=UTC)
A_WEEK = timedelta(days=7)


@pytest.fixture
def dated_link(ada: User) -> str:
    """A link that was made at MADE_AT."""
    with time_machine.travel(MADE_AT, tick=False):
        client = Client()
        client.force_login(ada)
        return invite(client)


def test_the_link_works_for_seven_days(dated_link: str) -> None:
    with time_machine.travel(MADE_AT + A_WEEK, tick=False):
        browser = Client()
        choose(browser, open_form(browser, dated_link))
    assert User.objects.get(username="wei").check_password(CHOSEN)


def test_the_link_has_ended_one_second_later(dated_link: str) -> None:
    with time_machine.travel(MADE_AT + A_WEEK + timedelta(seconds=1), tick=False):
        assert is_dead(dated_link)


def test_a_form_opened_in_time_and_sent_too_late_sets_nothing(dated_link: str) -> None:
    browser = Client()
    with time_machine.travel(MADE_AT + A_WEEK, tick=False) as traveller:
        address = open_form(browser, dated_link)
        traveller.shift(timedelta(seconds=1))
        _status, page = choose(browser, address)
    assert ENDED in page
    assert not User.objects.get(username="wei").has_usable_password()


# --- Whose account --------------------------------------------------------------------------------


def test_the_link_of_somebody_deactivated_does_not_work(link: str) -> None:
    User.objects.filter(username="wei").update(is_active=False)
    assert is_dead(link)


def test_somebody_deactivated_while_the_form_is_open_sets_no_password(link: str) -> None:
    browser = Client()
    address = open_form(browser, link)
    User.objects.filter(username="wei").update(is_active=False)
    _status, page = choose(browser, address)
    assert ENDED in page
    assert not User.objects.get(username="wei").has_usable_password()


def test_a_new_link_leaves_the_old_password_until_it_is_used(
    as_user: AsUser, ada: User, rita: User
) -> None:
    link = new_link(as_user(ada), "rita")
    assert can_sign_in("rita", PASSWORD)
    link = new_link(as_user(ada), "rita")
    browser = Client()
    choose(browser, open_form(browser, link))
    assert not can_sign_in("rita", PASSWORD)
    assert can_sign_in("rita", CHOSEN)


def test_a_new_password_ends_the_sessions_that_the_old_one_opened(
    as_user: AsUser, ada: User, rita: User
) -> None:
    elsewhere = as_user(rita)
    assert elsewhere.get("/").status_code == 200
    browser = Client()
    choose(browser, open_form(browser, new_link(as_user(ada), "rita")))
    assert elsewhere.get("/").status_code == 302


def test_a_new_password_leaves_the_second_factor_on(as_user: AsUser, ada: User, rita: User) -> None:
    TOTP.activate(rita, generate_totp_secret())
    browser = Client()
    choose(browser, open_form(browser, new_link(as_user(ada), "rita")))
    response = browser.post("/sign-in/", {"login": "rita", "password": CHOSEN})
    assert response.headers["Location"] == "/sign-in/second-factor/"
    assert browser.get("/").status_code == 302


def test_an_admin_who_opens_the_link_stays_who_they_are(as_user: AsUser, ada: User) -> None:
    client = as_user(ada)
    choose(client, open_form(client, invite(client)))
    assert "<dd>ada</dd>" in client.get("/account/").content.decode()
    assert User.objects.get(username="wei").check_password(CHOSEN)
    assert User.objects.get(username="ada").check_password(PASSWORD)


def test_the_link_of_a_superuser_is_not_for_admins(as_user: AsUser, ada: User, root: User) -> None:
    Reviewer.objects.create(user=root)
    client = as_user(ada)
    page = client.post("/people/root/link/", follow=True).content
    assert link_on(page) is None
    assert "Only a superuser can change a superuser" in page.decode()
    assert "invitation" not in str(dict(client.session.items()))


def test_a_superuser_gets_the_link_of_another_superuser(as_user: AsUser, root: User) -> None:
    User.objects.create_superuser("toor", password=PASSWORD)
    assert new_link(as_user(root), "toor")


# --- The password ---------------------------------------------------------------------------------


def test_a_password_of_15_characters_is_long_enough(link: str) -> None:
    browser = Client()
    assert choose(browser, open_form(browser, link), "xkq plm wvb zrt")[0] == 302
    assert can_sign_in("wei", "xkq plm wvb zrt")


def test_a_password_of_14_characters_is_too_short(link: str) -> None:
    browser = Client()
    address = open_form(browser, link)
    _status, page = choose(browser, address, "xkq plm wvb zr")
    assert "at least 15 characters" in page
    assert "too short" in page
    assert not User.objects.get(username="wei").has_usable_password()


def test_after_a_refused_password_the_link_still_works(link: str) -> None:
    browser = Client()
    address = open_form(browser, link)
    choose(browser, address, "short")
    assert choose(browser, address, CHOSEN)[0] == 302
    assert can_sign_in("wei", CHOSEN)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (CHOSEN, CHOSEN + "!"),
        (CHOSEN, ""),
        ("", ""),
        ("maria.montessori", "maria.montessori"),
        ("1q2w3e4r5t6y7u8i", "1q2w3e4r5t6y7u8i"),
    ],
    ids=["two different", "only once", "none", "the user name", "a common one"],
)
def test_a_password_that_does_not_fit_is_refused(
    as_user: AsUser, ada: User, first: str, second: str
) -> None:
    browser = Client()
    address = open_form(browser, invite(as_user(ada), "maria.montessori"))
    page = browser.post(address, {"new_password1": first, "new_password2": second})
    assert page.status_code in (200, 422)
    assert 'role="alert"' in page.content.decode()
    assert not User.objects.get(username="maria.montessori").has_usable_password()


# --- Who sees it ----------------------------------------------------------------------------------


def test_the_link_is_shown_once(as_user: AsUser, ada: User, rita: User) -> None:
    client = as_user(ada)
    client.post("/people/rita/link/")
    assert link_on(client.get("/people/rita/").content) is not None
    assert link_on(client.get("/people/rita/").content) is None
    assert "invitation" not in str(dict(client.session.items()))


def test_another_admin_does_not_see_the_link(as_user: AsUser, ada: User, rita: User) -> None:
    other = make_person("bea", Role.ADMIN)
    as_user(ada).post("/people/rita/link/")
    assert link_on(as_user(other).get("/people/rita/").content) is None


def test_the_link_is_shown_on_the_page_of_its_person_only(
    as_user: AsUser, ada: User, rita: User, omar: User
) -> None:
    client = as_user(ada)
    client.post("/people/rita/link/")
    assert link_on(client.get("/people/omar/").content) is None
    assert link_on(client.get("/people/rita/").content) is not None


def test_the_page_says_how_long_the_link_works(as_user: AsUser, ada: User, rita: User) -> None:
    page = as_user(ada).post("/people/rita/link/", follow=True).content.decode()
    assert "expires after 7 days" in page


def test_the_token_leaves_the_address_before_a_page_is_shown(link: str) -> None:
    token = link.split("/")[-2]
    browser = Client()
    response = browser.get(link)
    assert response.status_code == 302
    assert token not in response.headers["Location"]
    page = browser.get(response.headers["Location"])
    assert page.status_code == 200
    assert token not in page.content.decode()
    assert page.headers["Referrer-Policy"] == "same-origin"


def test_the_pages_with_and_behind_the_link_are_not_kept_by_browsers(
    as_user: AsUser, ada: User, rita: User
) -> None:
    client = as_user(ada)
    client.post("/people/rita/link/")
    shown = client.get("/people/rita/")
    link = link_on(shown.content)
    assert link is not None
    for response in (shown, Client().get(link), Client().get(link, follow=True)):
        assert "no-store" in response.headers["Cache-Control"]


# --- By mail --------------------------------------------------------------------------------------


def test_where_mail_is_configured_the_link_goes_to_the_address(
    as_user: AsUser, ada: User, settings: Settings
) -> None:
    settings.MAIL_IS_CONFIGURED = True
    client = as_user(ada)
    client.post(
        "/invite/",
        {
            "username": "wei",
            "name": "Wei & Co",
            "email": "wei@example.com",
            "roles": ["reviewer"],
            "capacity": "20",
            "interface_language": "en",
        },
    )
    page = client.get("/people/wei/").content
    [message] = mail.outbox
    assert message.to == ["wei@example.com"]
    assert "Hello Wei & Co," in str(message.body)
    assert "Your user name is wei." in str(message.body)
    assert f"http://testserver{link_on(page)}" in str(message.body).splitlines()
    assert "It was also sent to wei@example.com." in page.decode()


def test_the_mailed_link_works(as_user: AsUser, ada: User, settings: Settings) -> None:
    settings.MAIL_IS_CONFIGURED = True
    invite(as_user(ada), email="wei@example.com")
    [link] = re.findall(r"http://testserver(\S+)", str(mail.outbox[0].body))
    browser = Client()
    choose(browser, open_form(browser, link))
    assert can_sign_in("wei", CHOSEN)


def test_a_new_link_is_mailed_too(
    as_user: AsUser, ada: User, rita: User, settings: Settings
) -> None:
    settings.MAIL_IS_CONFIGURED = True
    as_user(ada).post("/people/rita/link/")
    assert [message.to for message in mail.outbox] == [["rita@example.com"]]


def test_the_mail_is_in_the_language_of_the_person_and_the_page_in_that_of_the_admin(
    as_user: AsUser, ada: User, settings: Settings
) -> None:
    settings.MAIL_IS_CONFIGURED = True
    client = as_user(ada)
    invite(client, "wei", email="wei@example.com", interface_language="zh-hans")
    invite(client, "tom", email="tom@example.com", interface_language="en")
    chinese, english = mail.outbox
    assert re.search("[\u4e00-\u9fff]", str(chinese.body))
    assert not re.search("[\u4e00-\u9fff]", str(english.body))
    assert chinese.subject != english.subject
    assert '<html lang="en"' in client.get("/people/wei/").content.decode()


def test_without_an_address_nothing_is_mailed(
    as_user: AsUser, ada: User, settings: Settings
) -> None:
    settings.MAIL_IS_CONFIGURED = True
    client = as_user(ada)
    fields = {"username": "wei", "email": "", "capacity": "20", "interface_language": "en"}
    page = client.post("/invite/", fields, follow=True).content
    assert mail.outbox == []
    assert link_on(page) is not None
    assert "sent to" not in page.decode()


def test_where_mail_is_not_configured_nothing_is_mailed(
    as_user: AsUser, ada: User, rita: User, settings: Settings
) -> None:
    settings.MAIL_IS_CONFIGURED = False
    page = as_user(ada).post("/people/rita/link/", follow=True).content
    assert mail.outbox == []
    assert link_on(page) is not None
    assert "sent to" not in page.decode()


def test_a_refused_link_is_not_mailed(
    as_user: AsUser, ada: User, root: User, settings: Settings
) -> None:
    settings.MAIL_IS_CONFIGURED = True
    User.objects.filter(pk=root.pk).update(email="root@example.com")
    as_user(ada).post("/people/root/link/")
    assert mail.outbox == []
