"""What a report says, in words: of summaries that are built without a database."""

import re
from dataclasses import replace

import pytest
from django.utils import translation

from cases.models import Release
from cases.rubric import Document
from reviews.agreement import Result
from reviews.models import Closing, Decision
from reviews.report import (
    brief,
    cases_behind,
    cases_to_open,
    comparison,
    first_screen,
    key_figures,
    method,
    numbers,
    scores,
    verdict,
)
from reviews.report import documents as report_documents
from reviews.report.cases_behind import AskedCases
from reviews.report.headline import headline
from reviews.report.links import Links
from reviews.report.summary import Summary
from reviews.report.summary.comparison import compare
from reviews.report.summary.document import WithdrawnSummary
from reviews.report.verdict import Word
from tests.bed import summaries
from tests.bed.reviewed import ITEMS, METRICS
from tests.bed.summaries import DOCUMENT, flag, summary

GOOD = summary(*[(4, 5)] * 12)
USABILITY, PERSONALIZATION = METRICS


def links(*, status: str = "closed") -> Links:
    """Nothing of it is stored, so nothing can be asked of a database."""
    return Links(Release(name="wanderer-2", status=status))


def keys(found: cases_behind.CasesBehind) -> list[str]:
    return [one.case_key for one in found.cases]


def behind(found: Summary, **asked: str) -> list[str]:
    return keys(cases_behind.find(found, verdict.decide(found), DOCUMENT, AskedCases(**asked)))


# --- Numbers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "beside", "shown"),
    [
        (4.24, None, "4.2"),
        (2.96, 3.0, "2.96"),
        (3.0, 3.0, "3.0"),
        (2.9996, 3.0, "2.9996"),
        (-0.04, None, "0.0"),
    ],
)
def test_a_figure_never_looks_equal_to_a_limit_that_it_misses(
    value: float, beside: float | None, shown: str
) -> None:
    assert numbers.format_points(value, beside=beside) == shown


@pytest.mark.parametrize(
    ("value", "shown"), [(0.24, "+0.2"), (-0.24, "-0.2"), (0.0, "0.0"), (-0.04, "-0.04")]
)
def test_a_change_has_its_sign(value: float, shown: str) -> None:
    assert numbers.format_change(value) == shown


def test_the_verdict_tells_a_change_as_the_tile_does() -> None:
    """0.03 is no +0.0 in one place and +0.03 in the other; and nothing is -0.0."""
    before = summary(*[(4, 4)] * 20, release="wanderer-1")
    after = summary(*[(4, 4)] * 15, *[(5, 5)] * 5, baseline=before)
    assert after.comparison
    change = after.comparison.metrics[0].paired
    assert change.low is not None
    assert 0.01 < change.low < 0.05
    tile = tiles(after)["Against wanderer-1"]
    sentence = str(verdict.decide(after).criterion(f"no-regression:{USABILITY}").reason)
    assert f"{tile.figure} ({tile.interval})" in sentence
    assert "+0.0 " not in sentence
    for value in (-0.0, -0.001, 0.001):
        assert numbers.format_change(value, beside=-0.5) == "0.0"


@pytest.mark.parametrize(
    ("share", "shown"), [(0.0, 0), (0.001, 1), (0.374, 37), (0.999, 99), (1.0, 100)]
)
def test_only_all_is_a_hundred_percent_and_only_none_is_zero(share: float, shown: int) -> None:
    assert numbers.round_percent(share) == shown


@pytest.mark.parametrize(
    ("p_value", "shown"),
    [(1e-9, "less than 1 in 10,000"), (0.02, "about 1 in 50"), (0.5, "about 50 %")],
)
def test_chance_is_told_as_people_say_it(p_value: float, shown: str) -> None:
    assert numbers.format_chance(p_value) == shown


# --- The first screen -----------------------------------------------------------------------------


def tiles(found: Summary) -> dict[str, key_figures.Tile]:
    return {one.name: one for one in key_figures.build_tiles(found, DOCUMENT, links())}


