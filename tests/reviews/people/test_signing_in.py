"""Signing in and out, the second factor, and changing the password."""

import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    generate_totp_secret,
    hotp_value,
)
from django.contrib.auth.models import User
from django.test import Client
from django.urls import NoReverseMatch, reverse

from reviews.people import workflow as people_workflow
from tests.people import PASSWORD

NEW = "a quite different one"
PERIOD = 30  # seconds that a code of an authenticator app is shown


def sign_in(
    browser: Client, username: str = "rita", password: str = PASSWORD, address: str = "/sign-in/"
) -> tuple[int, str]:
    """Status and where it leads."""
    response = browser.post(address, {"login": username, "password": password})
    return response.status_code, response.headers.get("Location", "")


def is_in(browser: Client) -> bool:
    return browser.get("/").status_code == 200


def answer_to(username: str, password: str) -> tuple[int, str, list[str]]:
    """What a new browser gets, without what differs between any two answers."""
    browser = Client()
    response = browser.post("/sign-in/", {"login": username, "password": password})
    page = response.content.decode().replace(f'value="{username}"', 'value="NAME"')
    page = re.sub(r'(csrfmiddlewaretoken" value=")[^"]+', r"\1", page)
    return response.status_code, page, sorted(response.cookies)


# --- Name and password ----------------------------------------------------------------------------


def test_the_right_password_leads_to_the_first_page(rita: User) -> None:
    browser = Client()
    assert sign_in(browser) == (302, "/")
    assert is_in(browser)


def test_signing_in_says_nothing_besides(rita: User) -> None:
    browser = Client()
    response = browser.post("/sign-in/", {"login": "rita", "password": PASSWORD}, follow=True)
    assert 'class="messages"' not in response.content.decode()


def test_a_wrong_password_leads_back_to_the_form(rita: User) -> None:
    browser = Client()
    response = browser.post("/sign-in/", {"login": "rita", "password": "not this one"})
    page = response.content.decode()
    assert 'role="alert"' in page
    assert 'value="rita"' in page
    assert "not this one" not in page
    assert not is_in(browser)


@pytest.mark.parametrize("password", [PASSWORD.upper(), f" {PASSWORD}", f"{PASSWORD} ", ""])
def test_a_password_is_taken_exactly(rita: User, password: str) -> None:
    browser = Client()
    sign_in(browser, password=password)
    assert not is_in(browser)


@pytest.mark.parametrize("username", ["RITA", "Rita", " rita "])
def test_case_and_spaces_around_a_user_name_do_not_matter(rita: User, username: str) -> None:
    browser = Client()
    assert sign_in(browser, username) == (302, "/")
    assert "<dd>rita</dd>" in browser.get("/account/").content.decode()


@pytest.mark.parametrize("username", ["rita@example.com", "rit", "ritaa", "rita\0", ""])
def test_nothing_else_is_a_user_name(rita: User, username: str) -> None:
    browser = Client()
    sign_in(browser, username)
    assert not is_in(browser)


def test_an_unknown_name_gets_the_answer_of_a_wrong_password(rita: User) -> None:
    assert answer_to("nobody", "not this one") == answer_to("rita", "not this one")


def test_a_deactivated_person_gets_the_answer_of_a_wrong_password(rita: User, omar: User) -> None:
    User.objects.filter(pk=omar.pk).update(is_active=False)
    expected = answer_to("rita", "not this one")
    assert answer_to("omar", "not this one") == expected
    assert answer_to("omar", PASSWORD) == expected


def test_a_person_who_set_no_password_yet_gets_the_answer_of_a_wrong_one(
    rita: User, omar: User
) -> None:
    omar.set_unusable_password()
    omar.save()
    expected = answer_to("rita", "not this one")
    for guess in ("not this one", omar.password, "!"):
        assert answer_to("omar", guess) == expected


def test_a_form_without_its_token_is_refused(rita: User) -> None:
    browser = Client(enforce_csrf_checks=True)
    assert sign_in(browser)[0] == 403
    assert not is_in(browser)


def test_the_session_has_a_new_key_after_signing_in(rita: User) -> None:
    """A key that somebody slipped into the browser before opens nothing afterwards."""
    browser = Client()
    before = browser.session
    before["planted"] = True
    before.save()
    browser.cookies["sessionid"] = before.session_key or ""
    sign_in(browser)
    assert is_in(browser)
    assert browser.cookies["sessionid"].value != before.session_key
    intruder = Client()
    intruder.cookies["sessionid"] = before.session_key or ""
    assert not is_in(intruder)


