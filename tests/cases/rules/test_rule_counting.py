"""Hits are those of the cases as they are now: after an import, a change, an undo."""

import os
from pathlib import Path

import pytest

from cases import imports
from cases import rule as pure
from cases.itinerary.reading import read
from cases.models import Release, Rubric, Rule, RuleHit, RuleState
from cases.releases.workflow import change
from cases.rule import Definition, check_definition, check_file
from cases.rules import workflow
from cases.rules.counting import count_again
from cases.rules.queries import export_rules
from tests.bed.cases import NOW, import_lines, lines, make_case, make_release, source
from tests.bed.rules import PRODUCT, after_lunch, lunch_rule, over_lunch, propose
from tests.cases.rule.real_counts import COUNTS, VERSIONS


@pytest.fixture
def release(rubric: Rubric) -> Release:
    return make_release(rubric=rubric)


def hits() -> dict[str, str]:
    return dict(RuleHit.objects.values_list("case__case_key", "hits"))


def test_an_import_counts_the_hits_of_new_and_changed_cases(release: Release) -> None:
    propose()
    import_lines(release, lines(over_lunch("a"), over_lunch("b"), after_lunch("c")))
    assert set(hits()) == {"a", "b"}
    import_lines(release, lines(over_lunch("a"), after_lunch("b"), over_lunch("c")))
    assert set(hits()) == {"a", "c"}


def test_a_hit_keeps_the_sentence_and_points_into_the_plan(release: Release) -> None:
    propose()
    import_lines(release, lines(over_lunch("a")))
    assert hits() == {
        "a": '[{"rule":"meal-over-visit","version":1,"fact":"meal-over-visit",'
        '"sentence":"A meal lies over a visit on day 1: Copper Mill.",'
        '"refs":["/plan/days/0/items/1"]}]'
    }


def test_undoing_an_import_gives_back_the_hits_from_before(release: Release) -> None:
    propose()
    import_lines(release, lines(over_lunch("a"), after_lunch("b")))
    before = hits()
    import_lines(release, lines(after_lunch("a"), over_lunch("b"), over_lunch("c")))
    assert set(hits()) == {"b", "c"}
    imports.undo_import(release=release, number=2, user=None, now=NOW)
    assert hits() == before
    imports.undo_import(release=release, number=1, user=None, now=NOW)
    assert hits() == {}


def test_retired_rules_and_those_of_other_products_are_not_counted(
    release: Release, rubric: Rubric
) -> None:
    make_release("other-1", product="other", rubric=rubric)
    propose(product="other")
    workflow.move(version=propose(), to=RuleState.RETIRED, user=None, now=NOW)
    import_lines(release, lines(over_lunch("a")))
    assert hits() == {}


def test_a_release_without_a_product_has_no_hits(rubric: Rubric, release: Release) -> None:
    propose()
    import_lines(make_release("nameless", product="", rubric=rubric), lines(over_lunch("a")))
    assert hits() == {}


def test_a_release_that_changes_its_product_has_the_hits_of_its_new_rules(
    release: Release, rubric: Rubric
) -> None:
    import_lines(release, lines(over_lunch("a")))
    propose()
    change(release=release, product="other", user=None, now=NOW)
    assert hits() == {}
    change(release=release, product=PRODUCT, user=None, now=NOW)
    assert set(hits()) == {"a"}


def test_what_an_admin_does_to_tags_changes_no_hit_because_a_pipeline_cannot_know(
    release: Release,
) -> None:
    import_lines(release, lines(over_lunch("a"), over_lunch("b", tags=["family"])))
    case = release.cases.get(case_key="a")
    case.tags.create(tag="family", origin="admin", strength="strong", reason="so")
    propose(lunch_rule(tags=("family",)))
    assert set(hits()) == {"b"}


def test_the_site_and_a_pipeline_find_the_same_byte_for_byte(release: Release) -> None:
    rows = [over_lunch("a"), after_lunch("b"), over_lunch("c", tags=["family"]), make_case("d")]
    for definition in (lunch_rule(), lunch_rule(tags=("family",))):
        workflow.move(version=propose(definition), to=RuleState.ADOPTED, user=None, now=NOW)
    import_lines(release, lines(*rows))
    assert found_by_a_pipeline(lines(*rows)) == found_on_the_site()
    assert len(found_on_the_site()) == 3


def found_on_the_site() -> set[tuple[str, str, str]]:
    return set(RuleHit.objects.values_list("case__case_key", "rule__key", "hits"))


def found_by_a_pipeline(content: bytes) -> set[tuple[str, str, str]]:
    rules = pure.read_rules(export_rules(PRODUCT))
    results = [r for r in check_file(source(content), rules) if isinstance(r, pure.Result)]
    return {
        (result.data["case_key"], rule.key, pure.encode_hits(hits))
        for result in results
        for rule, hits in result.outcomes
        if hits
    }


def test_in_real_releases_the_rules_hit_as_many_plans_as_were_counted(rubric: Rubric) -> None:
    folder = os.environ.get("SPOTCHECK_REAL_DATA")
    if not folder:
        pytest.skip("SPOTCHECK_REAL_DATA is not set, so the real cases are not at hand")
    content = (Path(folder) / "itineraries" / "dev_trip_agent_zh.jsonl").read_bytes()
    versions = dict.fromkeys(VERSIONS, b"")
    for line in content.splitlines(keepends=True):
        release = read(line).case.release
        if release and release.version in versions:
            versions[release.version] += line
    made = [make_release(version, rubric=rubric) for version in VERSIONS]
    import_lines(made[0], versions[VERSIONS[0]])
    rules = {
        named: propose(check_definition(Definition(*named, "usability-value.1")))
        for named in COUNTS
    }
    import_lines(made[1], versions[VERSIONS[1]])
    for rule in rules.values():
        workflow.move(version=rule, to=RuleState.ADOPTED, user=None, now=NOW)
    passed = RuleHit.objects.filter(case__has_plan=True, case__check_status="PASS")
    counted = {named: passed.filter(rule=rule).count() for named, rule in rules.items()}
    assert counted == COUNTS
    before = found_on_the_site()
    count_again(PRODUCT, list(Rule.objects.all()), now=NOW)
    assert found_on_the_site() == before
    assert found_by_a_pipeline(b"".join(versions.values())) == before
