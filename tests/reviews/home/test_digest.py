"""send_digest: one mail a day for each person, in their language, and reviewers stay blind."""

from datetime import date, datetime, timedelta
from io import StringIO
from smtplib import SMTPException
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.mail import EmailMessage, send_mail
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django.fixtures import Settings

from cases.models import Release
from evalsite import mail
from evalsite.permissions import Role
from reviews.assignments import workflow as assignments_workflow
from reviews.desk import workflow as desk_workflow
from reviews.home import daily_mail
from reviews.models import Absence, Reviewer
from reviews.people import workflow as people_workflow
from reviews.releases import lifecycle as releases_lifecycle
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.people import make_person

Box = list[EmailMessage]
TODAY = timezone.localdate(NOW)


@pytest.fixture(autouse=True)
def configured(settings: Settings) -> None:
    settings.MAIL_IS_CONFIGURED = True
    settings.SITE_URL = "https://spotcheck.example.com"


@pytest.fixture
def release(rita: User, omar: User) -> Release:
    """In review; rita has three cases, two of them due."""
    release = bed.started("secret-name")
    for key in ("feast", "kids", "ramp"):
        bed.assign(release, key, rita)
    return release


def due(release: Release, day: date) -> None:
    bed.make_due(release, day)


def send(now: datetime = NOW) -> daily_mail.SendResult:
    return daily_mail.send_digests(now=now)


def test_a_reviewer_is_told_what_waits_and_never_the_release(
    release: Release, mailoutbox: Box
) -> None:
    other = bed.started("other-name")
    bed.assign(other, "feast", User.objects.get(username="rita"))
    due(release, TODAY - timedelta(days=1))
    assert send().mailed == ["rita"]
    [mail] = mailoutbox
    assert mail.to == ["rita@example.com"]
    assert mail.subject == "Waiting for you in Spotcheck"
    lines = str(mail.body).split("\n")
    assert lines[:2] == ["Hello rita,", ""]
    assert lines[2:5] == [
        "4 reviews are waiting for you in Spotcheck.",
        "- 3 late, due Nov. 16, 2026",
        "- 1 without a due date",
    ]
    assert lines[-2] == "https://spotcheck.example.com/reviews/"
    told = f"{mail.subject} {mail.body}"
    assert not [one for one in ("secret-name", "other-name", "feast", "wanderer") if one in told]


@pytest.mark.parametrize(
    ("days", "said"), [(-1, "3 late, due"), (0, "3 due today"), (1, "3 due Nov. 18, 2026")]
)
def test_due_today_is_not_late(release: Release, mailoutbox: Box, days: int, said: str) -> None:
    due(release, TODAY + timedelta(days=days))
    send()
    assert said in mailoutbox[0].body


def test_run_twice_a_day_it_mails_once_and_again_on_the_next(
    release: Release, mailoutbox: Box
) -> None:
    assert send().mailed == ["rita"]
    assert send().mailed == []
    assert send(NOW + timedelta(days=1)).mailed == ["rita"]
    assert len(mailoutbox) == 2


def test_whoever_has_nothing_waiting_gets_no_mail_and_may_still_get_one_later(
    release: Release, mailoutbox: Box, omar: User
) -> None:
    send()
    assert Reviewer.objects.get(user=omar).last_digest_date is None
    bed.assign(release, "feast", omar)
    assert send().mailed == ["omar"]


def test_what_is_submitted_withdrawn_or_closed_waits_for_nobody(
    rita: User, mailoutbox: Box
) -> None:
    release = bed.started()
    bed.review(release, "feast", rita)
    bed.assign(release, "kids", rita)
    assignments_workflow.withdraw(
        release=release, case_key="kids", reviewer=rita, reason="r", user=None, now=NOW
    )
    bed.assign(release, "ramp", rita)
    releases_lifecycle.abandon(release=release, reason="r", user=None, now=NOW)
    assert send().mailed == []


def test_nobody_who_left_is_away_or_has_no_address_is_mailed(
    release: Release, mailoutbox: Box, rita: User, ada: User
) -> None:
    gone, away, mute = (make_person(name, Role.REVIEWER) for name in ("gone", "away", "mute"))
    for one in (gone, away, mute):
        bed.assign(release, "rush", one)
    people_workflow.deactivate(by=ada, user=gone)
    Absence.objects.create(reviewer=away.reviewer, first_date=TODAY, last_date=TODAY)
    User.objects.filter(pk__in=[mute.pk, ada.pk]).update(email="")
    assert send().mailed == ["rita"]
    assert send(NOW + timedelta(days=1)).mailed == ["away", "rita"]


def test_the_mail_speaks_the_language_of_the_person(
    release: Release, mailoutbox: Box, rita: User
) -> None:
    Reviewer.objects.filter(user=rita).update(interface_language="zh-hans")
    due(release, TODAY + timedelta(days=1))
    send()
    assert "2026年11月18日" in mailoutbox[0].body


