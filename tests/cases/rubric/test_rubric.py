"""Rubric documents that can be read: their facts, canonical text, digest and translation."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import cases.rubric
from cases.rubric import (
    Document,
    Kind,
    RubricError,
    Section,
    detect_language,
    digest,
    fits,
    from_data,
    normal_tag,
    read,
    slug,
    to_data,
    translated,
    write,
)

RUBRICS = Path(cases.rubric.__file__).parent.parent / "rubrics"
DEFAULT = (RUBRICS / "en.md").read_text(encoding="utf-8")
CHINESE = (RUBRICS / "zh-hans.md").read_text(encoding="utf-8")
UNTAGGED = re.sub(r"( `[a-z-]+`)+$", "", DEFAULT, flags=re.MULTILINE)
FLAT_KINDS = re.sub(r"^  (\d)", r"\1", DEFAULT, flags=re.MULTILINE)


def document_of(text: str) -> Document:
    return read(text).document


def edited(old: str, new: str, text: str = DEFAULT) -> str:
    """The text with the first occurrence of `old` replaced; it must be there."""
    assert old in text
    return text.replace(old, new, 1)


# The default


def test_default_has_two_metrics_with_six_levels_and_four_questions_each() -> None:
    document = document_of(DEFAULT)
    assert document.title == "Eval Rubric"
    assert [metric.key for metric in document.metrics] == ["usability-value", "personalization"]
    assert [metric.name for metric in document.metrics] == ["Usability & Value", "Personalization"]
    for metric in document.metrics:
        assert metric.values == (0, 1, 2, 3, 4, 5)
        assert tuple(level.value for level in metric.levels) == metric.values
        assert [question.key for question in metric.checklist] == [
            f"{metric.key}.{number}" for number in (1, 2, 3, 4)
        ]


def test_default_says_what_each_part_says() -> None:
    document = document_of(DEFAULT)
    personalization = document.metric("personalization")
    assert document.scope_heading == "Scope"
    assert document.scope.startswith("This rubric is used")
    assert document.scope.endswith("purely by rules.")
    assert personalization.label == "Manual Metric"
    assert personalization.intro.startswith("Score whether plan truly")
    assert personalization.level(3).text == "Good adaptation to major constraints."
    assert personalization.level(3).hint == ""
    assert personalization.checklist_label == "Review checklist"
    question = document.question("personalization.1")
    assert question.text == "Are must-visit and avoid requirements respected?"
    assert personalization.remarks == document.preamble == document.sampling.remarks == ""
    assert document.other == ()


def test_default_asks_for_five_cases_of_five_kinds_with_their_tags() -> None:
    sampling = document_of(DEFAULT).sampling
    assert sampling.rule == "Evaluate at least 5 representative cases per release:"
    assert sampling.minimum == 5
    assert [(kind.key, kind.tags) for kind in sampling.kinds] == [
        ("beijing-spring-festival-peak-case", ("beijing", "spring-festival")),
        ("low-budget-feasibility-warning-case", ("low-budget",)),
        ("family-parent-child-case", ("family",)),
        ("mobility-limited-case", ("mobility-limited",)),
        ("tight-schedule-must-visit-case", ("tight-schedule",)),
    ]


def test_default_is_read_without_warnings() -> None:
    assert read(DEFAULT).warnings == ()


def test_default_is_its_own_canonical_text() -> None:
    assert write(document_of(DEFAULT)) == DEFAULT


def test_writing_out_and_reading_again_gives_the_same_digest() -> None:
    document = document_of(DEFAULT)
    again = document_of(write(document))
    assert again == document
    assert digest(again) == digest(document)
    assert re.fullmatch(r"[0-9a-f]{64}", digest(document))


def test_document_without_tags_has_the_same_keys_and_another_digest() -> None:
    document, untagged = document_of(DEFAULT), document_of(UNTAGGED)
    assert [kind.key for kind in untagged.sampling.kinds] == [
        kind.key for kind in document.sampling.kinds
    ]
    assert all(kind.tags == () for kind in untagged.sampling.kinds)
    assert write(untagged) == UNTAGGED
    assert digest(untagged) != digest(document)


def test_data_of_a_document_survives_json() -> None:
    document = document_of(DEFAULT)
    data = to_data(document)
    assert json.loads(json.dumps(data)) == data
    assert from_data(data) == document


def test_unknown_key_is_a_key_error() -> None:
    document = document_of(DEFAULT)
    assert document.kind("family-parent-child-case").tags == ("family",)
    for find in (document.metric, document.question, document.kind):
        with pytest.raises(KeyError):
            find("nowhere")


# What may differ without being another rubric


@pytest.mark.parametrize(
    "text",
    [
        DEFAULT.replace("\n", "\r\n"),
        DEFAULT.replace("\n", "\r"),
        "\ufeff" + DEFAULT,
        DEFAULT.replace("\n", "  \n"),
        DEFAULT.replace("\n  ", "\n\t"),
        DEFAULT.replace("\n- ", "\n-\t"),
        DEFAULT.replace("\n- ", "\n * "),
        DEFAULT.replace("\n- ", "\n+   "),
        DEFAULT.replace("\n\n", "\n\n\n\n"),
        DEFAULT.replace("\n## ", "\n---\n\n## "),
        DEFAULT.replace("\nReview checklist:\n", "\nReview checklist:\n\n"),
        DEFAULT.replace("\n## ", "\n##   ").replace(" (0-5)", "  ( 0 – 5 ) ##"),
        DEFAULT.replace("(0-5)", "(0~5)"),
        DEFAULT.replace("(0-5)", "（0至5）").replace("Metric 1:", "Metric 1："),
        DEFAULT.replace("Metric 2", "Metric 7"),
        DEFAULT.replace("`0`: ", "`0` ： "),
        DEFAULT.replace("`spring-festival`", "` Spring_Festival `,"),
        edited("  2. Low", "  7. Low"),
        edited("release:\n", "release:\n\n"),
        DEFAULT.rstrip("\n"),
        edited("## Scope", "     ## Scope"),
    ],
    ids=[
        "windows line ends",
        "old mac line ends",
        "byte order mark",
        "trailing spaces",
        "tabs as indent",
        "tabs after the marker",
        "stars and an indent",
        "pluses and wide markers",
        "more blank lines",
        "rules between sections",
        "blank line below the checklist's label",
        "spaces and closing hashes in headings",
        "tilde as range sign",
        "full-width heading",
        "metric numbers",
        "full-width colon",
        "tags in upper case with underscores",
        "numbers of the kinds",
        "blank line below the rule",
        "no newline at the end",
        "heading indented like code",
    ],
)
def test_digest_does_not_depend_on_layout(text: str) -> None:
    assert digest(document_of(text)) == digest(document_of(DEFAULT))


def test_levels_may_stand_in_any_order() -> None:
    lines = DEFAULT.split("\n")
    lines[9:15] = reversed(lines[9:15])
    assert lines != DEFAULT.split("\n")
    assert document_of("\n".join(lines)) == document_of(DEFAULT)


def test_another_word_is_another_digest() -> None:
    assert digest(document_of(edited("Strong.", "Solid."))) != digest(document_of(DEFAULT))


def test_kinds_may_be_a_list_at_the_margin_below_a_paragraph() -> None:
    flat = edited("- Evaluate", "Evaluate", edited("release:\n", "release:\n\n", FLAT_KINDS))
    assert document_of(flat) == document_of(DEFAULT)


def test_kinds_may_stand_at_the_margin_below_a_rule_in_a_list_item() -> None:
    assert document_of(FLAT_KINDS) == document_of(DEFAULT)


def test_kinds_may_be_bullets() -> None:
    bullets = re.sub(r"^  \d\.", "  *", DEFAULT, flags=re.MULTILINE)
    assert document_of(bullets) == document_of(DEFAULT)


def test_rule_may_run_over_two_lines() -> None:
    document = document_of(edited("representative cases", "representative\n  cases"))
    assert document.sampling.rule == ("Evaluate at least 5 representative\ncases per release:")
    assert document_of(write(document)) == document


# Hints, remarks and other text


def test_indented_lines_are_the_hint_of_a_level_or_a_question() -> None:
    text = edited("no backups.\n", "no backups.\n  No when a part is missing.\n\n    - or late\n")
    text = edited("explicit?\n", "explicit?\n   No when a part that applies is missing.\n", text)
    document = document_of(text)
    level = document.metrics[0].level(0)
    assert level.text == "Not usable. Missing key logistics, impossible timeline, no backups."
    assert level.hint == "No when a part is missing.\n- or late"
    question = document.question("usability-value.1")
    assert question.text == "Are transport and queue/security buffers explicit?"
    assert question.hint == "No when a part that applies is missing."
    assert document_of(write(document)) == document


def test_markup_is_kept_as_it_is_written() -> None:
    scope = (
        "[a]: https://example.org\n<b>bold</b> **strong** &amp; \\* `code`\n> quote\n```\nx\n```"
    )
    document = document_of(edited("It focuses on", scope + "\nIt focuses on"))
    assert scope in document.scope
    assert document_of(write(document)) == document


def test_code_block_never_closed_does_not_swallow_the_sections_below() -> None:
    document = document_of(edited("It focuses on", "```\nIt focuses on"))
    assert len(document.metrics) == 2
    assert "\n```\nIt focuses on" in document.scope


def test_rule_that_looks_like_a_link_definition_is_read() -> None:
    rule = "- Evaluate at least 5 representative cases per release:\n"
    document = document_of(edited(rule, "[cases]: at-least-5\n\n", FLAT_KINDS))
    assert document.sampling.rule == "[cases]: at-least-5"
    assert document.sampling.minimum == 5


def test_closing_hashes_are_no_part_of_a_title() -> None:
    document = document_of(edited("# Eval Rubric", "# Eval Rubric C# # ##"))
    assert document.title == "Eval Rubric C#"
    assert document_of(write(document)) == document


def test_remark_indented_less_than_the_questions_stays_a_remark() -> None:
    text = re.sub("^- ", "-    ", DEFAULT, flags=re.MULTILINE)
    document = document_of(edited("actionable?\n", "actionable?\n\n   Ask the team.\n", text))
    assert document.metrics[0].remarks == "Ask the team."
    assert document_of(write(document)) == document


def test_underlined_text_is_no_heading() -> None:
    document = document_of(edited("It focuses on", "Important\n---------\nIt focuses on"))
    assert "Important\n---------\nIt focuses on" in document.scope


def test_text_around_the_lists_of_a_metric_becomes_its_remarks() -> None:
    text = edited("\n\nReview checklist:", "\n\nNo half points.\n\nReview checklist:")
    text = edited("actionable?\n", "actionable?\n\n### Sources\nAsk the team.\n", text)
    document = document_of(text)
    assert document.metrics[0].remarks == "No half points.\n\n### Sources\nAsk the team."
    assert read(text).warnings == ()
    assert document_of(write(document)) == document


def test_other_items_and_text_of_the_sampling_section_become_its_remarks() -> None:
    text = edited("- Evaluate", "Draw by rule.\n\n- Evaluate") + "- Rotate reviewers.\n\nThe end.\n"
    document = document_of(text)
    assert document.sampling.remarks == "Draw by rule.\n\n- Rotate reviewers.\n\nThe end."
    assert len(document.sampling.kinds) == 5
    assert document_of(write(document)) == document


def test_unknown_section_is_kept_with_a_warning() -> None:
    reading = read(edited("## Suggested", "## Change log\n- 2024: first\n\n## Suggested"))
    assert reading.document.other == (Section("Change log", "- 2024: first"),)
    (warning,) = reading.warnings
    assert str(warning) == (
        'Line 39: The section "Change log" is not part of a rubric; it is kept at the end.'
    )
    assert write(reading.document).endswith("\n\n## Change log\n- 2024: first\n")


def test_text_outside_any_section_is_kept_with_a_warning() -> None:
    reading = read("Draft!\n\n" + edited("# Eval Rubric\n", "# Eval Rubric\n\nBy the team.\n"))
    assert reading.document.preamble == "Draft!\n\nBy the team."
    assert [warning.line for warning in reading.warnings] == [1, 5]


def test_metric_numbers_out_of_order_are_a_warning() -> None:
    reading = read(edited("Metric 2", "Metric 3"))
    assert [str(warning) for warning in reading.warnings] == [
        "Line 23: Personalization is numbered 3 but comes as metric 2."
    ]
    assert "## Manual Metric 2: Personalization (0-5)" in write(reading.document)


def test_scope_may_be_missing_or_empty() -> None:
    start, end = DEFAULT.index("## Scope"), DEFAULT.index("## Manual")
    missing = document_of(DEFAULT[:start] + DEFAULT[end:])
    assert (missing.scope_heading, missing.scope) == ("", "")
    assert "Scope" not in write(missing)
    empty = document_of(DEFAULT[:start] + "## Scope\n\n" + DEFAULT[end:])
    assert (empty.scope_heading, empty.scope) == ("Scope", "")
    assert document_of(write(empty)) == empty


def test_eleven_levels_are_read() -> None:
    levels = "\n".join(f"- `{value}`: Level {value}." for value in range(6, 11))
    text = edited("(0-5)", "(0-10)")
    document = document_of(edited("\n\nReview checklist", f"\n{levels}\n\nReview checklist", text))
    assert len(document.metrics[0].levels) == 11


def test_any_number_of_metrics_is_read() -> None:
    start, end = DEFAULT.index("## Manual Metric 2"), DEFAULT.index("## Suggested")
    more = DEFAULT[start:end].replace("Metric 2: Personalization", "Metric 3: 安全")
    document = document_of(DEFAULT[:end] + more + DEFAULT[end:])
    assert [metric.key for metric in document.metrics][2] == "metric-3"
    assert document.metrics[2].checklist[0].key == "metric-3.1"


@pytest.mark.parametrize(
    ("rule", "minimum"),
    [
        ("Evaluate at least 7 cases in 2 rounds:", 7),
        ("Score AT LEAST 5:", 5),
        ("Evaluate 6 representative cases:", 6),
        ("每个发布版本至少 8 个用例，每例 2 人：", 8),
        ("不少于 9 个：", 9),
        ("至少抽取 12 个用例：", 12),
    ],
)
def test_minimum_is_read_from_the_rule(rule: str, minimum: int) -> None:
    text = edited("Evaluate at least 5 representative cases per release:", rule)
    assert document_of(text).sampling.minimum == minimum


def test_minimum_equal_to_the_number_of_kinds_is_enough() -> None:
    assert document_of(DEFAULT).sampling.minimum == len(document_of(DEFAULT).sampling.kinds)


# Keys, tags, languages


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Usability & Value", "usability-value"),
        ("  Low-budget: feasibility! ", "low-budget-feasibility"),
        ("北京 Beijing 2024", "beijing-2024"),
        ("个性化", ""),
        ("", ""),
    ],
)
def test_slug_is_lower_case_with_single_hyphens(text: str, key: str) -> None:
    assert slug(text) == key


def test_names_without_ascii_letters_are_keyed_by_place() -> None:
    document = document_of(CHINESE)
    assert [metric.key for metric in document.metrics] == ["metric-1", "metric-2"]
    assert document.metrics[1].checklist[3].key == "metric-2.4"
    assert [kind.key for kind in document.sampling.kinds] == [f"kind-{n}" for n in range(1, 6)]


def test_case_fits_a_kind_when_it_has_all_its_tags() -> None:
    kind = Kind("peak", "Peak", ("beijing", "spring-festival"))
    assert fits(["Beijing", "spring_festival", "family"], kind)
    assert not fits(["beijing"], kind)
    assert not fits([], kind)


def test_kind_without_tags_asks_for_its_own_key() -> None:
    kind = document_of(UNTAGGED).kind("mobility-limited-case")
    assert kind.required_tags == ("mobility-limited-case",)
    assert fits({"mobility_limited_case"}, kind)
    assert not fits({"mobility-limited"}, kind)


def test_tags_are_compared_in_lower_case_with_hyphens() -> None:
    assert normal_tag(" Spring_Festival ") == "spring-festival"


def test_tag_named_twice_counts_once() -> None:
    document = document_of(edited("`family`", "`family`, `Family`"))
    assert document.kind("family-parent-child-case").tags == ("family",)


def test_language_is_told_by_the_share_of_chinese_letters() -> None:
    assert detect_language(DEFAULT) == "en"
    assert detect_language(DEFAULT + "故宫、天坛") == "en"
    assert detect_language(CHINESE) == "zh-hans"
    assert detect_language("人工指标 Metric") == "zh-hans"
    assert detect_language("") == "en"


# The translation


def test_chinese_translation_loads_with_the_keys_of_the_original() -> None:
    original = document_of(DEFAULT)
    reading = translated(original, CHINESE)
    assert reading.warnings == ()
    document = reading.document
    assert [metric.key for metric in document.metrics] == ["usability-value", "personalization"]
    assert [each.key for each in document.questions] == [each.key for each in original.questions]
    assert [(kind.key, kind.tags) for kind in document.sampling.kinds] == [
        (kind.key, kind.tags) for kind in original.sampling.kinds
    ]
    assert document.metric("personalization").name == "个性化"
    assert document.metric("personalization").label == "人工指标"
    assert document.sampling.minimum == 5


def test_chinese_translation_is_its_own_canonical_text() -> None:
    assert write(document_of(CHINESE)) == CHINESE
    assert write(translated(document_of(DEFAULT), CHINESE).document) == CHINESE


def test_translation_need_not_repeat_the_tags() -> None:
    original = document_of(DEFAULT)
    untagged = re.sub(r"( `[a-z-]+`)+$", "", CHINESE, flags=re.MULTILINE)
    assert translated(original, untagged) == translated(original, CHINESE)


def test_other_tags_in_a_translation_are_not_used_and_that_is_said() -> None:
    reading = translated(document_of(DEFAULT), edited("`family`", "`elderly`", CHINESE))
    assert reading.document == translated(document_of(DEFAULT), CHINESE).document
    assert [str(warning) for warning in reading.warnings] == [
        'Line 43: Kind "Family/parent-child case" keeps the tags family; elderly is not used.'
    ]


def test_a_translation_with_tags_fits_an_original_without() -> None:
    reading = translated(document_of(UNTAGGED), CHINESE)
    kinds = reading.document.sampling.kinds
    assert [kind.tags for kind in kinds] == [()] * 5
    assert len(reading.warnings) == 5


def test_translation_may_give_two_kinds_names_with_one_slug() -> None:
    text = edited("家庭亲子用例", "亲子 case", edited("行动不便用例", "轮椅 case", CHINESE))
    kinds = translated(document_of(DEFAULT), text).document.sampling.kinds
    assert [kind.key for kind in kinds][2:4] == [
        "family-parent-child-case",
        "mobility-limited-case",
    ]


def test_every_document_translates_itself() -> None:
    document = document_of(DEFAULT)
    assert translated(document, DEFAULT).document == document


CHINESE_METRIC_2 = CHINESE[CHINESE.index("## 人工指标 2") : CHINESE.index("## 建议抽样")]


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        (
            edited("- 是否满足必去和避开的要求？\n", "", CHINESE),
            23,
            "Personalization has 4 questions, the translation has 3.",
        ),
        (
            edited("可操作？\n", "可操作？\n- 还有吗？\n", CHINESE),
            7,
            "Usability & Value has 4 questions, the translation has 5.",
        ),
        (
            edited("- `5`：适配", "- `5`：好。\n- `6`：适配", CHINESE).replace(
                "个性化（0-5）", "个性化（0-6）"
            ),
            23,
            "Personalization has the scale 0-5, the translation has 0-6.",
        ),
        (
            edited(CHINESE_METRIC_2, "", CHINESE),
            7,
            "The original has 2 metrics, the translation has 1.",
        ),
        (
            edited(CHINESE_METRIC_2, CHINESE_METRIC_2 * 2, CHINESE).replace(
                "指标 2：个性化", "指标 3：安全", 1
            ),
            39,
            "The original has 2 metrics, the translation has 3.",
        ),
        (
            edited("至少评审 5", "至少评审 6", CHINESE),
            40,
            "The original asks for 5 cases, the translation for 6.",
        ),
        (
            edited("  4. 行动不便用例 `mobility-limited`\n", "", CHINESE),
            44,
            "The original has 5 kinds, the translation has 4.",
        ),
    ],
    ids=[
        "question too few",
        "question too many",
        "another scale",
        "metric too few",
        "metric too many",
        "another minimum",
        "kind too few",
    ],
)
def test_translation_of_another_shape_is_refused(text: str, line: int, sentence: str) -> None:
    with pytest.raises(RubricError) as refused:
        translated(document_of(DEFAULT), text)
    assert f"Line {line}: {sentence}" in [str(each) for each in refused.value.problems]


def test_broken_translation_is_refused_with_its_own_lines() -> None:
    with pytest.raises(RubricError, match="Line 23: 个性化 has no level 3"):
        translated(document_of(DEFAULT), edited("- `3`：较好", "- `2`：较好", CHINESE))