def test_the_sign_in_page_is_not_shown_to_somebody_who_is_in(rita: User) -> None:
    browser = Client()
    sign_in(browser)
    response = browser.get("/sign-in/")
    assert (response.status_code, response.headers["Location"]) == (302, "/")


# --- Where it leads -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address", ["/account/", "/account/?a=1&b=2", "http://testserver/rubrics/"]
)
def test_signing_in_leads_to_the_page_that_was_wanted(rita: User, address: str) -> None:
    browser = Client()
    response = browser.post("/sign-in/", {"login": "rita", "password": PASSWORD, "next": address})
    assert response.headers["Location"] == address


def test_the_wanted_page_survives_the_form_and_a_wrong_password(rita: User) -> None:
    browser = Client()
    door = browser.get("/account/").headers["Location"]
    hidden = '<input type="hidden" name="next" value="/account/">'
    assert hidden in browser.get(door).content.decode()
    wrong = {"login": "rita", "password": "not this one", "next": "/account/"}
    assert hidden in browser.post("/sign-in/", wrong).content.decode()
    assert sign_in(browser, address=door) == (302, "/account/")


ELSEWHERE = [
    "https://elsewhere.test/",
    "//elsewhere.test/",
    "///elsewhere.test/",
    "\\\\elsewhere.test\\",
    "http:elsewhere.test",
    "javascript:alert(1)",
    "http://testserver@elsewhere.test/",
    "http://testserver.elsewhere.test/",
]


def test_signing_in_leads_nowhere_else(rita: User) -> None:
    for address in ELSEWHERE:
        browser = Client()
        sent = {"login": "rita", "password": PASSWORD, "next": address}
        assert browser.post("/sign-in/", sent).headers["Location"] == "/", address
        assert is_in(browser)


def test_a_wanted_page_is_escaped_in_the_form() -> None:
    page = Client().get("/sign-in/", {"next": '"><script>alert(1)</script>'}).content.decode()
    assert "<script>alert" not in page


# --- What is not mounted --------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path",
    [
        "/sign-up/",
        "/signup/",
        "/accounts/",
        "/accounts/login/",
        "/accounts/signup/",
        "/accounts/password/reset/",
        "/accounts/email/",
        "/account/email/",
        "/account/password/reset/",
        "/account/password/reset/key/1-abc/",
        "/accounts/inactive/",
        "/accounts/social/signup/",
        "/accounts/3rdparty/",
        "/accounts/2fa/webauthn/",
    ],
)
def test_there_is_no_sign_up_no_reset_and_no_mail_page(path: str) -> None:
    assert Client().get(path).status_code == 404
    assert Client().post(path, {"email": "rita@example.com"}).status_code == 404


@pytest.mark.parametrize(
    "route",
    [
        "account_signup",
        "account_reset_password",
        "account_reset_password_done",
        "account_reset_password_from_key_done",
        "account_email",
        "account_email_verification_sent",
        "account_request_login_code",
        "socialaccount_signup",
        "socialaccount_connections",
        "mfa_list_webauthn",
        "mfa_login_webauthn",
    ],
)
def test_routes_of_allauth_that_are_not_used_have_no_address(route: str) -> None:
    with pytest.raises(NoReverseMatch):
        reverse(route)


@pytest.mark.django_db
def test_the_sign_in_page_offers_neither_sign_up_nor_reset() -> None:
    page = Client().get("/sign-in/").content.decode().lower()
    assert "sign up" not in page
    assert "forgot" not in page
    assert "ask an admin of your team for a link" in page


# --- Signing out ----------------------------------------------------------------------------------


def test_signing_out_ends_the_session_for_good(rita: User) -> None:
    browser = Client()
    sign_in(browser)
    key = browser.cookies["sessionid"].value
    response = browser.post("/sign-out/")
    assert (response.status_code, response.headers["Location"]) == (302, "/sign-in/")
    assert not is_in(browser)
    copy = Client()
    copy.cookies["sessionid"] = key
    assert not is_in(copy)