def lines_of(tile: key_figures.Tile) -> list[str]:
    return [one.words for one in tile.lines]


def test_the_tiles_stand_in_their_order() -> None:
    assert list(tiles(GOOD)) == [
        "Usability & Value",
        "Personalization",
        "Within one point",
        "Against the baseline",
    ]


def test_a_metric_is_called_by_its_limits_not_by_its_mean() -> None:
    above = tiles(GOOD)["Personalization"]
    assert (above.figure, above.interval) == ("4.5", "4.5 to 4.5")
    assert above.tone == "good"
    around = tiles(summary((5, 5), (2, 2), (4, 4), (3, 3), (4, 4)))["Personalization"]
    assert (around.figure, around.tone) == ("3.6", "open")
    assert "floor 3.0: the true mean may be above or below it" in lines_of(around)
    below = tiles(summary(*[(1, 2), (2, 1)] * 6))["Personalization"]
    assert below.tone == "bad"


def test_every_tile_says_from_how_many() -> None:
    assert "12 cases, 24 reviews" in lines_of(tiles(GOOD)["Personalization"])
    assert tiles(GOOD)["Within one point"].figure == "12 of 12"


def test_within_one_point_names_both_metrics_where_they_differ() -> None:
    found = summary(*[((4, 4), (5, 5))] * 4, ((4, 4), (2, 5)))
    tile = tiles(found)["Within one point"]
    assert tile.figure == "4 of 5"
    assert lines_of(tile)[:2] == [
        "Usability & Value: 5 of 5 cases",
        "Personalization: 4 of 5 cases",
    ]
    assert "only=apart" in tile.href
    assert ["only=apart" in one.href for one in tile.lines[:2]] == [False, True]


def test_one_reviewer_a_case_leaves_agreement_unassessed() -> None:
    tile = tiles(summary(*[(4,)] * 6, k=1))["Within one point"]
    assert tile.figure == ""
    assert lines_of(tile) == ["not assessed", "not defined: no case has two reviews"]


def test_the_change_says_on_how_many_cases_and_what_so_few_can_show() -> None:
    before = summary(*[(4, 4)] * 4, (3, 4), release="wanderer-1")
    after = summary(*[(4, 5)] * 3, (3, 3), (4, 4), baseline=before)
    tile = tiles(after)["Against wanderer-1"]
    assert tile.figure == "+0.2"
    assert lines_of(tile)[0] == "Usability & Value on 5 shared cases: 4 better, 0 same, 1 worse"
    assert "5 of 5 by the same reviewers" in lines_of(tile)
    assert "5 pairs can only detect changes of about" in lines_of(tile)[-1]


def test_small_samples_are_called_small() -> None:
    assert "small sample" in first_screen.describe_small_sample(GOOD)
    assert first_screen.describe_small_sample(summary(*[(4, 5)] * 20)) == ""


def test_the_weakest_question_is_one_that_is_surely_weak() -> None:
    """One no of one answer says less than five of ten."""
    answers = {"c01": ("no", "na")} | {f"c{n:02}": ("no", "yes") for n in range(2, 7)}
    found = summary(*[(4, 4)] * 6, answers=answers)
    weakest = first_screen.find_weakest_question(found, DOCUMENT, links())
    assert weakest
    assert (weakest.question.rate.count, weakest.question.rate.of) == (5, 11)


def test_where_no_question_got_a_no_none_is_the_weakest() -> None:
    weakest = first_screen.find_weakest_question(GOOD, DOCUMENT, links())
    assert weakest
    assert weakest.href == ""
    assert "No question was answered with no." in text_of(GOOD)
    assert "weakest" not in text_of(GOOD)


def test_no_applicable_answer_leaves_no_weakest_question() -> None:
    found = summary((4, 4), answers={"c01": ("na", "na")})
    assert first_screen.find_weakest_question(found, DOCUMENT, links()) is None
    ((_metric, questions), _other) = scores.build_checklist(found, DOCUMENT, links())
    assert questions[0].figure == ""
    assert questions[0].note == ("not defined: no answer says that the question applies")


