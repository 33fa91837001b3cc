"""One's own account: days away, the interface language, and what an admin set."""

import re
import time
from datetime import timedelta

import pytest
import time_machine
from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    generate_totp_secret,
    hotp_value,
)
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from reviews.models import Absence, Reviewer
from tests.people import PASSWORD, AsUser

COOKIE = "django_language"


def language_of(page: bytes) -> str:
    [language] = re.findall(r'<html lang="([^"]*)"', page.decode())
    return str(language)


def day(offset: int) -> str:
    """A date as a browser sends it, so many days from today."""
    return (timezone.localdate() + timedelta(days=offset)).isoformat()


def stated(user: User) -> list[tuple[str, str]]:
    absences = Absence.objects.filter(reviewer__user=user)
    return [(one.first_date.isoformat(), one.last_date.isoformat()) for one in absences]


def removable(page: str) -> list[str]:
    """Where the "Remove" buttons of the page lead, from top to bottom."""
    return re.findall(r'action="(/account/absences/\d+/remove/)"', page)


# --- The page -------------------------------------------------------------------------------------


def test_the_page_tells_what_is_set(as_user: AsUser, rita: User) -> None:
    Reviewer.objects.filter(user=rita).update(capacity=1, languages=["ja", "en"])
    page = as_user(rita).get("/account/").content.decode()
    assert "<dd>rita</dd>" in page
    assert "1 unsubmitted review at one time" in page
    assert "English, Japanese" in page
    assert "<dd>off" in page


def test_the_page_tells_that_the_second_factor_is_on(as_user: AsUser, rita: User) -> None:
    TOTP.activate(rita, generate_totp_secret())
    assert "<dd>on" in as_user(rita).get("/account/").content.decode()


def test_every_role_has_an_account_page(
    as_user: AsUser, rita: User, ada: User, mina: User, root: User
) -> None:
    for person in (rita, ada, mina, root):
        response = as_user(person).get("/account/")
        assert response.status_code == 200
        assert f"<dd>{person.username}</dd>" in response.content.decode()


def test_a_person_without_a_role_finds_no_account_page(as_user: AsUser, sam: User) -> None:
    assert as_user(sam).get("/account/").status_code == 404


@pytest.mark.django_db
def test_a_stranger_is_asked_to_sign_in(as_user: AsUser) -> None:
    response = as_user(None).get("/account/")
    assert response.headers["Location"] == "/sign-in/?next=%2Faccount%2F"


def test_the_page_is_not_kept_by_the_browser(as_user: AsUser, rita: User) -> None:
    assert "no-store" in as_user(rita).get("/account/").headers["Cache-Control"]


# --- Language -------------------------------------------------------------------------------------


def choose(client: Client, language: str, address: str = "/account/") -> str:
    """Press a language button; where it leads."""
    response = client.post("/language/", {"language": language, "next": address})
    assert response.status_code == 302
    return response.headers["Location"]


def test_a_chosen_language_is_shown_at_once_and_stored(as_user: AsUser, rita: User) -> None:
    client = as_user(rita)
    assert language_of(client.get("/account/").content) == "en"
    assert choose(client, "zh-hans") == "/account/"
    assert language_of(client.get("/account/").content) == "zh-hans"
    assert Reviewer.objects.get(user=rita).interface_language == "zh-hans"


@pytest.mark.django_db
def test_a_language_can_be_chosen_before_signing_in() -> None:
    client = Client()
    assert language_of(client.get("/sign-in/").content) == "en"
    choose(client, "zh-hans", "/sign-in/")
    assert language_of(client.get("/sign-in/").content) == "zh-hans"
    assert not Reviewer.objects.exists()


def test_the_buttons_mark_the_language_of_the_page(as_user: AsUser, rita: User) -> None:
    client = as_user(rita)
    marked = re.compile(r'<button[^>]* value="([^"]*)"[^>]* aria-current="true"')
    assert set(marked.findall(client.get("/account/").content.decode())) == {"en"}
    choose(client, "zh-hans")
    assert set(marked.findall(client.get("/account/").content.decode())) == {"zh-hans"}


@pytest.mark.django_db
def test_the_language_cookie_is_out_of_the_reach_of_scripts() -> None:
    cookie = Client().post("/language/", {"language": "zh-hans"}).cookies[COOKIE]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert cookie["max-age"] == 365 * 24 * 3600


@pytest.mark.parametrize("language", ["fr", "", "zh", "en-gb", "zh-hant", "../en"])
def test_a_language_that_is_no_choice_changes_nothing(
    as_user: AsUser, rita: User, language: str
) -> None:
    client = as_user(rita)
    choose(client, language)
    assert COOKIE not in client.cookies
    assert Reviewer.objects.get(user=rita).interface_language == "en"


def test_choosing_a_language_changes_nothing_else(as_user: AsUser, rita: User, omar: User) -> None:
    smuggled = {"capacity": "500", "languages": ["ko"], "user": str(omar.pk)}
    as_user(rita).post("/language/", {"language": "zh-hans", **smuggled})
    mine = Reviewer.objects.get(user=rita)
    assert (mine.capacity, mine.languages) == (20, ["zh", "en"])
    assert Reviewer.objects.get(user=omar).interface_language == "en"