def test_who_runs_the_release_is_told_its_name_and_what_it_needs(
    release: Release, mailoutbox: Box, ada: User, mina: User
) -> None:
    both = make_person("both", Role.REVIEWER, Role.MANAGER)
    bed.assign(release, "rush", both)
    due(release, TODAY - timedelta(days=1))
    people_workflow.deactivate(by=ada, user=both)
    send()
    told = {mail.to[0].split("@")[0]: str(mail.body) for mail in mailoutbox}
    assert set(told) == {"ada", "mina", "rita"}
    assert (
        "secret-name: 3 reviews are late; 1 open review of a person who can no longer review; "
        "5 cases need reviewers"
    ) in told["ada"]
    assert "secret-name: 3 reviews are late\n" in told["mina"]
    people_workflow.reactivate(by=ada, user=both)
    assert send().mailed == ["both"]
    assert "- secret-name: 1 late, due Nov. 16, 2026" in mailoutbox[-1].body
    assert "need reviewers" not in mailoutbox[-1].body


def test_a_manager_is_told_what_waits_for_a_decision(
    rita: User, mina: User, mailoutbox: Box
) -> None:
    release = bed.started(k=1)
    bed.put_reviews(release, rita)
    releases_lifecycle.close(release=release, user=None, now=NOW)
    assert send().mailed == ["mina"]
    assert "wanderer-1 is closed and needs a decision: GO.\n" in mailoutbox[0].body


def test_a_manager_is_told_that_a_release_is_ready_to_close(
    rita: User, mina: User, mailoutbox: Box
) -> None:
    release = bed.started(k=1)
    bed.review_all(release, rita, but=["feast"])
    assert send().mailed == []
    bed.review(release, "feast", rita)
    assert send().mailed == ["mina"]
    assert "wanderer-1: ready to close\n" in mailoutbox[0].body


def test_a_manager_who_judges_there_is_not_told_that_others_differ(
    rita: User, omar: User, mailoutbox: Box
) -> None:
    both = make_person("both", Role.REVIEWER, Role.MANAGER)
    release = bed.started(k=2)
    bed.review_all(release, rita, omar, but=["feast"])
    for user, value in ((rita, 5), (omar, 1)):
        bed.review(release, "feast", user, value)
    own = bed.assign(release, "feast", both)
    assert send().mailed == ["both"]
    assert "disagree" not in mailoutbox[0].body
    bed.submit(own)
    assert send(NOW + timedelta(days=1)).mailed == ["both"]
    assert "wanderer-1: reviewers disagree\n" in mailoutbox[1].body


def test_an_admin_is_told_of_questions_and_of_what_cannot_be_judged(
    release: Release, rita: User, ada: User, mailoutbox: Box
) -> None:
    question = bed.ask(release, "feast", rita)
    desk_workflow.decline(
        review=rita.reviews.get(case=question.case).pk,
        user=rita,
        cause="broken",
        reason="Cut off.",
        now=NOW,
    )
    send()
    [told] = [str(mail.body) for mail in mailoutbox if mail.to == ["ada@example.com"]]
    assert "1 question about the rubric to answer\n" in told
    assert "secret-name: 1 case cannot be judged, says its reviewer; " in told


def test_a_draft_is_in_no_mail(ada: User, mailoutbox: Box) -> None:
    bed.drawn("draft")
    assert send().mailed == []


def test_a_superuser_without_a_record_of_their_own_gets_one_a_day_too(
    release: Release, mailoutbox: Box, root: User
) -> None:
    User.objects.filter(pk=root.pk).update(email="root@example.com")
    assert send().mailed == ["rita", "root"]
    assert send().mailed == []


def test_no_score_changes_a_mail(
    release: Release, mailoutbox: Box, rita: User, omar: User, ada: User, mina: User
) -> None:
    bodies = []
    for value in (0, 5):
        mailoutbox.clear()
        Reviewer.objects.update(last_digest_date=None)
        bed.review(release, "feast", omar, value)
        send()
        bodies.append(sorted(str(mail.body) for mail in mailoutbox))
    assert len(bodies[0]) == 2
    assert bodies[0] == bodies[1]


# --- The command ----------------------------------------------------------------------------------


def run() -> str:
    out = StringIO()
    call_command("send_digest", stdout=out)
    return out.getvalue()


def test_the_command_says_how_many(release: Release, mailoutbox: Box) -> None:
    assert run() == "1 mailed.\n"
    assert run() == "0 mailed.\n"


def test_without_mail_it_says_so_and_writes_nothing(
    release: Release, mailoutbox: Box, settings: Settings
) -> None:
    settings.MAIL_IS_CONFIGURED = False
    before = bed.everything()
    assert run() == "Mail is not configured (EMAIL_URL), so nothing was sent.\n"
    assert bed.everything() == before
    assert mailoutbox == []


def test_a_mail_that_could_not_be_sent_is_tried_again_and_stops_nobody_else(
    release: Release, mailoutbox: Box, omar: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    bed.assign(release, "feast", omar)
    whole = send_mail

    def broken(subject: str, body: str, sender: Any, to: list[str]) -> int:
        if to == ["omar@example.com"]:
            raise SMTPException
        return whole(subject, body, sender, to)

    monkeypatch.setattr(mail, "send_mail", broken)
    with pytest.raises(CommandError, match="Could not be mailed: omar"):
        run()
    assert [mail.to for mail in mailoutbox] == [["rita@example.com"]]
    monkeypatch.undo()
    assert run() == "1 mailed.\n"


def test_without_an_address_of_the_site_there_is_no_link(
    release: Release, mailoutbox: Box, settings: Settings
) -> None:
    settings.SITE_URL = ""
    send()
    assert "http" not in mailoutbox[0].body