def to_open(found: Summary) -> list[tuple[str, str]]:
    chosen = cases_to_open.choose_cases(found, verdict.decide(found), DOCUMENT, links())
    return [(str(one.case), one.reason) for one in chosen]


def test_three_cases_to_open_the_gravest_first_each_with_one_reason() -> None:
    found = summary(
        (5, 5),
        (1, 1),
        (2, 4),
        (2, 2),
        (4, 4),
        flags=[flag("c05", outcome="confirmed"), flag("c01", outcome="rejected")],
    )
    assert to_open(found) == [
        ("c05", "confirmed: harmful content"),
        ("c02", "Usability & Value 1.0"),
        ("c03", "waits for adjudication: Usability & Value 2 against 4"),
    ]


def test_a_drop_that_decided_puts_the_largest_falls_first() -> None:
    before = summary(*[(5, 5)] * 12, release="wanderer-1")
    after = summary(*[(4, 4)] * 11, (3, 3), baseline=before)
    assert verdict.decide(after).word == Word.NO_GO
    assert to_open(after)[0] == ("c12", "Usability & Value fell from 5.0 to 3.0")


def test_where_nothing_stands_out_the_lowest_scores_are_to_open() -> None:
    found = to_open(summary((5, 5), (4, 4), (5, 4), (5, 5)))
    assert found[0] == ("c02", "among the lowest: Personalization 4.0")
    assert len(found) == 3


def test_nothing_is_to_open_before_reviews_are_in() -> None:
    assert to_open(summary((4, None), (None, None))) == []


# --- What is open ---------------------------------------------------------------------------------


def opened(found: Summary) -> list[str]:
    return [one.sentence for one in first_screen.list_open(found, DOCUMENT, links())]


def test_a_waiver_of_some_reviews_hides_none_of_the_others() -> None:
    found = summary(
        *[(4, 5)] * 5, (4, None), (5, None), waivers={"reviews": {"reviews": {"c06": 1}}}
    )
    assert opened(found) == ["1 review is missing"]
    assert opened(summary(*[(4, 5)] * 5, (4, None))) == ["1 review is missing"]
    assert opened(summary(*[(4, 5)] * 5)) == []


def test_what_nobody_will_judge_leaves_its_kind_and_its_case_open() -> None:
    waived = {"reviews": {"reviews": {f"c{n:02}": 2 for n in range(1, 6)}}}
    found = summary(*[(4, 5)] * 4, (None, None), waivers=waived)
    text = DOCUMENT.sampling.kinds[4].text
    assert opened(found) == [
        f"No case of the kind was judged: {text}",
        "4 of 5 required cases are in the sample",
    ]
    assert first_screen.describe_evidence(found) == "4 cases, 8 reviews, 2 reviewers, 4 of 5 kinds."
    assert headline(found)["cases"] == 4
    assert headline(found)["kinds_covered"] == 4


# --- The rows behind a number ---------------------------------------------------------------------

MIXED = summary((5, 5), (2, 4), (4, None), (1, 2), answers={"c01": ("yes", "no")})


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({}, ["c01", "c02", "c04"]),
        ({"metric": USABILITY}, ["c04", "c02", "c01"]),
        ({"metric": USABILITY, "level": "4"}, ["c02"]),
        ({"metric": USABILITY, "only": "apart"}, ["c02"]),
        ({"metric": USABILITY, "only": "escaped"}, ["c04"]),
        ({"metric": USABILITY, "kind": summaries.KINDS[0]}, ["c01"]),
        ({"kind": "-"}, []),
        ({"question": ITEMS[0], "answer": "no"}, ["c01"]),
        ({"question": ITEMS[0], "only": "split"}, ["c01"]),
        ({"only": "left-out"}, ["c03"]),
        ({"first": "omar", "second": "rita"}, ["c01", "c02", "c04"]),
        ({"criterion": "adjudications"}, ["c02", "c04"]),
        ({"metric": USABILITY, "only": "paired"}, ["c04", "c02", "c01"]),
        ({"question": ITEMS[0], "only": "paired"}, ["c01", "c02", "c04"]),
        ({"only": "paired"}, ["c01", "c02", "c04"]),
    ],
    ids=lambda one: " ".join(one.values()) if isinstance(one, dict) else "",
)
def test_every_number_opens_the_cases_behind_it(asked: dict[str, str], expected: list[str]) -> None:
    assert behind(MIXED, **asked) == expected


