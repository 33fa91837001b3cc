"""What a report says, in words: of summaries that are built without a database."""

import json
import re
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from django.conf import settings
from django.template.loader import render_to_string
from django.utils import translation

from cases.models import Release
from cases.rubric import Document
from reviews.models import Closing, Decision
from reviews.report import brief, cases_behind, comparison, findings, numbers, statistics, verdict
from reviews.report.cases_behind import AskedCases
from reviews.report.first_screen import build_first_screen
from reviews.report.headline import headline
from reviews.report.links import Links
from reviews.report.sentences import names_in, translate_reason
from reviews.report.summary import Summary
from reviews.report.summary.comparison import compare
from reviews.report.summary.document import WithdrawnSummary, read, serialize
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


def test_nothing_is_never_told_with_a_sign() -> None:
    for value in (-0.0, -0.001, 0.001):
        assert numbers.format_change(value, beside=-0.5) == "0.0"


@pytest.mark.parametrize(
    ("share", "shown"), [(0.0, 0), (0.001, 1), (0.374, 37), (0.999, 99), (1.0, 100)]
)
def test_only_all_is_a_hundred_percent_and_only_none_is_zero(share: float, shown: int) -> None:
    assert numbers.round_percent(share) == shown


@pytest.mark.parametrize(
    ("p_value", "shown"),
    [
        (1e-9, "less than 1 in 10,000"),
        (0.02, "about 1 in 50"),
        (0.149, "about 1 in 7"),
        (0.15, "2 times in 10"),
        (0.5, "5 times in 10"),
        (0.95, "9 times in 10"),
        (1.0, "nearly always"),
    ],
)
def test_chance_is_told_as_people_say_it(p_value: float, shown: str) -> None:
    assert numbers.format_chance(p_value) == shown


# --- The first screen -----------------------------------------------------------------------------


def rendered(template: str, **context: object) -> str:
    """The words of a template, without its tags."""
    html = render_to_string(f"reviews/report/{template}", context)
    return " ".join(unescape(re.sub("<[^>]*>", " ", html)).split())


def context_of(found: Summary, document: Document = DOCUMENT, **more: object) -> dict[str, Any]:
    judged = verdict.decide(found)
    own = links()
    return {
        **build_first_screen(found, judged, document, own),
        "summary": found,
        "verdict": judged,
        "names": names_in(document),
        "links": own,
        "release": own.release,
        "closing": None,
        "weakest": findings.list_weakest(found),
        **more,
    }


def card(found: Summary, place: int = 1) -> str:
    context = context_of(found)
    return rendered("_card.html", card=context["cards"][place], **context)


def test_a_card_has_the_figure_the_limit_that_decides_and_what_it_rests_on() -> None:
    shown = card(GOOD)
    assert shown.startswith("Personalization 4.5 95 % interval 4.0 to 5.0 ")
    assert shown.endswith("at least 4.1 (one-sided 95.0 % limit), floor 3.0 12 cases, 24 reviews")
    around = card(summary((5, 5), (2, 2), (4, 4), (3, 3), (4, 4)))
    assert re.search(r"3\.6 95 % interval .* between 2\.\d and 4\.\d \(one-sided", around)
    assert "at most" in card(summary(*[(1, 2), (2, 1)] * 6))


def test_a_card_is_coloured_by_the_criterion_not_by_the_mean() -> None:
    def tone(found: Summary) -> str:
        return str(context_of(found)["cards"][1].tone)

    assert tone(GOOD) == "good"
    assert tone(summary((5, 5), (2, 2), (4, 4), (3, 3), (4, 4))) == "open"
    assert tone(summary(*[(1, 2), (2, 1)] * 6)) == "bad"


def test_between_looks_a_card_has_neither_limit_nor_interval_nor_colour() -> None:
    """Any of them would tell the word."""
    found = summary(*[(4, 5)] * 4, (4, None))
    context = context_of(found)
    shown = card(found)
    assert (context["is_between"], context["cards"][1].tone) == (True, "")
    assert shown.startswith("Personalization 4.5 so far 4 cases")
    assert not any(word in shown for word in ("floor", "least", "most", "interval"))
    page = rendered("_first_screen.html", **context)
    assert "Between looks No word yet: 9 of 10 reviews for look 1 of" in page
    assert not any(str(word.label) in page for word in Word)


