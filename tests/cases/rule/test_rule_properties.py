"""Any fact that any case can have makes a rule: the table of facts is complete and right."""

from typing import Any

import pytest
from django.conf import settings as settings_of_site
from hypothesis import HealthCheck, given, settings

from cases.facts import Calendar, Fact, Topic, find_facts
from cases.itinerary.format import CaseError
from cases.itinerary.reading import check
from cases.rule import (
    FACTS,
    SCHEMA,
    Definition,
    Rule,
    RuleSet,
    Threshold,
    check_definition,
    encode_hits,
    find_hits,
    name_of,
    read_rules,
    read_span,
    write_rules,
)
from cases.rule.hits import is_hit
from cases.tags.detectors import DEFAULT, first_day
from tests.bed import soak
from tests.cases.facts.invented_rows import rows

pytestmark = pytest.mark.soak

many = settings(
    max_examples=soak.size(short=40, long=5000),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
CALENDAR = Calendar(first_day, *DEFAULT)


def about(fact: Fact, *limits: Threshold) -> Rule:
    definition = Definition(fact.topic, name_of(fact.key), "usability.1", thresholds=limits)
    return Rule("some-rule", 1, check_definition(definition))


@many
@given(rows)
def test_the_parameters_of_any_fact_make_a_rule(row: dict[str, Any]) -> None:
    try:
        case = check(row).case
    except CaseError:
        return
    for fact in find_facts(case, CALENDAR):
        kind = FACTS[fact.topic, name_of(fact.key)]
        whole = {name for name, value in fact.params.items() if isinstance(value, int)}
        assert whole <= set(kind.params), fact.key
        assert fact.key in {hit.fact for hit in find_hits(case, [about(fact)])}
        for param in set(kind.params) & fact.params.keys():
            span = read_span(fact.params[param])
            if span is None:
                assert fact.params[param] == "" or "e+" in str(fact.params[param]), fact.key
                continue
            if abs(span.high) > 1e9:
                continue
            assert is_hit(about(fact, Threshold(param, at_least=span.high)), fact)
            assert is_hit(about(fact, Threshold(param, at_most=span.low)), fact)
            assert not is_hit(about(fact, Threshold(param, at_least=span.high + 1)), fact)
            assert not is_hit(about(fact, Threshold(param, at_most=span.low - 1)), fact)


@many
@given(rows)
def test_rules_written_and_read_again_hit_the_same(row: dict[str, Any]) -> None:
    try:
        case = check(row).case
    except CaseError:
        return
    rules = tuple(
        Rule(f"rule-{number}", 1, about(fact).definition)
        for number, fact in enumerate(find_facts(case, CALENDAR))
    )
    again = read_rules(write_rules(RuleSet(SCHEMA, "p", rules=rules))).rules
    assert encode_hits(find_hits(case, again)) == encode_hits(find_hits(case, rules))


@many
@given(rows)
def test_the_facts_of_a_topic_are_the_same_alone(row: dict[str, Any]) -> None:
    try:
        case = check(row).case
    except CaseError:
        return
    facts = find_facts(case, CALENDAR)
    for topic in Topic:
        alone = find_facts(case, CALENDAR, {topic})
        assert alone == tuple(fact for fact in facts if fact.topic == topic)


def list_rows_of_the_guide() -> list[tuple[Topic, str, set[str]]]:
    text = (settings_of_site.BASE_DIR / "docs" / "facts.md").read_text("utf-8")
    cells = [line.strip("| ").split(" | ") for line in text.splitlines() if "| `" in line]
    return [
        (Topic(topic), name.strip("`").partition(":")[0], set(params.split(", ")))
        for topic, name, params in (row for row in cells if row[0] in set(Topic))
    ]


def test_the_table_has_the_facts_and_parameters_of_the_guide() -> None:
    guide = list_rows_of_the_guide()
    assert {(topic, name) for topic, name, _params in guide} == set(FACTS)
    for topic, name, params in guide:
        assert set(FACTS[topic, name].params) <= params
