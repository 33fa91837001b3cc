"""A regression as a row of a case file, in our format and in the planner's own.

The plan is left out: a regression asks for a new one. Rows are the same in every language.
"""

from __future__ import annotations

from typing import Any

import msgspec

from cases.formats import trip_agent_case
from cases.itinerary.format import SCHEMA
from cases.itinerary.reading import LONGEST_LINE

from .parts import FailedPart, Regression

# What of a case is about its request, and not about the plan that failed.
KEPT = ("locale", "tags", "produced_by")
# Words are cut to these lengths, one after the other, until the row is short enough to import.
LENGTHS = (None, 2_000, 200, 0)


def build_case_row(regression: Regression) -> dict[str, Any]:
    """Build a row of itinerary-case/1. `regression` is an extra field, which imports keep."""
    return shorten_to_fit(regression, write_case_row)


def build_trip_agent_row(regression: Regression) -> dict[str, Any]:
    """Build a case of the planner's own evaluation."""
    return shorten_to_fit(regression, write_trip_agent_row)


def shorten_to_fit(regression: Regression, write: Any) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for longest in LENGTHS:
        row = write(regression, longest)
        if len(msgspec.json.encode(row)) <= LONGEST_LINE:
            break
    return row


def write_case_row(regression: Regression, longest: int | None) -> dict[str, Any]:
    data = regression.data
    return {
        "schema": SCHEMA,
        "id": f"regression:{regression.release}:{regression.case_key}",
        "case_key": regression.case_key,
        **{name: data[name] for name in KEPT if data.get(name) is not None},
        "request": data["request"],
        "plan": None,
        "regression": {
            "product": regression.product,
            "release": regression.release,
            "case_digest": regression.digest,
            "expected": build_expected(regression),
            "findings": [describe_part(part, longest) for part in regression.parts],
        },
    }


def write_trip_agent_row(regression: Regression, longest: int | None) -> dict[str, Any]:
    return trip_agent_case.write(
        regression.case_key,
        regression.data["request"],
        expected=build_expected(regression),
        notes=write_notes(regression, longest),
    )


def build_expected(regression: Regression) -> dict[str, Any]:
    """Say what a better plan would have, by the keys of the rubric."""
    parts = regression.parts
    answers = {part.key: "yes" for part in parts if part.about == "question"}
    above = {part.key: part.floor for part in parts if part.about == "metric"}
    flags = [part.key for part in parts if part.about == "flag"]
    found = {"answers": answers, "scores_above": above, "without_flags": flags}
    return {name: value for name, value in found.items() if value}


def describe_part(part: FailedPart, longest: int | None) -> dict[str, Any]:
    found = {
        "about": part.about,
        "key": part.key,
        "text": part.text,
        "standing": part.standing,
        "answered_no": part.no or None,
        "words": cut(part.words, longest),
        "evidence": cut(part.evidence, longest),
        "lines": cut([line.text for line in part.lines], longest),
    }
    return {name: value for name, value in found.items() if value not in (None, [])}


def write_notes(regression: Regression, longest: int | None) -> str:
    lines = [f"Spotcheck, {regression.release}: reviewers found this in the plan."]
    for part in regression.parts:
        score = "" if part.standing is None else f" ({part.standing:.1f})"
        lines.append(f"{part.text}{score}")
        lines += [f"- {words}" for words in cut([*part.words, *part.evidence], longest)]
    return "\n".join(lines)


def cut(texts: Any, longest: int | None) -> list[str]:
    return [text[:longest] for text in texts if text[:longest]]
