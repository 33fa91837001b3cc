"""A panel of the desk: a metric with its questions and levels, or what belongs to none of them.

Most of it is the rubric, the same on every desk, so it is rendered once in each process. What
holds somebody's words is rendered for them, and not kept.
"""

from collections.abc import Hashable
from typing import Any

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from evalsite.keeping import Kept
from reviews.desk.page import Desk, DeskMetric, DeskQuestion

# A question has four states without words and a metric seven, in two languages.
_parts = Kept[tuple[str, str]](most=512)
# Stands in a template for what comes from the case. Neither a rubric nor a translation holds it.
HOLE = SafeString("\0")


def render_panel(own: DeskMetric, language: str) -> SafeString:
    """`language` is the rubric's."""
    metric = own.metric
    key = (own.number, metric.key, metric.name, metric.intro, language)
    rows = [render_question(one, len(own.questions), language) for one in own.questions]
    inside = SafeString("".join([*rows, render_scale(own, language)]))
    return part("reviews/desk/_metric.html", key, inside, own=own, language=language)


def render_question(one: DeskQuestion, count: int, language: str) -> SafeString:
    said = one.said
    key: Hashable = None
    if not (said.note or said.evidence or one.problem):
        told = tuple(ruling.text for ruling in one.rulings)
        key = (one.question, one.number, count, language, said.answer, told)
    context = {"one": one, "count": count, "language": language}
    return part("reviews/desk/_question.html", key, one.facts, **context)


def render_scale(own: DeskMetric, language: str) -> SafeString:
    metric, said = own.metric, own.said
    key: Hashable = None
    words = (said.rationale, said.evidence, own.problems, own.why_problem, own.asked, own.line)
    if not any(words):
        told = tuple(tuple(ruling.text for ruling in tile.rulings) for tile in own.tiles)
        key = (own.number, metric.key, metric.name, metric.levels, language, said.value, told)
    return part("reviews/desk/_scale.html", key, SafeString(), own=own, language=language)


def render_overall(desk: Desk) -> SafeString:
    """Of a review that is not revised."""
    is_blank = not desk.comment and not any(flag.is_set for flag in desk.flags)
    key = (bool(desk.more_facts),) if is_blank else None
    return part("reviews/desk/_overall.html", key, desk.more_facts, desk=desk)


def part(template: str, key: Hashable, inside: SafeString, **context: Any) -> SafeString:
    """A template around `inside`, which it calls `hole`; kept under the key, if there is one."""
    if key is None:
        return render_to_string(template, context | {"hole": inside})

    def render() -> tuple[str, str]:
        before, _, behind = render_to_string(template, context | {"hole": HOLE}).partition(HOLE)
        return before, behind

    before, behind = _parts.get((template, get_language(), key), render)
    return SafeString(before + inside + behind)
