"""Whose words explain a finding, and which lines of the plan."""

from typing import Any

from cases.facts import find_facts
from cases.itinerary.reading import check
from reviews.regressions.parts import MOST_LINES, Words
from reviews.report.summary.document import EvidenceSummary, Remark
from tests.bed.cases import make_case

CASE = check(make_case()).case
METRIC, ITEM = "usability-value", "usability-value.2"


def remark(text: str, subject: str = METRIC, **more: Any) -> Remark:
    given = {"value": None, "answer": "", "evidence": (), "coherence": "", "changed_mind": False}
    return Remark(case_key="a", reviewer=text[:4], subject=subject, text=text, **(given | more))


def texts(remarks: list[Remark]) -> list[str]:
    return [found.text for found in remarks]


def test_a_low_score_is_explained_by_those_who_gave_one() -> None:
    words = Words(CASE, [remark("Low.", value=1), remark("Fine.", value=4)])
    assert texts(words.on_score(METRIC, 1)) == ["Low."]


def test_an_agreed_low_score_is_explained_by_all_if_nobody_gave_one() -> None:
    words = Words(CASE, [remark("So so.", value=2), remark("Fine.", value=4)])
    assert texts(words.on_score(METRIC, 1)) == ["So so.", "Fine."]


def test_a_no_is_explained_by_its_notes_and_else_by_the_score() -> None:
    score = remark("Low.", value=1)
    note = remark("Two lunches.", ITEM, answer="no")
    yes = remark("All there.", ITEM, answer="yes")
    assert texts(Words(CASE, [score, note, yes]).on_no(ITEM, METRIC)) == ["Two lunches."]
    assert texts(Words(CASE, [score, yes]).on_no(ITEM, METRIC)) == ["Low."]


def test_the_same_words_and_empty_ones_are_not_repeated_and_their_order_tells_nothing() -> None:
    words = Words(CASE, [])
    found = words.collect([remark("Zoo."), remark(" "), remark("Ape."), remark("Zoo.")])
    assert found["words"] == ("Ape.", "Zoo.")


def test_a_fact_as_evidence_has_its_sentence_and_its_lines() -> None:
    fact = next(fact for fact in find_facts(CASE) if any("/items/" in ref for ref in fact.refs))
    piece = EvidenceSummary("fact", fact.key, "")
    found = Words(CASE, [remark("See.", evidence=(piece,))])
    collected = found.collect(found.remarks)
    assert collected["evidence"] == (fact.sentence,)
    assert collected["lines"]


def test_a_fact_that_is_no_longer_computed_is_left_out() -> None:
    piece = EvidenceSummary("fact", "no-such-fact", "")
    found = Words(CASE, [remark("See.", evidence=(piece,))])
    assert found.collect(found.remarks) == {"words": ("See.",), "evidence": (), "lines": ()}


def test_a_long_plan_is_cut() -> None:
    items = [{"kind": "sight", "title": f"Stop {number}"} for number in range(MOST_LINES + 5)]
    case = check(make_case(plan={"days": [{"day": 1, "items": items}]})).case
    assert len(Words(case, []).stops) == MOST_LINES
