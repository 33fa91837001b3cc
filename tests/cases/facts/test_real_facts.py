"""The facts of real plans, against figures that were counted by hand beside us."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from cases.facts import Fact, build_trip, find_facts, find_repeats, list_legs
from cases.itinerary.format import Case
from cases.itinerary.lanes import build_lanes
from cases.itinerary.reading import read

FILES = ("dev_trip_agent_zh.jsonl", "dev_travelplanner_en.jsonl", "dev_requests_only.jsonl")


def rows(*names: str) -> Iterator[Case]:
    folder = os.environ.get("SPOTCHECK_REAL_DATA")
    if not folder:
        pytest.skip("SPOTCHECK_REAL_DATA is not set, so the real cases are not at hand")
    for name in names:
        for line in (Path(folder) / "itineraries" / name).read_bytes().splitlines():
            yield read(line).case


@pytest.fixture(scope="module")
def plans() -> list[Case]:
    """The 43 plans of the last release that were counted by hand."""
    found = [
        case
        for case in rows(FILES[0])
        if case.release and case.release.version == "2026-02-28"
        if case.plan and case.plan.status == "done"
    ]
    assert len(found) == 43
    return found


def facts_called(key: str, plans: list[Case]) -> list[Fact]:
    return [fact for case in plans for fact in find_facts(case) if fact.key == key]


def added(name: str, facts: list[Fact]) -> int:
    values = [fact.params[name] for fact in facts]
    return sum(value for value in values if isinstance(value, int))


def test_107_of_124_fallbacks_repeat_a_sight_of_their_plan_and_none_gives_a_reason(
    plans: list[Case],
) -> None:
    repeats = facts_called("fallbacks", plans)
    assert added("fallbacks", repeats) == 124
    assert sum(len(find_repeats(case)) for case in plans) == 107
    assert added("repeats", [fact for fact in repeats if "repeats" in fact.params]) == 107
    assert added("reasons", facts_called("fallback-reasons", plans)) == 0


def test_lunch_lies_over_a_visit_in_26_plans(plans: list[Case]) -> None:
    assert len(facts_called("meal-over-visit", plans)) == 26


def test_51_days_are_over_before_three_of_125_of_which_3_have_no_visit(plans: list[Case]) -> None:
    assert sum(len(build_trip(case).days) for case in plans) == 125
    assert added("count", facts_called("days-without-visit", plans)) == 3
    early = facts_called("over-before-15", plans)
    assert added("count", early) == 51
    timed = [day for case in plans for day in build_trip(case).days if day.visits]
    assert len(timed) == 122


def test_gaps_are_shorter_than_their_transfer_in_8_plans_and_than_all_they_hold_in_24(
    plans: list[Case],
) -> None:
    legs = [[leg for day in list_legs(case) for leg in day] for case in plans]
    than_transfer = [
        any(leg.gap is not None and leg.gap < (leg.transfer or 0) for leg in of_plan)
        for of_plan in legs
    ]
    assert sum(than_transfer) == 8
    assert sum(any(leg.short_by for leg in of_plan) for of_plan in legs) == 24


def test_no_plan_names_a_rest_a_lodging_or_a_place_to_eat(plans: list[Case]) -> None:
    assert added("rests", facts_called("rests", plans)) == 0
    assert added("named", facts_called("meals", plans)) == 0
    assert len(facts_called("lodging", plans)) == sum(len(build_trip(p).days) > 1 for p in plans)
    assert not [stop for plan in plans for stop in build_trip(plan).stops if stop.kind == "hotel"]


def test_prices_are_for_one_of_several_people_in_39_of_41_plans_with_prices(
    plans: list[Case],
) -> None:
    prices = [fact for fact in facts_called("prices", plans) if fact.params["sum"] != "0"]
    assert len(prices) == 41
    several = [fact for fact in prices if fact.params["tickets"] != fact.params["sum"]]
    assert len(several) == 39
    assert all(
        isinstance(fact.params["times"], int) and fact.params["times"] > 1 for fact in several
    )


def test_every_real_row_has_facts_to_read_in_a_minute() -> None:
    cases = list(rows(*FILES))
    assert len(cases) == 207
    for case in cases:
        facts = find_facts(case)
        assert 4 <= len(facts) <= 26
        assert len({fact.key for fact in facts}) == len(facts)
        assert max(len(fact.sentence) for fact in facts) < 400
        assert len(build_lanes(case).lanes) == len(build_trip(case).days)
