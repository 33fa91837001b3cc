"""The form of a desk: a blank one is cached, what a reviewer entered is not."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from django.core.cache import caches
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.safestring import SafeString

from reviews.desk.fragments import CaseHtml
from reviews.desk.judgement import AnswerEntry, Judgement, ScoreEntry
from reviews.desk.page import Desk, build_desk
from reviews.errors import Missing
from tests.bench.stock import shipped

DOCUMENT = shipped()
METRIC = DOCUMENT.metrics[0]
QUESTION = METRIC.checklist[0]


@pytest.fixture(autouse=True)
def nothing_is_cached() -> None:
    caches["desks"].clear()


def build(
    judgement: Judgement | None = None,
    *,
    case: str = "case",
    facts: str = "<ul>F1</ul>",
    rulings: tuple[str, ...] = (),
    problems: tuple[Missing, ...] = (),
) -> Desk:
    given = [SimpleNamespace(subject=QUESTION.key, text=text) for text in rulings]
    rendered = CaseHtml(
        SafeString("plan"), {QUESTION.key: SafeString(facts), None: SafeString(facts)}
    )
    return build_desk(
        rendered,
        DOCUMENT,
        judgement or Judgement(),
        rulings=given,  # type: ignore[arg-type]
        problems=problems,
        language="en",
        case_name=case,
    )


def render(desk: Desk, **context: object) -> str:
    return render_to_string("reviews/desk/_form.html", {"desk": desk, **context})


def count_questions(page: str) -> int:
    return page.count('<fieldset class="question')


def test_a_blank_form_is_rendered_once_for_a_case() -> None:
    first = render(build())
    assert first.count("<ul>F1</ul>") == 2
    assert count_questions(first) == len(DOCUMENT.questions)
    assert render(build(facts="<ul>F2</ul>")) == first
    assert render(build(facts="<ul>F2</ul>", case="other")) == first.replace("F1", "F2")


def test_a_form_without_a_name_is_not_cached() -> None:
    render(build(case=""))
    assert "F2" in render(build(case="", facts="<ul>F2</ul>"))


def test_a_revision_is_asked_for_its_reason_and_is_not_cached() -> None:
    blank = render(build())
    assert 'name="reason"' in render(build(), is_revising=True)
    assert 'name="reason"' not in blank
    assert render(build()) == blank


def test_hints_on_levels_can_be_read_by_everyone_and_take_no_room_where_there_are_none() -> None:
    desk = build(Judgement(scores={METRIC.key: ScoreEntry(3, "Thin.")}))
    assert "of-levels" not in render(desk)
    metric = desk.metrics[0]
    level = replace(
        metric.levels[0], level=replace(metric.levels[0].level, hint="Nothing to change.")
    )
    hinted = replace(metric, levels=(level, *metric.levels[1:]))
    page = render(replace(desk, metrics=(hinted, *desk.metrics[1:])))
    assert "<dd>Nothing to change.</dd>" in page
    assert "title=" not in page


@pytest.mark.parametrize(
    "said",
    [
        Judgement(answers={QUESTION.key: AnswerEntry("no", "Sams note")}),
        Judgement(scores={METRIC.key: ScoreEntry(3, "Sams reason")}),
        Judgement(comment="Sams comment"),
    ],
)
def test_what_a_reviewer_wrote_is_shown_and_not_cached(said: Judgement) -> None:
    assert "Sams " in render(build(said))
    assert "Sams " not in render(build())
    assert "Sams " in render(build(said))


def test_answers_scores_and_flags_are_marked() -> None:
    blank = render(build())
    assert " checked" not in blank
    for answer in ("yes", "no", "na"):
        page = render(build(Judgement(answers={QUESTION.key: AnswerEntry(answer)})))
        assert f'value="{answer}" checked>' in page
        assert page.count(" checked") == 1
    page = render(build(Judgement(scores={METRIC.key: ScoreEntry(0)})))
    assert 'value="0" checked>' in page
    flagged = render(build(Judgement(flags=["broken"])))
    assert flagged.count(" checked") == 1
    assert render(build()) == blank


def test_a_ruling_is_shown_as_soon_as_it_is_given() -> None:
    assert "Ruling:" not in render(build())
    page = render(build(rulings=("A named tram counts.",)))
    assert "A named tram counts." in page
    assert "i · 1" in page


@pytest.mark.parametrize(
    "path", [f"answers.{QUESTION.key}", f"scores.{METRIC.key}.rationale", f"scores.{METRIC.key}"]
)
def test_a_problem_is_shown_once_beside_what_it_is_about(path: str) -> None:
    problem = Missing(path, "It needs more.")
    assert render(build(problems=(problem,))).count("It needs more.") == 1
    assert "It needs more." not in render(build())


def test_each_interface_language_has_its_own_form() -> None:
    english = render(build())
    with translation.override("zh-hans"):
        chinese = render(build())
    assert "Why not one higher?" in english
    assert "Why not one higher?" not in chinese
    assert render(build()) == english
