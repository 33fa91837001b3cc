"""Proposing rules and moving them; the ledger of the product has every act."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import Error, transaction

from cases import rule as pure
from cases.facts import Topic
from cases.models import Ledger, Release, Rubric, Rule, RuleHit, RuleState
from cases.rule import Definition, Threshold
from cases.rules import workflow
from cases.rules.queries import export_rules
from tests.bed.cases import NOW, database_digest, import_lines, lines, make_release
from tests.bed.rules import PRODUCT, after_lunch, lunch_rule, over_lunch, propose


@pytest.fixture
def release(rubric: Rubric) -> Release:
    made = make_release(rubric=rubric)
    import_lines(made, lines(over_lunch("a"), after_lunch("b"), over_lunch("c", tags=["family"])))
    return made


def events() -> list[tuple[str, str, int]]:
    chain = Ledger.objects.get(name=f"product:{PRODUCT}")
    return [(event.kind, event.data["rule"], event.data["version"]) for event in chain.events.all()]


def keys_hit(rule: Rule) -> list[str]:
    return sorted(RuleHit.objects.filter(rule=rule).values_list("case__case_key", flat=True))


def move(rule: Rule, to: RuleState, user: User | None = None) -> Rule:
    return workflow.move(version=rule, to=to, user=user, now=NOW)


def test_a_proposed_rule_is_named_for_its_fact_and_counted_at_once(
    release: Release, mina: User
) -> None:
    rule = propose(user=mina)
    assert (rule.key, rule.version, rule.state, rule.by) == (
        "meal-over-visit",
        1,
        "proposed",
        "mina",
    )
    assert rule.counted_at == NOW
    assert keys_hit(rule) == ["a", "c"]
    assert events() == [("rule-proposed", "meal-over-visit", 1)]


def test_the_same_rule_is_not_proposed_twice(release: Release) -> None:
    first = propose()
    before = database_digest()
    assert propose() == first
    assert database_digest() == before


def test_another_rule_about_the_same_fact_gets_a_number(release: Release) -> None:
    propose()
    other = propose(lunch_rule(tags=("family",)))
    assert (other.key, other.version) == ("meal-over-visit-2", 1)
    assert keys_hit(other) == ["c"]


def test_the_next_version_waits_until_none_is_on_trial(release: Release) -> None:
    first = propose()
    stricter = lunch_rule(Threshold("count", at_least=2))
    with pytest.raises(workflow.RuleOnTrial):
        propose(stricter, key="meal-over-visit")
    move(first, RuleState.ADOPTED)
    second = propose(stricter, key="meal-over-visit")
    assert (second.key, second.version, keys_hit(second)) == ("meal-over-visit", 2, [])


def test_adopting_a_version_retires_the_one_before(release: Release) -> None:
    first = move(propose(), RuleState.ADOPTED)
    second = propose(lunch_rule(Threshold("count", at_least=2)), key="meal-over-visit")
    move(second, RuleState.SHADOW)
    move(second, RuleState.ADOPTED)
    first.refresh_from_db()
    assert first.state == "retired"
    assert events() == [
        ("rule-proposed", "meal-over-visit", 1),
        ("rule-adopted", "meal-over-visit", 1),
        ("rule-proposed", "meal-over-visit", 2),
        ("rule-shadow", "meal-over-visit", 2),
        ("rule-retired", "meal-over-visit", 1),
        ("rule-adopted", "meal-over-visit", 2),
    ]


def test_moving_to_the_state_it_has_changes_nothing(release: Release) -> None:
    rule = move(propose(), RuleState.SHADOW)
    before = database_digest()
    move(rule, RuleState.SHADOW)
    assert database_digest() == before


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("adopted", "shadow"),
        ("adopted", "proposed"),
        ("retired", "adopted"),
        ("shadow", "proposed"),
    ],
)
def test_some_moves_are_refused(release: Release, first: str, then: str) -> None:
    rule = move(propose(), RuleState(first))
    before = database_digest()
    with pytest.raises(workflow.CannotMove):
        move(rule, RuleState(then))
    assert database_digest() == before


def test_a_retired_rule_can_be_proposed_again_as_its_next_version(release: Release) -> None:
    move(propose(), RuleState.RETIRED)
    again = propose(key="meal-over-visit")
    assert (again.key, again.version) == ("meal-over-visit", 2)


@pytest.mark.parametrize(
    ("definition", "product", "path"),
    [
        (Definition(Topic.MEALS, "meal-over-moon", "usability-value.1"), PRODUCT, "fact"),
        (Definition(Topic.MEALS, "meal-over-visit", "usability-value.99"), PRODUCT, "question"),
        (lunch_rule(Threshold("moons", at_least=1)), PRODUCT, "thresholds"),
        (lunch_rule(), "nobody", "product"),
        (lunch_rule(), "", "product"),
    ],
)
def test_what_cannot_be_a_rule_is_refused_with_its_place(
    release: Release, definition: Definition, product: str, path: str
) -> None:
    before = database_digest()
    with pytest.raises(workflow.BadRule) as refusal:
        propose(definition, product=product)
    assert [problem.path for problem in refusal.value.problems] == [path]
    assert database_digest() == before


def test_the_next_version_of_a_rule_that_is_not_there_is_refused(release: Release) -> None:
    with pytest.raises(workflow.BadRule):
        propose(key="short-gap")


@pytest.mark.parametrize("column", ["definition", "digest", "key", "reason"])
def test_what_a_version_says_cannot_be_changed(release: Release, column: str) -> None:
    rule = propose()
    with pytest.raises(Error, match="A version of a rule cannot be changed"), transaction.atomic():
        Rule.objects.filter(pk=rule.pk).update(**{column: "x"})


def test_a_version_cannot_be_removed(release: Release) -> None:
    rule = propose()
    RuleHit.objects.all().delete()
    with pytest.raises(Error, match="A version of a rule cannot be removed"), transaction.atomic():
        Rule.objects.filter(pk=rule.pk).delete()


# --- rules.json and the commands ------------------------------------------------------------------


def run(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_rules_json_has_the_adopted_rules_and_no_other(release: Release, tmp_path: Path) -> None:
    adopted = move(propose(), RuleState.ADOPTED)
    move(propose(lunch_rule(tags=("family",))), RuleState.SHADOW)
    document = export_rules(PRODUCT)
    assert pure.read_rules(document).rules == (adopted.pure,)
    assert run("export_rules", PRODUCT) == document.decode()
    run("export_rules", PRODUCT, "--out", str(tmp_path / "rules.json"))
    assert (tmp_path / "rules.json").read_bytes() == document


def test_a_product_without_rules_has_an_empty_document(release: Release) -> None:
    assert json.loads(export_rules(PRODUCT))["rules"] == []


@pytest.mark.parametrize("command", ["export_rules", "recount_rules"])
def test_a_product_that_no_release_has_is_refused(release: Release, command: str) -> None:
    with pytest.raises(CommandError, match="no release of a product called nobody"):
        run(command, "nobody")


def test_recounting_restores_what_is_missing_or_wrong(release: Release) -> None:
    rule = propose()
    right = list(RuleHit.objects.order_by("case__case_key").values_list("case__case_key", "hits"))
    RuleHit.objects.filter(case__case_key="a").delete()
    RuleHit.objects.filter(case__case_key="c").update(hits="[]")
    assert run("recount_rules", PRODUCT) == "meal-over-visit v1 (proposed): hits 2 cases\n"
    found = RuleHit.objects.order_by("case__case_key").values_list("case__case_key", "hits")
    assert list(found) == right
    assert keys_hit(rule) == ["a", "c"]
