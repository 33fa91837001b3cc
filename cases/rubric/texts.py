"""The texts of a document that can be edited, each under a path.

A path is `title`, `metrics.0.questions.1.hint` or `kinds.2.tags`; levels go by their value:
`metrics.0.levels.5.text`. A text that is still to be written is `UNWRITTEN` in the document: so its
line is there, and the document is refused until it is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar

from cases.itinerary.tags import normal_tag

from .document import Document, Level, Metric, Question, _, slug
from .lines import Page
from .sampling import find_minimum, without_separators

UNWRITTEN = "…"

Item = TypeVar("Item", Level, Question)


class EditRefused(ValueError):
    """The edit cannot be made. `message` is a %-template for `params`, to be translated."""

    def __init__(self, message: str, **params: str | int) -> None:
        self.message = message
        self.params = params
        super().__init__(message % params)


class PartMissing(EditRefused):
    def __init__(self) -> None:
        super().__init__(_("This part is no longer in the document."))


def list_texts(document: Document) -> dict[str, str]:
    """Return every text that can be edited, by its path, in the order of the form."""
    found = {"title": document.title}
    if document.scope_heading:
        found["scope"] = document.scope
    for place, metric in enumerate(document.metrics):
        path = f"metrics.{place}"
        found |= {f"{path}.name": metric.name, f"{path}.intro": metric.intro}
        for level in metric.levels:
            found |= _list_item(f"{path}.levels.{level.value}", level)
        for number, question in enumerate(metric.checklist):
            found |= _list_item(f"{path}.questions.{number}", question)
    if document.sampling.heading:
        found["rule"] = document.sampling.rule
    for place, kind in enumerate(document.sampling.kinds):
        found |= {f"kinds.{place}.text": kind.text, f"kinds.{place}.tags": " ".join(kind.tags)}
    return {path: "" if text == UNWRITTEN else text for path, text in found.items()}


def _list_item(path: str, item: Level | Question) -> dict[str, str]:
    return {f"{path}.text": item.text, f"{path}.hint": item.hint}


# --- How the document would have a text -----------------------------------------------------------


def normal(path: str, text: str) -> str:
    """Return the text as the document would have it; empty if nothing is written."""
    found = _NORMAL.get(path.rpartition(".")[2], _in_one_line)(text)
    if re.fullmatch(r"kinds\.\d+\.text", path):
        found = without_separators(found)
    return "" if found == UNWRITTEN else found


def _in_one_line(text: str) -> str:
    return re.sub(r"\s*[\r\n]+\s*", " ", text.strip()).replace("\t", " ")


def _in_lines(text: str) -> str:
    lines = (line.strip().replace("\t", " ") for line in re.split("[\r\n]+", text))
    return "\n".join(line for line in lines if line)


def _in_paragraphs(text: str) -> str:
    if not text.strip():
        return ""
    page = Page(text)
    return page.text(0, len(page.lines))


def split_tags(text: str) -> tuple[str, ...]:
    """Split tags at spaces, commas and backticks."""
    return tuple(dict.fromkeys(normal_tag(tag) for tag in re.split(r"[\s,，、`]+", text) if tag))


_NORMAL: Mapping[str, Callable[[str], str]] = {
    "hint": _in_lines,
    "rule": _in_lines,
    "intro": _in_paragraphs,
    "scope": _in_paragraphs,
    "tags": lambda text: " ".join(split_tags(text)),
}


# --- The document with other texts ----------------------------------------------------------------


def with_texts(document: Document, changes: Mapping[str, str]) -> Document:
    """Return the document with other texts under these paths. Raises PartMissing."""
    if not changes.keys() <= list_texts(document).keys():
        raise PartMissing
    for path, text in changes.items():
        document = _with_text(document, path.split("."), normal(path, text))
    return with_keys(document)


def _with_text(document: Document, path: list[str], text: str) -> Document:
    sampling = document.sampling
    match path:
        case ["title"]:
            return replace(document, title=text or UNWRITTEN)
        case ["scope"]:
            return replace(document, scope=text)
        case ["rule"]:
            minimum = find_minimum(text) or 0
            rule = text or UNWRITTEN
            return replace(document, sampling=replace(sampling, rule=rule, minimum=minimum))
        case ["kinds", place, field]:
            kinds = list(sampling.kinds)
            kind = kinds[int(place)]
            if field == "tags":
                kinds[int(place)] = replace(kind, tags=split_tags(text))
            else:
                kinds[int(place)] = replace(kind, text=text or UNWRITTEN)
            return replace(document, sampling=replace(sampling, kinds=tuple(kinds)))
    metrics = list(document.metrics)
    metrics[int(path[1])] = _with_metric_text(metrics[int(path[1])], path[2:], text)
    return replace(document, metrics=tuple(metrics))


def _with_metric_text(metric: Metric, path: list[str], text: str) -> Metric:
    match path:
        case ["name"]:
            return replace(metric, name=text or UNWRITTEN)
        case ["intro"]:
            return replace(metric, intro=text)
        case ["levels", value, field]:
            levels = tuple(
                _with_field(level, field, text) if level.value == int(value) else level
                for level in metric.levels
            )
            return replace(metric, levels=levels)
    questions = list(metric.checklist)
    questions[int(path[1])] = _with_field(questions[int(path[1])], path[2], text)
    return replace(metric, checklist=tuple(questions))


def _with_field(item: Item, field: str, text: str) -> Item:
    return replace(item, hint=text) if field == "hint" else replace(item, text=text or UNWRITTEN)


def with_keys(document: Document) -> Document:
    """Return the document with the keys that its names and places give."""
    metrics = []
    for place, metric in enumerate(document.metrics, 1):
        key = slug(metric.name) or f"metric-{place}"
        questions = tuple(
            replace(question, key=f"{key}.{number}")
            for number, question in enumerate(metric.checklist, 1)
        )
        metrics.append(replace(metric, key=key, checklist=questions))
    kinds = tuple(
        replace(kind, key=slug(kind.text) or f"kind-{place}")
        for place, kind in enumerate(document.sampling.kinds, 1)
    )
    sampling = replace(document.sampling, kinds=kinds)
    return replace(document, metrics=tuple(metrics), sampling=sampling)
