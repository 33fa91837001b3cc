"""Whatever is written into a rubric document: it is read and round-trips, or it is refused."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

import cases.rubric
from cases.rubric import Document, RubricError, digest, from_data, read, to_data, translated, write
from tests.bed import soak

pytestmark = pytest.mark.soak

RUBRICS = Path(cases.rubric.__file__).parent.parent / "rubrics"
DEFAULT = (RUBRICS / "en.md").read_text(encoding="utf-8")
CHINESE = (RUBRICS / "zh-hans.md").read_text(encoding="utf-8")
FLAT_KINDS = re.sub(r"^  (\d)", r"\1", DEFAULT, flags=re.MULTILINE)


def edited(old: str, new: str, text: str = DEFAULT) -> str:
    assert old in text
    return text.replace(old, new, 1)


# Whatever is read can be written out and read again

RICH = (
    edited(
        "## Suggested",
        "A remark.\n\n### Sub\nmore\n\n## Notes\n- a\n  - b\n\n    ## c\n\n## Suggested",
        edited("no backups.", "no backups.\n  No when x\n  - nested\n    deeper"),
    )
    + "- Rotate reviewers.\n  - each\n\nMore text\n\n1. x\n"
)
FLAT = edited("- Evaluate", "Evaluate", FLAT_KINDS)
NASTY = """
--- | *** | - - - | * - - | - - | -- | - | * | 1. | 2. foo | 1) foo | 10. x | # x | ## x | ### x | #
## # # | # a # # | > q | ``` | ~~~ | <div> | <!-- x | [a]: /b | foo | - foo | * foo | + foo | 1. foo
`0`: x | - `0`: x | * `3`: y | - `9`: z | Review checklist: | 检查清单： | a\tb | =====
foo\\ | a `b` c | 6. k `t` `u` | 6. `t` | 6. k, `T_x`, | 1. - - | - -- | 1. - `0`: x | - 1. foo
- # at least 5 | 😀
at least 5 | ## Metric 3: x (0-1) | ### Metric 3: x (0-1) | ## Sampling | ## Scope | ## 范围 | \\- x
_ _ _ | - + + | -      foo | - 😀 | 2) Review checklist: | - [ ] x | 99999999999. x | \u200b | %(x)s
\u3000- foo | \xa0# x | 指标 1：二（0-1）
"""
nasty = st.sampled_from(re.split(r" \| |\n", NASTY.strip("\n")))
indents = st.sampled_from(["", "", "", " ", "  ", "   ", "    ", "      ", "\t", "\u3000"])
line = st.builds(str.__add__, indents, nasty | st.text(max_size=12) | st.just(""))
many = settings(
    max_examples=soak.size(short=75, long=5000),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)


tried: list[str] = []


@pytest.fixture(autouse=True)
def told(request: pytest.FixtureRequest) -> Iterator[None]:
    """What `make soak` prints of each property."""
    tried.clear()
    failed_before = request.session.testsfailed
    yield
    bad = request.session.testsfailed - failed_before
    soak.report(request.node.name, tried=len(tried), bad=bad)


def refused_lines(text: str) -> list[int]:
    try:
        read(text)
    except RubricError as refused:
        return [problem.line for problem in refused.problems if str(problem)]
    return []


def check_round_trip(text: str) -> Document | None:
    """None when the text is refused; nothing but RubricError may come of it."""
    tried.append(text)
    if lines := refused_lines(text):
        event("refused")
        assert 1 <= min(lines) <= max(lines) <= len(re.split("\r\n|\r|\n", text))
        return None
    event("read")
    document = read(text).document
    canonical = write(document)
    again = read(canonical).document
    assert again == document
    assert write(again) == canonical
    assert digest(again) == digest(document)
    assert from_data(to_data(document)) == document
    assert translated(document, canonical).document == document
    return document


@many
@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    check_round_trip(text)


@many
@given(st.lists(line, max_size=30))
def test_any_lines_are_read_or_refused(lines: list[str]) -> None:
    check_round_trip("\n".join(lines))


@st.composite
def mutated(draw: st.DrawFn) -> str:
    lines = draw(st.sampled_from([DEFAULT, CHINESE, RICH, FLAT])).split("\n")
    for _ in range(draw(st.integers(1, 6))):
        place = draw(st.integers(0, len(lines) - 1))
        other = draw(st.integers(0, len(lines) - 1))
        match draw(st.integers(0, 7)):
            case 0:
                lines[place : place + 1] = [] if len(lines) > 1 else [""]
            case 1:
                lines.insert(place, lines[other])
            case 2:
                lines.insert(place, draw(line))
            case 3:
                lines[place] = draw(line)
            case 4:
                lines[place] = draw(indents) + lines[place].lstrip()
            case 5:
                lines[place] += draw(st.sampled_from(["", " "])) + draw(nasty)
            case 6:
                lines[place], lines[other] = lines[other], lines[place]
            case _:
                cut = draw(st.integers(0, len(lines[place])))
                sign = draw(st.sampled_from("`#-*1.:：()（） \t>\\_~0"))
                lines[place] = lines[place][:cut] + sign + lines[place][cut:]
    return "\n".join(lines)


@many
@given(mutated())
def test_a_rubric_with_its_lines_disturbed_is_read_or_refused(text: str) -> None:
    check_round_trip(text)


# Every slot is one that takes text: before the title, in the sections, around the lists.
SLOTS = """{0}
# Title
{1}
## Scope
{2}
## Metric 1: One (0-1)
{3}

- `0`: No
{4}
- `1`: Yes
{4}

{5}

Checklist:
- A?
{4}
- B?

{6}

## Sampling
{7}

- At least 1:
  1. Kind

{8}

## Other
{9}
"""


@many
@given(st.lists(st.tuples(st.integers(0, 9), st.lists(line, max_size=5)), max_size=4))
def test_text_anywhere_is_read_or_refused(fillings: list[tuple[int, list[str]]]) -> None:
    slots = [""] * 10
    for slot, lines in fillings:
        slots[slot] = "\n".join(lines)
    check_round_trip(SLOTS.format(*slots))


# One line each: the lines of a hint lose their indentation, so two would not come back the same.
bit = st.one_of(st.just(""), nasty, st.text(st.characters(exclude_characters="\n"), max_size=6))
words = st.builds(
    lambda before, word, after: f"{before} {word} {after}".strip(),
    bit,
    st.sampled_from(["word", "字", "é1"]),
    bit,
)


@many
@given(name=words, level=words, question=words, kind=words, hint=words)
def test_nasty_words_in_every_place_come_back_as_they_were(
    name: str, level: str, question: str, kind: str, hint: str
) -> None:
    text = (
        f"# T\n## Metric 1: {name} (0-1)\n- `0`: {level}\n  {hint}\n- `1`: x\n\n"
        f"Checklist:\n- {question}\n  {hint}\n\n## Sampling\n- At least 1:\n  1. {kind}\n"
    )
    document = check_round_trip(text)
    if document and not re.search(r"[\r\t]", text):
        metric = document.metrics[0]
        assert metric.level(0).text == level
        assert metric.level(0).hint == metric.checklist[0].hint == hint
        assert metric.checklist[0].text == question
