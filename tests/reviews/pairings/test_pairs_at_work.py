"""Pairs where people see what waits: next step, homes, mails, assignments, taking back."""

from datetime import date, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from cases.models import Release
from cases.releases import policy
from evalsite.permissions import GROUP_OF, Role
from reviews.assignments.queries import count_late
from reviews.assignments.reminder import remind
from reviews.assignments.workflow import NothingOpen
from reviews.home import daily_mail
from reviews.home.queries import forget_work
from reviews.models import Pairing, Reminder
from reviews.pairings.queries import load_readings
from reviews.people import workflow as people_workflow
from reviews.releases import lifecycle, waivers
from tests.bed import pairs
from tests.bed import reviewed as bed
from tests.bed.cases import NOW, make_release
from tests.people import AsUser, make_person
from tests.reviews.home.test_tasks import tasks_on
from tests.reviews.releases.life_pages import title_of_step

TODAY = timezone.localdate(NOW)
YESTERDAY = date.today() - timedelta(days=1)


@pytest.fixture
def release(rita: User, omar: User) -> Release:
    """Its policy decides by pairs; all reviews are in."""
    return pairs.beside_baseline(rita, omar, regression_by=policy.BY_SIDE)


@pytest.fixture
def by_scores(rita: User, omar: User) -> Release:
    return pairs.beside_baseline(rita, omar)


def see_tasks(user: User, as_user: AsUser) -> list[str]:
    """List the tasks of a home, without that of signing the baseline."""
    forget_work()
    return [task for task in tasks_on(as_user(user).get("/")) if "sign" not in task]


def see_step(client: Client, release: Release) -> str:
    return title_of_step(client.get(release.get_absolute_url()))


# --- The next step, and homes ---------------------------------------------------------------------


def test_where_pairs_decide_they_come_before_closing(
    admin: Client, ada: User, mina: User, as_user: AsUser, release: Release
) -> None:
    assert see_step(admin, release) == "Plan the readings side by side"
    assert see_tasks(ada, as_user) == ["Pairs can be planned -> Plan the readings"]
    assert see_tasks(mina, as_user) == []
    planned = pairs.plan(release)
    assert see_step(admin, release) == "Pairs are being read"
    assert see_tasks(ada, as_user) == []
    for pairing in planned[:-1]:
        pairs.read(pairing)
    assert see_step(admin, release) == "Pairs are being read"
    pairs.read(planned[-1])
    assert see_step(admin, release) == "Close the release"
    assert see_tasks(mina, as_user) == ["Ready to close -> Close"]


def test_where_scores_decide_no_step_and_no_task_is_about_pairs(
    admin: Client, ada: User, mina: User, as_user: AsUser, by_scores: Release
) -> None:
    assert see_step(admin, by_scores) == "Close the release"
    assert see_tasks(ada, as_user) == []
    assert see_tasks(mina, as_user) == ["Ready to close -> Close"]


def test_waived_pairs_are_not_waited_for(admin: Client, release: Release) -> None:
    waivers.waive(release=release, rule="pairings", reason="No time.", user=None, now=NOW)
    assert load_readings([release])[release.pk].missing == 0
    assert see_step(admin, release) == "Close the release"


def test_a_baseline_that_is_open_again_needs_a_waiver(
    admin: Client, mina: User, as_user: AsUser, release: Release
) -> None:
    assert see_tasks(mina, as_user) == []
    assert release.baseline is not None
    lifecycle.reopen(release=release.baseline, reason="r", user=None, now=NOW)
    assert see_step(admin, release) == "Waive the pairs"
    # What is kept for the home is read again, although the release itself has no new event.
    page = as_user(mina).get("/")
    assert tasks_on(page)[0] == "Waive the pairs -> What is missing"


def test_while_a_look_is_to_come_closing_waits_for_it(
    admin: Client, rita: User, omar: User
) -> None:
    release = pairs.beside_baseline(rita, omar, spare=3, looks=[5, 8], regression_by=policy.BY_SIDE)
    page = admin.get(release.get_absolute_url())
    assert title_of_step(page) == "Take the next look"
    assert "a manager has to waive them" in page.content.decode()
    assert "Go on to look 2 of 2, with 8 cases" in page.content.decode()


def test_readings_are_counted_for_many_releases_at_once(
    release: Release, django_assert_num_queries: Any
) -> None:
    other = make_release("another")
    rows = list(Release.objects.filter(pk=release.pk).select_related("baseline"))
    with django_assert_num_queries(4):
        assert load_readings([*rows, other])[release.pk].unplanned == 10
    with django_assert_num_queries(0):
        assert load_readings([other]) == {}


def test_an_admin_who_reads_a_pair_is_told_of_no_disagreement(
    rita: User, as_user: AsUser, release: Release
) -> None:
    people_workflow.set_roles(rita, GROUP_OF)
    pairs.plan(release, rita)
    page = as_user(rita).get(release.get_absolute_url())
    assert title_of_step(page) == "Submit your own work first"
    assert see_tasks(rita, as_user) == []


# --- Late -----------------------------------------------------------------------------------------


