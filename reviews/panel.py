"""A metric on the desk: its questions and levels, put together from parts that are kept.

Most of it is the rubric, the same on every desk, so it is rendered once in each process. What
holds somebody's words is rendered for them, and not kept.
"""

from collections.abc import Hashable, Iterator
from typing import Any

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from evalsite.keeping import Kept
from reviews.desk import DeskMetric, DeskQuestion

# A question has four states without words and a metric seven, in two languages.
_parts = Kept[tuple[str, str]](most=512)
# No text that a database can keep holds it.
HOLE = SafeString("\0")


def panel_of(own: DeskMetric, language: str) -> SafeString:
    """`language` is the rubric's."""
    metric = own.metric
    key = (own.number, metric.key, metric.name, metric.intro, language)
    before, behind = around("reviews/_desk_metric.html", key, own=own, language=language)
    return SafeString("".join([before, *rows_of(own, language), behind]))


def rows_of(own: DeskMetric, language: str) -> Iterator[str]:
    for one in own.questions:
        before, behind = question_of(one, len(own.questions), language)
        yield before
        yield one.facts
        yield behind
    yield from scale_of(own, language)


def question_of(one: DeskQuestion, count: int, language: str) -> tuple[str, str]:
    """What stands before its facts, and behind them."""
    said = one.said
    key: Hashable = None
    if not (said.note or said.evidence or one.problem):
        told = tuple(ruling.text for ruling in one.rulings)
        key = (one.question, one.number, count, language, said.answer, told)
    context = {"one": one, "count": count, "language": language}
    return around("reviews/_desk_question.html", key, **context)


def scale_of(own: DeskMetric, language: str) -> tuple[str, str]:
    metric, said = own.metric, own.said
    key: Hashable = None
    words = (said.rationale, said.evidence, own.problems, own.why_problem, own.asked, own.line)
    if not any(words):
        told = tuple(tuple(ruling.text for ruling in tile.rulings) for tile in own.tiles)
        key = (own.number, metric.key, metric.name, metric.levels, language, said.value, told)
    return around("reviews/_desk_scale.html", key, own=own, language=language)


def around(template: str, key: Hashable, **context: Any) -> tuple[str, str]:
    """A template before its hole and behind it; kept under the key, if there is one."""

    def render() -> tuple[str, str]:
        before, _, behind = render_to_string(template, context | {"hole": HOLE}).partition(HOLE)
        return before, behind

    return render() if key is None else _parts.get((template, get_language(), key), render)
