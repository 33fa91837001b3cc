"""Two summaries on the cases that both have. No database."""

from dataclasses import replace

import pytest

from reviews.agreement.rates import exact_interval
from reviews.comparison import Prior, mcnemar_exact, paired, widen
from reviews.report.summary import NotComparable, Summary, compare
from tests.bed.summaries import KINDS, Case, summary


def before(*cases: Case, **options: object) -> Summary:
    return summary(*cases, release="wanderer-1", **options)  # type: ignore[arg-type]


OLD: list[Case] = [(4, 4), (4, 5), (5, 5), (3, 4), (4, 4), (5, 4)]
NEW: list[Case] = [(4, 4), (4, 4), (5, 5), (5, 4), (3, 3), (4, 4)]
DIFFERENCES = [0, -0.5, 0, 1, -1, -0.5]


def test_the_unit_is_the_case() -> None:
    found = compare(summary(*NEW), before(*OLD))
    [first, second] = found.metrics
    expected = widen(paired(DIFFERENCES), squared_shares=0.0, prior=Prior())
    assert first.paired.mean == pytest.approx(expected.mean)
    assert first.paired.low == pytest.approx(expected.low)
    assert first.paired.p_value == pytest.approx(expected.p_value)
    assert (first.paired.better, first.paired.same, first.paired.worse) == (1, 2, 3)
    assert first.paired == second.paired
    assert first.after is not None
    assert first.before is not None
    assert first.after - first.before == pytest.approx(expected.mean)
    assert (found.shared, found.why, found.caution) == (6, None, None)


def test_thirds_tie_as_they_should() -> None:
    """(3, 4, 4) and (4, 4, 3) have the same mean, whatever a float says of it."""
    new = summary(*[(3, 4, 4)] * 5, k=3)
    old = before(*[(4, 4, 3)] * 5, k=3)
    change = compare(new, old).metrics[0].paired
    assert (change.better, change.same, change.worse) == (0, 5, 0)
    assert change.mean == 0.0


def test_an_agreed_score_stands_in_for_the_mean() -> None:
    new = summary(*NEW[:5], (2, 5), agreed={"c06": {"usability-value": 5, "personalization": 2}})
    found = compare(new, before(*OLD))
    assert found.cases[5].before == (4.5, 4.5)
    assert found.cases[5].after == (5.0, 2.0)
    assert found.cases[5].change == -2.5
    assert found.cases[0].change == 0.0
    assert found.cases[3].change == 1.0


def test_only_cases_that_both_counted_are_shared() -> None:
    new = summary(*NEW[:5], (4, None), keys=["a", "b", "c", "d", "x", "f"])
    old = before(*OLD, keys=["a", "b", "c", "e", "d", "f"])
    found = compare(new, old)
    assert [one.case_key for one in found.cases] == ["a", "b", "c", "d"]
    assert found.only_before == ("e", "f")
    assert found.only_after == ("x",)


def test_no_shared_case_no_difference() -> None:
    found = compare(summary(*NEW), before(*OLD, keys=[f"old-{n}" for n in range(6)]))
    assert str(found.why) == "no comparison possible: no case is shared"
    assert found.shared == 0
    for one in found.metrics:
        assert (one.before, one.after, one.paired.mean, one.by_same.mean) == (None,) * 4
        assert one.by_kind == ()
    assert all(one.p_value is None and one.before.value is None for one in found.checklist)


def test_the_same_reviewers_are_the_same_people() -> None:
    same, other = ("omar", "rita"), ("rita", "wei")
    new = summary(*NEW, people=[same, same, same, other, other, ("rita", "omar")])
    old = before(*OLD, people=[same] * 6)
    found = compare(new, old)
    assert [one.is_by_same for one in found.cases] == [True, True, True, False, False, True]
    assert found.by_same == 4
    expected = paired([0, -0.5, 0, -0.5])
    assert found.metrics[0].by_same.mean == pytest.approx(expected.mean)
    assert found.metrics[0].by_same.n == 4


def test_by_kind() -> None:
    one_kind, other_kind = KINDS[:2]
    kinds = [one_kind, other_kind] * 3
    found = compare(summary(*NEW, kinds=kinds), before(*OLD, kinds=[other_kind] * 6))
    by_kind = {one.kind: one.paired for one in found.metrics[0].by_kind}
    assert by_kind[one_kind].mean == pytest.approx((0 + 0 - 1) / 3)
    assert by_kind[other_kind].mean == pytest.approx(0.0)
    assert {kind: one.n for kind, one in by_kind.items()} == {one_kind: 3, other_kind: 3}