def test_open_pairs_are_late_by_the_rule_of_reviews(rita: User, release: Release) -> None:
    [first, *_others] = pairs.plan(release, rita)
    for due, late in ((TODAY, 0), (TODAY - timedelta(days=1), 5)):
        bed.make_due(release, due)
        rows = list(Release.objects.filter(pk=release.pk))
        assert count_late(rows, TODAY).get(release.pk, 0) == late
    pairs.read(first)
    assert Pairing.objects.late(TODAY).count() == 4


def test_who_is_late_is_named_to_the_admin_and_counted_for_the_manager(
    ada: User, mina: User, rita: User, as_user: AsUser, release: Release
) -> None:
    pairs.plan(release, rita)
    bed.make_due(release, YESTERDAY)
    assert see_tasks(ada, as_user)[0].startswith("rita: 5 pairs late since ")
    assert see_tasks(mina, as_user)[0].startswith("5 pairs late since ")
    page = as_user(ada).get(f"{release.get_absolute_url()}assignments/").content.decode()
    assert "5 open pairs" in page.split('id="attention"')[1]
    assert 'badge check-warn">late' in as_user(rita).get("/").content.decode()


def test_a_reader_without_a_review_is_named_on_the_assignments(
    admin: Client, release: Release
) -> None:
    pairs.plan(release, make_person("wei", Role.REVIEWER))
    page = admin.get(f"{release.get_absolute_url()}assignments/").content.decode()
    assert "<bdi>wei</bdi>" in page
    assert "5 open pairs" in page


def test_a_reminder_counts_pairs_and_names_no_release(rita: User, release: Release) -> None:
    pairs.plan(release, rita)
    reminded = remind(release=release, username="rita", link="https://x/", user=None, now=NOW)
    assert "5 pairs of plans are waiting for you in Spotcheck." in reminded.text
    assert "reviews" not in reminded.text
    assert release.name not in reminded.text
    data = release.events.get(kind="reviewer-reminded").data
    assert data == {"reviewer": "rita", "reviews": 0, "pairings": 5}


def test_who_has_nothing_open_is_not_reminded(rita: User, release: Release) -> None:
    with pytest.raises(NothingOpen):
        remind(release=release, username="rita", link="x", user=None, now=NOW)
    assert not Reminder.objects.exists()


def test_the_daily_mail_counts_pairs_and_tells_what_can_be_planned(
    ada: User, rita: User, release: Release, settings: Settings, mailoutbox: list[EmailMessage]
) -> None:
    settings.MAIL_IS_CONFIGURED = True
    forget_work()
    assert daily_mail.send_digests(now=NOW).mailed == ["ada"]
    assert f"{release.name}: pairs can be planned" in str(mailoutbox[0].body)
    pairs.plan(release, rita)
    bed.make_due(release, TODAY - timedelta(days=1))
    forget_work()
    daily_mail.send_digests(now=NOW + timedelta(days=1))
    bodies = {mail.to[0]: str(mail.body) for mail in mailoutbox[1:]}
    assert "5 pairs of plans are waiting for you in Spotcheck." in bodies["rita@example.com"]
    assert "- 5 late, due " in bodies["rita@example.com"]
    assert release.name not in bodies["rita@example.com"]
    assert f"{release.name}: 5 pairs are late" in bodies["ada@example.com"]


# --- People who leave -----------------------------------------------------------------------------


def test_the_pairs_of_a_person_who_left_are_named_and_taken_back_alone(
    admin: Client, ada: User, rita: User, omar: User, as_user: AsUser, release: Release
) -> None:
    pairs.plan(release)
    people_workflow.deactivate(by=ada, user=omar)
    assert see_tasks(ada, as_user) == [
        "omar can no longer review and has 5 open pairs -> Take back"
    ]
    page = admin.get(f"{release.get_absolute_url()}assignments/").content.decode()
    address = f"{release.get_absolute_url()}pairings/take-back/"
    assert f'href="{address}?person=omar"' in page
    assert "can no longer review" in admin.get(address.replace("take-back/", "")).content.decode()
    assert "of omar alone" in admin.get(address.replace("take-back/", "")).content.decode()
    form = admin.get(address, {"person": "omar"})
    assert "Every reading of omar" in form.content.decode()
    admin.post(address, {"person": "omar", "reason": "left"})
    assert set(Pairing.objects.open().values_list("reader__username", flat=True)) == {"rita"}
    assert see_tasks(ada, as_user) == ["Pairs can be planned -> Plan the readings"]
    wei = make_person("wei", Role.REVIEWER)
    pairs.plan(release)
    assert Pairing.objects.by(wei).open().count() == 5


def test_reopening_takes_the_pairs_of_those_who_could_read_scores(
    rita: User, omar: User, as_user: AsUser, by_scores: Release
) -> None:
    people_workflow.set_roles(rita, [Role.REVIEWER, Role.ADMIN])
    pairs.plan(by_scores)
    lifecycle.close(release=by_scores, user=None, now=NOW)
    lifecycle.reopen(release=by_scores, reason="A slip.", user=None, now=NOW)
    open_by = Pairing.objects.of(by_scores).open().values_list("reader__username", flat=True)
    assert list(open_by) == ["omar"] * 5
    [event] = by_scores.events.filter(kind="pairings-taken-back")
    assert {reader for _case, reader in event.data["pairings"]} == {"rita"}
