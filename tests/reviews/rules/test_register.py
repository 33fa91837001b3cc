"""After adoption: what a rule caught, what came through, whether it still agrees with people."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from cases.models import Case, Release, Rule, RuleHit, RuleState
from cases.rules import workflow
from reviews.backtest import Share
from reviews.releases import lifecycle
from reviews.rules.agreeing import Doubt, Reads, find_doubt
from reviews.rules.register import Record, load_doubtful, load_register
from tests.bed import escapes, reviewed
from tests.bed.cases import NOW
from tests.bed.escapes import says
from tests.bed.rules import QUESTION, lunch_rule, propose

LATER = NOW + timedelta(days=2)
NO, YES, NA = says(no=[QUESTION]), says(), says(na=[QUESTION])
ALL = {key: [NO, NO] for key in reviewed.FILLING}


@pytest.fixture
def two(rubric: object, rita: User, omar: User) -> list[User]:
    return [rita, omar]


def adopt(rule: Rule) -> Rule:
    return workflow.move(version=rule, to=RuleState.ADOPTED, user=None, now=NOW + timedelta(1))


def hit(rule: Rule, release: Release, *keys: str) -> None:
    for case in release.cases.filter(case_key__in=keys):
        RuleHit.objects.get_or_create(rule=rule, case=case, defaults={"hits": "[]"})


def record() -> Record:
    [found] = load_register("wanderer")
    return found


# --- What it counts -------------------------------------------------------------------------------


def test_only_releases_closed_since_the_adoption_are_in_the_register(two: list[User]) -> None:
    before = escapes.closed(two, {"feast": [NO, NO]})
    rule = propose()
    assert load_register("wanderer") == []
    adopt(rule)
    hit(rule, before, "feast")
    assert record().rows == []
    assert record().before == Reads(Share(1, 1), Share(0, 4))
    after = escapes.closed(two, {"feast": [NO, NO], "kids": [NO, NO]}, "wanderer-2", now=LATER)
    hit(rule, after, "feast", "ramp", "spare-1")
    [row] = record().rows
    assert (row.release, row.caught, row.came_through) == (after, 0, 3)
    assert row.reads == Reads(Share(1, 2), Share(1, 3))
    assert load_register("other") == []


def test_a_case_that_failed_its_checks_is_caught(two: list[User]) -> None:
    rule = adopt(propose_on(reviewed.filled()))
    release = Release.objects.get()
    hit(rule, release, "feast", "spare-1", "spare-2")
    Case.objects.filter(case_key="spare-1").update(check_status="FAIL")
    Case.objects.filter(case_key="spare-2").update(check_status="WARN")
    [row] = record().rows
    assert (row.caught, row.came_through, row.reads) == (2, 1, None)
    Release.objects.update(policy={"accept": ["pass", "warn"]})
    [row] = record().rows
    assert (row.caught, row.came_through) == (1, 2)


def propose_on(_release: Release) -> Rule:
    return propose()


def test_a_release_in_review_or_reopened_says_nothing_of_people(two: list[User]) -> None:
    rule = adopt(propose_on(reviewed.started("wanderer-0")))
    release = escapes.closed(two, ALL, now=LATER)
    hit(rule, release, "feast")
    assert record().after == Reads(Share(1, 1), Share(4, 4))
    lifecycle.reopen(release=release, reason="A mistake.", user=None, now=LATER)
    assert record().after == Reads()
    assert {row.reads for row in record().rows} == {None}


def test_a_case_that_no_reader_could_answer_is_not_read(two: list[User]) -> None:
    rule = adopt(propose_on(reviewed.started("wanderer-0")))
    given = {"feast": [NA, NA], "kids": [NA, NO], "ramp": [NO, YES], "rush": [NO, NO]}
    hit(rule, escapes.closed(two, given, now=LATER), "feast", "kids")
    assert record().after == Reads(Share(0, 1), Share(1, 3))


def test_a_rule_with_tags_is_compared_among_cases_with_them(two: list[User]) -> None:
    reviewed.started("wanderer-0")
    rule = adopt(propose(lunch_rule(tags=("family",))))
    escapes.closed(two, ALL, now=LATER)
    assert record().after == Reads(Share(0, 0), Share(1, 1))
    assert rule.is_adopted


# --- Whether it still agrees ----------------------------------------------------------------------

MANY = Share(90, 100)
FEW = Share(10, 100)


@pytest.mark.parametrize(
    ("before", "after", "doubt"),
    [
        (Reads(MANY, FEW), Reads(MANY, FEW), None),
        (Reads(MANY, FEW), Reads(Share(10, 20), FEW), Doubt.FALSE_ALARMS),
        (Reads(MANY, FEW), Reads(Share(17, 20), FEW), None),
        (Reads(MANY, FEW), Reads(Share(0, 4), FEW), None),
        (Reads(Share(4, 4), FEW), Reads(Share(0, 5), FEW), Doubt.FALSE_ALARMS),
        (Reads(Share(4, 4), FEW), Reads(Share(2, 5), FEW), None),
        (Reads(MANY, FEW), Reads(Share(0, 0), Share(8, 20)), Doubt.MISSES),
        (Reads(MANY, FEW), Reads(Share(0, 0), Share(4, 20)), None),
        (Reads(MANY, FEW), Reads(Share(0, 0), Share(4, 4)), None),
        (Reads(MANY, Share(0, 4)), Reads(Share(0, 0), Share(20, 20)), None),
        (Reads(), Reads(), None),
    ],
)
def test_it_is_in_doubt_when_the_intervals_lie_apart(
    before: Reads, after: Reads, doubt: Doubt | None
) -> None:
    assert find_doubt(before, after) == doubt


def doubtful(two: list[User]) -> Rule:
    """It passes all five cases, before and since; people said yes to all, and now no."""
    escapes.closed(two, {})
    rule = adopt(propose())
    escapes.closed(two, ALL, "wanderer-2", now=LATER)
    assert record().before.passed == Share(0, 5)
    assert record().after.passed == Share(5, 5)
    return rule


def test_a_rule_that_stops_agreeing_is_named_on_the_home_of_managers(
    two: list[User], manager: Client, admin: Client
) -> None:
    rule = doubtful(two)
    assert [found.rule for found in load_doubtful()] == [rule]
    text = manager.get("/").content.decode()
    assert "Rules that no longer agree with people" in text
    assert "in 5 of 5 cases since it was adopted, in 0 of 5 before" in text
    assert "no longer agree" not in admin.get("/").content.decode()
    workflow.move(version=rule, to=RuleState.RETIRED, user=None, now=LATER)
    assert load_doubtful() == []
    assert "no longer agree" not in manager.get("/").content.decode()


def test_the_page_of_what_got_through_has_the_register(two: list[User], manager: Client) -> None:
    doubtful(two)
    text = manager.get("/escapes/?product=wanderer").content.decode()
    assert "Adopted rules" in text
    assert "meal-over-visit v1" in text
    assert "It was gamed, or it asks the wrong thing." in text
    assert "5 of 5 cases read" in text


def test_people_who_only_review_learn_nothing_of_it(
    two: list[User], as_user: object, rita: User
) -> None:
    doubtful(two)
    client = Client()
    client.force_login(rita)
    assert "meal-over-visit" not in client.get("/").content.decode()
    assert client.get("/escapes/").status_code == 403


def test_it_takes_as_many_queries_for_many_as_for_one(two: list[User]) -> None:
    counts = []
    escapes.closed(two, ALL)
    adopt(propose())
    for number in range(2, 4):
        hit(Rule.objects.latest("pk"), escapes.closed(two, ALL, f"wanderer-{number}"), "feast")
        with CaptureQueriesContext(connection) as queries:
            load_register("wanderer")
        counts.append(len(queries))
        adopt(propose(lunch_rule(tags=("family",)), key=""))
    assert counts[0] + 1 >= counts[1]
    assert counts[1] <= 10
    with CaptureQueriesContext(connection) as queries:
        assert load_register("other") == []
    assert len(queries) == 1