def test_the_first_rules_still_have_their_card() -> None:
    shown = card(summary(*[(4, 5)] * 12, rules=1))
    assert "floor 3.0" in shown
    assert "one-sided" not in shown


def test_a_fact_is_told_once_on_the_first_screen() -> None:
    """Neither what the sentence says nor what a card says is told again below."""
    before = summary(*[(5, 5)] * 12, release="wanderer-1")
    for found in (
        summary((5, 5), (2, 2), (4, 4), (3, 3), (4, 4)),
        summary(*[(1, 2)] * 6),
        summary(*[(3, 4)] * 12, baseline=before),
        summary(*[(4, 5)] * 5, (3, 5)),
    ):
        page = rendered("_first_screen.html", **context_of(found))
        judged = verdict.decide(found)
        for criterion in judged.criteria:
            reason = translate_reason(criterion.reason, names_in(DOCUMENT))
            assert page.count(reason) <= 1, reason
        assert page.count(translate_reason(judged.sentence, names_in(DOCUMENT))) == 1


def test_what_would_change_it_stands_where_the_reason_is_on_a_card() -> None:
    page = rendered("_first_screen.html", **context_of(summary(*[(1, 2)] * 6)))
    assert "Usability & Value has to improve" in page
    many = summary((3, 3), (3, 3), (4, 4), (4, 5), (3, 4))
    assert "The next look, at 8 cases." in rendered("_first_screen.html", **context_of(many))


def test_the_conditions_stand_beside_the_word() -> None:
    page = rendered("_first_screen.html", **context_of(summary(*[(4,)] * 6, k=1)))
    assert page.startswith("GO one reader per case comparison not assessed: no baseline Every")


def test_the_card_says_the_change_and_on_how_many_cases() -> None:
    before = summary(*[(4, 4)] * 4, (3, 4), release="wanderer-1")
    after = summary(*[(4, 5)] * 3, (3, 3), (4, 4), baseline=before)
    assert "+0.2 since wanderer-1, on 5 shared cases" in card(after, 0)


def test_the_weakest_question_is_one_that_is_surely_weak() -> None:
    """One no of one answer says less than five of ten."""
    answers = {"c01": ("no", "na")} | {f"c{n:02}": ("no", "yes") for n in range(2, 7)}
    found = summary(*[(4, 4)] * 6, answers=answers)
    weakest = findings.list_weakest(found)[0]
    assert (weakest.rate.count, weakest.rate.of) == (5, 11)


def test_where_no_question_got_a_no_none_is_the_weakest() -> None:
    assert findings.list_weakest(GOOD) == []
    assert "weakest" not in text_of(GOOD)
    assert findings.list_weakest(summary((4, 4), answers={"c01": ("na", "na")})) == []


def to_open(found: Summary) -> list[tuple[str, str]]:
    context = context_of(found)
    return [
        (str(case), rendered("_to_open.html", found=candidate))
        for case, candidate in context["to_open"]
    ]


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


# --- What was done by hand ------------------------------------------------------------------------


def test_a_case_outside_the_plan_is_named_and_in_no_figure() -> None:
    found = summary(*[(4, 5)] * 5, (1, 1), outside=["c06"])
    assert (found.reviews_counted, found.reviews_wanted) == (10, 10)
    assert headline(found)["reviews"] == headline(found)["reviews_judged"] == 10
    context = context_of(found)
    page = rendered("_exceptions.html", **context)
    assert "Outside the plan: c06 chosen by hand after the start; read and shown" in page
    assert card(found).startswith("Personalization 4.5")
    assert behind(found, only="outside") == ["c06"]
    assert behind(found, only="left-out") == []
    assert "c06" not in behind(found)


def test_the_next_planned_look_is_no_change_by_hand() -> None:
    found = summary(*[(4, 5)] * 8, extensions=1)
    assert found.amendments
    assert context_of(found)["exceptions"] is None


def test_what_nobody_will_judge_is_no_evidence() -> None:
    waived = {"reviews": {"reviews": {f"c{n:02}": 2 for n in range(1, 6)}}}
    found = summary(*[(4, 5)] * 4, (None, None), waivers=waived)
    assert "Waived: missing reviews" in rendered("_exceptions.html", **context_of(found))
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
    findings.build_findings(many, DOCUMENT, named)
    statistics.build_statistics(many, DOCUMENT, named)
    build_first_screen(many, verdict.decide(many), DOCUMENT, named)
    assert 10 <= len(named.named) <= 60