def test_reading_the_sign_out_page_ends_nothing(rita: User) -> None:
    browser = Client()
    sign_in(browser)
    page = browser.get("/sign-out/")
    assert page.status_code == 200
    assert '<form method="post"' in page.content.decode()
    assert is_in(browser)


def test_signing_out_here_leaves_other_browsers_alone(rita: User) -> None:
    here, there = Client(), Client()
    sign_in(here)
    sign_in(there)
    here.post("/sign-out/")
    assert is_in(there)


@pytest.mark.django_db
def test_signing_out_without_being_in_is_no_error() -> None:
    assert Client().post("/sign-out/").headers["Location"] == "/sign-in/"
    assert Client().get("/sign-out/").headers["Location"] == "/sign-in/"


# --- The second factor: signing in with it --------------------------------------------------------


@pytest.fixture
def secret(rita: User) -> Iterator[str]:
    """The key in rita's authenticator app; she has switched the second factor on.

    A code is valid for half a minute, which may end on a busy machine before the code is sent: the
    clock stops.
    """
    secret: str = generate_totp_secret()
    TOTP.activate(rita, secret)
    with time_machine.travel(datetime.now(UTC), tick=False):
        yield secret


@pytest.fixture
def recovery_codes(rita: User, secret: str) -> list[str]:
    codes: list[str] = RecoveryCodes.activate(rita).get_unused_codes()
    return codes


@pytest.fixture
def stopped_clock() -> Iterator[time_machine.Traveller]:
    """The first second of a period, so that a test says which code is shown."""
    with time_machine.travel(datetime(2031, 3, 3, 9, 0, tzinfo=UTC), tick=False) as clock:
        yield clock


