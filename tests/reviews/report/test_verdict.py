"""The verdict at planned looks: constructed releases on both sides of every limit. No database."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
import pytest

from reviews.report import verdict
from reviews.report.sentences import own_names, translate_reason
from reviews.report.summary import Summary
from reviews.report.verdict import Word
from tests.bed.summaries import KINDS, Case, flag, summary

U, P = "usability-value", "personalization"
FIVE: list[Case] = [(4, 4), (5, 4), (4, 5), (5, 5), (4, 4)]
# Good cases of which one more decides, and no floor is near.
MANY: list[Case] = [*[(5, 5)] * 9, *[(4, 5)] * 10]
HAIR = 1e-9
GO, HOLD = Word.GO, Word.HOLD
NO_GO, LITTLE = Word.NO_GO, Word.NOT_ENOUGH_EVIDENCE
FLOORS = {f"floor:{U}", f"floor:{P}"}
# As the start freezes it.
FROZEN = {"rules": 2, "floors": {U: 3.0, P: 3.0}, "margin": 0.5, "within_one": 0.8}
LOOKS = {**FROZEN, "looks": [5, 8, 12]}
CHANGES = {f"no-regression:{U}", f"no-regression:{P}"}


def floors(limit: float) -> dict[str, Any]:
    return {"floors": {U: limit, P: limit}}


def find_limits(*cases: Case, **options: Any) -> tuple[float, float]:
    limits = summary(*cases, **options).metrics[0].limits
    assert limits
    return limits.low, limits.high


LOW, HIGH = find_limits(*FIVE)


def before(*cases: Case, **options: Any) -> Summary:
    return summary(*cases, release="wanderer-1", **options)


def shift(by: list[int], **options: Any) -> Summary:
    """As many cases as differences, all of the same reviewers, and their baseline."""
    old: list[Case] = [(5, 5)] * len(by)
    new: list[Case] = [(5 + change, 5 + change) for change in by]
    return summary(*new, baseline=before(*old), **options)


def place_margin(by: list[int], hair: float) -> Summary:
    """Put the margin at the lower limit of the difference, or a hair beside it."""
    first = shift(by)
    assert first.comparison
    limits = first.comparison.metrics[0].limits
    assert limits
    return shift(by, policy={"margin": -limits.low + hair, "regression": "required"})


@dataclass(frozen=True)
class Row:
    """`fails` are the criteria that did not pass, `silent` those that were not assessed."""

    what: str
    given: Callable[[], Summary]
    word: Word | None
    fails: set[str] = field(default_factory=set)
    silent: set[str] = field(default_factory=lambda: CHANGES)


TABLE = [
    # The limits against the floor
    Row("five cases, all 4 and 5", lambda: summary(*FIVE), GO),
    Row("every score is 4", lambda: summary(*[(4, 4)] * 5), GO),
    Row("every score is 3", lambda: summary(*[(3, 3)] * 5), LITTLE, FLOORS),
    Row("every score is 2", lambda: summary(*[(2, 2)] * 5), NO_GO, FLOORS),
    Row("the floor a hair below", lambda: summary(*FIVE, policy=floors(LOW - HAIR)), GO),
    Row("the floor at the lower limit", lambda: summary(*FIVE, policy=floors(LOW)), LITTLE, FLOORS),
    Row(
        "the floor at the upper limit",
        lambda: summary(*FIVE, policy=floors(HIGH)),
        LITTLE,
        FLOORS,
    ),
    Row("the floor above", lambda: summary(*FIVE, policy=floors(HIGH + HAIR)), NO_GO, FLOORS),
    Row(
        "one metric below its floor",
        lambda: summary(*[((4, 5), (2, 2))] * 6),
        NO_GO,
        {f"floor:{P}"},
    ),
    Row(
        "a single case is a look that can be planned",
        lambda: summary((5, 5), waivers={f"kind:{kind}": {} for kind in KINDS}),
        LITTLE,
        {"cases", *FLOORS},
    ),
    Row("scores one step higher still give a GO", lambda: summary(*[(4, 4)] * 4, (4, 5)), GO),
    Row("one score of five is much better", lambda: summary(*[(4, 4)] * 4, (5, 5)), GO),
    # The lowest levels, harm
    Row("unanimous at the bottom", lambda: summary(*MANY, (1, 1)), NO_GO, {"lowest-levels"}),
    Row(
        "harm is confirmed",
        lambda: summary(*FIVE, flags=[flag("c01", outcome="confirmed")]),
        NO_GO,
        {"harmful-content"},
    ),
    # Changes against the baseline
    Row("nothing changed in twenty cases", lambda: shift([0] * 20), GO, set(), set()),
    Row("nothing changed in five cases", lambda: shift([0] * 5), GO),
    Row("five fell by one, a drop is proven", lambda: shift([-1] * 5), NO_GO, CHANGES, set()),
    Row(
        "two fell by one, a drop is not proven",
        lambda: summary(
            *[(5, 5)] * 6, *[(4, 4)] * 2, baseline=before((5, 5), (5, 5), keys=["c07", "c08"])
        ),
        GO,
    ),
    Row(
        "two fell by two, a drop is proven",
        lambda: summary(
            *[(5, 5)] * 18, *[(3, 3)] * 2, baseline=before((5, 5), (5, 5), keys=["c19", "c20"])
        ),
        NO_GO,
        CHANGES,
        set(),
    ),
    Row("required, and excluded", lambda: place_margin([0] * 20, HAIR), GO, set(), set()),
    Row("required, at the limit", lambda: place_margin([0] * 20, 0.0), LITTLE, CHANGES, set()),
    Row(
        "required, without a baseline",
        lambda: summary(*FIVE, policy={"regression": "required"}),
        LITTLE,
        CHANGES,
        set(),
    ),
    # Evidence and open work
    Row(
        "a kind has no case",
        lambda: summary(*FIVE, kinds=[*KINDS[:4], KINDS[0]]),
        LITTLE,
        {"kinds"},
    ),
    Row("a case is missing", lambda: summary(*FIVE[:4]), LITTLE, {"kinds", "cases"}),
    Row("an adjudication waits", lambda: summary(*MANY, (3, 5)), HOLD, {"adjudications"}),
    Row("a flag waits", lambda: summary(*FIVE, flags=[flag("c01")]), HOLD, {"flags"}),
    Row(
        "many cases apart are agreed, which is no criterion",
        lambda: summary(
            *[(5, 5)] * 15,
            *[(3, 5)] * 5,
            agreed={f"c{number}": {U: 4, P: 4} for number in range(16, 21)},
        ),
        GO,
    ),
    # Between looks
    Row("a review is missing", lambda: summary(*FIVE[:4], (5, None)), None, {"reviews"}, set()),
    Row(
        "a review is missing beside a case at the bottom",
        lambda: summary(*MANY, (1, 1), (5, None)),
        None,
        {"reviews"},
        set(),
    ),
    Row(
        "the next look is not complete",
        lambda: summary(*FIVE, *[(None, None)] * 3, extensions=1, policy=LOOKS),
        None,
        {"reviews"},
        set(),
    ),
    # Outside the plan
    Row(
        "a bad case outside the plan",
        lambda: summary(*FIVE, (1, 1), outside=["c06"]),
        GO,
    ),
    Row(
        "a case outside the plan that waits for reviews",
        lambda: summary(*FIVE, (1, None), outside=["c06"]),
        GO,
    ),
    Row(
        "a good case outside the plan",
        lambda: summary(*FIVE[:4], (5, 5), outside=["c05"]),
        LITTLE,
        {"kinds", "cases"},
    ),
]


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.what)
def test_each_release_gets_its_word_for_its_reasons(row: Row) -> None:
    found = verdict.decide(row.given())
    assert found.word == row.word
    failed = {criterion.name for criterion in found.criteria if criterion.passed is False}
    silent = {criterion.name for criterion in found.criteria if criterion.passed is None}
    if row.word is None:
        assert "reviews" in failed
        assert silent == set()
    else:
        assert failed == row.fails
        assert silent == row.silent


def test_every_word_is_in_the_table() -> None:
    assert {row.word for row in TABLE} == {*Word, None}


# --- Between looks --------------------------------------------------------------------------------


def test_between_looks_nothing_that_depends_on_a_score_is_told() -> None:
    good, bad = (summary(*cases, (5, None)) for cases in ([(5, 5)] * 5, [(0, 0)] * 5))
    assert verdict.decide(good).criteria == verdict.decide(bad).criteria
    assert verdict.decide(good).sentence == verdict.decide(bad).sentence
    assert verdict.decide(good).conditions == ()
    assert all(metric.limits is None for metric in good.metrics)


def test_between_looks_the_sentence_counts_the_reviews_of_the_look() -> None:
    given = summary(*FIVE, (4, None), *[(None, None)] * 2, extensions=1, policy=LOOKS)
    assert say(given) == "No word yet: 11 of 16 reviews for look 2 of 3 are in."


def test_an_abandoned_release_has_no_word_and_no_criteria() -> None:
    found = verdict.decide(summary(*FIVE), is_abandoned=True)
    assert (found.word, found.criteria, found.conditions) == (None, (), ())


# --- Looks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cases", "looks", "sizes", "level"),
    [
        (5, [5, 8, 12], (5, 8, 12), 0.0208),
        (5, [5], (5,), 0.05),
        (6, [5, 8, 12], (6, 8, 12), 0.025),
        (20, [5, 8, 12], (20,), 0.05),
    ],
)
def test_the_first_look_is_at_the_drawn_size(
    cases: int, looks: list[int], sizes: tuple[int, ...], level: float
) -> None:
    plan = summary(*[(4, 4)] * cases, policy={"looks": looks}).plan
    assert plan
    assert (plan.sizes, plan.look, plan.is_at_look) == (sizes, 1, True)
    assert plan.level == pytest.approx(level, abs=1e-4)


def test_each_extension_is_one_look_further() -> None:
    plan = summary(*[(4, 4)] * 8, extensions=1, policy=LOOKS).plan
    assert plan
    assert (plan.look, plan.next_size) == (2, 12)
    last = summary(*[(4, 4)] * 12, extensions=2, policy=LOOKS).plan
    assert last
    assert (last.look, last.next_size) == (3, None)


def test_a_frozen_prior_widens_the_limits() -> None:
    wide = {**FROZEN, "looks": [5], "prior": {"sd": 1.4, "degrees": 8, "releases": ["w-0"]}}
    usual, wider = (summary(*FIVE, policy=given) for given in ({**FROZEN, "looks": [5]}, wide))
    assert usual.metrics[0].limits
    assert wider.metrics[0].limits
    assert wider.metrics[0].limits.low < usual.metrics[0].limits.low
    assert wider.plan
    assert wider.plan.releases == ("w-0",)


# --- Conditions -----------------------------------------------------------------------------------


def list_codes(given: Summary) -> list[str]:
    return [condition.code for condition in verdict.decide(given).conditions]


def test_one_reader_per_case_is_the_first_condition() -> None:
    given = summary(*[(4,), (5,)] * 10, k=1, baseline=before(*[(4,)] * 20, k=1))
    assert list_codes(given) == ["one-reader"]


def test_four_waived_kinds_are_said_beside_the_word() -> None:
    waivers: dict[str, dict[str, Any]] = {f"kind:{kind}": {} for kind in KINDS[1:]}
    given = summary(*FIVE, kinds=[KINDS[0]] * 5, waivers=waivers)
    found = verdict.decide(given)
    assert found.word == GO
    assert str(found.conditions[0]) == "with 4 kinds waived"


def test_a_kind_that_is_missing_and_not_waived_is_no_condition() -> None:
    given = summary(*FIVE, kinds=[KINDS[0]] * 5, waivers={f"kind:{KINDS[1]}": {}})
    found = verdict.decide(given)
    assert found.word == LITTLE
    assert str(found.conditions[0]) == "with 1 kind waived"
    assert "kinds-waived" not in list_codes(summary(*FIVE, kinds=[KINDS[0]] * 5))
    assert "cases-waived" not in list_codes(summary(*FIVE[:4]))


def test_waived_reviews_are_a_condition() -> None:
    waivers = {"reviews": {"reviews": {"c20": 1}}}
    given = summary(*MANY, (5, None), waivers=waivers)
    assert verdict.decide(given).word == GO
    assert list_codes(given)[0] == "reviews-waived"
    assert str(verdict.decide(given).conditions[0]) == "with 1 review waived"


def test_agreement_that_is_shown_is_no_condition() -> None:
    alike: list[Case] = [(3, 3), (5, 5), (4, 4), (5, 5)] * 5
    given = summary(*alike, baseline=before(*alike))
    assert list_codes(given) == []
    scattered: list[Case] = [(4, 5), (5, 4), (4, 4), (5, 5)] * 5
    given = summary(*scattered, baseline=before(*scattered))
    assert list_codes(given) == ["agreement-not-shown"]


def test_agreement_that_is_shown_on_one_metric_only_names_the_other() -> None:
    cases: list[Case] = [((3, 3), (4, 5)), ((5, 5), (5, 4)), ((4, 4), (4, 4)), ((5, 5), (5, 5))] * 5
    given = summary(*cases, baseline=before(*cases))
    assert list_codes(given) == ["agreement-not-shown-on"]
    assert translate_reason(verdict.decide(given).conditions[0], own_names(given)) == (
        "agreement not shown beyond chance: Personalization"
    )


def test_pairs_of_reviews_apart_are_counted_in_the_same_way_for_two_and_three_reviewers() -> None:
    agreed = {"c01": {U: 4, P: 4}, "c02": {U: 4, P: 4}}
    two = summary(*[(3, 5)] * 2, *[(5, 5)] * 6, agreed=agreed, policy={"within_one": 0.8})
    assert "reviews-apart" in list_codes(two)
    three = summary(*[(3, 5, 5)] * 2, *[(5, 5, 5)] * 6, k=3, agreed=agreed)
    # Four of 24 pairs, not two of eight cases.
    assert three.metrics[0].agreement.within_one.value == pytest.approx(20 / 24)
    assert "reviews-apart" not in list_codes(three)


def test_a_drop_that_is_not_excluded_is_said_with_its_size() -> None:
    given = shift([0] * 5)
    assert [str(condition) for condition in verdict.decide(given).conditions][-1] == (
        "a drop of up to 0.7 is not excluded: 5 shared cases"
    )
    assert "drop-not-excluded" not in list_codes(shift([0] * 20))


def test_a_proven_drop_is_no_condition_as_it_decides() -> None:
    assert "drop-not-excluded" not in list_codes(shift([-1] * 5))


def test_a_baseline_that_cannot_be_compared_is_a_condition() -> None:
    other = before(*FIVE, rubric=7, rubric_digest="other")
    assert list_codes(summary(*FIVE, baseline=other))[-1] == "not-compared"
    assert list_codes(summary(*FIVE))[-1] == "no-baseline"


def test_no_more_than_three_conditions() -> None:
    waivers: dict[str, dict[str, Any]] = {f"kind:{kind}": {} for kind in KINDS[1:]}
    waivers["cases"] = {"cases": 3}
    waivers["reviews"] = {"reviews": {"c03": 1}}
    given = summary((5, 5), (5, 5), (5, None), kinds=[KINDS[0]] * 3, waivers=waivers)
    assert list_codes(given) == ["kinds-waived", "cases-waived", "reviews-waived"]


def test_a_case_settled_by_its_own_reviewers_is_a_condition() -> None:
    given = summary(*MANY, (3, 5), agreed={"c20": {U: 4, P: 4}}, baseline=before(*MANY, (4, 4)))
    [disagreement] = given.disagreements
    assert disagreement.adjudication
    together = msgspec.structs.replace(disagreement.adjudication, together=("omar", "rita"))
    assert "settled-together" not in list_codes(given)
    settled = replace(given, disagreements=(replace(disagreement, adjudication=together),))
    assert list_codes(settled)[-1] == "settled-together"


# --- In words -------------------------------------------------------------------------------------


def say(given: Summary, name: str = "") -> str:
    found = verdict.decide(given)
    reason = found.criterion(name).reason if name else found.sentence
    return translate_reason(reason, own_names(given))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (lambda: summary(*FIVE), "Every metric is clearly above its floor."),
        (lambda: summary(*[(4, 4)] * 5), "Every metric is above its floor."),
        (
            lambda: summary(*[(3, 3)] * 5),
            "5 cases, 10 reviews: the floors are between the limits of Usability & Value, "
            "Personalization.",
        ),
        (
            lambda: summary(*[((4, 5), (3, 3))] * 5),
            "Personalization is 3.0; its floor of 3.0 is between its limits of 2.2 and 3.8 "
            "(one-sided, 97.9 % each).",
        ),
        (
            lambda: summary(*[((4, 5), (2, 2))] * 6),
            "Personalization is 2.0, below its floor of 3.0: its upper limit is 2.7 (one-sided, "
            "97.5 %).",
        ),
        (
            lambda: summary(*[(2, 2)] * 5),
            "Usability & Value, Personalization are below their floors.",
        ),
        (
            lambda: shift([-1] * 5),
            "Usability & Value fell by 1.0 points on 5 shared cases, and the upper limit of the "
            "change is -0.3 (one-sided, 97.9 %). The agreed margin is 0.5.",
        ),
    ],
)
def test_the_sentence_beside_the_word(given: Callable[[], Summary], sentence: str) -> None:
    assert say(given()) == sentence


def test_clearly_begins_a_quarter_point_above_the_floor() -> None:
    name = f"floor:{U}"
    assert "clearly above" in say(summary(*FIVE, policy=floors(round(LOW - 0.25, 10) - HAIR)), name)
    near = say(summary(*FIVE, policy=floors(round(LOW - 0.25, 10) + 1e-6)), name)
    assert "above its floor" in near
    assert "clearly" not in near


def test_other_reviewers_than_those_of_the_baseline_widen_the_limits_and_are_named() -> None:
    old = before(*[(4, 4)] * 8)
    same = summary(*[(4, 4)] * 8, baseline=old)
    others = summary(*[(4, 4)] * 8, people=[("wei", "zoe")] * 8, baseline=old)
    assert same.comparison
    assert others.comparison
    first, second = same.comparison.metrics[0], others.comparison.metrics[0]
    assert (first.is_by_others, second.is_by_others) == (False, True)
    assert first.limits
    assert second.limits
    assert second.limits.low < first.limits.low
    assert "other reviewers than before" in say(others, f"no-regression:{U}")
    assert "other reviewers" not in say(same, f"no-regression:{U}")


def test_what_is_not_enough_names_the_next_look_or_says_that_none_is_left() -> None:
    def change(given: Summary) -> str:
        reason = verdict.decide(given).criterion(f"floor:{U}").would_change
        assert reason
        return translate_reason(reason, own_names(given))

    assert change(summary(*[(3, 3)] * 5)) == "The next look, at 8 cases."
    assert change(summary(*[(3, 3)] * 5, policy={"looks": [5]})) == (
        "No look is left: improve it, and judge the new plans in a new release."
    )


# --- Words of earlier rules -----------------------------------------------------------------------


def test_a_release_of_the_first_rules_keeps_them() -> None:
    equal: list[Case] = [(4, 4)] * 5
    old, new = summary(*equal, rules=1), summary(*equal)
    assert (old.rules, old.plan, new.rules) == (1, None, 2)
    assert f"within-one:{U}" in {criterion.name for criterion in verdict.decide(old).criteria}
    assert f"within-one:{U}" not in {criterion.name for criterion in verdict.decide(new).criteria}
    assert verdict.decide(old).conditions == ()
    assert (old.metrics[0].mean.low, old.metrics[0].limits) == (4.0, None)