@pytest.mark.parametrize(
    "asked",
    [
        {"metric": "speed"},
        {"metric": USABILITY, "level": "six"},
        {"metric": USABILITY, "level": "6"},
        {"question": "speed.1"},
        {"question": ITEMS[0], "answer": "perhaps"},
        {"kind": "moon"},
        {"only": "some"},
        {"reviewer": "nobody"},
        {"criterion": "luck"},
        {"change": "shared"},
        {"metric": USABILITY, "change": "worse"},
        {"question": ITEMS[0], "turned": "no"},
    ],
    ids=lambda one: " ".join(one.values()),
)
def test_rows_that_do_not_exist_are_not_there(asked: dict[str, str]) -> None:
    with pytest.raises(cases_behind.NoSuchRows):
        behind(MIXED, **asked)


OLD = summary(
    *[(4, 4)] * 6,
    release="wanderer-1",
    people=[("omar", "rita")] * 5 + [("rita", "wei")],
    answers={"c01": ("no", "no"), "c05": ("na", "na")},
)
NEW = summary(
    *[(5, 5), (4, 4), (2, 3), (4, 4), (3, 4), (1, 1)],
    (5, 5),
    answers={"c02": ("no", "no"), "c04": ("yes", "no")},
    baseline=OLD,
)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"change": "shared"}, ["c01", "c02", "c03", "c04", "c05", "c06"]),
        ({"metric": USABILITY, "change": "better"}, ["c01"]),
        ({"metric": USABILITY, "change": "same"}, ["c02", "c04"]),
        ({"metric": USABILITY, "change": "worse"}, ["c06", "c03", "c05"]),
        ({"metric": USABILITY, "change": "worse", "judges": "same"}, ["c03", "c05"]),
        ({"metric": USABILITY, "change": "shared", "kind": summaries.KINDS[0]}, ["c06", "c01"]),
        ({"question": ITEMS[0], "turned": "yes"}, ["c01"]),
        ({"question": ITEMS[0], "turned": "no"}, ["c02"]),
        ({"question": ITEMS[0], "turned": "could"}, ["c01", "c02", "c03", "c06"]),
    ],
    ids=lambda one: " ".join(one.values()) if isinstance(one, dict) else "",
)
def test_every_number_of_a_comparison_opens_the_cases_behind_it(
    asked: dict[str, str], expected: list[str]
) -> None:
    found = cases_behind.find(
        NEW, verdict.decide(NEW), DOCUMENT, AskedCases(**asked), NEW.comparison
    )
    assert keys(found) == expected
    assert "wanderer-1" in found.title


def test_the_counts_of_a_comparison_are_those_of_the_rows_they_open() -> None:
    assert NEW.comparison
    for one in NEW.comparison.metrics:
        for change, count in (
            ("better", one.paired.better),
            ("same", one.paired.same),
            ("worse", one.paired.worse),
            ("shared", one.paired.n),
        ):
            asked = AskedCases(metric=one.metric, change=change)
            found = cases_behind.find(NEW, verdict.decide(NEW), DOCUMENT, asked, NEW.comparison)
            assert len(found.cases) == count
    (row,) = cases_behind.build_rows(NEW, DOCUMENT, asked, [NEW.sample[2]], links(), NEW.comparison)
    assert (row.scores[0].standing, row.scores[0].was) == ("2.5", "4.0")


