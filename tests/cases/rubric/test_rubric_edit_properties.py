"""Any edit of any document: it says what was meant, or nothing is written."""

import re
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from cases.rubric import Document, RubricError
from cases.rubric.merging import merge
from cases.rubric.parser import Draft
from cases.rubric.steps import ACTS, read_step, with_step
from cases.rubric.texts import EditRefused, list_texts, normal, with_texts
from cases.rubric.writing import read_draft, write_step, write_texts
from tests.bed import soak
from tests.cases.rubric.test_rubric_properties import (
    CHINESE,
    DEFAULT,
    FLAT,
    RICH,
    line,
    mutated,
    nasty,
)

pytestmark = pytest.mark.soak

many = settings(
    max_examples=soak.size(short=75, long=5000),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
LOOSE = re.sub(r"\n(?=- |  \d)", "\n\n", DEFAULT).replace("- `", "*   ` ")
BASES = [DEFAULT, CHINESE, RICH, FLAT, LOOSE]
words = st.text(
    st.sampled_from("abc XYZ 19 地铁排队 *_[](){}<>!&%#'\"/\\.,;:，。：？")
    | st.characters(categories=["L", "N"]),
    min_size=1,
    max_size=40,
).filter(lambda text: any(letter.isalpha() for letter in text))
ends = st.sampled_from(["\n", "\n", "\r\n", "\r"])
tried: list[str] = []


@pytest.fixture(autouse=True)
def told(request: pytest.FixtureRequest) -> Iterator[None]:
    """What `make soak` prints of each property."""
    tried.clear()
    failed_before = request.session.testsfailed
    yield
    bad = request.session.testsfailed - failed_before
    soak.report(request.node.name, tried=len(tried), bad=bad)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A document, perhaps with mistakes, odd line ends, a mark at the start or no last line end."""
    text = draw(st.sampled_from(BASES) | mutated())
    text = text.rstrip("\n") + draw(st.sampled_from(["\n", "", "\n\n"]))
    text = draw(ends).join(re.split("\r\n|\r|\n", text))
    return draw(st.sampled_from(["", "", "\ufeff"])) + text


def read_as_far(text: str) -> Draft:
    try:
        return read_draft(text)
    except RubricError:
        assume(False)
        raise


def rows_of(draft: Draft, path: str) -> range:
    """The rows that may change with the text under this path."""
    parts = path.split(".")
    if parts[0] == "title":
        return range(draft.title_row or 0, (draft.title_row or 0) + 1)
    if parts[0] == "scope":
        assert draft.scope_part
        return range(draft.scope_part.start, draft.scope_part.end)
    if parts[0] in ("rule", "kinds"):
        assert draft.placed
        if parts[0] == "rule":
            return range(draft.placed.rule_row, draft.placed.kinds_row)
        row = draft.placed.kind_rows[int(parts[1])]
        return range(row, row + 1)
    placed = draft.placed_metrics[int(parts[1])]
    if parts[2] == "name":
        return range(placed.part.row, placed.part.row + 1)
    if parts[2] == "intro":
        return range(*placed.intro)
    number = int(parts[3])
    item = placed.levels[number] if parts[2] == "levels" else placed.questions[number]
    return range(item.row + 1, item.end) if parts[4] == "hint" else range(item.row, item.row + 1)


@many
@given(documents(), st.data())
def test_a_text_is_written_or_refused_and_other_lines_stay(text: str, data: st.DataObject) -> None:
    tried.append(text)
    draft = read_as_far(text)
    path = data.draw(st.sampled_from(list(list_texts(draft.document))))
    new = data.draw(words | st.lists(line, max_size=4).map("\n".join) | nasty | st.just(""))
    written, refused = write_texts(text, {path: new})
    if refused:
        event("refused")
        assert written == text
        return
    event("written")
    assert read_draft(written).document == with_texts(draft.document, {path: new})
    assert list_texts(read_draft(written).document)[path] == normal(path, new)
    rows = rows_of(draft, path)
    old = re.split("(?<=[\n\r])(?<!\r(?=\n))", text)
    assert written.startswith("".join(old[: rows.start]))
    assert written.endswith("".join(old[rows.stop :]))


@many
@given(st.sampled_from(BASES), ends, words, st.data())
def test_words_are_never_refused_in_a_document_without_mistakes(
    text: str, end: str, new: str, data: st.DataObject
) -> None:
    tried.append(text)
    text = text.replace("\n", end)
    document = read_draft(text).document
    path = data.draw(st.sampled_from(list(list_texts(document))))
    assume(not path.endswith(".name"))  # may be that of the other metric
    assume(new.strip()[:1].isalpha())
    assume(path != "title" or not new.strip().endswith("#"))
    _written, refused = write_texts(text, {path: new})
    assert refused == {}


def steps_of(document: Document) -> list[tuple[str, str]]:
    lists = {"metrics": range(len(document.metrics)), "kinds": range(len(document.sampling.kinds))}
    found = []
    for place, metric in enumerate(document.metrics):
        lists[f"metrics.{place}.questions"] = range(len(metric.checklist))
        values = range(metric.low, metric.low + len(metric.levels))
        lists[f"metrics.{place}.levels"] = values
    for path, places in lists.items():
        found.append(("add", path))
        found += [(act, f"{path}.{place}") for place in places for act in ACTS if act != "add"]
    return found


def without_numbers(text: str) -> Counter[str]:
    """The lines without their numbers; blank ones do not count."""
    lines = re.split("\r\n|\r|\n", text)
    return Counter(re.sub(r"\d+", "0", each) for each in lines if each.strip())


@many
@given(documents(), st.data())
def test_a_step_is_made_or_refused_and_other_lines_stay(text: str, data: st.DataObject) -> None:
    tried.append(text)
    draft = read_as_far(text)
    act, path = data.draw(st.sampled_from(steps_of(draft.document)))
    step = read_step(act, path)
    try:
        written = write_step(text, step)
    except EditRefused:
        event("refused")
        return
    event(f"{act} {step.part}")
    assert read_draft(written).document == with_step(draft.document, step)
    before, after = without_numbers(text), without_numbers(written)
    lost, new = before - after, after - before
    if act == "add":
        assert not lost
    elif act == "remove":
        assert not new
    else:
        assert lost == new


@many
@given(st.sampled_from(BASES), ends, st.data())
def test_a_step_in_a_document_without_mistakes_is_made_and_taken_back(
    text: str, end: str, data: st.DataObject
) -> None:
    tried.append(text)
    text = text.replace("\n", end)
    document = read_draft(text).document
    act, path = data.draw(st.sampled_from(steps_of(document)))
    step = read_step(act, path)
    try:
        with_step(document, step)
    except EditRefused:
        event("the first or the last")
        return
    written = write_step(text, step)
    if act in ("up", "down"):
        moved = step.place + (1 if (act == "up") == (step.part == "levels") else -1)
        back = read_step({"up": "down", "down": "up"}[act], f"{path.rpartition('.')[0]}.{moved}")
        assert write_step(written, back) == text
    elif act == "add":
        places = read_draft(written).document
        last = max(
            int(each.rpartition(".")[2])
            for act, each in steps_of(places)
            if act == "remove" and each.rpartition(".")[0] == path
        )
        assert write_step(written, read_step("remove", f"{path}.{last}")) == text


@many
@given(st.sampled_from([DEFAULT, CHINESE, RICH]), documents(), st.data())
def test_what_was_typed_is_in_the_text_or_given_back(
    base: str, text: str, data: st.DataObject
) -> None:
    tried.append(text)
    paths = list(list_texts(read_draft(base).document))
    typed = {
        path: f"{path} {data.draw(words)}"
        for path in data.draw(st.lists(st.sampled_from(paths), max_size=4, unique=True))
        if not path.endswith("tags")
    }
    merged = merge(base, text, typed)
    kept = [held.typed for held in merged.held.values()] + list(merged.homeless)
    found = list_texts(read_as_far(merged.text).document).items()
    for value in typed.values():
        assert value in kept or any(normal(place, value) == each for place, each in found)
