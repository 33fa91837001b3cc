"""What a rule hits: the fact, its thresholds, its tags."""

import datetime

import holidays
import pytest

from cases.facts import Topic, Value, Words
from cases.itinerary.format import Case
from cases.rule import (
    Definition,
    Rule,
    RuleError,
    Span,
    Threshold,
    check_definition,
    digest_definition,
    encode_hits,
    find_hits,
    find_tags,
    read_span,
)
from cases.tags.detectors import first_day
from tests.cases.facts.invented_trips import day, meal, transfer, trip, visit

LUNCH_IN_A_VISIT = day(visit("竹影寺", "11:00", "13:30"), meal("12:00", "13:00"))


def rule(
    fact: str, topic: Topic = Topic.MEALS, *limits: Threshold, tags: tuple[str, ...] = ()
) -> Rule:
    definition = Definition(topic, fact, "usability.1", thresholds=limits, tags=tags)
    return Rule(fact, 1, check_definition(definition))


def hit_by(case: Case, wanted: Rule) -> bool:
    return bool(find_hits(case, [wanted]))


def test_a_hit_has_the_sentence_of_its_fact_and_points_into_the_plan() -> None:
    (hit,) = find_hits(trip(LUNCH_IN_A_VISIT), [rule("meal-over-visit")])
    assert hit.sentence == "A meal lies over a visit on day 1: 竹影寺."
    assert hit.refs == ("/plan/days/0/items/0",)
    assert encode_hits([hit]) == (
        '[{"rule":"meal-over-visit","version":1,"fact":"meal-over-visit",'
        '"sentence":"A meal lies over a visit on day 1: 竹影寺.","refs":["/plan/days/0/items/0"]}]'
    )


def test_a_case_without_the_fact_is_not_hit() -> None:
    assert find_hits(trip(day(visit("竹影寺", "09:00", "11:00"))), [rule("meal-over-visit")]) == ()


@pytest.mark.parametrize(
    ("limits", "is_hit"),
    [
        ({"at_least": 2}, True),
        ({"at_least": 3}, False),
        ({"at_most": 2}, True),
        ({"at_most": 1}, False),
        ({"at_least": 1, "at_most": 3}, True),
    ],
)
def test_a_threshold_is_met_up_to_its_limit(limits: dict[str, float], is_hit: bool) -> None:
    case = trip(LUNCH_IN_A_VISIT, LUNCH_IN_A_VISIT)
    wanted = rule("meal-over-visit", Topic.MEALS, Threshold("count", **limits))
    assert hit_by(case, wanted) is is_hit


def test_each_short_gap_is_a_hit_of_its_own() -> None:
    stops = [visit("A", "09:00", "10:00"), transfer(30), visit("B", "10:10", "11:00")]
    case = trip(day(*stops, transfer(45), visit("C", "11:10", "12:00")))
    assert len(find_hits(case, [rule("short-gap", Topic.BUFFERS)])) == 2
    worst = rule("short-gap", Topic.BUFFERS, Threshold("short", at_least=30))
    assert [hit.fact for hit in find_hits(case, [worst])] == ["short-gap:/plan/days/0/items/4"]


def test_a_fact_without_the_parameter_does_not_meet_a_threshold_on_it() -> None:
    case = trip(day(visit("A", "09:00", "10:00")))
    assert hit_by(case, rule("buffers", Topic.BUFFERS))
    few = rule("buffers", Topic.BUFFERS, Threshold("stated", at_most=1))
    assert not hit_by(case, few)


def test_of_a_range_at_least_looks_at_the_most_and_at_most_at_the_least() -> None:
    case = trip(day(visit("A"), visit("B"), visit("C")), day(visit("D")))
    for limit, is_hit in (
        (Threshold("visits", at_least=3), True),
        (Threshold("visits", at_least=4), False),
        (Threshold("visits", at_most=1), True),
        (Threshold("visits", at_most=0), False),
    ):
        assert hit_by(case, rule("visits-per-day", Topic.PACE, limit)) is is_hit


def test_two_facts_of_one_name_are_told_apart_by_their_topic() -> None:
    two_days = (day(visit("A")), day(visit("B")))
    asked, not_asked = trip(*two_days, lodging="hotel"), trip(*two_days)
    assert hit_by(not_asked, rule("lodging", Topic.MONEY))
    assert not hit_by(asked, rule("lodging", Topic.MONEY))
    assert hit_by(asked, rule("lodging", Topic.WISHES))