# --- How sure we are ------------------------------------------------------------------------------


def method(found: Summary) -> str:
    context = context_of(found)
    return rendered(
        "_method.html", **context, **statistics.build_statistics(found, DOCUMENT, context["links"])
    )


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (summary(*[(4, 4)] * 5), "Not defined: every score is 4 (100 % exact agreement, 5 pairs)"),
        (summary(*[(4,)] * 5, k=1), "Not defined: no case has two reviews."),
        (
            summary(*[(4, 5)] * 4, (4, None)),
            "Not defined: 4 cases with two reviews, at least 5 are needed",
        ),
    ],
    ids=["all equal", "one reviewer", "too few"],
)
def test_what_is_not_defined_says_why_once(found: Summary, sentence: str) -> None:
    assert method(found).count(sentence) == 1


def test_a_coefficient_has_its_interval_and_how_far_to_trust_it() -> None:
    page = method(summary(*[(5, 5), (1, 2), (4, 4), (2, 2), (5, 4), (3, 3)]))
    assert re.search(r"alpha, ordinal \.\d{3} \(-?\.\d{3} – (\.\d{3}|1\.000)\) .* 89 % Gwet", page)


def test_the_lowest_coverage_is_that_of_the_printed_trials() -> None:
    called = {
        "ordinal alpha": "alpha",
        "AC1": "ac1",
        "AC2, linear": "ac2",
        "Fleiss' kappa": "fleiss",
        "ICC(1,1)": "icc1",
        "same score": "exact",
        "within one": "within_one",
    }
    text = (settings.BASE_DIR / "docs" / "agreement.md").read_text("utf-8")
    least: dict[str, int] = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) > 3 and cells[1] in called:
            name = called[cells[1]]
            least[name] = min(least.get(name, 100), *(round(100 * float(one)) for one in cells[3:]))
    assert least | {"reliability": least["icc1"]} == statistics.LEAST_COVERED


def test_severity_is_shown_only_where_it_is_more_than_chance() -> None:
    shown = {
        person.reviewer: [
            numbers.format_change(effect.effect) for _key, effect in effects if effect
        ]
        for person, effects in statistics.list_people(GOOD)
    }
    assert shown == {"omar": ["-0.5", "-0.5"], "rita": ["+0.5", "+0.5"]}
    few = statistics.list_people(summary(*[(4, 5)] * 5))
    assert [effect for _person, effects in few for _key, effect in effects] == [None] * 4


OLDER_LACK = {
    *("rules", "plan", "baseline_digest", "limits"),
    *("is_outside", "is_by_others", "se", "method"),
}


def strip(found: object) -> object:
    """What a summary was before it had the fields that came later."""
    if isinstance(found, dict):
        return {name: strip(own) for name, own in found.items() if name not in OLDER_LACK}
    return [strip(own) for own in found] if isinstance(found, list) else found


def test_a_report_of_an_older_schema_is_still_readable() -> None:
    before = summary(*[(5, 5)] * 12, release="wanderer-1", rules=1)
    newest = summary(*[(3, 4)] * 12, baseline=before, flags=[flag("c01")], rules=1)
    stored = json.loads(serialize(newest)[0])
    methods = {"method": "wilson"}
    old = strip(stored) | {"schema": "spotcheck-summary/2"}  # type: ignore[operator]
    for metric in old["metrics"]:
        for name, result in metric["agreement"].items():
            if isinstance(result, dict) and "n_units" in result:
                metric["agreement"][name] = result | methods
    for question in old["checklist"]:
        for name in ("applicability", "exact", "ac1"):
            question[name] |= methods
    found = read(json.dumps(old))
    assert found.plan is None
    context = context_of(found, language="en", closing=Closing())
    context |= findings.build_findings(found, DOCUMENT, context["links"])
    context |= statistics.build_statistics(found, DOCUMENT, context["links"])
    assert found.comparison
    context |= comparison.build_comparison(found.comparison, context["links"])
    assert rendered("_first_screen.html", **context).startswith("NO-GO Usability & Value fell by")
    for part in ("_findings.html", "_comparison.html", "_method.html", "_sample.html"):
        assert "one-sided" not in rendered(part, **context)


# --- Two releases ---------------------------------------------------------------------------------


