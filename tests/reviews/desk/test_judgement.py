"""What a reviewer says of a case: any JSON is understood or refused, and said twice is the same."""

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cases.rubric import Document, read
from cases.rubrics.workflow import SHIPPED
from reviews.desk import judgement as desk_judgement
from reviews.desk.judgement import Judgement
from tests.bed import soak
from tests.bed.reviewed import ITEMS, METRICS
from tests.bed.reviewed import judgement as complete

EXAMPLES = soak.size(short=30, long=10_000)
RUBRIC = read((SHIPPED / "en.md").read_text("utf-8")).document
# One metric from 1 to 3 with one question, besides what is shipped.
SMALL = read(
    """# Small

## Metric 1: Taste (1-3)
How it tastes.

- `1`: Bad.
- `2`: Fair.
- `3`: Good.

Review checklist:
- Is it warm?

## Suggested Sampling
- Evaluate at least 1 representative case per release:
  1. Any soup `soup`
"""
).document

WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)
EVIDENCE = st.lists(
    st.fixed_dictionaries(
        {"kind": st.sampled_from(["stop", "fact", "quote"]), "ref": WORDS},
        optional={"text": WORDS},
    ),
    max_size=2,
)
SCORES = st.dictionaries(
    st.sampled_from(METRICS) | WORDS,
    st.fixed_dictionaries(
        {},
        optional={
            "value": st.none() | st.integers(-1, 6),
            "rationale": WORDS,
            "evidence": EVIDENCE,
        },
    ),
    max_size=3,
)
ANSWERS = st.dictionaries(
    st.sampled_from(ITEMS) | WORDS,
    st.fixed_dictionaries(
        {},
        optional={
            "answer": st.sampled_from([None, "yes", "no", "na"]),
            "note": WORDS,
            "evidence": EVIDENCE,
        },
    ),
    max_size=4,
)
SAID: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "scores": SCORES,
        "answers": ANSWERS,
        "comment": WORDS,
        "flags": st.lists(st.sampled_from(["harmful", "broken"]), max_size=2, unique=True),
    },
)
ANY_JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["scores", "answers", "comment", "flags", "value", "evidence", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def said(**data: Any) -> Judgement:
    return desk_judgement.from_data(data)


def missing(what: Judgement, rubric: Document = RUBRIC) -> list[str]:
    return [one.path for one in desk_judgement.find_missing_parts(what, rubric)]


def unknown(what: Judgement, rubric: Document = RUBRIC) -> list[str]:
    return [one.path for one in desk_judgement.find_unknown_parts(what, rubric)]


# --- In and out -----------------------------------------------------------------------------------


@pytest.mark.soak
@settings(max_examples=EXAMPLES, deadline=None)
@given(data=SAID)
def test_what_is_kept_says_the_same_when_read_again(data: dict[str, Any]) -> None:
    once = desk_judgement.from_data(data)
    kept = desk_judgement.to_data(once)
    assert desk_judgement.from_data(kept) == once
    assert desk_judgement.from_data(json.loads(json.dumps(kept))) == once
    assert desk_judgement.digest(desk_judgement.from_data(kept)) == desk_judgement.digest(once)


def turned_round(value: Any) -> Any:
    """The same JSON with the fields of every object the other way round."""
    if isinstance(value, dict):
        return {key: turned_round(value[key]) for key in reversed(list(value))}
    return [turned_round(one) for one in value] if isinstance(value, list) else value


@pytest.mark.soak
@settings(max_examples=EXAMPLES, deadline=None)
@given(data=SAID)
def test_the_digest_does_not_depend_on_the_order_of_fields(data: dict[str, Any]) -> None:
    one, other = desk_judgement.from_data(data), desk_judgement.from_data(turned_round(data))
    assert desk_judgement.digest(one) == desk_judgement.digest(other)


@pytest.mark.soak
@settings(max_examples=EXAMPLES, deadline=None)
@given(one=SAID, other=SAID)
def test_two_judgements_share_a_digest_only_if_they_say_the_same(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    first, second = desk_judgement.from_data(one), desk_judgement.from_data(other)
    assert (desk_judgement.digest(first) == desk_judgement.digest(second)) == (first == second)


def test_leaving_out_is_the_same_as_saying_nothing() -> None:
    spelled_out = said(
        scores={"taste": {"value": 2, "rationale": "", "evidence": []}},
        answers={},
        comment="",
        flags=[],
    )
    assert desk_judgement.digest(spelled_out) == desk_judgement.digest(
        said(scores={"taste": {"value": 2}})
    )


@pytest.mark.parametrize(
    "other",
    [
        {"scores": {"taste": {"value": 1}}},
        {"scores": {"taste": {"value": None}}},
        {"scores": {"taste": {"value": 0, "rationale": "Cold."}}},
        {"scores": {"taste": {"value": 0}}, "comment": "Cold."},
        {"scores": {"taste": {"value": 0}}, "flags": ["broken"]},
        {"scores": {"taste": {"value": 0}}, "answers": {"taste.1": {"answer": "na"}}},
    ],
)
def test_every_part_is_in_the_digest(other: dict[str, Any]) -> None:
    assert desk_judgement.digest(said(scores={"taste": {"value": 0}})) != desk_judgement.digest(
        desk_judgement.from_data(other)
    )


# --- Whatever comes in ----------------------------------------------------------------------------


@pytest.mark.soak
@settings(max_examples=soak.size(short=75, long=30_000), deadline=None)
@given(data=ANY_JSON)
@example(data={"scores": {"usability-value": {"value": 2**70}}})
@example(data={"scores": {"usability-value": {"value": float("nan")}}})
@example(data={"scores": {"usability-value": {"value": -(2**63) - 1}}})
@example(data={"comment": "\0"})
@example(data={"comment": "\ud800"})
@example(data={"answers": {"\ud800": {}}})
@example(data={"scores": {"x": {"evidence": [{"kind": "stop", "ref": "\udfff"}]}}})
def test_any_json_is_understood_or_refused(data: Any) -> None:
    """Half a character, "\\ud800", is JSON too: a browser sends it when an emoji is cut in two."""
    try:
        what = desk_judgement.from_data(data)
    except msgspec.ValidationError:
        return
    assert len(desk_judgement.digest(what)) == 64
    assert missing(what) or unknown(what)  # nothing so small is a whole review


@pytest.mark.parametrize(
    ("data", "path"),
    [
        ({"scores": {"taste": {"value": "4"}}}, "value"),
        ({"scores": {"taste": {"value": 4.0}}}, "value"),
        ({"scores": {"taste": {"value": 3.5}}}, "value"),
        ({"scores": {"taste": {"value": True}}}, "value"),
        ({"scores": {"taste": {"value": ""}}}, "value"),
        ({"scores": {"taste": 4}}, "scores"),
        ({"scores": []}, "scores"),
        ({"scores": {"taste": {"mark": 4}}}, "mark"),
        ({"scores": {"taste": {"evidence": [{"kind": "rumour", "ref": "x"}]}}}, "kind"),
        ({"scores": {"taste": {"evidence": [{"kind": "stop", "ref": 3}]}}}, "ref"),
        ({"scores": {"taste": {"evidence": [{"kind": "stop"}]}}}, "ref"),
        ({"answers": {"taste.1": {"answer": "maybe"}}}, "answer"),
        ({"answers": {"taste.1": {"answer": ""}}}, "answer"),
        ({"answers": {"taste.1": {"answer": "YES"}}}, "answer"),
        ({"answers": {"taste.1": {"answer": False}}}, "answer"),
        ({"flags": ["rude"]}, "flags"),
        ({"flags": "broken"}, "flags"),
        ({"comment": None}, "comment"),
        ({"verdict": "GO"}, "verdict"),
    ],
)
def test_what_is_no_judgement_is_refused_with_its_place(data: dict[str, Any], path: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=path):
        desk_judgement.from_data(data)


@pytest.mark.parametrize("data", [None, [], "", 0, True])
def test_what_is_no_object_is_refused(data: Any) -> None:
    with pytest.raises(msgspec.ValidationError):
        desk_judgement.from_data(data)


# --- Complete, and known to the rubric ------------------------------------------------------------


@pytest.mark.parametrize("value", [0, 1, 5])
@pytest.mark.parametrize("answer", ["yes", "no", "na"])
def test_every_level_is_a_score_and_every_answer_is_one(value: int, answer: str) -> None:
    what = complete(value, answer=answer)
    assert (missing(what), unknown(what)) == ([], [])


def test_an_empty_judgement_lacks_every_part_in_the_order_of_the_rubric() -> None:
    assert missing(Judgement()) == [
        *(f"answers.usability-value.{number}" for number in range(1, 5)),
        "scores.usability-value.value",
        *(f"answers.personalization.{number}" for number in range(1, 5)),
        "scores.personalization.value",
    ]


def parts_taken_out(data: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each part of a complete judgement blanked in turn, with the path that must be named."""
    for metric in METRICS:
        without = json.loads(json.dumps(data))
        del without["scores"][metric]
        yield f"scores.{metric}.value", without
        blank = json.loads(json.dumps(data))
        blank["scores"][metric]["value"] = None
        yield f"scores.{metric}.value", blank
        for words in ("", " \n\t"):
            unsaid = json.loads(json.dumps(data))
            unsaid["scores"][metric]["rationale"] = words
            yield f"scores.{metric}.rationale", unsaid
    for item in ITEMS:
        without = json.loads(json.dumps(data))
        del without["answers"][item]
        yield f"answers.{item}", without
        blank = json.loads(json.dumps(data))
        blank["answers"][item]["answer"] = None
        yield f"answers.{item}", blank


def test_exactly_the_part_that_was_taken_out_is_missing() -> None:
    tried = 0
    for path, data in parts_taken_out(desk_judgement.to_data(complete(0, answer="na"))):
        assert missing(desk_judgement.from_data(data)) == [path]
        tried += 1
    assert tried == 24


def test_evidence_stands_for_a_reason() -> None:
    evidence = [{"kind": "fact", "ref": "meals.1"}]
    what = said(
        scores={"taste": {"value": 1, "evidence": evidence}}, answers={"taste.1": {"answer": "na"}}
    )
    assert missing(what, SMALL) == []


CASE = {
    "release": {"version": "1"},
    "request": {"text": "Two days"},
    "plan": {"days": [{"items": [{"title": "河边面馆", "cost": 0}]}], "notes": []},
}


@pytest.mark.parametrize(
    ("kind", "ref", "leads"),
    [
        ("stop", "/plan/days/0", True),
        ("stop", "/plan/days/0/items/0", True),
        ("stop", "/plan/days/0/items/0/cost", True),
        ("stop", "/plan/notes", True),
        ("stop", "/plan/days/1", False),
        ("stop", "/plan/days/-1", False),
        ("stop", "/plan/days/" + "9" * 5000, False),
        ("stop", "/plan/days/٠", False),
        ("stop", "/planned", False),
        ("stop", "plan", False),
        ("stop", "/", False),
        ("stop", "", False),
        ("stop", "/release/version", False),
        ("quote", "/request/text#0-8", True),
        ("quote", "/plan/days/0/items/0/title#1-4", True),
        ("quote", "/request/text#0-9", False),
        ("quote", "/request/text#3-3", False),
        ("quote", "/request/text#4-3", False),
        ("quote", "/request/text", False),
        ("quote", "/request/text#0-" + "9" * 5000, False),
        ("quote", "/plan/days#0-1", False),
        ("quote", "/release/version#0-1", False),
        ("fact", "meals", True),
        ("fact", "no-such-fact", False),
        ("fact", "/plan/days/0", False),
    ],
)
def test_evidence_leads_to_what_is_shown_of_the_case(kind: str, ref: str, leads: bool) -> None:
    piece = {"kind": kind, "ref": ref}
    sound = {"kind": "stop", "ref": "/plan"}
    what = said(
        scores={"taste": {"evidence": [sound]}}, answers={"taste.1": {"evidence": [sound, piece]}}
    )
    found = [one.path for one in desk_judgement.find_loose_evidence(what, CASE, {"meals"})]
    assert found == ([] if leads else ["answers.taste.1.evidence[1].ref"])


@pytest.mark.parametrize(("value", "is_known"), [(0, False), (1, True), (3, True), (4, False)])
def test_the_scale_is_that_of_the_metric(value: int, is_known: bool) -> None:
    found = unknown(said(scores={"taste": {"value": value}}), SMALL)
    assert found == ([] if is_known else ["scores.taste.value"])


def test_a_draft_without_a_value_says_nothing_unknown() -> None:
    assert unknown(said(scores={"taste": {"rationale": "Warm."}}), SMALL) == []


def test_what_the_rubric_does_not_have_is_named() -> None:
    what = said(
        scores={"smell": {"value": 2}, "taste": {"value": 9}},
        answers={"taste.1": {"answer": "no"}, "taste.2": {"answer": "no"}, "smell.1": {}},
    )
    assert sorted(unknown(what, SMALL)) == [
        "answers.smell.1",
        "answers.taste.2",
        "scores.smell",
        "scores.taste.value",
    ]


@pytest.mark.soak
@settings(max_examples=EXAMPLES, deadline=None)
@given(data=SAID)
def test_a_part_is_unknown_exactly_if_the_rubric_lacks_it(data: dict[str, Any]) -> None:
    what = desk_judgement.from_data(data)
    expected = [f"scores.{key}" for key in what.scores if key not in METRICS]
    expected += [
        f"scores.{key}.value"
        for key, one in what.scores.items()
        if key in METRICS and one.value in (-1, 6)
    ]
    expected += [f"answers.{key}" for key in what.answers if key not in ITEMS]
    assert sorted(unknown(what)) == sorted(expected)