def code_of(secret: str, *, periods_later: int = 0) -> str:
    """What the app shows now, or so many half minutes later."""
    return str(format_hotp_value(hotp_value(secret, int(time.time()) // PERIOD + periods_later)))


def another(code: str) -> str:
    return code[:-1] + str((int(code[-1]) + 5) % 10)


def give(browser: Client, code: str) -> tuple[int, str]:
    response = browser.post("/sign-in/second-factor/", {"code": code})
    return response.status_code, response.headers.get("Location", "")


def test_after_the_password_comes_the_code(secret: str) -> None:
    browser = Client()
    assert sign_in(browser) == (302, "/sign-in/second-factor/")
    assert not is_in(browser)
    assert 'name="code"' in browser.get("/sign-in/second-factor/").content.decode()
    assert give(browser, code_of(secret)) == (302, "/")
    assert is_in(browser)


def test_a_wrong_password_does_not_tell_that_there_is_a_second_factor(
    omar: User, secret: str
) -> None:
    assert answer_to("rita", "not this one") == answer_to("omar", "not this one")


def test_a_wrong_code_is_refused_and_the_right_one_still_works(
    secret: str, stopped_clock: time_machine.Traveller
) -> None:
    browser = Client()
    sign_in(browser)
    for code in (another(code_of(secret)), "", "abcdef", code_of(secret)[:-1]):
        response = browser.post("/sign-in/second-factor/", {"code": code})
        assert response.status_code in (200, 422)
        assert 'role="alert"' in response.content.decode()
        assert not is_in(browser)
    assert give(browser, code_of(secret)) == (302, "/")


@pytest.mark.parametrize(("periods", "is_let_in"), [(-1, False), (0, True), (1, False)])
def test_only_the_code_of_the_moment_works(
    secret: str, stopped_clock: time_machine.Traveller, periods: int, is_let_in: bool
) -> None:
    """allauth forgets a used code after its half minute, so an older one must not work again."""
    browser = Client()
    sign_in(browser)
    give(browser, code_of(secret, periods_later=periods))
    assert is_in(browser) == is_let_in


def test_a_code_that_somebody_looked_over_the_shoulder_for_is_used_up(
    secret: str, stopped_clock: time_machine.Traveller
) -> None:
    rita, onlooker = Client(), Client()
    for browser in (rita, onlooker):
        sign_in(browser)
        give(browser, code_of(secret))
    assert is_in(rita)
    assert not is_in(onlooker)


def test_a_recovery_code_works_once(recovery_codes: list[str]) -> None:
    first, second = Client(), Client()
    for browser in (first, second):
        sign_in(browser)
        give(browser, recovery_codes[0])
    assert is_in(first)
    assert not is_in(second)
    give(second, recovery_codes[1])
    assert is_in(second)


def test_the_codes_of_somebody_else_do_not_help(
    omar: User, secret: str, recovery_codes: list[str]
) -> None:
    TOTP.activate(omar, generate_totp_secret())
    browser = Client()
    sign_in(browser, "omar")
    for code in (code_of(secret), recovery_codes[0]):
        give(browser, code)
        assert not is_in(browser)


@pytest.mark.django_db
def test_without_the_password_there_is_no_second_step(secret: str) -> None:
    browser = Client()
    assert browser.get("/sign-in/second-factor/").headers["Location"] == "/sign-in/"
    assert give(browser, code_of(secret)) == (302, "/sign-in/")
    assert not is_in(browser)


def test_the_second_step_leads_to_the_page_that_was_wanted(secret: str) -> None:
    browser = Client()
    sign_in(browser, address="/sign-in/?next=/account/")
    assert give(browser, code_of(secret)) == (302, "/account/")


def test_somebody_deactivated_between_the_steps_does_not_come_in(ada: User, secret: str) -> None:
    browser = Client()
    sign_in(browser)
    people_workflow.deactivate(by=ada, user=User.objects.get(username="rita"))
    give(browser, code_of(secret))
    assert not is_in(browser)


# --- The second factor: switching it on and off ---------------------------------------------------


def confirm_password(browser: Client, wanted: str, password: str = PASSWORD) -> str:
    """Before such a change the password is asked for once more; where it leads."""
    door = browser.get(wanted).headers["Location"]
    assert door.startswith("/account/confirm/?next=")
    return browser.post(door, {"password": password}).headers.get("Location", "")


def test_the_whole_way_from_switching_on_to_signing_in_and_off_again(
    rita: User, stopped_clock: time_machine.Traveller
) -> None:
    browser = Client()
    sign_in(browser)
    on = "/account/second-factor/on/"
    assert on in browser.get("/account/second-factor/").content.decode()
    assert confirm_password(browser, on) == on
    [key] = re.findall(r'<code class="key">(\w+)</code>', browser.get(on).content.decode())
    response = browser.post(on, {"code": code_of(key)}, follow=True)
    assert response.redirect_chain == [("/account/second-factor/codes/", 302)]
    codes = re.findall(r"<li><code>(\d+)</code></li>", response.content.decode())
    assert len(set(codes)) == 10

    browser.post("/sign-out/")
    stopped_clock.shift(timedelta(seconds=PERIOD))
    assert sign_in(browser) == (302, "/sign-in/second-factor/")
    give(browser, another(code_of(key)))
    assert not is_in(browser)
    give(browser, code_of(key))
    assert is_in(browser)

    browser.post("/sign-out/")
    sign_in(browser)
    give(browser, codes[3])
    assert is_in(browser)

    off = "/account/second-factor/off/"
    assert confirm_password(browser, off) == off
    browser.post(off)
    assert not Authenticator.objects.exists()
    browser.post("/sign-out/")
    assert sign_in(browser) == (302, "/")


def test_a_wrong_code_does_not_switch_the_second_factor_on(
    rita: User, stopped_clock: time_machine.Traveller
) -> None:
    browser = Client()
    sign_in(browser)
    on = "/account/second-factor/on/"
    confirm_password(browser, on)
    [key] = re.findall(r'<code class="key">(\w+)</code>', browser.get(on).content.decode())
    page = browser.post(on, {"code": another(code_of(key))}).content.decode()
    assert 'role="alert"' in page
    assert key in page
    assert not Authenticator.objects.exists()
    browser.post(on, {"code": code_of(key)})
    assert Authenticator.objects.filter(user=rita).count() == 2


@pytest.mark.parametrize("path", ["on/", "off/", "codes/", "codes/new/", "codes/file/"])
def test_an_open_browser_is_not_enough_to_touch_the_second_factor(
    rita: User, path: str, request: pytest.FixtureRequest
) -> None:
    browser = Client()
    sign_in(browser)
    if path != "on/":
        request.getfixturevalue("recovery_codes")
    before = list(Authenticator.objects.values_list("pk", "data"))
    for response in (
        browser.get(f"/account/second-factor/{path}"),
        browser.post(f"/account/second-factor/{path}", {"code": "123456"}),
    ):
        assert response.status_code in (302, 405)
        if response.status_code == 302:
            assert response.headers["Location"].startswith("/account/confirm/")
    assert confirm_password(browser, f"/account/second-factor/{path}", "not this one") == ""
    assert list(Authenticator.objects.values_list("pk", "data")) == before


def test_new_recovery_codes_replace_the_old_ones(
    rita: User, secret: str, recovery_codes: list[str]
) -> None:
    browser = Client()
    browser.force_login(rita)
    new = "/account/second-factor/codes/new/"
    confirm_password(browser, new)
    page = browser.post(new, follow=True).content.decode()
    codes = re.findall(r"<li><code>(\d+)</code></li>", page)
    assert len(codes) == 10
    assert not set(codes) & set(recovery_codes)
    elsewhere = Client()
    sign_in(elsewhere)
    give(elsewhere, recovery_codes[0])
    assert not is_in(elsewhere)
    give(elsewhere, codes[0])
    assert is_in(elsewhere)


def test_recovery_codes_can_be_taken_along_as_a_file(rita: User, recovery_codes: list[str]) -> None:
    browser = Client()
    browser.force_login(rita)
    confirm_password(browser, "/account/second-factor/codes/")
    response = browser.get("/account/second-factor/codes/file/")
    assert response.content.decode().split() == recovery_codes
    assert response.headers["Content-Disposition"].startswith("attachment")
    assert "no-store" in response.headers["Cache-Control"]


def test_without_a_second_factor_there_are_no_codes_to_see(rita: User) -> None:
    browser = Client()
    sign_in(browser)
    assert browser.get("/account/second-factor/codes/").status_code == 404
    assert browser.get("/account/second-factor/off/").status_code == 404


# --- Changing the password ------------------------------------------------------------------------


def change_password(browser: Client, old: str, new: str, again: str | None = None) -> str:
    """The page that follows."""
    fields = {"oldpassword": old, "password1": new, "password2": new if again is None else again}
    return browser.post("/account/password/", fields, follow=True).content.decode()


def has_password(password: str) -> bool:
    return User.objects.get(username="rita").check_password(password)


def test_the_password_is_changed_with_the_old_one(rita: User) -> None:
    browser = Client()
    sign_in(browser)
    page = change_password(browser, PASSWORD, NEW)
    assert page.count("Your password was changed.") == 1
    assert sign_in(Client(), password=NEW) == (302, "/")
    assert sign_in(Client(), password=PASSWORD)[0] != 302


def test_changing_the_password_keeps_this_session_and_ends_the_others(rita: User) -> None:
    here, there = Client(), Client()
    sign_in(here)
    sign_in(there)
    change_password(here, PASSWORD, NEW)
    assert is_in(here)
    assert not is_in(there)


@pytest.mark.parametrize("old", ["", "not this one", PASSWORD.upper()])
def test_without_the_old_password_nothing_changes(rita: User, old: str) -> None:
    browser = Client()
    sign_in(browser)
    assert 'role="alert"' in change_password(browser, old, NEW)
    assert has_password(PASSWORD)
    assert is_in(browser)


def test_a_new_password_of_15_characters_is_long_enough(rita: User) -> None:
    browser = Client()
    sign_in(browser)
    change_password(browser, PASSWORD, "xkq plm wvb zrt")
    assert has_password("xkq plm wvb zrt")


@pytest.mark.parametrize(
    ("new", "again"),
    [
        ("xkq plm wvb zr", "xkq plm wvb zr"),
        (NEW, NEW + "!"),
        ("", ""),
        ("1q2w3e4r5t6y7u8i", "1q2w3e4r5t6y7u8i"),
        ("rita@example.com", "rita@example.com"),
    ],
    ids=["14 characters", "two different", "none", "a common one", "the own address"],
)
def test_a_new_password_that_does_not_fit_is_refused(rita: User, new: str, again: str) -> None:
    browser = Client()
    sign_in(browser)
    assert 'role="alert"' in change_password(browser, PASSWORD, new, again)
    assert has_password(PASSWORD)


def test_changing_the_password_is_for_people_who_are_in(rita: User, sam: User) -> None:
    assert Client().get("/account/password/").status_code == 302
    stranger = Client()
    stranger.force_login(sam)
    assert stranger.get("/account/password/").status_code == 404
