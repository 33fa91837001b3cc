"""Steps that change the parts of a document: add, remove or move one of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar, get_args

from .document import Document, Kind, Level, Metric, Question, _, detect_language
from .metric import MOST_LEVELS
from .texts import UNWRITTEN, EditRefused, PartMissing, with_keys

Act = Literal["add", "remove", "up", "down"]
ACTS: tuple[str, ...] = get_args(Act)

_PATH = re.compile(
    r"(?:metrics\.(?P<metric>\d{1,6})\.(?P<inner>levels|questions)|(?P<outer>metrics|kinds))"
    r"(?:\.(?P<place>\d{1,6}))?"
)
_LEAST = {
    "metrics": (1, _("A rubric needs at least one metric.")),
    "levels": (2, _("A scale needs at least two levels.")),
    "questions": (1, _("A checklist needs at least one question.")),
    "kinds": (1, _("The sampling rule needs at least one kind.")),
}

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Step:
    """Adds to a list, or removes or moves the part at `place` of it; a level goes by its value.

    `metric` is the place of the metric whose levels or questions they are. To move a level is to
    exchange its text with that of its neighbour: `up` is the next higher level.
    """

    act: str
    part: str
    metric: int = 0
    place: int = 0


def read_step(act: str, path: str) -> Step:
    """Read a step such as "add", "metrics.0.questions" or "up", "kinds.2". Raises PartMissing."""
    match = _PATH.fullmatch(path)
    if not match or act not in ACTS or (act == "add") != (match["place"] is None):
        raise PartMissing
    part = match["inner"] or match["outer"]
    return Step(act, part, int(match["metric"] or 0), int(match["place"] or 0))


def with_step(document: Document, step: Step) -> Document:
    """Return the document after the step. Raises EditRefused."""
    metrics, sampling = document.metrics, document.sampling
    if step.part == "metrics":
        changed = replace(document, metrics=_change(metrics, step, build_metric(document)))
    elif step.part == "kinds":
        kinds = _change(sampling.kinds, step, Kind("", UNWRITTEN, ()))
        if not sampling.kinds:
            raise PartMissing
        changed = replace(document, sampling=replace(sampling, kinds=kinds))
    else:
        if step.metric >= len(metrics):
            raise PartMissing
        metric = _with_step(metrics[step.metric], step)
        before, after = metrics[: step.metric], metrics[step.metric + 1 :]
        changed = replace(document, metrics=(*before, metric, *after))
    return with_keys(changed)


def _with_step(metric: Metric, step: Step) -> Metric:
    if step.part == "questions":
        checklist = _change(metric.checklist, step, Question("", UNWRITTEN, ""))
        return replace(metric, checklist=checklist)
    levels = {level.value: level for level in metric.levels}
    if step.act == "add":
        value = find_new_value(metric)
        levels[value] = Level(value, UNWRITTEN, "")
        ordered = tuple(levels[each] for each in sorted(levels))
        return replace(metric, levels=ordered, high=max(metric.high, value))
    if step.act == "remove":
        return _without_level(metric, step.place)
    other = find_neighbour(step)
    if step.place not in levels or other not in levels:
        raise PartMissing
    one, two = levels[step.place], levels[other]
    levels |= {one.value: replace(two, value=one.value), two.value: replace(one, value=two.value)}
    return replace(metric, levels=tuple(levels.values()))


def _without_level(metric: Metric, value: int) -> Metric:
    if value not in {level.value for level in metric.levels}:
        raise PartMissing
    _check_least("levels", len(metric.levels) - 1)
    levels = tuple(
        replace(level, value=level.value - (level.value > value))
        for level in metric.levels
        if level.value != value
    )
    return replace(metric, levels=levels, high=metric.high - (value <= metric.high))


def find_new_value(metric: Metric) -> int:
    """Return the value of a level to add: the first that the scale misses, or the next above."""
    if not metric.levels:
        raise PartMissing
    had = {level.value for level in metric.levels}
    missing = [value for value in metric.values if value not in had]
    if not missing and len(metric.values) >= MOST_LEVELS:
        raise EditRefused(_("A scale has at most %(most)d levels."), most=MOST_LEVELS)
    return missing[0] if missing else metric.high + 1


def find_neighbour(step: Step) -> int:
    """Return the place, or the value of the level, with which a moved part changes places."""
    is_forward = step.act == ("up" if step.part == "levels" else "down")
    return step.place + (1 if is_forward else -1)


def _change(parts: Sequence[T], step: Step, new: T) -> tuple[T, ...]:
    if step.act == "add":
        return (*parts, new)
    found = list(parts)
    if step.act == "remove":
        if step.place >= len(found):
            raise PartMissing
        _check_least(step.part, len(found) - 1)
        del found[step.place]
        return tuple(found)
    other = find_neighbour(step)
    if not (0 <= other < len(found) and step.place < len(found)):
        raise PartMissing
    found[step.place], found[other] = found[other], found[step.place]
    return tuple(found)


def _check_least(part: str, left: int) -> None:
    least, message = _LEAST[part]
    if left < least:
        raise EditRefused(message)


def build_metric(document: Document) -> Metric:
    """Build a metric that is still to be written, with the scale and the words of the last one."""
    if document.metrics:
        last = document.metrics[-1]
        label, checklist_label, low, high = last.label, last.checklist_label, last.low, last.high
    elif detect_language(document.title) == "zh-hans":
        label, checklist_label, low, high = "指标", "检查清单", 0, 5
    else:
        label, checklist_label, low, high = "Metric", "Review checklist", 0, 5
    levels = tuple(Level(value, UNWRITTEN, "") for value in range(low, high + 1))
    question = Question("", UNWRITTEN, "")
    return Metric("", label, UNWRITTEN, low, high, "", levels, checklist_label, (question,), "")
