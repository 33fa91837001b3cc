"""Figures of a summary where they are hard: undefined, paradox, few. No database."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviews import agreement
from reviews.comparison import PairedScores, severity, severity_of_pairs
from reviews.report import summary as summaries
from reviews.report.summary import computation
from reviews.report.summary.findings import find_worst
from tests.bed.summaries import KINDS, summary

U = "usability-value"


def words(reason: object) -> str:
    assert reason is not None
    return str(reason)


# --- Undefined and paradox ------------------------------------------------------------------------


def test_every_score_equal() -> None:
    told = summary(*[(4, 4, 4)] * 5, k=3).metrics[0]
    assert told.agreement.alpha.value is None
    assert words(told.agreement.alpha.why) == (
        "not defined: every score is 4 (100 % exact agreement, 15 pairs)"
    )
    assert told.agreement.reading == "undefined"
    assert told.agreement.exact.value == 1.0
    # Equal scores do not show how far others would differ, so no interval has zero width.
    assert told.mean.low == pytest.approx(3.264, abs=0.001)
    assert told.mean.high == pytest.approx(4.736, abs=0.001)
    assert told.mean.caution is None


def test_one_reviewer() -> None:
    told = summary(*[(4,), (5,)] * 3, k=1).metrics[0]
    for figure in (told.agreement.alpha, told.agreement.exact, told.agreement.cases_within_one):
        assert figure.value is None
        assert words(figure.why) == "not defined: no case has two reviews"
    assert told.agreement.few is None
    assert told.pairs == ()
    assert told.mean.value == 4.5


def test_reviewers_who_share_no_case() -> None:
    people = [("omar",), ("rita",)] * 5
    told = summary(*[(4,), (5,)] * 5, k=1, people=people).metrics[0]
    assert words(told.severity.why) == "not defined: no two reviewers judged the same case"
    assert told.severity.groups == ()
    assert told.severity.adjusted is None


def test_two_levels_only() -> None:
    """Alpha is low although nobody is more than a point away: the scores barely vary."""
    told = summary(*[(4, 4)] * 9, (4, 5), (5, 4)).metrics[0].agreement
    assert told.levels_used == (4, 5)
    assert told.within_one.value == 1.0
    assert told.alpha.value is not None
    assert told.alpha.value < 0.1
    assert told.reading == "barely-varies"
    assert told.ac1.value is not None
    assert told.ac1.value > 0.7


def test_nothing_applies() -> None:
    na = {f"c{n:02}": ("na", "na") for n in range(1, 6)}
    told = summary(*[(4, 5)] * 5, answers=na).checklist[0]
    assert told.answers == (0, 0, 10)
    assert told.rate.value is None
    assert words(told.rate.why) == "not defined: no answer says that the question applies"
    assert (told.applies.count, told.applies.of, told.applies.value) == (0, 10, 0.0)
    assert told.applicability.value == 1.0
    for figure in (told.exact, told.ac1):
        assert words(figure.why) == (
            "not defined: in no case did two reviewers say that the question applies"
        )
    alone = summary(*[(4,)] * 5, k=1, answers={"c01": ("na",)}).checklist[0]
    assert words(alone.exact.why) == "not defined: no case has two reviews"


def test_whether_a_question_applies_is_agreed_on_apart_from_its_answer() -> None:
    answers = {
        "c01": ("yes", "na"),
        "c02": ("yes", "no"),
        "c03": ("no", "no"),
        "c04": ("na", "na"),
        "c05": ("yes", "yes"),
    }
    told = summary(*[(4, 5)] * 5, answers=answers).checklist[0]
    assert told.answers == (4, 3, 3)
    assert told.applicability.value == 0.8
    assert told.exact.value == pytest.approx(2 / 3)
    assert (told.rate.count, told.rate.of) == (4, 7)
    assert words(told.exact.caution) == (
        "no interval: in 3 cases two reviewers say that the question applies, at least 5 are needed"
    )
    assert words(told.ac1.why) == (
        "not defined: in 3 cases two reviewers say that the question applies, at least 5 are needed"
    )


def test_where_reviewers_never_differ_the_interval_says_that_and_not_that_cases_are_alike() -> None:
    told = summary((4, 4), (5, 5), (3, 3), (4, 4), (2, 2)).metrics[0]
    sentence = "the interval has no width: in no case do reviewers differ, and in others they may"
    assert words(told.agreement.mean_gap.caution) == sentence
    for figure in (told.agreement.alpha, told.agreement.ac1, told.agreement.icc1):
        assert figure.low is not None
        assert figure.low < 0.5
        assert (figure.high, figure.caution) == (1.0, None)
    assert told.mean.caution is None
    apart = summary(*[(4, 5), (3, 2)] * 3).metrics[0].agreement.mean_gap
    assert words(apart.caution).startswith("the interval has no width: the cases do not differ")


def test_the_weights_of_ac2_are_those_that_the_summary_names() -> None:
    scores = [(4, 5), (2, 4), (3, 3), (5, 5), (1, 2), (4, 2)]
    told = summary(*scores).metrics[0].agreement
    table = agreement.pattern_table(
        {case: dict(enumerate(given)) for case, given in enumerate(scores)}, range(6)
    )
    by_name = {
        weights: agreement.ac2(table, weights=weights).value for weights in ("linear", "quadratic")
    }
    assert told.ac2.value == pytest.approx(by_name[told.ac2_weights])
    assert by_name["linear"] != pytest.approx(by_name["quadratic"])


def test_undefined_figures_are_null_with_a_reason_in_json() -> None:
    text, _digest = summaries.serialize(summary(*[(4, 4)] * 5))
    told = json.loads(text)["metrics"][0]["agreement"]["alpha"]
    assert (told["value"], told["low"], told["high"]) == (None, None, None)
    assert told["why"]["code"] == "all-equal"
    assert "NaN" not in text


def test_no_case_at_all() -> None:
    told = summary()
    assert words(told.metrics[0].mean.why) == "not defined: there is no case"
    assert told.metrics[0].lowest is None
    assert told.metrics[0].by_kind == ()
    assert summaries.read(summaries.serialize(told)[0]) == told


# --- Means ----------------------------------------------------------------------------------------


def test_an_interval_ends_where_the_scale_ends() -> None:
    told = summary((5, 5), (5, 5), (5, 5), (5, 5), (3, 3)).metrics[0].mean
    assert told.value == 4.6
    assert told.high == 5.0
    assert told.low is not None
    assert told.low < 4


def test_a_kind_has_an_interval_from_five_cases_on() -> None:
    kinds = [KINDS[0]] * 5 + [KINDS[1]] * 4 + [""]
    told = summary(*[(4, 5), (5, 5)] * 5, kinds=kinds).metrics[0].by_kind
    assert [(one.kind, one.mean.n) for one in told] == [(KINDS[0], 5), (KINDS[1], 4), ("", 1)]
    assert told[0].mean.low is not None
    assert told[1].mean.low is None
    assert words(told[1].mean.caution) == (
        "no interval: 4 cases of this kind, at least 5 are needed"
    )


# --- Severity -------------------------------------------------------------------------------------


def test_severity_is_shown_from_ten_cases_on() -> None:
    nine = summary(*[(4, 5), (4, 4), (3, 4)] * 3).metrics[0].severity
    assert nine.groups == ()
    assert "at least 10 are needed" in words(nine.why)
    ten = summary(*[(4, 5), (3, 4)] * 5).metrics[0].severity
    [[omar, rita]] = ten.groups
    assert (omar.reviewer, omar.effect, rita.effect) == ("omar", -0.5, 0.5)
    assert ten.adjusted
    assert ten.adjusted.value == 4.0


def test_a_mean_is_adjusted_only_where_all_reviewers_are_connected() -> None:
    people = [("omar", "rita")] * 5 + [("wei", "zoe")] * 5
    told = summary(*[(4, 5), (3, 4)] * 5, people=people).metrics[0].severity
    assert [[one.reviewer for one in group] for group in told.groups] == [
        ["omar", "rita"],
        ["wei", "zoe"],
    ]
    assert told.adjusted is None
    assert "not all reviewers are connected" in words(told.why)


def test_the_severe_reviewer_of_the_weak_cases_is_seen_through() -> None:
    """omar gives a point less than rita and zoe, and reads more of the second half."""
    people = [("rita", "zoe")] * 5 + [("omar", "rita")] * 5
    told = summary(*[(4, 4)] * 5, *[(3, 4)] * 5, people=people).metrics[0]
    assert told.mean.value == 3.75
    effects = {one.reviewer: one.effect for one in told.severity.groups[0]}
    assert effects == pytest.approx({"omar": -2 / 3, "rita": 1 / 3, "zoe": 1 / 3})
    assert told.severity.adjusted
    assert told.severity.adjusted.value == pytest.approx(3.75 - (1 / 3 - 1 / 6) / 2)


def test_an_agreed_score_is_not_adjusted() -> None:
    cases: list[tuple[int, int]] = [(3, 4)] * 9 + [(1, 4)]
    agreed = {"c10": {U: 2, "personalization": 2}}
    told = summary(*cases, agreed=agreed).metrics[0]
    assert told.mean.value == pytest.approx((9 * 3.5 + 2) / 10)
    assert told.severity.adjusted
    assert told.severity.adjusted.value == pytest.approx((9 * 3.5 + 2) / 10)


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(
        st.dictionaries(st.sampled_from("abcde"), st.integers(0, 5), max_size=4),
        min_size=1,
        max_size=12,
    )
)
def test_severity_from_pairs_is_severity_from_scores(rows: list[dict[str, int]]) -> None:
    pairs = [
        PairedScores(first, second, len(row), row[first], row[second], 1)
        for row in rows
        for first in row
        for second in row
        if first < second
    ]
    whole = severity(dict(enumerate(rows)))
    expected = [dict(one.effects) for one in whole.components if one.is_comparable]
    found = severity_of_pairs(pairs)
    assert {frozenset(one) for one in found} == {frozenset(one) for one in expected}
    flat = {who: effect for one in expected for who, effect in one.items()}
    for one in found:
        for who, effect in one.items():
            assert [*effect] == pytest.approx([*flat[who]], abs=1e-6)


# --- Findings -------------------------------------------------------------------------------------


def test_escapes_by_question_the_worst_case_first() -> None:
    answers = {"c02": ("no", "no"), "c03": ("no", "yes"), "c04": ("no", "na")}
    told = summary((2, 2), (4, 4), (1, 2), (3, 3), (2, 3), answers=answers).escapes
    assert [one.subject for one in told] == [
        U,
        *(f"{U}.{n}" for n in range(1, 5)),
        "personalization",
        *(f"personalization.{n}" for n in range(1, 5)),
    ]
    assert [(one.case_key, one.standing) for one in told[0].cases] == [("c03", 1.5), ("c01", 2.0)]
    assert [one.case_key for one in told[1].cases] == ["c02"]
    assert told[0].cases[0].reason == "omar on c03"
    assert told[1].cases[0].reason == "omar on c02"


def test_the_worst_findings_are_low_scores_then_questions() -> None:
    answers = {"c02": ("no", "no")}
    told = summary((2, 2), (4, 4), (1, 1), (3, 3), (4, 4), answers=answers)
    found = find_worst(told.escapes, 6)
    assert [(one.case_key, one.standing) for one in found[:4]] == [
        ("c03", 1.0),
        ("c03", 1.0),
        ("c01", 2.0),
        ("c01", 2.0),
    ]
    assert [one.subject for one in found[4:]] == [f"{U}.1", f"{U}.2"]
    assert len(find_worst(told.escapes, 100)) == 4 + 8


def test_of_very_many_cases_the_worst_are_told_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [(4, 4), (2, 2), (5, 5), (4, 4), (3, 3)]
    answers = {"c04": ("no", "yes")}
    assert len({one.case_key for one in summary(*cases).remarks}) == 5
    monkeypatch.setattr(computation, "MOST_WITH_REMARKS", 3)
    told = summary(*cases, answers=answers)
    assert {one.case_key for one in told.remarks} == {"c02", "c04", "c05"}
    assert told.evidence.cases == 5