def with_tags(case: Case, *tags: str) -> Case:
    return Case(case_key="k", request=case.request, plan=case.plan, tags=list(tags))


def test_a_rule_for_tags_hits_only_cases_with_all_of_them() -> None:
    wanted = rule("meal-over-visit", tags=("Low_Budget", "family"))
    case = trip(LUNCH_IN_A_VISIT)
    assert wanted.definition.tags == ("family", "low-budget")
    assert not hit_by(case, wanted)
    assert not hit_by(with_tags(case, "family"), wanted)
    assert hit_by(with_tags(case, "FAMILY", "low-budget"), wanted)


def test_a_detected_tag_counts_if_it_is_strong() -> None:
    case = trip(LUNCH_IN_A_VISIT, destination="北京", text="去北京三天。")
    assert "beijing" in find_tags(case)
    assert hit_by(case, rule("meal-over-visit", tags=("beijing",)))


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"fact": "meal-over-moon"}, "fact"),
        ({"topic": Topic.PACE}, "fact"),
        ({"thresholds": (Threshold("days", at_least=1),)}, "thresholds"),
        ({"thresholds": (Threshold("count"),)}, "thresholds"),
        ({"thresholds": (Threshold("count", at_least=float("nan")),)}, "thresholds"),
        ({"thresholds": (Threshold("count", at_least=2, at_most=1),)}, "thresholds"),
        ({"thresholds": (Threshold("count", 1), Threshold("count", 2))}, "thresholds"),
        ({"tags": ("",)}, "tags"),
        ({"tags": ("x" * 81,)}, "tags"),
        ({"tags": ("a\0b",)}, "tags"),
        ({"tags": tuple(f"t{number}" for number in range(11))}, "tags"),
    ],
)
def test_a_rule_that_can_never_hit_as_meant_is_refused(
    changes: dict[str, object], path: str
) -> None:
    definition = rule("meal-over-visit").definition
    fields = {name: getattr(definition, name) for name in definition.__struct_fields__}
    with pytest.raises(RuleError) as caught:
        check_definition(Definition(**{**fields, **changes}))
    assert caught.value.path == path


def test_the_digest_ignores_how_a_number_or_tag_is_written() -> None:
    first = rule("meal-over-visit", Topic.MEALS, Threshold("count", at_least=1), tags=("a", "b"))
    second = rule("meal-over-visit", Topic.MEALS, Threshold("count", at_least=1.0), tags=("B", "a"))
    none, minus = (
        rule("meal-over-visit", Topic.MEALS, Threshold("count", at_least=zero)).definition
        for zero in (0.0, -0.0)
    )
    assert digest_definition(none) == digest_definition(minus)
    assert digest_definition(first.definition) == digest_definition(second.definition)


@pytest.mark.parametrize(
    ("value", "span"),
    [
        (4, Span(4, 4)),
        ("1,234.50", Span(1234.5, 1234.5)),
        ("-3", Span(-3, -3)),
        ("15–20", Span(15, 20)),
        ((Words("a", ""), Words("b", "")), Span(2, 2)),
        ((), Span(0, 0)),
        ("09:30", None),
        ("1, 3", None),
        ("", None),
        (Words("4", ""), None),
        (datetime.date(2026, 1, 1), None),
    ],
)
def test_the_number_of_a_parameter_is_read(value: Value, span: Span | None) -> None:
    assert read_span(value) == span


def test_the_table_of_first_days_is_that_of_the_library() -> None:
    for year in range(1940, 2110):
        found = holidays.country_holidays("CN", years=year, observed=False, language="en_US")
        named = [day for day, name in found.items() if "Spring Festival" in name]
        assert first_day(year) == min((d for d in named if d.year == year), default=None)


def test_rules_do_not_depend_on_each_other() -> None:
    case = trip(LUNCH_IN_A_VISIT)
    first, second = rule("meal-over-visit"), replace_key(rule("rests"), "no-rest")
    together = find_hits(case, [first, second])
    assert together == (*find_hits(case, [first]), *find_hits(case, [second]))


def replace_key(wanted: Rule, key: str) -> Rule:
    return Rule(key, wanted.version, wanted.definition)
