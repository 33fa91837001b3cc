"""Reminding a reviewer, from the page and by script: at most once a day, and naming nothing."""

import re
from datetime import datetime, timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from cases.models import Release
from evalsite import mail
from reviews.assignments.reminder import AlreadyReminded, Reminded, remind
from reviews.assignments.workflow import NotAReviewer, NothingOpen
from reviews.errors import WrongStatus
from reviews.models import Reminder, Reviewer
from reviews.people import workflow as people_workflow
from reviews.releases import lifecycle as releases_lifecycle
from tests.bed import reviewed as bed
from tests.bed.api import Script
from tests.bed.cases import NOW
from tests.people import AsUser

pytestmark = pytest.mark.usefixtures("rubric")

Box = list[EmailMessage]
PAGE = "/releases/wanderer-1/assignments/people/rita/remind/"
CALL = "releases/wanderer-1/assignments/remind/"
LINK = "https://spotcheck.example.com/reviews/"


@pytest.fixture
def release(rita: User) -> Release:
    """In review; rita has two cases."""
    release = bed.started()
    for key in ("feast", "kids"):
        bed.assign(release, key, rita)
    return bed.current(release)


@pytest.fixture
def mailing(settings: Settings) -> None:
    settings.MAIL_IS_CONFIGURED = True


@pytest.fixture
def admin(as_user: AsUser, ada: User) -> Client:
    return as_user(ada)


def remind_rita(release: Release, *, now: datetime = NOW, by: User | None = None) -> Reminded:
    return remind(release=release, username="rita", link=LINK, user=by, now=now)


def words(response: Any) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub("<[^>]*>", " ", response.content.decode())))


def texts(response: Any) -> dict[str, str]:
    found = re.findall(
        r'<textarea id="reminder-([a-z-]*)"[^>]*>([^<]*)<', response.content.decode()
    )
    return {language: unescape(text) for language, text in found}


def kinds(release: Release) -> list[str]:
    return list(release.events.order_by("number").values_list("kind", flat=True))


# --- The rule -------------------------------------------------------------------------------------


def test_a_reminder_is_recorded_with_who_by_whom_and_when(release: Release, ada: User) -> None:
    remind_rita(release, by=ada)
    [reminder] = Reminder.objects.all()
    assert (reminder.reviewer.username, reminder.by, reminder.sent_at) == ("rita", "ada", NOW)
    event = release.events.order_by("-number")[0]
    assert (event.kind, event.by) == ("reviewer-reminded", "ada")
    assert event.data == {"reviewer": "rita", "reviews": 2}


def test_the_same_day_it_is_not_sent_twice_and_the_next_day_it_is(
    release: Release, mailing: None, mailoutbox: Box
) -> None:
    remind_rita(release)
    again = remind_rita(release, now=NOW + timedelta(hours=1))
    assert (again.mailed, again.reminder.sent_at) == ("yes", NOW)
    assert (len(mailoutbox), kinds(release).count("reviewer-reminded")) == (1, 1)
    remind_rita(release, now=NOW + timedelta(days=1))
    assert (len(mailoutbox), kinds(release).count("reviewer-reminded")) == (2, 2)


def test_another_release_does_not_remind_the_same_person_on_the_same_day(
    release: Release, rita: User
) -> None:
    other = bed.started("other")
    bed.assign(other, "feast", rita)
    remind_rita(release)
    with pytest.raises(AlreadyReminded, match="rita was reminded today already"):
        remind_rita(other)
    assert "reviewer-reminded" not in kinds(other)
    remind_rita(other, now=NOW + timedelta(days=1))


def test_the_database_refuses_a_second_one_of_the_same_day(release: Release, rita: User) -> None:
    reminder = remind_rita(release).reminder
    with pytest.raises(IntegrityError), transaction.atomic():
        Reminder.objects.create(
            release=release, reviewer=rita, sent_at=NOW, sent_date=reminder.sent_date
        )


