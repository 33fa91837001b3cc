"""Rules on real plans, against figures that were counted before there were rules."""

import os
from pathlib import Path

import pytest

from cases.facts import Topic
from cases.itinerary.format import Case
from cases.itinerary.reading import read
from cases.rule import Definition, Rule, check_definition, find_hits
from tests.cases.rule.real_counts import COUNTS, VERSIONS


@pytest.fixture(scope="module")
def plans() -> list[Case]:
    folder = os.environ.get("SPOTCHECK_REAL_DATA")
    if not folder:
        pytest.skip("SPOTCHECK_REAL_DATA is not set, so the real cases are not at hand")
    lines = (Path(folder) / "itineraries" / "dev_trip_agent_zh.jsonl").read_bytes().splitlines()
    cases = [read(line).case for line in lines]
    found = [
        case
        for case in cases
        if case.release and case.release.version in VERSIONS
        if case.plan and case.plan.is_done
    ]
    assert len(found) == 72
    return found


@pytest.mark.parametrize(("topic", "fact"), COUNTS)
def test_a_rule_hits_as_many_real_plans_as_were_counted(
    plans: list[Case], topic: Topic, fact: str
) -> None:
    definition = check_definition(Definition(topic, fact, "usability-value.1"))
    hit = [case for case in plans if find_hits(case, [Rule(fact, 1, definition)])]
    assert len(hit) == COUNTS[topic, fact]
