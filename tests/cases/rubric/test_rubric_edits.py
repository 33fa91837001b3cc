"""Edits of a document: what is asked for is in it, and no other line is touched."""

import re

import pytest

from cases.rubric import read
from cases.rubric.merging import merge
from cases.rubric.steps import read_step
from cases.rubric.texts import EditRefused, list_texts
from cases.rubric.writing import read_draft, write_step, write_texts
from tests.cases.rubric.test_rubric_properties import CHINESE, DEFAULT, RICH, edited


def write(text: str, path: str, new: str) -> str:
    written, refused = write_texts(text, {path: new})
    assert refused == {}
    return written


def step(text: str, act: str, path: str) -> str:
    return write_step(text, read_step(act, path))


def changes(before: str, after: str) -> list[str]:
    """The lines that are only in one of them, line ends included."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    return [line for line in old if line not in new] + [line for line in new if line not in old]


@pytest.mark.parametrize(
    ("path", "new", "line"),
    [
        ("title", "Other", "# Other"),
        ("metrics.1.name", "Fit & taste", "## Manual Metric 2: Fit & taste (0-5)"),
        ("metrics.0.levels.3.text", "*Fine* (mostly) # 1", "- `3`: *Fine* (mostly) # 1"),
        ("metrics.1.questions.0.text", "- Is `it` [good](x)?", "- - Is `it` [good](x)?"),
        ("kinds.1.text", "低预算", "  2. 低预算 `low-budget`"),
        ("kinds.0.tags", "beijing, Golden_Week", None),
        ("rule", "At least 7 cases:", "- At least 7 cases:"),
        ("metrics.0.intro", "One line.", "One line."),
    ],
)
def test_a_text_is_written_into_its_line(path: str, new: str, line: str | None) -> None:
    written = write(DEFAULT, path, new)
    assert len(changes(DEFAULT, written)) == 2
    assert list_texts(read(written).document)[path] == new.replace(", G", " g").replace("_W", "-w")
    if line:
        assert line in written.split("\n")


def test_a_hint_of_several_lines_is_indented_and_taken_out_again() -> None:
    written = write(DEFAULT, "metrics.0.questions.1.hint", "For each day\n\n  - also the last")
    assert "reasonable?\n  For each day\n  - also the last\n- Are fallback" in written
    assert write(written, "metrics.0.questions.1.hint", " ") == DEFAULT


def test_text_of_several_lines_becomes_one_where_the_document_has_one() -> None:
    written = write(DEFAULT, "metrics.0.levels.0.text", "Not\r\n usable\n")
    assert "- `0`: Not usable\n" in written


def test_an_introduction_of_several_paragraphs_keeps_its_lines() -> None:
    written = write(DEFAULT, "metrics.0.intro", "First.\n\nSecond,\nand more.")
    assert read(written).document.metrics[0].intro == "First.\n\nSecond,\nand more."
    assert write(written, "metrics.0.intro", "").startswith(DEFAULT[: DEFAULT.index("Score")])


def test_a_text_that_is_cleared_leaves_its_line_to_be_written() -> None:
    written = write(DEFAULT, "metrics.0.levels.2.text", "")
    assert "- `2`: …\n" in written
    assert list_texts(read_draft(written).document)["metrics.0.levels.2.text"] == ""
    assert [problem.line for problem in read_draft(written).page.problems] == [12]
    assert write(written, "metrics.0.levels.2.text", "x").replace("`2`: x", "`2`: Partially") in (
        edited(
            "Partially usable. Some actionable info but multiple execution blockers.", "Partially"
        )
    )


@pytest.mark.parametrize(
    ("path", "new"),
    [
        ("metrics.0.questions.0.text", "`3`: a level"),
        ("metrics.0.questions.0.hint", "Review checklist:"),
        ("metrics.0.intro", "- a list"),
        ("metrics.0.intro", "## A section"),
        ("kinds.0.text", "A `word` inside"),
        ("title", "Ends in #"),
        ("metrics.0.name", "Name (0-3): (0-5)\x00"),
        ("metrics.0.levels.0.text", "x" * 300_000),
    ],
)
def test_what_the_document_would_read_differently_is_refused(path: str, new: str) -> None:
    written, refused = write_texts(DEFAULT, {path: new, "metrics.1.levels.1.text": "good"})
    assert list(refused) == [path]
    assert changes(DEFAULT, written) == [
        "- `1`: Mentions preferences but does not affect itinerary.\n",
        "- `1`: good\n",
    ]


def test_line_ends_and_the_mark_at_the_start_stay() -> None:
    text = "\ufeff" + DEFAULT.replace("\n", "\r\n")
    written = write(text, "metrics.0.questions.1.hint", "a\nb")
    assert written.startswith("\ufeff# Eval")
    assert written.replace("  a\r\n  b\r\n", "") == text
    assert "\n" not in step(text, "add", "metrics").replace("\r\n", "")


def test_a_document_without_a_last_line_end_gets_none() -> None:
    text = DEFAULT.rstrip("\n")
    assert step(text, "add", "kinds") == text + "\n  6. …"
    assert step(step(text, "add", "kinds"), "remove", "kinds.5") == text


def test_odd_spacing_of_other_lines_stays() -> None:
    text = edited("- `1`: Major", "*   `1` :  Major", edited("- `2`", "*\t`2`"))
    written = write(text, "metrics.0.levels.1.text", "Gaps")
    assert "*   `1` :  Gaps\n*\t`2`: Partially" in written


def test_a_question_is_added_moved_and_removed() -> None:
    added = step(DEFAULT, "add", "metrics.0.questions")
    assert "clear and actionable?\n- …\n\n## Manual Metric 2" in added
    moved = step(added, "up", "metrics.0.questions.4")
    assert "weather disruption?\n- …\n- Is budget" in moved
    assert step(moved, "remove", "metrics.0.questions.3") == DEFAULT
    assert step(moved, "down", "metrics.0.questions.3") == added


def test_a_question_takes_its_hint_along() -> None:
    text = write(DEFAULT, "metrics.0.questions.0.hint", "a\nb")
    moved = step(text, "down", "metrics.0.questions.0")
    assert [question.hint for question in read(moved).document.metrics[0].checklist] == [
        *["", "a\nb"],
        *["", ""],
    ]


def test_a_new_level_extends_the_scale_and_a_removed_one_moves_those_above() -> None:
    added = step(DEFAULT, "add", "metrics.0.levels")
    assert "(0-6)\n" in added
    assert "tradeoff notes.\n- `6`: …\n" in added
    removed = step(added, "remove", "metrics.0.levels.4")
    assert "(0-5)\n" in removed
    assert "- `4`: Excellent. Immediately" in removed
    assert "- `5`: …\n" in removed
    assert len(changes(DEFAULT, added)) == 3


def test_a_level_that_is_missing_is_added_first() -> None:
    text = edited(
        "- `3`: Usable with minor edits. Main timeline works, but risk handling is thin.\n", ""
    )
    added = step(text, "add", "metrics.0.levels")
    assert "blockers.\n- `3`: …\n- `4`" in added
    assert "(0-5)" in added.split("\n")[6]


def test_levels_change_places_by_their_texts() -> None:
    text = write(DEFAULT, "metrics.0.levels.4.hint", "a hint")
    moved = step(text, "up", "metrics.0.levels.3")
    assert "- `3`: Strong. Clear daily flow" in moved
    assert "a hint\n- `4`: Usable with minor edits" in moved
    assert step(moved, "down", "metrics.0.levels.4") == text


def test_kinds_keep_counting() -> None:
    removed = step(DEFAULT, "remove", "kinds.1")
    assert "  2. Family/parent-child case `family`\n  3. Mobility" in removed
    moved = step(DEFAULT, "down", "kinds.0")
    assert "  1. Low-budget feasibility warning case `low-budget`\n  2. Beijing" in moved
    assert len(changes(DEFAULT, moved)) == 4


def test_numbers_that_do_not_count_on_stay() -> None:
    text = re.sub(r"^  \d\.", "  1.", DEFAULT, flags=re.MULTILINE)
    assert len(changes(text, step(text, "remove", "kinds.1"))) == 1


def test_a_metric_is_added_with_the_scale_of_the_last_moved_and_removed() -> None:
    added = step(DEFAULT, "add", "metrics")
    assert "## Manual Metric 3: … (0-5)\n\n- `0`: …\n" in added
    assert len(read_draft(added).page.problems) == 8
    moved = step(added, "up", "metrics.2")
    assert "## Manual Metric 2: … (0-5)" in moved
    assert "## Manual Metric 3: Personalization (0-5)" in moved
    assert step(step(moved, "down", "metrics.1"), "remove", "metrics.2") == DEFAULT


def test_a_chinese_document_gets_chinese_words() -> None:
    added = step(CHINESE, "add", "metrics")
    assert re.search(r"^## .*指标 3：…（0-5）$", added, re.MULTILINE)
    assert "`0`：…" in added
    assert read_draft(step(added, "remove", "metrics.2")).document == read(CHINESE).document


@pytest.mark.parametrize(
    ("act", "path"),
    [
        ("remove", "metrics.7"),
        ("up", "metrics.0.questions.0"),
        ("down", "kinds.4"),
        ("up", "metrics.0.levels.5"),
        ("remove", "metrics.0.levels.9"),
        ("add", "metrics.9.questions"),
        ("add", "metrics.0.questions.1"),
        ("remove", "kinds"),
        ("burn", "kinds.1"),
        ("add", "kinds.one"),
        ("add", ""),
    ],
)
def test_a_step_that_does_not_fit_is_refused(act: str, path: str) -> None:
    with pytest.raises(EditRefused, match="no longer in the document"):
        step(DEFAULT, act, path)


def test_the_last_part_of_each_list_stays() -> None:
    one = DEFAULT
    for _ in range(4):
        one = step(one, "remove", "kinds.0")
    for _ in range(3):
        one = step(one, "remove", "metrics.0.questions.0")
    for _ in range(4):
        one = step(one, "remove", "metrics.0.levels.0")
    one = step(one, "remove", "metrics.1")
    for path in ("kinds.0", "metrics.0", "metrics.0.questions.0", "metrics.0.levels.0"):
        with pytest.raises(EditRefused, match="at least"):
            step(one, "remove", path)


def test_a_scale_has_at_most_eleven_levels() -> None:
    text = DEFAULT
    for _ in range(5):
        text = step(text, "add", "metrics.0.levels")
    with pytest.raises(EditRefused, match="at most 11 levels"):
        step(text, "add", "metrics.0.levels")


def test_a_document_with_mistakes_is_edited_as_far_as_it_is_read() -> None:
    text = edited("## Manual Metric 2: Personalization (0-5)", "## Metric two", RICH)
    written = write(step(text, "remove", "metrics.0.questions.0"), "metrics.0.name", "Value")
    assert changes(text, written) == [
        "## Manual Metric 1: Usability & Value (0-5)\n",
        "- Are transport and queue/security buffers explicit?\n",
        "## Manual Metric 1: Value (0-5)\n",
    ]


# What was typed in the form, and in the document meanwhile


def test_both_sides_are_kept_when_they_change_different_things() -> None:
    text = edited("- Is pace", "- Is it new?\n- Is pace", edited("# Eval", "# Our Eval"))
    typed = {"metrics.1.questions.1.text": "Is the pace right?", "kinds.0.tags": "beijing"}
    merged = merge(DEFAULT, text, typed)
    assert (dict(merged.held), merged.homeless) == ({}, ())
    assert changes(text, merged.text) == [
        "- Is pace aligned with group type (family/elderly/solo/etc.)?\n",
        "  1. Beijing Spring Festival peak case `beijing` `spring-festival`\n",
        "- Is the pace right?\n",
        "  1. Beijing Spring Festival peak case `beijing`\n",
    ]


def test_a_text_that_both_sides_changed_is_held_until_it_is_chosen() -> None:
    text = edited("Is budget breakdown clear", "Is the budget clear")
    typed = {"metrics.0.questions.3.text": "Is every price clear?"}
    merged = merge(DEFAULT, text, typed)
    assert merged.text == text
    held = merged.held["metrics.0.questions.3.text"]
    assert (held.typed, held.is_conflict) == ("Is every price clear?", True)
    again = merge(text, text, typed, kept_apart={"metrics.0.questions.3.text"})
    assert again == merged
    assert "- Is every price clear?\n" in merge(text, text, typed).text


def test_what_both_sides_changed_alike_is_no_conflict() -> None:
    text = edited("Is budget breakdown clear and actionable?", "Is it?")
    merged = merge(DEFAULT, text, {"metrics.0.questions.3.text": " Is it? "})
    assert (merged.text, dict(merged.held)) == (text, {})


@pytest.mark.parametrize(
    "text", ["", "# Only a title", DEFAULT.replace("- Is budget", "- `9`: Is")]
)
def test_what_was_typed_for_a_part_that_is_gone_is_given_back(text: str) -> None:
    merged = merge(DEFAULT, text, {"metrics.0.questions.3.text": "Is it?"})
    assert merged.text == text
    assert merged.homeless == ("Is it?",)


def test_a_path_that_was_never_in_the_form_is_given_back() -> None:
    merged = merge(
        DEFAULT, DEFAULT, {"metrics.0.remarks": "x", "scope.1": "y", "title": "Eval Rubric"}
    )
    assert (merged.text, merged.homeless) == (DEFAULT, ("x", "y"))