def test_without_an_open_review_there_is_nothing_to_remind_of(
    release: Release, rita: User, omar: User
) -> None:
    with pytest.raises(NothingOpen):
        remind(release=release, username="omar", link=LINK, user=None, now=NOW)
    for review in rita.reviews.all():
        bed.submit(review)
    with pytest.raises(NothingOpen):
        remind_rita(release)
    assert not Reminder.objects.exists()


def test_who_is_no_reviewer_or_left_is_not_reminded(
    release: Release, ada: User, rita: User
) -> None:
    with pytest.raises(NotAReviewer):
        remind(release=release, username="nobody", link=LINK, user=None, now=NOW)
    people_workflow.deactivate(by=ada, user=rita)
    with pytest.raises(NotAReviewer):
        remind_rita(release)


def test_only_in_a_release_in_review(release: Release) -> None:
    releases_lifecycle.abandon(release=release, reason="r", user=None, now=NOW)
    with pytest.raises(WrongStatus):
        remind_rita(release)


# --- The mail -------------------------------------------------------------------------------------


def test_the_mail_names_neither_the_release_nor_a_case(
    release: Release, mailing: None, mailoutbox: Box
) -> None:
    bed.make_due(release, timezone.localdate(NOW) - timedelta(days=1))
    assert remind_rita(bed.current(release)).mailed == "yes"
    [sent] = mailoutbox
    assert (sent.to, sent.subject) == (["rita@example.com"], "Waiting for you in Spotcheck")
    assert str(sent.body).split("\n")[:4] == [
        "Hello rita,",
        "2 reviews are waiting for you in Spotcheck.",
        "The due date was Nov. 16, 2026.",
        LINK,
    ]
    assert not [name for name in (release.name, "feast", "kids") if name in str(sent.body)]


def test_the_mail_is_in_the_language_of_the_person(
    release: Release, rita: User, mailing: None, mailoutbox: Box
) -> None:
    Reviewer.objects.filter(user=rita).update(interface_language="zh-hans")
    remind_rita(release)
    assert "rita" in mailoutbox[0].body
    assert "waiting" not in f"{mailoutbox[0].subject} {mailoutbox[0].body}"


def test_without_mail_or_an_address_the_text_is_to_be_copied(
    release: Release, rita: User, mailoutbox: Box, settings: Settings
) -> None:
    reminded = remind_rita(release)
    assert (reminded.mailed, reminded.reminder.is_mailed) == ("no", False)
    assert "2 reviews are waiting for you" in reminded.text
    settings.MAIL_IS_CONFIGURED = True
    User.objects.filter(pk=rita.pk).update(email="")
    assert remind_rita(release, now=NOW + timedelta(days=1)).mailed == "no"
    assert mailoutbox == []


def test_a_mail_server_that_is_away_does_not_lose_the_text(
    release: Release, admin: Client, mailing: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_args: object) -> int:
        raise OSError

    monkeypatch.setattr(mail, "send_mail", broken)
    page = admin.post(PAGE, follow=True)
    assert "The mail to rita could not be sent. Copy the message and send it." in words(page)
    assert "2 reviews are waiting" in texts(page)["en"]
    assert Reminder.objects.get().is_mailed is False


# --- The page -------------------------------------------------------------------------------------


def test_the_page_shows_the_text_in_both_languages_the_own_one_first(
    release: Release, admin: Client, rita: User
) -> None:
    bed.make_due(release, timezone.localdate() + timedelta(days=400))
    page = admin.get(PAGE, HTTP_HOST="127.0.0.1")
    told = texts(page)
    assert list(told) == ["en", "zh-hans"]
    assert "2 reviews are waiting for you in Spotcheck." in told["en"]
    assert "The due date is" in told["en"]
    for text in told.values():
        assert "http://127.0.0.1/reviews/" in text
        assert not [name for name in (release.name, "feast", "kids") if name in text]
    Reviewer.objects.filter(user=rita).update(interface_language="zh-hans")
    assert list(texts(admin.get(PAGE))) == ["zh-hans", "en"]