def test_somebody_without_reviewer_data_can_choose_a_language(as_user: AsUser, root: User) -> None:
    choose(as_user(root), "zh-hans")
    assert Reviewer.objects.get(user=root).interface_language == "zh-hans"


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/", "/account/", "/people/?q=a&page=2"])
def test_after_choosing_the_same_page_comes_back(address: str) -> None:
    assert choose(Client(), "en", address) == address


@pytest.mark.django_db
@pytest.mark.parametrize(
    "address",
    [
        "",
        "home",
        "https://elsewhere.test/",
        "//elsewhere.test/",
        "\\\\elsewhere.test\\",
        "///elsewhere.test",
        "javascript:alert(1)",
        "http://testserver@elsewhere.test/",
    ],
)
def test_after_choosing_nobody_is_sent_elsewhere(address: str) -> None:
    assert choose(Client(), "en", address) == "/"


def test_a_language_is_not_changed_by_reading(as_user: AsUser, rita: User) -> None:
    response = as_user(rita).get("/language/?language=zh-hans")
    assert response.status_code == 405
    assert COOKIE not in response.cookies
    assert Reviewer.objects.get(user=rita).interface_language == "en"


# --- Language, in a new browser -------------------------------------------------------------------


def test_the_chosen_language_follows_to_a_new_browser(as_user: AsUser, rita: User) -> None:
    choose(as_user(rita), "zh-hans")
    browser = Client()
    assert language_of(browser.get("/sign-in/").content) == "en"
    response = browser.post("/sign-in/", {"login": "rita", "password": PASSWORD}, follow=True)
    assert response.redirect_chain == [("/", 302)]
    assert language_of(response.content) == "zh-hans"


def test_the_stored_language_wins_over_what_somebody_else_left_in_the_browser(rita: User) -> None:
    browser = Client()
    choose(browser, "zh-hans")
    browser.post("/sign-in/", {"login": "rita", "password": PASSWORD})
    assert language_of(browser.get("/").content) == "en"


def test_without_a_stored_language_the_browser_keeps_its_own(rita: User) -> None:
    Reviewer.objects.filter(user=rita).update(interface_language="")
    browser = Client()
    choose(browser, "zh-hans")
    response = browser.post("/sign-in/", {"login": "rita", "password": PASSWORD})
    assert COOKIE not in response.cookies
    assert language_of(browser.get("/").content) == "zh-hans"


def test_a_wrong_password_does_not_tell_which_language_somebody_reads(rita: User) -> None:
    Reviewer.objects.filter(user=rita).update(interface_language="zh-hans")
    response = Client().post("/sign-in/", {"login": "rita", "password": "not this one"})
    assert COOKIE not in response.cookies


