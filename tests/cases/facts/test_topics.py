"""Which checklist question a fact informs."""

import pytest

from cases import rubric
from cases.facts.topics import Topic, topics_for
from cases.rubrics.workflow import SHIPPED

IN_ORDER = [
    Topic.BUFFERS,
    Topic.MEALS,
    Topic.FALLBACKS,
    Topic.MONEY,
    Topic.WISHES,
    Topic.PACE,
    Topic.CONSTRAINTS,
    Topic.STYLE,
]


@pytest.mark.parametrize("name", ["en.md", "zh-hans.md"])
def test_every_topic_has_a_question_of_its_own_in_the_shipped_rubric(name: str) -> None:
    document = rubric.read((SHIPPED / name).read_text("utf-8")).document
    questions = [question for metric in document.metrics for question in metric.checklist]
    found = topics_for([(question.key, question.text) for question in questions])
    assert found == dict(zip(IN_ORDER, (question.key for question in questions), strict=True))


def test_the_order_of_the_questions_does_not_matter() -> None:
    document = rubric.read((SHIPPED / "en.md").read_text("utf-8")).document
    questions = [
        (question.key, question.text)
        for metric in document.metrics
        for question in metric.checklist
    ]
    assert topics_for(questions[::-1]) == topics_for(questions)


def test_no_question_informs_nothing() -> None:
    assert topics_for([]) == {}


def test_an_unknown_rubric_may_leave_topics_without_a_question() -> None:
    found = topics_for([("q1", "Is the price right?"), ("q2", "Is the tone friendly?")])
    assert found == {Topic.MONEY: "q1"}


def test_a_question_may_inform_several_topics_that_it_names() -> None:
    found = topics_for([("q1", "Are meals and costs stated?")])
    assert found == {Topic.MEALS: "q1", Topic.MONEY: "q1"}


def test_a_question_that_names_one_topic_does_not_lean_to_another() -> None:
    found = topics_for([("q1", "Does the budget hold in bad weather?")])
    assert found == {Topic.MONEY: "q1"}


def test_a_question_may_lean_to_a_topic_that_no_other_names() -> None:
    found = topics_for([("q1", "Is there anything for bad weather?"), ("q2", "有休息吗？")])
    assert found == {Topic.FALLBACKS: "q1", Topic.MEALS: "q2"}


@pytest.mark.parametrize(
    "text",
    ["Is the breakdown of days clear?", "Are restaurants interested?", "How do guests feel?"],
)
def test_a_word_inside_another_word_does_not_count(text: str) -> None:
    assert not {Topic.MEALS, Topic.MONEY} & set(topics_for([("q", text)]))


def test_the_first_of_equal_questions_is_informed() -> None:
    found = topics_for([("q1", "Is the pace right?"), ("q2", "Does the pace fit?")])
    assert found == {Topic.PACE: "q1"}


@pytest.mark.parametrize("text", ["Does the summary match the days?", "摘要与行程一致吗？"])
def test_a_question_about_the_summary_is_informed_by_what_it_names(text: str) -> None:
    assert topics_for([("q1", "Is the price right?"), ("q2", text)])[Topic.CONSISTENCY] == "q2"
