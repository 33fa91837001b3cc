"""Broken rubric documents: each is refused, with the line to look at and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

import cases.rubric
from cases.rubric import RubricError, RubricProblem, read
from cases.rubric.lines import Item

RUBRICS = Path(cases.rubric.__file__).parent.parent / "rubrics"
DEFAULT = (RUBRICS / "en.md").read_text(encoding="utf-8")
CHINESE = (RUBRICS / "zh-hans.md").read_text(encoding="utf-8")

METRIC_1 = "## Manual Metric 1: Usability & Value (0-5)"
METRIC_2 = "## Manual Metric 2: Personalization (0-5)"
BUFFERS = "- Are transport and queue/security buffers explicit?\n"
LUNCH = "- Are lunch/rest windows present and reasonable?\n"
SAMPLING = DEFAULT[DEFAULT.index("## Suggested Sampling") :]
LAST_KIND = "  5. Tight schedule must-visit case `tight-schedule`\n"
LEVELS_1 = DEFAULT[DEFAULT.index("- `0`: Not") : DEFAULT.index("Review checklist")]
QUESTIONS_1 = DEFAULT[DEFAULT.index(BUFFERS) : DEFAULT.index(METRIC_2)]


def edited(old: str, new: str, text: str = DEFAULT) -> str:
    """The text with the first occurrence of `old` replaced; it must be there."""
    assert old in text
    return text.replace(old, new, 1)


def problems_of(text: str) -> tuple[RubricProblem, ...]:
    with pytest.raises(RubricError) as refused:
        read(text)
    return refused.value.problems


# What is done to the default, the line that must be named, and what the sentence must say.
BROKEN = {
    "level missing": (
        edited(
            "- `3`: Usable with minor edits. Main timeline works, but risk handling is thin.\n", ""
        ),
        7,
        "Usability & Value has no level 3.",
    ),
    "lowest level missing, next one twice": (
        edited("- `0`: Ignores", "- `1`: Ignores"),
        27,
        "already in line 26",
    ),
    "level twice": (edited("- `5`: Excellent. ", "- `4`: Excellent. "), 15, "already in line 14"),
    "level outside the scale": (
        edited("\n\nReview checklist:", "\n- `6`: Divine.\n\nReview checklist:"),
        16,
        "Level 6 is outside the scale 0-5",
    ),
    "level without text": (
        edited("- `4`: Strong. Clear daily flow, practical buffers, clear alternatives.", "- `4`:"),
        14,
        "Level 4 of Usability & Value has no text.",
    ),
    "level text only on the next line": (
        edited("- `4`: Strong.", "- `4`:\n  Strong."),
        14,
        "Level 4 of Usability & Value has no text.",
    ),
    "list item that is no level": (
        edited("- `1`: Major", "- Half points are possible.\n- `1`: Major"),
        11,
        '"Half points are possible." is not a level',
    ),
    "no level list": (
        edited(LEVELS_1, ""),
        7,
        "Usability & Value has no levels",
    ),
    "levels below the checklist": (
        edited(LEVELS_1, "").replace(QUESTIONS_1, QUESTIONS_1.rstrip() + "\n" + LEVELS_1, 1),
        15,
        'This level is below "Review checklist"',
    ),
    "no checklist": (
        edited("Review checklist:\n" + QUESTIONS_1, ""),
        7,
        "Usability & Value has no checklist",
    ),
    "checklist without its line": (
        edited("Review checklist:\n", ""),
        17,
        'the line "Review checklist:" before it',
    ),
    "checklist whose line is numbered": (
        edited("\nReview checklist:", "\nNo half points.\n2) Review checklist:"),
        19,
        'the line "Review checklist:" before it',
    ),
    "checklist without questions": (
        edited(QUESTIONS_1, "\n"),
        17,
        'There are no questions below "Review checklist".',
    ),
    "checklist glued to the levels": (
        edited("\n\nReview checklist:", "\nReview checklist:"),
        16,
        '"Review checklist:" needs a blank line before it',
    ),
    "checklist indented under a level": (
        edited("\n\nReview checklist:", "\n  Review checklist:"),
        16,
        '"Review checklist:" needs a blank line before it',
    ),
    "checklist glued, questions with another marker": (
        edited(
            "\n\nReview checklist:\n" + BUFFERS,
            "\nReview checklist:\n" + BUFFERS.replace("-", "*", 1),
        ),
        16,
        '"Review checklist:" needs a blank line before it',
    ),
    "Chinese checklist glued to the levels": (
        edited("取舍。\n\n评审", "取舍。\n评审", CHINESE),
        16,
        '"评审检查清单：" needs a blank line before it',
    ),
    "line not indented under a level": (
        edited("- `1`: Major", "Also when the budget is missing.\n- `1`: Major"),
        11,
        "indent it as a hint, or put a blank line before it",
    ),
    "levels indented too far": (
        DEFAULT.replace("\n- `", "\n      - `"),
        11,
        "is not read as a list item; start it at the margin",
    ),
    "quote under a level": (
        edited("- `1`: Major", "> Not even a map.\n- `1`: Major"),
        11,
        "indent it as a hint, or put a blank line before it",
    ),
    "line not indented under a question": (
        edited(LUNCH, "No when one is missing.\n" + LUNCH),
        19,
        "indent it as a hint, or put a blank line before it",
    ),
    "two checklists": (
        edited(LUNCH, "\nSecond checklist:\n" + LUNCH),
        20,
        "Usability & Value has a second checklist",
    ),
    "text between the checklist's line and its questions": (
        edited(BUFFERS, "Answer yes or no.\n" + BUFFERS),
        18,
        'Only questions may follow "Review checklist"',
    ),
    "text apart between the checklist's line and its questions": (
        edited(BUFFERS, "\nAnswer yes or no.\n\n" + BUFFERS),
        19,
        'Only questions may follow "Review checklist"',
    ),
    "list after a remark": (
        edited(METRIC_2, "Remember:\n- Is it fun?\n\n" + METRIC_2),
        24,
        "This list is separate from the checklist",
    ),
    "question without text": (edited(LUNCH, "-\n" + LUNCH), 19, "This question has no text."),
    "question of signs only": (edited(LUNCH, "- ???\n" + LUNCH), 19, "This question has no text."),
    "question twice": (
        edited(LUNCH, LUNCH + "- Are  LUNCH/rest windows present and reasonable?\n"),
        20,
        "already asks this question in line 19",
    ),
    "two metrics with one key": (
        edited("Metric 2: Personalization", "Metric 2: Usability / value"),
        23,
        'gets the key usability-value, as "Usability & Value" in line 7',
    ),
    "metric without a range": (edited(" (0-5)", ""), 7, "like ## Metric 1: Name (0-5)"),
    "metric without a number": (edited("Metric 1:", "Metric:"), 7, "like ## Metric 1: Name (0-5)"),
    "metric without a colon": (edited("Metric 1:", "Metric 1"), 7, "like ## Metric 1: Name (0-5)"),
    "metrics in the plural": (edited("Metric 1:", "Metrics 1:"), 7, "like ## Metric 1: Name (0-5)"),
    "metric that mentions sampling, without a range": (
        edited(METRIC_1, "## Metric 1: Sampling"),
        7,
        "like ## Metric 1: Name (0-5)",
    ),
    "Chinese metric without a range": (edited("（0-5）", "", CHINESE), 7, "like ## Metric 1: Name"),
    "metric without a name": (edited("Usability & Value ", ""), 7, "This metric has no name."),
    "metric named by signs": (edited("Usability & Value ", "& "), 7, "This metric has no name."),
    "metric too deep": (edited(METRIC_2, "#" + METRIC_2), 23, "starts with ##, not with ###"),
    "metric not deep enough": (edited(METRIC_2, METRIC_2[1:]), 23, "starts with ##, not with #."),
    "scale upside down": (edited("(0-5)", "(5-0)"), 7, "The scale 5-0 is upside down"),
    "scale of one level": (edited("(0-5)", "(3-3)"), 7, "The scale 3-3 has one level"),
    "scale of twelve levels": (edited("(0-5)", "(0-11)"), 7, "0-11 has more than 11 levels"),
    "no title": (edited("# Eval Rubric\n", ""), 1, "The document has no title"),
    "empty title": (edited("# Eval Rubric", "# #"), 1, "This heading has no text."),
    "empty section heading": (edited("## Scope", "##"), 3, "This heading has no text."),
    "long heading": (edited("## Scope", "## " + "x" * 201), 3, "longer than 200 characters"),
    "second title": (edited("## Scope", "# Another"), 3, "The document has a second title"),
    "two scope sections": (edited(METRIC_2, "## Scope of it\n\n" + METRIC_2), 23, "second scope"),
    "two sampling sections": (DEFAULT + "\n" + SAMPLING, 47, "second sampling section"),
    "no sampling section": (edited(SAMPLING, ""), 37, "The document has no sampling section"),
    "no metrics": ("# Title\n\n" + SAMPLING, 9, "The document has no metric"),
    "minimum below the kinds": (
        edited("at least 5", "at least 4"),
        40,
        "at least 4 cases but names 5 kinds",
    ),
    "one kind too many": (DEFAULT + "  6. Beach case\n", 40, "5 cases but names 6 kinds"),
    "no number in the rule": (edited("at least 5", "at least five"), 40, "in digits"),
    "two numbers in the rule": (edited("at least 5", "5 or 6"), 40, "in digits"),
    "number too large": (edited("at least 5", "at least 5000000"), 40, "in digits"),
    "no rule": (
        SAMPLING.join([edited(SAMPLING, ""), ""]).replace(
            "- Evaluate at least 5 representative cases per release:\n", ""
        ),
        40,
        "There is no rule above the kinds",
    ),
    "no kinds": (
        DEFAULT[: DEFAULT.index("- Evaluate")] + "Evaluate at least 5 cases.\n",
        39,
        '"Suggested Sampling" names no kinds',
    ),
    "kind without text": (edited("Mobility-limited case ", ""), 44, "Kind 4 has no text."),
    "kind too long": (edited("Mobility-limited case", "x" * 201), 44, "Kind 4 has 201 characters"),
    "tag with spaces": (edited("`spring-festival`", "`spring festival`"), 41, '"spring festival"'),
    "empty tag": (edited("`spring-festival`", "` `"), 41, "is not one word"),
    "tag in the middle": (edited("`family`", "`family` only"), 43, "put those at the end"),
    "two kinds with one key": (
        edited("Mobility-limited case", "Family / parent, child case"),
        44,
        'gets the key family-parent-child-case, as "Family/parent-child case" in line 43',
    ),
    "kind on two lines": (edited(LAST_KIND, LAST_KIND + "     at night\n"), 46, "one line each"),
    "kind indented too far": (
        edited("  1. Beijing", "       1. Beijing"),
        41,
        "is not read as a kind; indent it like the other kinds",
    ),
    "bullet kind indented too far": (
        edited("  1. Beijing", "       - Beijing").replace("  2. Low", "  - Low"),
        41,
        "is not read as a kind; indent it like the other kinds",
    ),
    "rule that starts with signs": (edited("- Evaluate", "* --\n  Evaluate"), 40, "is no rule"),
    "indented text after the kinds": (DEFAULT + "\n  Rotate them.\n", 47, "one line each"),
    "empty document": (" \n\t\n", 1, "The document is empty."),
    "nothing at all": ("", 1, "The document is empty."),
    "NUL character": (edited("It focuses", "It \0focuses"), 5, "invisible character U+0000"),
    "form feed": (edited("It focuses", "It \ffocuses"), 5, "invisible character U+000C"),
    "lone surrogate": (edited("It focuses", "It \ud800focuses"), 5, "character U+D800"),
    "line separator": (edited("It focuses", "It \u2028focuses"), 5, "character U+2028"),
    "over 200 KB": (DEFAULT + "x" * 200 * 1024, 1, "The document has 203 KB; at most 200 KB"),
}


@pytest.mark.parametrize(("text", "line", "phrase"), BROKEN.values(), ids=BROKEN.keys())
def test_broken_document_is_refused_with_its_line(text: str, line: int, phrase: str) -> None:
    found = {(problem.line, str(problem)) for problem in problems_of(text)}
    assert any(at == line and phrase in sentence for at, sentence in found), found


# Mistakes that make two sentences true; any other gets one, without a cascade of things not wrong.
TWICE_WRONG = {
    "levels indented too far",
    "lowest level missing, next one twice",
    "level twice",
    "empty title",
}


@pytest.mark.parametrize("name", [name for name in BROKEN if name not in TWICE_WRONG])
def test_one_mistake_is_one_problem(name: str) -> None:
    text, line, _ = BROKEN[name]
    assert [problem.line for problem in problems_of(text)] == [line]


def test_all_problems_are_found_in_one_pass_and_sorted_by_line() -> None:
    text = edited("- `3`: Good", "- `2`: Good", edited("at least 5", "at least 4"))
    text = edited("\n\nReview checklist:", "\nReview checklist:", text)
    assert [str(problem) for problem in problems_of(text)] == [
        'Line 16: "Review checklist:" needs a blank line before it and no indent: '
        "it is read as part of the list item above.",
        "Line 22: Personalization has no level 3.",
        "Line 28: Level 2 of Personalization is already in line 27.",
        "Line 39: The rule asks for at least 4 cases but names 5 kinds.",
    ]


def test_message_is_a_template_without_the_line_so_that_it_can_be_translated() -> None:
    (problem,) = problems_of(edited("at least 5", "at least 4"))
    assert (
        problem.message == "The rule asks for at least %(minimum)d cases but names %(kinds)d kinds."
    )
    assert problem.params == {"minimum": 4, "kinds": 5}


def test_every_template_can_be_filled_and_ends_like_a_sentence() -> None:
    for text, _, _ in BROKEN.values():
        for problem in problems_of(text):
            assert str(problem).startswith(f"Line {problem.line}: ")
            assert str(problem).endswith(".")


def test_text_with_percent_signs_is_quoted_as_it_is() -> None:
    (problem,) = problems_of(edited("- `1`: Major", "- 100% or %(name)s\n- `1`: Major"))
    assert '"100% or %(name)s" is not a level' in str(problem)


def test_long_text_is_cut_in_the_sentence() -> None:
    (problem,) = problems_of(edited("- `1`: Major", f"- {'long ' * 50}\n- `1`: Major"))
    assert len(str(problem)) < 150


def test_lines_are_counted_the_same_with_windows_line_ends() -> None:
    text = edited("- `5`: Excellent. ", "- `4`: Excellent. ")
    assert problems_of(text.replace("\n", "\r\n")) == problems_of(text)


def test_levels_without_backticks_are_named_one_by_one() -> None:
    lines = [
        problem.line
        for problem in problems_of(LEVELS_1.replace("`", "").join(DEFAULT.split(LEVELS_1)))
    ]
    assert lines == [7, 10, 11, 12, 13, 14, 15]


def test_document_without_any_heading_is_refused() -> None:
    sentences = str([str(problem) for problem in problems_of("Just some words.")])
    assert "no title" in sentences
    assert "no metric" in sentences
    assert "no sampling section" in sentences


def test_many_levels_below_a_checklist_are_not_compared_with_each_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared: list[object] = []

    def compare(item: Item, other: object) -> bool:
        compared.append(other)
        return item is other

    monkeypatch.setattr(Item, "__eq__", compare)
    many = "".join(f"- `{value}`: Text.\n- Is it {value}?\n" for value in range(300))
    assert len(problems_of(edited(BUFFERS, many + BUFFERS))) > 290
    assert compared == []
