"""The verdict under the first rules, which releases started before planned looks keep.

Constructed releases just inside and just outside every limit. No database.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from django.utils import translation
from scipy import stats

from cases.releases.policy import OLD_RULES
from cases.rubric import translated
from cases.rubrics.workflow import SHIPPED
from reviews.report import verdict
from reviews.report.sentences import names_in, own_names, translate_reason
from reviews.report.summary import Summary
from reviews.report.summary.figures import CaseScore
from reviews.report.summary.rounding import format_points
from reviews.report.verdict import Word
from reviews.report.verdict.criteria import is_at_the_bottom
from reviews.report.verdict.prospects import about, more_cases, more_passing
from tests.bed import summaries
from tests.bed.summaries import DOCUMENT, KINDS, Case, flag

summary = partial(summaries.summary, rules=OLD_RULES)

U, P = "usability-value", "personalization"
FIVE: list[Case] = [(4, 4), (5, 4), (4, 5), (5, 5), (4, 4)]
# Nineteen good cases: one more decides, and no floor is near.
MANY: list[Case] = [*[(5, 5)] * 9, *[(4, 5)] * 10]
KIDS = f"kind:{KINDS[2]}"
HAIR = 1e-9


def low_and_high(*cases: Case, **options: Any) -> tuple[float, float]:
    mean = summary(*cases, **options).metrics[0].mean
    assert mean.low is not None
    assert mean.high is not None
    return mean.low, mean.high


LOW, HIGH = low_and_high(*FIVE)


def floors(limit: float) -> dict[str, Any]:
    return {"floors": {U: limit, P: limit}}


def before(*cases: Case, **options: Any) -> Summary:
    return summary(*cases, release="wanderer-1", **options)


def shifted(by: list[int], start: int = 4) -> tuple[list[Case], Summary]:
    """As many cases as differences, all of the same reviewers, and their baseline."""
    old: list[Case] = [(start, start)] * len(by)
    new: list[Case] = [(start + one, start + one) for one in by]
    return new, before(*old)


@dataclass(frozen=True)
class Row:
    """`fails` are the criteria that did not pass, `silent` those that were not assessed."""

    what: str
    given: Callable[[], Summary]
    word: Word
    fails: set[str] = field(default_factory=set)
    silent: set[str] = field(default_factory=lambda: {f"no-regression:{U}", f"no-regression:{P}"})


BOTH_FLOORS = {f"floor:{U}", f"floor:{P}"}
BOTH_CHANGES = {f"no-regression:{U}", f"no-regression:{P}"}
GO, HOLD = Word.GO, Word.HOLD
NO_GO, LITTLE = Word.NO_GO, Word.NOT_ENOUGH_EVIDENCE


def compared(by: list[int], margin: float = 0.5, **options: Any) -> Callable[[], Summary]:
    def given() -> Summary:
        new, old = shifted(by)
        return summary(*new, baseline=old, policy={"margin": margin}, **options)

    return given


def margin_at_the_limit(hair: float) -> Summary:
    """Ten pairs; the margin lies at the lower limit of the difference, or a hair beside it."""
    new, old = shifted([1, 0, 0, 0, 0, 0, 0, 0, 0, -1])
    first = summary(*new, baseline=old)
    assert first.comparison
    low = first.comparison.metrics[0].paired.low
    assert low is not None
    return summary(*new, baseline=old, policy={"margin": -low + hair})


def all_waived(cases: int, reviews: int) -> dict[str, dict[str, Any]]:
    """So many reviews of each case need not come."""
    return {"reviews": {"reviews": {f"c{n:02}": reviews for n in range(1, cases + 1)}}}


TABLE = [
    # The mean against its floor
    Row("five cases, all 4 and 5", lambda: summary(*FIVE), GO),
    Row("every score is 4", lambda: summary(*[(4, 4)] * 5), GO),
    Row("every score is 3", lambda: summary(*[(3, 3)] * 5), LITTLE, BOTH_FLOORS),
    Row("every score is 2", lambda: summary(*[(2, 2)] * 5), NO_GO, BOTH_FLOORS),
    Row("the floor a hair below", lambda: summary(*FIVE, policy=floors(LOW - HAIR)), GO),
    Row("the floor at the limit", lambda: summary(*FIVE, policy=floors(LOW)), LITTLE, BOTH_FLOORS),
    Row(
        "the floor a hair inside",
        lambda: summary(*FIVE, policy=floors(LOW + HAIR)),
        LITTLE,
        BOTH_FLOORS,
    ),
    Row(
        "the floor at the upper limit",
        lambda: summary(*FIVE, policy=floors(HIGH)),
        LITTLE,
        BOTH_FLOORS,
    ),
    Row(
        "the floor a hair above",
        lambda: summary(*FIVE, policy=floors(HIGH + HAIR)),
        NO_GO,
        BOTH_FLOORS,
    ),
    Row(
        "one metric alone below its floor",
        lambda: summary(*[((4, 5), (2, 2))] * 6),
        NO_GO,
        {f"floor:{P}"},
    ),
    Row(
        "one metric alone around its floor",
        lambda: summary(*FIVE, policy={"floors": {U: LOW}}),
        LITTLE,
        {f"floor:{U}"},
    ),
    Row(
        "the floors of the policy, not the usual ones",
        lambda: summary(*[(2, 3)] * 6, policy=floors(2.0)),
        GO,
    ),
    # A case at the bottom
    Row("one case stands at 2", lambda: summary(*MANY, (2, 2)), GO),
    Row("one case stands at 1", lambda: summary(*MANY, (1, 1)), NO_GO, {"lowest-levels"}),
    Row("one case stands at 0 and 1", lambda: summary(*MANY, (0, 1)), NO_GO, {"lowest-levels"}),
    Row(
        "on one metric alone",
        lambda: summary(*MANY, ((5, 5), (0, 0))),
        NO_GO,
        {"lowest-levels"},
    ),
    Row("a lone 1 waits", lambda: summary(*MANY, (1, 2)), HOLD, {"adjudications"}),
    Row(
        "a lone 1, agreed to be 1",
        lambda: summary(*MANY, (1, 2), agreed={"c20": {U: 1, P: 1}}),
        NO_GO,
        {"lowest-levels"},
    ),
    Row(
        "a lone 1, agreed to be 2",
        lambda: summary(*MANY, (1, 2), agreed={"c20": {U: 2, P: 2}}),
        GO,
    ),
    Row(
        "two points apart and settled in the middle",
        lambda: summary(*MANY, (3, 5), agreed={"c20": {U: 4, P: 4}}),
        GO,
    ),
    Row(
        "settled, but a review was revised since",
        lambda: summary(*MANY, (3, 5), agreed={"c20": {U: 4, P: 4}}, is_stale=True),
        HOLD,
        {"adjudications"},
    ),
    Row(
        "an adjudication that was waived",
        lambda: summary(
            *MANY,
            (3, 5),
            waivers={
                "adjudications": {
                    "cases": {"c20": {"metrics": [P, U], "basis": [["omar", 1], ["rita", 1]]}}
                }
            },
        ),
        HOLD,
        {"adjudications"},
    ),
    Row(
        "a lone 1 beside three fives is below no floor, and waits",
        lambda: summary(*MANY, (5, 1)),
        HOLD,
        {"adjudications"},
    ),
    # One review a case
    Row(
        "one review a case, all good",
        lambda: summary(*[(4,), (5,)] * 10, k=1),
        GO,
        set(),
        BOTH_CHANGES | {f"within-one:{U}", f"within-one:{P}"},
    ),
    Row(
        "one review a case, one at the bottom",
        lambda: summary(*[(4,), (5,)] * 10, (1,), k=1),
        NO_GO,
        {"lowest-levels"},
        BOTH_CHANGES | {f"within-one:{U}", f"within-one:{P}"},
    ),
    # Flags
    Row("harmful, not judged", lambda: summary(*FIVE, flags=[flag("c01")]), HOLD, {"flags"}),
    Row(
        "harmful, confirmed",
        lambda: summary(*FIVE, flags=[flag("c01", outcome="confirmed")]),
        NO_GO,
        {"harmful-content"},
    ),
    Row("harmful, rejected", lambda: summary(*FIVE, flags=[flag("c01", outcome="rejected")]), GO),
    Row(
        "broken, confirmed",
        lambda: summary(*FIVE, flags=[flag("c01", "broken", "confirmed")]),
        GO,
    ),
    Row(
        "broken, not judged", lambda: summary(*FIVE, flags=[flag("c01", "broken")]), HOLD, {"flags"}
    ),
    # Against the baseline
    Row("five pairs, all fell by 1", compared([-1] * 5), NO_GO, BOTH_CHANGES | BOTH_FLOORS, set()),
    Row(
        "six pairs fell by 0.5 in the mean, surely",
        lambda: summary(
            *[(4, 5)] * 6,
            baseline=before(*[(5, 5)] * 6),
        ),
        NO_GO,
        BOTH_CHANGES,
        set(),
    ),
    Row(
        "the same fall, less than the margin",
        lambda: summary(
            *[(4, 5)] * 6, baseline=before(*[(5, 5)] * 6), policy={"margin": 0.5 + HAIR}
        ),
        GO,
    ),
    Row(
        "a fall of half a point that may be none",
        lambda: summary(*[(5, 5), (5, 5), (5, 4), (4, 4), (4, 4)], baseline=before(*[(5, 5)] * 5)),
        GO,
    ),
    Row("nine pairs, a fall not ruled out", compared([1, 1, 1, 1, 0, -1, -1, -1, 0]), GO),
    Row(
        "ten pairs, a fall not ruled out",
        compared([1, 1, 1, 1, 0, -1, -1, -1, 0, 0], margin=0.4),
        LITTLE,
        BOTH_CHANGES,
        set(),
    ),
    Row("ten pairs without a change", compared([0] * 10), GO, set(), set()),
    Row("the margin a hair beyond the limit", lambda: margin_at_the_limit(HAIR), GO, set(), set()),
    Row(
        "the margin at the limit",
        lambda: margin_at_the_limit(0.0),
        LITTLE,
        BOTH_CHANGES,
        set(),
    ),
    Row(
        "no case is shared",
        lambda: summary(*FIVE, baseline=before(*FIVE, keys=["a", "b", "c", "d", "e"])),
        GO,
    ),
    Row(
        "a baseline of another rubric version",
        lambda: summary(*FIVE, baseline=before(*[(5, 5)] * 5, rubric=7, rubric_digest="other")),
        GO,
    ),
    # What lacks
    Row(
        "a kind without a case",
        lambda: summary(*FIVE, kinds=[*KINDS[:4], KINDS[0]]),
        LITTLE,
        {"kinds"},
    ),
    Row(
        "a kind without a case, waived",
        lambda: summary(*FIVE, kinds=[*KINDS[:4], KINDS[0]], waivers={f"kind:{KINDS[4]}": {}}),
        GO,
    ),
    Row(
        "four cases, the fifth kind waived",
        lambda: summary(*FIVE[:4], waivers={f"kind:{KINDS[4]}": {}}),
        LITTLE,
        {"cases"},
    ),
    Row(
        "four cases, and that is waived as well",
        lambda: summary(*FIVE[:4], waivers={f"kind:{KINDS[4]}": {}, "cases": {"cases": 4}}),
        GO,
    ),
    Row(
        "a waiver of four cases does not cover three",
        lambda: summary(
            *FIVE[:3],
            waivers={
                **{f"kind:{key}": {} for key in KINDS[3:]},
                "cases": {"cases": 4},
            },
        ),
        LITTLE,
        {"cases"},
    ),
    Row("a review is missing", lambda: summary(*FIVE, (5, None)), LITTLE, {"reviews"}),
    Row(
        "a missing review, waived by name",
        lambda: summary(*FIVE, (5, None), waivers={"reviews": {"reviews": {"c06": 1}}}),
        GO,
    ),
    Row(
        "a waiver for another case",
        lambda: summary(*FIVE, (5, None), waivers={"reviews": {"reviews": {"c05": 1}}}),
        LITTLE,
        {"reviews"},
    ),
    Row(
        "a waiver of one where two are missing",
        lambda: summary(
            *[(5, 4, 5)] * 5, (5, None, None), k=3, waivers={"reviews": {"reviews": {"c06": 1}}}
        ),
        LITTLE,
        {"reviews"},
    ),
    Row(
        "nothing came in",
        lambda: summary(*[(None, None)] * 5),
        LITTLE,
        BOTH_FLOORS | {"reviews", "kinds", "cases"},
        BOTH_CHANGES | {f"within-one:{U}", f"within-one:{P}"},
    ),
    # Waived reviews: a case that nobody judged shows nothing
    Row(
        "every case has one review, the others waived",
        lambda: summary(*[(5, None), (4, None)] * 3, waivers=all_waived(6, 1)),
        GO,
        set(),
        BOTH_CHANGES | {f"within-one:{U}", f"within-one:{P}"},
    ),
    Row(
        "two of five cases judged, the reviews of the others waived",
        lambda: summary(*FIVE[:2], *[(None, None)] * 3, waivers=all_waived(5, 2)),
        LITTLE,
        {"kinds", "cases"} | BOTH_FLOORS,
    ),
    Row(
        "five of six judged, the sixth of a kind of its own",
        lambda: summary(
            *FIVE,
            (None, None),
            kinds=[*KINDS[:4], KINDS[0], KINDS[4]],
            waivers=all_waived(6, 2),
        ),
        LITTLE,
        {"kinds"},
    ),
    Row(
        "the same, and that kind is waived too",
        lambda: summary(
            *FIVE,
            (None, None),
            kinds=[*KINDS[:4], KINDS[0], KINDS[4]],
            waivers=all_waived(6, 2) | {f"kind:{KINDS[4]}": {}},
        ),
        GO,
    ),
    Row(
        "five of six judged, of all kinds",
        lambda: summary(*FIVE, (None, None), waivers=all_waived(6, 2)),
        GO,
    ),
    Row(
        "four of five judged, the fifth kind waived",
        lambda: summary(
            *FIVE[:4], (None, None), waivers=all_waived(5, 2) | {f"kind:{KINDS[4]}": {}}
        ),
        LITTLE,
        {"cases"},
    ),
    Row(
        "four of five judged, kind and number waived",
        lambda: summary(
            *FIVE[:4],
            (None, None),
            waivers=all_waived(5, 2) | {f"kind:{KINDS[4]}": {}, "cases": {"cases": 4}},
        ),
        GO,
    ),
    # How far reviewers agree
    Row(
        "four of five within one point",
        lambda: summary(*[(5, 4)] * 4, (3, 5), agreed={"c05": {U: 4, P: 4}}),
        GO,
    ),
    Row(
        "three of five within one point",
        lambda: summary(
            *[(5, 4)] * 3, *[(3, 5)] * 2, agreed={key: {U: 4, P: 4} for key in ("c04", "c05")}
        ),
        HOLD,
        {f"within-one:{U}", f"within-one:{P}"},
    ),
    Row(
        "sixteen of twenty within one point",
        lambda: summary(
            *[(5, 4)] * 16,
            *[(3, 5)] * 4,
            agreed={f"c{n}": {U: 4, P: 4} for n in range(17, 21)},
        ),
        GO,
    ),
    Row(
        "fifteen of twenty within one point",
        lambda: summary(
            *[(5, 4)] * 15,
            *[(3, 5)] * 5,
            agreed={f"c{n}": {U: 4, P: 4} for n in range(16, 21)},
        ),
        HOLD,
        {f"within-one:{U}", f"within-one:{P}"},
    ),
    Row(
        "the share that the policy asks for",
        lambda: summary(
            *MANY, (3, 5), agreed={"c20": {U: 4, P: 4}}, policy={"within_one": 0.95 + HAIR}
        ),
        HOLD,
        {f"within-one:{U}", f"within-one:{P}"},
    ),
    # The first that applies
    Row(
        "forbidden although a review is missing",
        lambda: summary(*MANY, (1, 1), (5, None)),
        NO_GO,
        {"lowest-levels", "reviews"},
    ),
    Row(
        "too little although something waits",
        lambda: summary(*MANY, (1, 2), (5, None)),
        LITTLE,
        {"adjudications", "reviews"},
    ),
    Row(
        "forbidden although something waits",
        lambda: summary(*MANY, (1, 2), flags=[flag("c01", outcome="confirmed")]),
        NO_GO,
        {"adjudications", "harmful-content"},
    ),
]


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.what)
def test_each_release_gets_its_word_for_its_reasons(row: Row) -> None:
    found = verdict.decide(row.given())
    assert {one.name for one in found.criteria if one.passed is False} == row.fails
    assert {one.name for one in found.criteria if one.passed is None} == row.silent
    assert found.word == row.word


def test_the_table_is_long_enough() -> None:
    assert len(TABLE) >= 40
    assert {row.word for row in TABLE} == set(Word)


# --- In words -------------------------------------------------------------------------------------


def words_of(given: Summary, name: str = "") -> str:
    found = verdict.decide(given)
    reason = found.criterion(name).reason if name else found.sentence
    return translate_reason(reason, own_names(given))


def change_of(given: Summary, name: str) -> str:
    reason = verdict.decide(given).criterion(name).would_change
    assert reason
    return translate_reason(reason, own_names(given))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (lambda: summary(*FIVE), "Every metric is clearly above its floor, and nothing is open."),
        (
            lambda: summary(*[(4, 4)] * 5),
            "Every metric is above its floor and nothing is open; but the cases do not differ, so "
            "an interval has no width.",
        ),
        (
            compared([1, 0] * 6),
            "Every metric is clearly above its floor, nothing got worse by more than the margin, "
            "and nothing is open.",
        ),
        (
            lambda: summary((3, 4), (3, 3), (5, 5), (3, 3), (4, 4)),
            "5 cases, 10 reviews: the floors lie inside the intervals of Usability & Value, "
            "Personalization.",
        ),
        (lambda: summary(*FIVE, (5, None)), "1 review is missing: c06."),
        (
            lambda: summary(*MANY, (0, 0)),
            "1 case stands at the two lowest levels, as agreed or by all its reviewers: c20.",
        ),
        (lambda: summary(*MANY, (2, 4)), "1 case waits for adjudication: c20."),
        (
            lambda: summary(*[(4, 5)] * 6, baseline=before(*[(5, 5)] * 6)),
            "Usability & Value fell by 0.5 points in each of the same 6 cases; the agreed margin "
            "was 0.5. The interval has no width: the cases do not differ, and others may.",
        ),
        (
            lambda: summary(*[(4, 5), (4, 4)] * 5, baseline=before(*[(5, 5)] * 10)),
            "Usability & Value fell by 0.8 points (0.6 to 0.9) on the same 10 cases; the agreed "
            "margin was 0.5.",
        ),
    ],
)
def test_the_sentence_beside_the_word(given: Callable[[], Summary], sentence: str) -> None:
    assert words_of(given()) == sentence


@pytest.mark.parametrize(
    ("level", "words"),
    [
        (4, "is 4.0 in each of 5 cases, above its floor of 3.0."),
        (3, "is 3.0 in each of 5 cases, just at its floor."),
        (2, "is 2.0 in each of 5 cases, below its floor of 3.0."),
    ],
)
def test_an_interval_without_width_is_never_shown_as_one(level: int, words: str) -> None:
    told = words_of(summary(*[(level, level)] * 5), f"floor:{U}")
    assert told.startswith(f"Usability & Value {words} The interval has no width")


def test_an_interval_without_width_is_called_one() -> None:
    assert words_of(summary(*[(4, 4)] * 5), f"floor:{U}") == (
        "Usability & Value is 4.0 in each of 5 cases, above its floor of 3.0. The interval has no "
        "width: the cases do not differ, and others may."
    )


def test_full_agreement_of_few_cases_says_that_they_are_few() -> None:
    agreement = summary((4, 4), (5, 5), (3, 3), (4, 4), (5, 5)).metrics[0].agreement
    assert agreement.alpha.value == agreement.alpha.high == 1.0
    assert agreement.reading == "unreliable"
    assert agreement.few
    assert str(agreement.few) == "5 cases with two reviews are few: the next ones can change this"
    assert summary(*[(4, 4), (5, 5)] * 10).metrics[0].agreement.few is None


def test_what_would_settle_a_floor_inside_the_interval() -> None:
    """screens.md (b): 3.6 (2.8 to 4.4) takes about 3 more, 3.2 (2.3 to 4.1) about 50."""
    near = summary((3, 3), (3, 3), (4, 4), (4, 5), (3, 4))
    assert change_of(near, f"floor:{U}") == "Usability & Value: about 3 more cases like these."
    far = summary((2, 3), (3, 3), (3, 3), (3, 4), (4, 4))
    mean = far.metrics[0].mean
    assert (mean.value, mean.n) == (3.2, 5)
    assert change_of(far, f"floor:{U}") == (
        "Usability & Value stands only 0.2 above its floor: about 30 more cases like these. Better "
        "to improve it than to measure it."
    )
    at_the_floor = summary(*[(3, 3)] * 5)
    assert "more cases like these would not lift it" in change_of(at_the_floor, f"floor:{U}")


def test_so_many_more_cases_and_not_one_fewer() -> None:
    for distance, sd, cases in [(0.6, 0.644, 5), (0.2, 0.725, 5), (0.05, 0.9, 12), (3.0, 1.0, 2)]:
        more = more_cases(distance=distance, sd=sd, cases=cases)
        assert more is not None
        assert low_at(distance, sd, cases + more) > 0
        assert more == 0 or low_at(distance, sd, cases + more - 1) <= 0
    assert more_cases(distance=0.6, sd=0.644, cases=5) == 2
    assert more_cases(distance=0.2, sd=0.725, cases=5) == 48
    assert more_cases(distance=0.0, sd=1.0, cases=5) is None
    assert more_cases(distance=-1.0, sd=1.0, cases=5) is None
    assert more_cases(distance=1e-6, sd=1.0, cases=5) is None
    assert (about(3), about(20), about(48)) == (3, 20, 50)


def low_at(distance: float, sd: float, count: int) -> float:
    return float(distance - stats.t.ppf(0.975, count - 1) * sd / count**0.5)


def test_how_many_more_cases_within_one_point() -> None:
    assert more_passing(passing=3, of=5, share=0.8) == 5
    assert more_passing(passing=15, of=20, share=0.8) == 5
    assert more_passing(passing=4, of=5, share=0.8) == 0
    assert more_passing(passing=4, of=5, share=1.0) == 0


def test_a_figure_is_told_on_its_own_side_of_the_limit() -> None:
    assert format_points(3.62, beside=3.0) == "3.6"
    assert format_points(2.98, beside=3.0) == "2.98"
    assert format_points(3.0004, beside=3.0) == "3.0004"
    assert format_points(3.0, beside=3.0) == "3.0"


def test_a_lower_limit_that_would_round_to_the_floor_keeps_its_digits() -> None:
    given = summary(*FIVE, policy=floors(round(LOW - 0.001, 10)))
    assert f"({format_points(LOW, beside=LOW - 0.001)} to" in words_of(given, f"floor:{U}")
    assert format_points(LOW, beside=LOW - 0.001) != "3.9"


def test_the_cases_behind_a_criterion_the_worst_first() -> None:
    given = summary((2, 3), (5, 5), (2, 2), (4, 4), (5, 5))
    assert verdict.decide(given).criterion(f"floor:{U}").cases == ("c03", "c01")
    new, old = shifted([-1, 0, -2, 1, 0])
    assert verdict.decide(summary(*new, baseline=old)).criterion(f"no-regression:{U}").cases == (
        "c03",
        "c01",
    )
    assert verdict.decide(summary(*MANY, (2, 4))).criterion(f"within-one:{U}").cases == ("c20",)
    assert verdict.decide(summary(*FIVE, (None, None))).criterion("reviews").cases == ("c06",)


def test_why_the_change_is_not_assessed() -> None:
    name = f"no-regression:{U}"
    assert words_of(summary(*FIVE), name) == "not assessed: there is no baseline"
    five = summary(*FIVE, baseline=before(*[(4, 4)] * 5))
    assert words_of(five, name) == (
        "Usability & Value: not assessed (5 pairs): only changes of about 0.7 points could be seen."
    )
    flat = summary(*FIVE, baseline=before(*FIVE))
    assert words_of(flat, name) == (
        "Usability & Value: not assessed (5 pairs). From 10 shared cases on it is."
    )
    other = before(*FIVE, rubric=7, rubric_digest="other")
    assert words_of(summary(*FIVE, baseline=other), name) == (
        "not compared: judged by rubric version 7 then and 1 now"
    )
    apart = before(*FIVE, keys=["a", "b", "c", "d", "e"])
    assert words_of(summary(*FIVE, baseline=apart), name) == (
        "no comparison possible: no case is shared"
    )


def test_a_case_that_two_people_flagged_is_one_case() -> None:
    twice = [
        flag("c01", outcome="confirmed", by="rita"),
        flag("c01", outcome="confirmed", by="wei"),
    ]
    found = verdict.decide(summary(*FIVE, flags=twice)).criterion("harmful-content")
    assert (found.value, found.cases) == (1.0, ("c01",))
    assert str(found.reason) == "Harmful content is confirmed in 1 case: c01."
    waiting = [flag("c01", by="rita"), flag("c01", by="wei")]
    found = verdict.decide(summary(*FIVE, flags=waiting)).criterion("flags")
    assert (found.value, found.cases) == (2.0, ("c01",))
    assert str(found.reason) == "2 flags wait to be judged: c01."


def test_what_decided() -> None:
    found = verdict.decide(summary(*MANY, (1, 2), (5, None), flags=[flag("c01")]))
    assert [one.name for one in found.because] == ["reviews"]
    assert [one.name for one in found.open] == ["reviews", "adjudications", "flags"]
    good = verdict.decide(summary(*FIVE))
    assert all(one.passed for one in good.because)
    assert good.open == ()


def test_on_a_scale_of_two_levels_the_higher_is_not_the_bottom() -> None:
    metrics = summary(*FIVE).metrics
    short = metrics[0].__class__(**{**vars(metrics[0]), "levels": (0, 1)})
    assert not is_at_the_bottom(CaseScore(1.0, None, (0, 2)), short)
    assert is_at_the_bottom(CaseScore(0.0, None, (2, 0)), short)
    assert not is_at_the_bottom(CaseScore(1.0, 1, (1, 1)), short)


def test_sentences_in_the_reader_s_language_with_the_names_of_the_rubric() -> None:
    chinese = translated(DOCUMENT, (SHIPPED / "zh-hans.md").read_text("utf-8")).document
    names = names_in(chinese)
    given = summary((3, 4), (3, 3), (5, 5), (3, 3), (4, 4), kinds=[*KINDS[:4], KINDS[0]])
    found = verdict.decide(given)
    with translation.override("zh-hans"):
        assert translate_reason(found.criterion("kinds").reason, names) == (
            f"1 个类别没有评审过的用例：{chinese.sampling.kinds[4].text}。"
        )
        assert translate_reason(found.criterion(f"floor:{U}").reason, names).startswith(
            f"底线 3.0 落在{chinese.metrics[0].name}的区间之内："
        )
        assert found.word
        assert str(found.word.label) == "证据不足"