def test_a_part_of_the_shared_cases_has_an_interval_from_five_on_within_the_scale() -> None:
    wild: list[Case] = [(0, 0), (5, 5), (0, 0), (5, 5), (5, 5)]
    tame: list[Case] = [(5, 5), (0, 0), (5, 5), (0, 0), (0, 0)]
    new, old = summary(*wild, kinds=KINDS[:1] * 5), before(*tame, kinds=KINDS[:1] * 5)
    [five] = [one.paired for one in compare(new, old).metrics[0].by_kind]
    assert (five.n, five.low, five.high) == (5, -5.0, 5.0)
    by_same = compare(new, old).metrics[0].by_same
    assert (by_same.low, by_same.high) == (-5.0, 5.0)
    few = compare(summary(*wild[:4], kinds=KINDS[:1] * 4), before(*tame[:4], kinds=KINDS[:1] * 4))
    [four] = [one.paired for one in few.metrics[0].by_kind]
    assert (four.n, four.low, four.high) == (4, None, None)
    assert four.mean is not None
    assert str(four.caution) == "no interval: 4 cases of this kind, at least 5 are needed"
    assert str(few.metrics[0].by_same.caution) == (
        "no interval: 4 cases judged by the same reviewers, at least 5 are needed"
    )
    assert few.metrics[0].paired.low == -5.0


def test_where_no_reviewers_are_the_same_that_is_the_reason() -> None:
    new = summary(*NEW, people=[("rita", "wei")] * 6)
    none = compare(new, before(*OLD, people=[("omar", "rita")] * 6)).metrics[0].by_same
    assert (none.n, none.mean) == (0, None)
    assert str(none.why) == "not defined: no shared case was judged by the same reviewers"


def test_another_product_is_never_compared() -> None:
    with pytest.raises(NotComparable, match="of another product"):
        compare(summary(*NEW), before(*OLD, product="other"), across_rubrics=True)


def test_another_rubric_version_is_compared_on_request_with_a_warning() -> None:
    old = before(*OLD, rubric=7, rubric_digest="other")
    with pytest.raises(NotComparable, match="rubric version 7 then and 1 now"):
        compare(summary(*NEW), old)
    found = compare(summary(*NEW), old, across_rubrics=True)
    assert found.metrics[0].paired.n == 6
    assert found.caution
    assert "may come from the rubric" in str(found.caution)


def test_only_metrics_on_the_same_scale_are_compared() -> None:
    old = before(*OLD, rubric=7, rubric_digest="other")
    wider = replace(old.metrics[0], levels=(0, 1, 2, 3, 4, 5, 6))
    found = compare(
        summary(*NEW), replace(old, metrics=(wider, old.metrics[1])), across_rubrics=True
    )
    assert [one.metric for one in found.metrics] == ["personalization"]
    assert found.cases[0].before == (4.0,)


def test_changes_of_the_checklist_by_the_majority_of_each_case() -> None:
    old = {f"c{n:02}": ("yes", "yes") for n in range(1, 6)} | {"c06": ("yes", "no")}
    new = {
        "c01": ("no", "no"),
        "c02": ("no", "no"),
        "c03": ("yes", "no"),
        "c04": ("na", "na"),
        "c05": ("yes", "yes"),
        "c06": ("no", "no"),
    }
    found = compare(summary(*NEW, answers=new), before(*OLD, answers=old)).checklist[0]
    assert (found.cases, found.to_no, found.to_yes) == (3, 2, 0)
    assert found.could_turn == ("c01", "c02", "c05")
    assert (found.turned_no, found.turned_yes) == (("c01", "c02"), ())
    assert found.p_value == pytest.approx(mcnemar_exact(2, 0))
    assert (found.before.count, found.before.of) == (11, 12)
    assert (found.after.count, found.after.of) == (3, 10)
    # Five cases, of which 1.5 say yes; the case that does not apply is not asked.
    assert (found.after.cases, found.after.value) == (5, 0.3)
    assert (found.after.low, found.after.high) == pytest.approx(exact_interval(1.5, 5))


def test_a_question_that_applied_nowhere_has_no_test_and_says_so() -> None:
    nothing = {f"c{n:02}": ("na", "na") for n in range(1, 7)}
    found = compare(summary(*NEW, answers=nothing), before(*OLD)).checklist[0]
    assert (found.cases, found.p_value, found.after.value) == (0, None, None)
    assert str(found.why) == "not defined: no shared case has a majority for yes or no both times"
    assert str(found.after.why) == "not defined: no answer says that the question applies"
