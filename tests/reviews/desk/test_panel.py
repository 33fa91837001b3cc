"""The panels of a desk are put together from kept parts, and show what they would show without."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from django.utils import translation
from django.utils.safestring import SafeString

from reviews.desk import page as desk_page
from reviews.desk import panel_html as desk_panel_html
from reviews.desk.case_html import Block
from reviews.desk.judgement import AnswerSaid, Judgement, ScoreSaid
from reviews.errors import Missing
from tests.bench.stock import shipped

DOCUMENT = shipped()
METRIC = DOCUMENT.metrics[0]
QUESTION = METRIC.checklist[0]


KEPT = (
    desk_panel_html.frame,
    desk_panel_html.question_without_words,
    desk_panel_html.scale_without_words,
    desk_panel_html.overall_without_words,
)


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was rendered to be kept: none of it before the test."""
    for each in KEPT:
        each.cache_clear()
    found: list[str] = []
    render = desk_panel_html.halves

    def noted(template: str, **context: Any) -> desk_panel_html.Halves:
        made = render(template, **context)
        found.extend(made)
        return made

    monkeypatch.setattr(desk_panel_html, "halves", noted)
    return found


def laid(
    said: Judgement | None = None, *, facts: str = "<ul>F1</ul>", rulings: tuple[str, ...] = ()
) -> desk_page.Desk:
    given = [SimpleNamespace(subject=QUESTION.key, text=text) for text in rulings]
    shown = Block(SafeString("plan"), {QUESTION.key: SafeString(facts), None: SafeString(facts)})
    return desk_page.build_desk(
        shown,
        DOCUMENT,
        said or Judgement(),
        rulings=given,  # type: ignore[arg-type]
        language="en",
    )


def shown(own: desk_page.Desk) -> str:
    return desk_panel_html.render_panel(
        own.metrics[0], own.language
    ) + desk_panel_html.render_overall(own)


def test_a_second_desk_has_its_own_facts_and_nothing_is_rendered_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = shown(laid(facts="<ul>F1</ul>"))
    monkeypatch.setattr(
        desk_panel_html, "render_to_string", lambda *_: pytest.fail("rendered again")
    )
    second = shown(laid(facts="<ul>F2</ul>"))
    assert first.count("<ul>F1</ul>") == second.count("<ul>F2</ul>") == 2
    assert second == first.replace("F1", "F2")


def test_hints_on_levels_can_be_read_by_everybody_and_take_no_room_where_there_are_none() -> None:
    own = laid().metrics[0]
    assert "of-levels" not in desk_panel_html.render_scale(own, "en")
    tile = replace(own.tiles[0], level=replace(own.tiles[0].level, hint="Nothing to change."))
    hinted = replace(own, tiles=(tile, *own.tiles[1:]), said=ScoreSaid(3, "Thin."))
    scale = desk_panel_html.render_scale(hinted, "en")
    assert "<dd>Nothing to change.</dd>" in scale
    assert "title=" not in scale


@pytest.mark.parametrize(
    "said",
    [
        Judgement(answers={QUESTION.key: AnswerSaid("no", "Sams note")}),
        Judgement(scores={METRIC.key: ScoreSaid(3, "Sams reason")}),
        Judgement(comment="Sams comment"),
    ],
)
def test_what_somebody_wrote_is_shown_and_not_kept(said: Judgement, kept: list[str]) -> None:
    assert "Sams " in shown(laid(said))
    assert kept
    assert not any("Sams " in text for text in kept)
    assert "Sams " not in shown(laid())


def test_answers_and_scores_have_parts_of_their_own() -> None:
    blank = shown(laid())
    assert " checked" not in blank
    for answer in ("yes", "no", "na"):
        page = shown(laid(Judgement(answers={QUESTION.key: AnswerSaid(answer)})))
        assert f'value="{answer}" checked>' in page
        assert page.count(" checked") == 1
    page = shown(laid(Judgement(scores={METRIC.key: ScoreSaid(0)})))
    assert 'value="0" checked>' in page
    flagged = shown(laid(Judgement(flags=["broken"])))
    assert flagged.count(" checked") == 1
    assert shown(laid()) == blank


def test_a_ruling_stands_there_as_soon_as_it_is_given() -> None:
    assert "Ruling:" not in shown(laid())
    page = shown(laid(rulings=("A named tram counts.",)))
    assert "A named tram counts." in page
    assert "i · 1" in page


def test_a_problem_stands_beside_its_question_once() -> None:
    own = laid()
    metric = own.metrics[0]
    question = replace(metric.questions[0], problem="It needs an answer.")
    wrong = replace(metric, questions=(question, *metric.questions[1:]))
    assert "It needs an answer." in desk_panel_html.render_panel(wrong, "en")
    assert "It needs an answer." not in desk_panel_html.render_panel(metric, "en")


def test_a_reason_is_asked_for_only_of_whoever_needs_one() -> None:
    missing = Missing("scores." + METRIC.key + ".rationale", "It needs a reason.")
    own = desk_page.build_desk(
        Block(SafeString(), {}), DOCUMENT, Judgement(), problems=[missing], language="en"
    )
    assert "It needs a reason." in shown(own)
    assert "It needs a reason." not in shown(laid())


def test_each_language_of_the_frame_has_its_own() -> None:
    english = shown(laid())
    with translation.override("zh-hans"):
        chinese = shown(laid())
    assert "Why not one higher?" in english
    assert "Why not one higher?" not in chinese
    assert shown(laid()) == english
