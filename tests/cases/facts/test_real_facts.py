"""The facts of real plans, against figures that were counted by hand beside us."""

import os
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from cases.facts import Fact, build_trip, find_facts, find_repeats, list_legs
from cases.facts.nearness import prepare
from cases.itinerary.cards import build_cards
from cases.itinerary.format import Case
from cases.itinerary.lanes import build_lanes
from cases.itinerary.language import Texts
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


def met_by_release(prefix: str) -> dict[str, list[str]]:
    """The case keys of the plans that have a fact of this name, for each release."""
    found: dict[str, list[str]] = {}
    for case in rows(*FILES):
        version = (case.release.version if case.release else None) or ""
        if any(fact.key.startswith(prefix) for fact in find_facts(case)):
            found.setdefault(version, []).append(case.case_key)
    return found


def test_one_real_must_visit_that_was_called_missing_is_near_a_stop() -> None:
    assert met_by_release("must-visit-near") == {"2026-02-14": ["case13"]}
    missing = met_by_release("must-visit-missing")
    assert {version: len(found) for version, found in missing.items()} == {
        "2026-02-14": 2,
        "2026-02-22": 2,
        "2026-02-28": 2,
    }
    assert met_by_release("avoid-near") == {}


def test_the_summaries_of_six_real_plans_name_sights_that_no_day_has() -> None:
    assert met_by_release("summary-not-in-days") == {
        "2026-02-22": ["c01_beijing_4d_cny_peak", "c06_beijing_ultra_low_budget", "case03"],
        "2026-02-28": ["c06_beijing_ultra_low_budget", "case03", "tb_1315"],
    }
    assert met_by_release("summary-other-day") == {
        "2026-02-22": ["c01_beijing_4d_cny_peak"],
        "2026-02-28": ["tb_1315"],
    }


def test_a_real_summary_names_eleven_sights_of_which_the_days_hold_two(plans: list[Case]) -> None:
    (fact,) = [
        fact for fact in facts_called("summary-not-in-days", plans) if fact.params["named"] == 11
    ]
    assert fact.params["missing"] == 9


def test_the_notes_of_four_real_plans_say_that_a_sight_was_removed() -> None:
    assert met_by_release("removed") == {
        "2026-02-22": ["c06_beijing_ultra_low_budget", "case03"],
        "2026-02-28": ["c06_beijing_ultra_low_budget", "case03"],
    }
    assert met_by_release("removed-but-planned") == {}


def test_a_note_repeats_on_nearly_every_visit_of_50_real_plans() -> None:
    found: dict[str, int] = {}
    for case in rows(*FILES):
        version = (case.release.version if case.release else None) or ""
        shown_once = build_cards(case, Texts(case, "en")).repeats
        found[version] = found.get(version, 0) + bool(shown_once)
    assert {version: count for version, count in found.items() if count} == {
        "2026-02-22": 19,
        "2026-02-28": 31,
    }


def test_names_of_two_real_places_are_hardly_ever_near() -> None:
    """Of 2,129 pairs of different sights in the same city, as a reader would not take them."""
    by_city: dict[str, set[str]] = {}
    for case in rows(*FILES):
        asked = case.request.destination or "?"
        by_city.setdefault(str(asked), set()).update(
            stop.item.title or "?" for stop in build_trip(case).visits
        )
    near = [
        {first, second}
        for city, titles in by_city.items()
        for first, second in combinations(sorted(titles), 2)
        if prepare(first, [city, first.rpartition(", ")[2]]).is_near(
            prepare(second, [city, second.rpartition(", ")[2]])
        )
    ]
    assert len(near) <= 3