@pytest.mark.parametrize(
    ("days", "is_late"), [(-1, True), (0, False), (None, False)], ids=["late", "today", "no date"]
)
def test_it_leads_on_to_reassigning_with_a_reason_if_late(
    release: Release, admin: Client, omar: User, days: int | None, is_late: bool
) -> None:
    if days is not None:
        bed.make_due(release, timezone.localdate() + timedelta(days=days))
    page = admin.get(PAGE).content.decode()
    [link] = re.findall(r'href="([^"]*/hand-on/[^"]*)"', page)
    assert link.endswith("/rita/hand-on/" + ("?reason=late" if is_late else ""))
    assert (">late</textarea>" in admin.get(link).content.decode().replace("\n", "")) is is_late


def test_after_it_the_page_says_when_and_by_whom_and_offers_no_other_one(
    release: Release, admin: Client
) -> None:
    assert "Copy and record as sent" in words(admin.get(PAGE))
    done = admin.post(PAGE)
    assert (done.status_code, done["Location"]) == (302, PAGE)
    page = words(admin.get(PAGE))
    assert "The reminder of rita is recorded." in page
    assert ", by ada. One reminder a day is enough" in page
    assert "Copy and record as sent" not in page
    assert "reminded today" in words(admin.get("/releases/wanderer-1/assignments/"))


def test_with_mail_the_page_says_where_it_goes(
    release: Release, admin: Client, mailing: None, mailoutbox: Box
) -> None:
    assert "It goes to rita@example.com" in words(admin.get(PAGE))
    page = words(admin.post(PAGE, follow=True))
    assert "rita is reminded by mail." in page
    assert "Reminded by mail on" in page
    assert len(mailoutbox) == 1


def test_yesterdays_reminder_is_shown_and_another_one_offered(
    release: Release, admin: Client
) -> None:
    remind_rita(release, now=timezone.now() - timedelta(days=1))
    page = words(admin.get(PAGE))
    assert "Reminded on" in page
    assert "Copy and record as sent" in page
    listed = words(admin.get("/releases/wanderer-1/assignments/"))
    assert "Remind rita last" in listed


def test_a_refused_reminder_is_said_on_the_page(
    release: Release, rita: User, admin: Client
) -> None:
    other = bed.started("other")
    bed.assign(other, "feast", rita)
    admin.post(PAGE)
    page = admin.post(PAGE.replace("wanderer-1", "other"))
    assert page.status_code == 409
    assert "rita was reminded today already; one reminder a day is enough." in words(page)


def test_with_nothing_open_the_page_says_so(release: Release, rita: User, admin: Client) -> None:
    for review in rita.reviews.all():
        bed.submit(review)
    page = admin.get(PAGE)
    assert "Nothing of this release is waiting for rita." in words(page)
    assert texts(page) == {}


def test_who_has_nothing_there_has_no_page(release: Release, admin: Client, omar: User) -> None:
    for name in ("omar", "nobody"):
        address = PAGE.replace("rita", name)
        assert [admin.get(address).status_code, admin.post(address).status_code] == [404, 404]


def test_only_admins_remind(release: Release, as_user: AsUser, mina: User, rita: User) -> None:
    for user in (mina, rita):
        assert as_user(user).post(PAGE).status_code == 403
    assert not Reminder.objects.exists()


# --- By script ------------------------------------------------------------------------------------


def test_a_script_reminds_and_may_repeat_it(release: Release, ada: User) -> None:
    script = Script(session=ada)
    first = script.post(CALL, {"reviewer": "rita"}).json()
    assert (first["reviewer"], first["by"], first["mailed"]) == ("rita", "ada", "no")
    assert "2 reviews are waiting" in first["text"]
    assert script.post(CALL, {"reviewer": "rita"}).json() == first
    refused = script.post(CALL, {"reviewer": "nobody"})
    assert (refused.status_code, refused.json()["code"]) == (400, "not_a_reviewer")
    assert script.post(CALL, {"reviewer": "rita", "now": "x"}).status_code == 400