@pytest.mark.parametrize("asked", [{"change": "odd"}, {"judges": "odd"}, {"change": "worse"}])
def test_what_a_comparison_does_not_have_is_not_there(asked: dict[str, str]) -> None:
    with pytest.raises(cases_behind.NoSuchRows):
        cases_behind.find(NEW, verdict.decide(NEW), DOCUMENT, AskedCases(**asked), NEW.comparison)


def test_a_flagged_case_that_was_withdrawn_is_shown_as_such() -> None:
    gone = WithdrawnSummary("c09", summaries.KINDS[0], "broken", "cut off", 1)
    found = replace(
        summary(*[(4, 5)] * 5, flags=[flag("c09", outcome="confirmed")]), withdrawn=(gone,)
    )
    asked = AskedCases(criterion="harmful-content")
    cases = cases_behind.find(found, verdict.decide(found), DOCUMENT, asked).cases
    (row,) = cases_behind.build_rows(found, DOCUMENT, asked, cases, links())
    assert (str(row.case), row.reviews_in, row.scores) == ("c09", 1, [])
    assert row.withdrawn.endswith(": cut off")


def test_a_row_shows_what_was_given_and_said() -> None:
    asked = AskedCases(metric=USABILITY, level="4")
    found = cases_behind.find(MIXED, verdict.decide(MIXED), DOCUMENT, asked)
    (row,) = cases_behind.build_rows(MIXED, DOCUMENT, asked, found.cases, links())
    assert (row.scores[0].standing, row.scores[0].given) == ("3.0", "2, 4")
    assert [one.text for one in row.remarks] == ["rita on c02"]


def test_lists_stay_short_however_many_cases_there_are() -> None:
    """A report of thousands of cases is a page, not a book."""
    many = summary(*[(1, 4)] * 300, answers={f"c{n:02}": ("no", "no") for n in range(1, 300)})
    named = links()
    report_documents.list_findings(many, DOCUMENT, named)
    report_documents.list_disagreements(many, DOCUMENT, named)
    report_documents.describe_sample(many, DOCUMENT, named)
    report_documents.list_comments(many, named)
    cases_to_open.choose_cases(many, verdict.decide(many), DOCUMENT, named)
    assert 10 <= len(named.named) <= 60


# --- Method ---------------------------------------------------------------------------------------


def coefficients(found: Summary) -> dict[str, method.Coefficient]:
    one = method.build_methods(found, DOCUMENT, links())[0]
    return {each.name: each for each in [*one.plain, *one.coefficients]}


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (
            summary(*[(4, 4)] * 5),
            "not defined: every score is 4 (100 % exact agreement, 5 pairs)",
        ),
        (summary(*[(4,)] * 5, k=1), "not defined: no case has two reviews"),
        (
            summary(*[(4, 5)] * 4),
            "not defined: 4 cases with two reviews, at least 5 are needed",
        ),
    ],
    ids=["all equal", "one reviewer", "too few"],
)
def test_what_is_not_defined_says_why(found: Summary, sentence: str) -> None:
    alpha = coefficients(found)["Krippendorff's alpha, ordinal"]
    assert alpha.figure == ""
    assert alpha.note == sentence


def test_ac2_is_called_by_its_weights() -> None:
    found = summary(*[(4, 5), (2, 4), (3, 3), (5, 5), (1, 2), (4, 2)])
    one = found.metrics[0].agreement
    assert one.ac2.value is not None
    shown = coefficients(found)[f"Gwet's AC2, {one.ac2_weights} weights"]
    assert shown.figure == numbers.format_coefficient(one.ac2.value)


def test_a_coefficient_has_its_interval_and_what_it_rests_on() -> None:
    found = summary(*[(5, 5), (1, 2), (4, 4), (2, 2), (5, 4), (3, 3)])
    alpha = coefficients(found)["Krippendorff's alpha, ordinal"]
    assert re.fullmatch(r"\.\d{3}", alpha.figure)
    assert re.fullmatch(r"-?\.\d{3} to (\.\d{3}|1\.000)", alpha.interval)
    assert alpha.rests_on == "6 cases, 6 pairs"


