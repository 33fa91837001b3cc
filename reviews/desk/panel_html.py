"""A panel of the desk: a metric with its questions and levels, or what belongs to none of them.

Most of it is the rubric, the same on every desk, so it is rendered once in each process, with a
hole where something of the case belongs. What holds somebody's words is rendered for them, and not
kept.
"""

from functools import lru_cache
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from cases.rubric import Metric, Question
from reviews.desk.judgement import AnswerSaid, ScoreSaid
from reviews.desk.page import Choice, Desk, DeskFlag, DeskMetric, DeskQuestion, Tile
from reviews.models import Ruling

# A question has four states without words and a metric seven, in two languages. With DEBUG an
# edited template is seen.
MOST = 0 if settings.DEBUG else 256
# Stands in a template for what comes from the case. Neither a rubric nor a translation holds it.
HOLE = SafeString("\0")
# What is before and behind the hole.
Halves = tuple[str, str]


def render_panel(own: DeskMetric, language: str) -> SafeString:
    """`language` is the rubric's."""
    metric = own.metric
    rows = [render_question(one, len(own.questions), language) for one in own.questions]
    inside = SafeString("".join([*rows, render_scale(own, language)]))
    return filled(frame(own.number, metric.key, metric.name, metric.intro, language), inside)


@lru_cache(maxsize=MOST)
def frame(number: int, key: str, name: str, intro: str, language: str) -> Halves:
    own = {"number": number, "metric": {"key": key, "name": name, "intro": intro}}
    return halves("reviews/desk/_metric.html", own=own, language=language)


def render_question(one: DeskQuestion, count: int, language: str) -> SafeString:
    if one.said.note or one.said.evidence or one.problem:
        context = {"one": one, "count": count, "language": language, "hole": one.facts}
        return render_to_string("reviews/desk/_question.html", context)
    rulings = tuple(ruling.text for ruling in one.rulings)
    kept = question_without_words(
        one.question, one.number, one.choices, rulings, count, language, get_language()
    )
    return filled(kept, one.facts)


@lru_cache(maxsize=MOST)
def question_without_words(
    question: Question,
    number: int,
    choices: tuple[Choice, ...],
    rulings: tuple[str, ...],
    count: int,
    language: str,
    frame_language: str | None,
) -> Halves:
    one = DeskQuestion(question, number, AnswerSaid(), choices, HOLE, as_rulings(rulings), "")
    return halves("reviews/desk/_question.html", one=one, count=count, language=language)


def render_scale(own: DeskMetric, language: str) -> SafeString:
    said = own.said
    words = (said.rationale, said.evidence, own.problems, own.why_problem, own.asked, own.line)
    if any(words):
        return render_to_string("reviews/desk/_scale.html", {"own": own, "language": language})
    rulings = tuple(tuple(ruling.text for ruling in tile.rulings) for tile in own.tiles)
    return scale_without_words(
        own.metric, own.number, said.value, rulings, language, get_language()
    )


@lru_cache(maxsize=MOST)
def scale_without_words(
    metric: Metric,
    number: int,
    value: int | None,
    rulings: tuple[tuple[str, ...], ...],
    language: str,
    frame_language: str | None,
) -> SafeString:
    tiles = tuple(
        Tile(level, level.value == value, as_rulings(texts))
        for level, texts in zip(reversed(metric.levels), rulings, strict=True)
    )
    own = DeskMetric(metric, number, ScoreSaid(value), (), tiles, (), "", "", "")
    return render_to_string("reviews/desk/_scale.html", {"own": own, "language": language})


def render_overall(desk: Desk) -> SafeString:
    """Of a review that is not revised."""
    if desk.comment or any(flag.is_set for flag in desk.flags):
        context = {"desk": desk, "hole": desk.more_facts}
        return render_to_string("reviews/desk/_overall.html", context)
    kept = overall_without_words(desk.flags, bool(desk.more_facts), get_language())
    return filled(kept, desk.more_facts)


@lru_cache(maxsize=MOST)
def overall_without_words(
    flags: tuple[DeskFlag, ...], has_facts: bool, frame_language: str | None
) -> Halves:
    desk = {"comment": "", "flags": flags, "more_facts": has_facts}
    return halves("reviews/desk/_overall.html", desk=desk)


# --- What they share ------------------------------------------------------------------------------


def as_rulings(texts: tuple[str, ...]) -> tuple[Ruling, ...]:
    return tuple(Ruling(text=text) for text in texts)


def halves(template: str, **context: Any) -> Halves:
    """A template that calls the place of the hole `hole`."""
    before, _, behind = render_to_string(template, context | {"hole": HOLE}).partition(HOLE)
    return before, behind


def filled(kept: Halves, inside: SafeString) -> SafeString:
    before, behind = kept
    return SafeString(before + inside + behind)
