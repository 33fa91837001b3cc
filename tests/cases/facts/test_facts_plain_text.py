"""A plan of plain paragraphs: what needs structure says so, the rest searches the words."""

from typing import Any

from cases.facts import find_facts
from cases.itinerary import reading
from cases.itinerary.cards import build_cards
from cases.itinerary.format import Case
from cases.itinerary.language import Texts


def case_of(*parts: str, **request: Any) -> Case:
    items = [{"kind": "other", "note": part} for part in parts]
    data = {
        "case_key": "a",
        "request": {"text": "Two days by the lake"} | request,
        "plan": {"status": "done", "days": [{"items": items}]},
    }
    return reading.check(data).case


def sentences(case: Case) -> list[str]:
    return [
        (fact.message if not fact.plural else fact.plural)
        % {
            name: ", ".join(word.text for word in value) if isinstance(value, tuple) else value
            for name, value in fact.params.items()
        }
        for fact in find_facts(case)
    ]


def test_what_needs_structure_says_so() -> None:
    told = sentences(case_of("Day 1: the pier.", "Day 2: the museum.", days=3))
    assert told[0] == (
        "The plan is plain text, 2 paragraphs without days and times to compute with."
    )
    for lack in ("times and no transfers", "meals", "fallbacks", "prices", "visits"):
        assert any(sentence.startswith(f"No {lack} to ") for sentence in told), lack
    # Neither the days nor the order of a text are computed.
    assert not any("planned" in sentence or "have a time" in sentence for sentence in told)


def test_wishes_are_looked_for_in_the_words() -> None:
    case = case_of(
        "Old Pier, then lunch.",
        "Museum of Ropes.",
        must_visit=["Old Pier", "Castle"],
        avoid=["Zoo"],
    )
    told = sentences(case)
    assert "Must-visit, named in the plan's words: Old Pier." in told
    assert "Must-visit, nowhere in the plan's words: Castle." in told
    assert "To avoid, nowhere in the plan's words: Zoo." in told
    assert not any("no stop of that name" in sentence for sentence in told)
    [found] = [fact for fact in find_facts(case) if fact.key == "must-visit-in-words"]
    assert found.refs == ("/plan/days/0/items/0/note",)


def test_a_plan_with_anything_to_compute_with_is_no_plain_text() -> None:
    plan = {"status": "done", "days": [{"items": [{"kind": "other", "note": "The pier."}]}]}
    data: dict[str, Any] = {"case_key": "a", "request": {"text": "Two days"}, "plan": plan}

    def is_plain() -> bool:
        plan = reading.check(data).case.plan
        return plan is not None and plan.is_plain_text and plan.is_done

    assert is_plain()
    for place, value in [("title", "Pier"), ("start", "09:00"), ("kind", "sight"), ("cost", 0)]:
        item: dict[str, Any] = {"kind": "other", "note": "The pier."} | {place: value}
        plan["days"] = [{"items": [item]}]
        assert not is_plain(), place
    plan["days"] = [{"day": 1, "items": [{"kind": "other", "note": "The pier."}]}]
    assert not is_plain()
    plan["days"] = [{"items": []}]
    assert not is_plain()


def test_every_paragraph_is_a_place_that_evidence_can_point_to() -> None:
    case = case_of("Old Pier.\nThen lunch.", "Museum.")
    [day] = build_cards(case, Texts(case, None)).days
    assert [stop.pointer for stop in day.stops] == ["/plan/days/0/items/0", "/plan/days/0/items/1"]
    assert [text.text for stop in day.stops for text in stop.words] == [
        "Old Pier.\nThen lunch.",
        "Museum.",
    ]