def test_every_interval_has_a_name() -> None:
    found = summary(*[(5, 5), (1, 2), (4, 4), (2, 2), (5, 4), (3, 3)] * 4)
    for one in found.metrics:
        known = [value for value in vars(one.agreement).values() if isinstance(value, Result)]
        assert {value.method for value in known} <= set(method.METHODS)


def test_severity_says_why_it_is_not_shown() -> None:
    one = method.build_methods(summary(*[(4, 5)] * 5), DOCUMENT, links())[0]
    assert "at least 10 are needed" in one.severity_note
    other = method.build_methods(GOOD, DOCUMENT, links())[0]
    assert [
        (person.reviewer, numbers.format_change(person.effect))
        for person, _href in other.severity[0]
    ] == [("omar", "-0.5"), ("rita", "+0.5")]


# --- Two releases ---------------------------------------------------------------------------------


def test_a_comparison_is_told_case_by_case_the_largest_fall_first() -> None:
    before = summary((4, 4), (5, 5), (3, 3), release="wanderer-1", keys=["a", "b", "c"])
    after = summary((5, 5), (2, 3), (3, 3), keys=["a", "b", "d"])
    found = compare(after, before)
    told = comparison.build_comparison(
        found, DOCUMENT, comparison.Behind(found, links()), margin=0.5
    )
    assert (told.figures.shared, told.figures.by_same) == (2, 2)
    lines = comparison.build_case_rows(comparison.sort_cases(found), DOCUMENT, links())
    assert [(str(one.case), one.moves[0].change) for one in lines] == [("b", "-2.5"), ("a", "+1.0")]
    assert (found.only_before, found.only_after) == (("c",), ("d",))


def test_no_shared_case_is_no_difference() -> None:
    before = summary((4, 4), release="wanderer-1", keys=["a"])
    found = compare(summary((5, 5), keys=["b"]), before)
    told = comparison.build_comparison(
        found, DOCUMENT, comparison.Behind(found, links()), margin=0.5
    )
    assert str(told.figures.why) == "no comparison possible: no case is shared"


# --- The brief ------------------------------------------------------------------------------------

LONG = "Is the plan, taken as a whole and read by somebody in a hurry, free of gaps? " * 4
NOTABLE = {
    "go": GOOD,
    "few": summary((5, 5), (2, 2), (4, 4), (3, 3), (4, 4)),
    "empty": summary((None, None), (4, None)),
    "worse": summary(
        *[(3, 4)] * 12, baseline=summary(*[(5, 5)] * 12, release="wanderer-1"), flags=[flag("c01")]
    ),
    "kinds": summary((4, 5), (4, 5), kinds=["", ""]),
    "waived": summary(
        *[(4, 5)] * 5,
        (3, 5),
        waivers={
            "adjudications": {
                "cases": {
                    "c06": {
                        "metrics": sorted(METRICS),
                        "basis": [["omar", 1], ["rita", 1]],
                    }
                }
            }
        },
    ),
}


def text_of(
    found: Summary,
    document: Document = DOCUMENT,
    *,
    language: str = "en",
    signed: brief.Signed | None = None,
) -> str:
    signed = signed or brief.Signed()
    is_abandoned = bool(signed.closing and signed.closing.is_abandoned)
    judged = verdict.decide(found, is_abandoned=is_abandoned)
    status = "closed" if signed.closing else "reviewing"
    with translation.override(language):
        return brief.write_brief(found, judged, document, links(status=status), signed)


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("name", NOTABLE)
def test_the_brief_has_at_most_ninety_words_in_either_language(name: str, language: str) -> None:
    text = text_of(NOTABLE[name], language=language)
    assert 10 <= brief.count_words(text) <= 90