def test_the_stored_language_comes_after_the_second_factor(rita: User) -> None:
    Reviewer.objects.filter(user=rita).update(interface_language="zh-hans")
    secret = generate_totp_secret()
    TOTP.activate(rita, secret)
    browser = Client()
    response = browser.post("/sign-in/", {"login": "rita", "password": PASSWORD})
    assert COOKIE not in response.cookies
    with time_machine.travel(timezone.now(), tick=False):
        code = format_hotp_value(hotp_value(secret, int(time.time()) // 30))
        browser.post("/sign-in/second-factor/", {"code": code})
    assert language_of(browser.get("/").content) == "zh-hans"


# --- Days away ------------------------------------------------------------------------------------


def test_days_away_are_kept_and_shown(as_user: AsUser, rita: User) -> None:
    response = as_user(rita).post(
        "/account/absences/", {"first_date": "2099-12-24", "last_date": "2099-12-31"}, follow=True
    )
    page = response.content.decode()
    assert page.count("Saved.") == 1
    assert "Dec. 24, 2099" in page
    assert "Dec. 31, 2099" in page
    assert stated(rita) == [("2099-12-24", "2099-12-31")]


def test_one_day_away_begins_and_ends_on_the_same_day(as_user: AsUser, rita: User) -> None:
    as_user(rita).post("/account/absences/", {"first_date": day(5), "last_date": day(5)})
    assert stated(rita) == [(day(5), day(5))]


def test_days_away_that_end_before_they_begin_are_refused(as_user: AsUser, rita: User) -> None:
    response = as_user(rita).post("/account/absences/", {"first_date": day(5), "last_date": day(4)})
    page = response.content.decode()
    assert response.status_code == 422
    assert "The last day away lies before the first." in page
    assert f'value="{day(5)}"' in page
    assert stated(rita) == []


@pytest.mark.parametrize(
    ("first", "last"),
    [("", ""), ("2099-01-01", ""), ("", "2099-01-01"), ("2099-02-30", "2099-03-01"), ("x", "y")],
)
def test_days_away_need_two_real_dates(as_user: AsUser, rita: User, first: str, last: str) -> None:
    response = as_user(rita).post("/account/absences/", {"first_date": first, "last_date": last})
    assert response.status_code == 422
    assert stated(rita) == []


def test_days_away_are_listed_until_their_last_day_is_over(as_user: AsUser, rita: User) -> None:
    today = timezone.localdate()
    yesterday = today - timedelta(days=1)
    over = rita.reviewer.absences.create(first_date=yesterday, last_date=yesterday)
    last_day = rita.reviewer.absences.create(first_date=yesterday, last_date=today)
    page = as_user(rita).get("/account/").content.decode()
    assert removable(page) == [f"/account/absences/{last_day.pk}/remove/"]
    assert Absence.objects.filter(pk=over.pk).exists()


def test_days_away_are_listed_in_the_order_of_their_first_day(as_user: AsUser, rita: User) -> None:
    today = timezone.localdate()
    later, sooner = (
        rita.reviewer.absences.create(
            first_date=today + timedelta(days=days), last_date=today + timedelta(days=30)
        )
        for days in (9, 2)
    )
    page = as_user(rita).get("/account/").content.decode()
    assert removable(page) == [f"/account/absences/{one.pk}/remove/" for one in (sooner, later)]


def test_two_people_may_be_away_on_the_same_days(as_user: AsUser, rita: User, omar: User) -> None:
    for person in (rita, omar):
        as_user(person).post("/account/absences/", {"first_date": day(1), "last_date": day(2)})
    assert stated(rita) == stated(omar) == [(day(1), day(2))]


def test_days_away_are_always_ones_own(as_user: AsUser, rita: User, omar: User) -> None:
    other = {"reviewer": omar.reviewer.pk, "user": omar.pk, "id": "1", "pk": "1"}
    as_user(rita).post("/account/absences/", {"first_date": day(1), "last_date": day(2), **other})
    assert stated(rita) == [(day(1), day(2))]
    assert stated(omar) == []


def test_managers_admins_and_superusers_are_away_as_well(
    as_user: AsUser, ada: User, mina: User, root: User
) -> None:
    for person in (ada, mina, root):
        as_user(person).post("/account/absences/", {"first_date": day(1), "last_date": day(2)})
        assert stated(person) == [(day(1), day(2))]


def test_nobody_without_a_role_states_days_away(as_user: AsUser, sam: User) -> None:
    away = {"first_date": day(1), "last_date": day(2)}
    assert as_user(sam).post("/account/absences/", away).status_code == 404
    assert as_user(None).post("/account/absences/", away).headers["Location"] == "/sign-in/"
    assert not Absence.objects.exists()


def test_own_days_away_can_be_removed(as_user: AsUser, rita: User) -> None:
    today = timezone.localdate()
    kept = rita.reviewer.absences.create(first_date=today, last_date=today)
    gone = rita.reviewer.absences.create(first_date=today, last_date=today + timedelta(days=1))
    response = as_user(rita).post(f"/account/absences/{gone.pk}/remove/", follow=True)
    assert response.content.decode().count("Removed.") == 1
    assert list(Absence.objects.all()) == [kept]


@pytest.mark.parametrize("who", ["omar", "ada", "mina", "root", "sam"])
def test_the_days_away_of_somebody_else_are_not_found(
    as_user: AsUser, rita: User, omar: User, ada: User, mina: User, root: User, sam: User, who: str
) -> None:
    """Not even by an admin: a day away is nobody's but one's own."""
    people = {"omar": omar, "ada": ada, "mina": mina, "root": root, "sam": sam}
    today = timezone.localdate()
    hers = rita.reviewer.absences.create(first_date=today, last_date=today)
    response = as_user(people[who]).post(f"/account/absences/{hers.pk}/remove/")
    assert response.status_code == 404
    assert list(Absence.objects.all()) == [hers]


def test_days_away_are_not_removed_by_reading(as_user: AsUser, rita: User) -> None:
    today = timezone.localdate()
    hers = rita.reviewer.absences.create(first_date=today, last_date=today)
    assert as_user(rita).get(f"/account/absences/{hers.pk}/remove/").status_code == 405
    assert Absence.objects.filter(pk=hers.pk).exists()


@pytest.mark.parametrize("number", ["0", "987654", "9" * 30])
def test_days_away_that_are_not_there_are_not_found(
    as_user: AsUser, rita: User, number: str
) -> None:
    assert as_user(rita).post(f"/account/absences/{number}/remove/").status_code == 404


# --- What the database itself refuses -------------------------------------------------------------


def test_the_database_refuses_days_away_that_end_before_they_begin(rita: User) -> None:
    today = timezone.localdate()
    rita.reviewer.absences.create(first_date=today, last_date=today)
    with pytest.raises(IntegrityError), transaction.atomic():
        rita.reviewer.absences.create(first_date=today, last_date=today - timedelta(days=1))
    assert Absence.objects.count() == 1


def test_the_same_days_away_are_stated_once(rita: User) -> None:
    today = timezone.localdate()
    rita.reviewer.absences.create(first_date=today, last_date=today)
    again = Absence(reviewer=rita.reviewer, first_date=today, last_date=today)
    with pytest.raises(ValidationError, match="These days are in your list already"):
        again.full_clean()
    with pytest.raises(IntegrityError), transaction.atomic():
        again.save()
