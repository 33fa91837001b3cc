"""Label Studio tasks: a JSON array with one task for each case, one annotation for each review.

Scores are choices: its ratings begin with 1, and 0 is a score here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import msgspec

from cases.itinerary.outline import list_lines
from cases.itinerary.reading import case_from
from cases.rubric import Document
from reviews.models.reviews import Answer

from .reviewed import Mark, Reviewed, identify, list_marks, list_reviews

# The object that all controls are about.
PLAN = "plan"


def write(cases: Iterable[Reviewed]) -> Iterator[bytes]:
    before = b"[\n"
    for reviewed in cases:
        yield before + msgspec.json.encode(build_task(reviewed))
        before = b",\n"
    yield b"\n]\n" if before == b",\n" else b"[]\n"


def build_task(reviewed: Reviewed) -> dict[str, Any]:
    case = case_from(bytes(reviewed.case.content).decode())
    lines = [f"{line.day or ''} {line.text}".strip() for line in list_lines(case)]
    return {
        "data": {
            "case_key": reviewed.case.case_key,
            "release": reviewed.release,
            "kind": reviewed.case.kind,
            "request": reviewed.data["request"]["text"],
            PLAN: "\n".join(lines),
        },
        "meta": {"reviewers": [review.reviewer for review, _said, _at in list_reviews(reviewed)]},
        "annotations": [
            {
                "was_cancelled": False,
                "ground_truth": False,
                "result": [
                    region
                    for mark in list_marks(said, reviewed.document)
                    for region in build_regions(mark, reviewed, review.reviewer)
                ],
            }
            for review, said, _at in list_reviews(reviewed)
        ],
    }


def build_regions(mark: Mark, reviewed: Reviewed, reviewer: str) -> Iterator[dict[str, Any]]:
    """Yield the choice and, if there are words, a text."""
    yield build_region(mark.name, "choices", {"choices": [str(mark.value)]}, reviewed, reviewer)
    if mark.text:
        text = name_text(mark.name)
        yield build_region(text, "textarea", {"text": [mark.text]}, reviewed, reviewer)


def build_region(
    name: str, type: str, value: dict[str, Any], reviewed: Reviewed, reviewer: str
) -> dict[str, Any]:
    return {
        "id": identify("label-studio", reviewed.release, reviewed.case.case_key, reviewer, name),
        "from_name": name,
        "to_name": PLAN,
        "type": type,
        "value": value,
    }


def name_text(name: str) -> str:
    return f"{name}:text"


# --- The labeling configuration -------------------------------------------------------------------


def write_config(document: Document) -> bytes:
    """Write the labeling configuration of a project that the tasks can be imported into."""
    view = Element("View")
    SubElement(view, "Header", value="$request")
    SubElement(view, "Text", name=PLAN, value=f"${PLAN}")
    for metric in document.metrics:
        levels = [str(value) for value in metric.values]
        add_control(view, metric.key, metric.name, levels)
        for question in metric.checklist:
            add_control(view, question.key, question.text, [str(value) for value in Answer])
    indent(view)
    text: bytes = tostring(view, encoding="utf-8")
    return text + b"\n"


def add_control(view: Element, name: str, title: str, choices: Iterable[str]) -> None:
    SubElement(view, "Header", value=title, size="4")
    control = SubElement(view, "Choices", name=name, toName=PLAN, choice="single")
    for choice in choices:
        SubElement(control, "Choice", value=choice)
    SubElement(view, "TextArea", name=name_text(name), toName=PLAN, maxSubmissions="1")