def test_a_comparison_is_told_case_by_case_the_largest_fall_first() -> None:
    before = summary((4, 4), (5, 5), (3, 3), release="wanderer-1", keys=["a", "b", "c"])
    after = summary((5, 5), (2, 3), (3, 3), keys=["a", "b", "d"])
    found = compare(after, before)
    assert (found.shared, found.by_same) == (2, 2)
    rows = comparison.build_case_rows(found, comparison.sort_cases(found), links())
    assert [(str(row.case), row.moves[0]) for row in rows] == [
        ("b", (USABILITY, 5.0, 2.5, -2.5)),
        ("a", (USABILITY, 4.0, 5.0, 1.0)),
    ]
    assert (found.only_before, found.only_after) == (("c",), ("d",))
    fallen = comparison.build_comparison(found, links())["rows"]
    assert [str(row.case) for row in fallen] == ["b"]


def test_no_shared_case_is_no_difference() -> None:
    before = summary((4, 4), release="wanderer-1", keys=["a"])
    found = compare(summary((5, 5), keys=["b"]), before)
    assert str(found.why) == "no comparison possible: no case is shared"
    assert comparison.build_comparison(found, links())["rows"] == []


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
    closing: Closing | None = None,
    decision: Decision | None = None,
) -> str:
    with translation.override(language):
        context = context_of(found, document, closing=closing, decision=decision)
        return brief.write_brief(render_to_string("reviews/report/brief.txt", context))


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("name", NOTABLE)
def test_the_brief_has_at_most_ninety_words_in_either_language(name: str, language: str) -> None:
    text = text_of(NOTABLE[name], language=language)
    assert 10 <= brief.count_words(text) <= 90


def test_the_brief_of_too_little_evidence_says_what_would_change_it() -> None:
    text = text_of(summary((3, 3), (3, 3), (4, 4), (4, 5), (3, 4)))
    assert "What would change it: The next look, at 8 cases." in text
    few = text_of(summary(*[(4, 5)] * 4, kinds=summaries.KINDS[:4]))
    assert "4 cases are judged; 5 are asked for." in few


def test_a_brief_tells_a_drop_once() -> None:
    text = text_of(NOTABLE["worse"])
    assert text.count("Usability & Value fell by 1.5 points") == 1
    assert text.count("-1.5 since wanderer-1") <= 1


def test_a_brief_never_says_that_nothing_is_open_where_something_was_waived() -> None:
    text = text_of(NOTABLE["waived"])
    assert text.startswith("wanderer-2: HOLD, ")
    assert "Waived: open adjudications." in text
    assert "Nothing is open" not in text


def test_a_brief_names_the_decision_and_that_it_is_against_the_verdict() -> None:
    closing = Closing(headline={"verdict": "GO"})
    decision = Decision(closing=closing, decision="do-not-ship", by="mina")
    text = text_of(GOOD, closing=closing, decision=decision)
    assert text.startswith("wanderer-2: GO, ")
    assert "Signed by mina: do not ship, against the verdict." in text
    decision = Decision(closing=closing, decision="ship", by="mina")
    assert "Signed by mina: ship." in text_of(GOOD, closing=closing, decision=decision)


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_a_brief_of_an_abandoned_release_has_no_verdict(language: str) -> None:
    closing = Closing(is_abandoned=True, reason="Wrong build.")
    text = text_of(NOTABLE["worse"], language=language, closing=closing)
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
    assert text.startswith("wanderer-2: NO-GO")


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
    points = {
        value
        for metric in found.metrics
        for value in (metric.mean.value, metric.limits.low if metric.limits else None, metric.floor)
    }
    changes = {
        value
        for change in found.comparison.metrics
        for value in (change.paired.mean, change.limits.high if change.limits else None)
    }
    known = {
        *(numbers.format_points(one, beside=3.0) for one in points if one is not None),
        *(numbers.format_change(one) for one in changes if one is not None),
        *(numbers.format_points(-one) for one in changes if one is not None),
        *map(str, (found.evidence.cases, found.evidence.reviews, found.evidence.reviewers)),
        *(str(change.paired.n) for change in found.comparison.metrics),
        *(str(one) for one in (found.reviews_in, found.reviews_expected)),
        numbers.format_points(found.policy["margin"]),
        "95.0",
        "1",
    }
    text = text_of(found).replace("wanderer-1", "").replace("wanderer-2", "").replace("c01", "")
    told = re.findall(r"[+-]?\d+(?:\.\d+)?", text)
    assert told
    assert [one for one in told if one not in known] == []