def test_the_brief_of_too_little_evidence_says_what_would_settle_it() -> None:
    text = text_of(summary((3, 3), (3, 3), (4, 4), (4, 5), (3, 4)))
    assert "What would settle it: Usability & Value: about 3 more cases like these." in text
    few = text_of(summary(*[(4, 5)] * 4, kinds=summaries.KINDS[:4]))
    assert "4 cases are judged; 5 are asked for. What would settle it: 1 kind has no" in few
    assert "1 more judged case, or a waiver with a reason." in few


def test_a_brief_tells_a_drop_once() -> None:
    text = text_of(NOTABLE["worse"])
    assert text.count("Usability & Value fell by 1.5 points") == 1
    assert "Against wanderer-1, Usability & Value" not in text
    assert "Against wanderer-1, Personalization changed by -1.5" in text


def test_a_brief_never_says_that_nothing_is_open_where_something_was_waived() -> None:
    text = text_of(NOTABLE["waived"])
    assert "wanderer-2: HOLD." in text
    assert "Waived: open adjudications." in text
    assert "Nothing is open" not in text
    assert "Nothing is open." in text_of(GOOD)


def test_a_brief_names_the_decision_and_that_it_is_against_the_verdict() -> None:
    closing = Closing(headline={"verdict": "GO"})
    signed = brief.Signed(closing, Decision(closing=closing, decision="do-not-ship", by="mina"))
    text = text_of(GOOD, signed=signed)
    assert text.startswith("wanderer-2: GO.")
    assert "Signed by mina: do not ship, against the verdict." in text
    signed = brief.Signed(closing, Decision(closing=closing, decision="ship", by="mina"))
    assert "Signed by mina: ship." in text_of(GOOD, signed=signed)


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_a_brief_of_an_abandoned_release_has_no_verdict(language: str) -> None:
    signed = brief.Signed(Closing(is_abandoned=True, reason="Wrong build."))
    text = text_of(NOTABLE["worse"], language=language, signed=signed)
    assert "Wrong build." in text
    assert not any(str(word) in text or str(word.label) in text for word in Word)


def test_one_long_question_does_not_make_the_brief_long() -> None:
    metrics = tuple(
        replace(
            one,
            name=LONG,
            checklist=tuple(replace(question, text=LONG) for question in one.checklist),
        )
        for one in DOCUMENT.metrics
    )
    text = text_of(NOTABLE["worse"], replace(DOCUMENT, metrics=metrics))
    assert brief.count_words(text) <= 90
    assert text.startswith("wanderer-2: NO-GO.")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("We read 24 trips by hand.", 6),
        ("3.6 (2.8 to 4.4), floor 3.0.", 6),
        ("人工评审", 2),
        ("人工评审 8 个用例。", 5),
        ("与 wanderer-1 相比，变化 +0.7（-1.6 至 +3.0）。", 8),
        ("", 0),
    ],
)
def test_two_chinese_characters_count_as_one_word(text: str, count: int) -> None:
    assert brief.count_words(text) == count


def test_every_number_of_the_brief_is_one_of_the_summary() -> None:
    found = NOTABLE["worse"]
    assert found.comparison
    change = found.comparison.metrics[0].paired
    mean = found.metrics[0].mean
    rate = first_screen.find_weakest_question(found, DOCUMENT, links())
    assert rate
    known = {
        *(
            numbers.format_points(one)
            for one in (mean.value, mean.low, mean.high, 3.0)
            if one is not None
        ),
        *(
            numbers.format_change(one)
            for one in (change.mean, change.low, change.high)
            if one is not None
        ),
        *(numbers.format_points(-one) for one in (change.mean, change.low) if one is not None),
        *map(str, (found.evidence.cases, found.evidence.reviews, found.evidence.reviewers)),
        *map(str, (rate.question.rate.count, rate.question.rate.of, change.n)),
        *(str(one) for one in (found.reviews_in, found.reviews_expected)),
        numbers.format_points(found.policy["margin"]),
        "1",
    }
    text = text_of(found).replace("wanderer-1", "").replace("wanderer-2", "")
    told = re.findall(r"[+-]?\d+(?:\.\d+)?", text)
    assert told
    assert [one for one in told if one not in known] == []
