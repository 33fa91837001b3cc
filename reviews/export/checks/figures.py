"""Every figure of the summary computed from the rows, and the verdict from the summary."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from reviews.export.recomputing import document_of, summary_of
from reviews.export.unpacking import Bundle
from reviews.report import verdict
from reviews.report.summary import OtherSchema, read
from reviews.report.summary.document import SCHEMA, digest_summary

# One step of the last decimal that is kept: another machine may round the other way.
TOLERANCE = 1e-10 * 1.5
# What names a row of a list better than its place.
NAMES = ("item", "metric", "case_key", "subject", "reviewer", "rule", "kind", "name", "number")


def figures(bundle: Bundle) -> Iterator[str]:
    if digest_summary(bundle.summary) != bundle.manifest.summary:
        yield "summary.json: not the summary whose digest the manifest has."
    try:
        if (schema := read(bundle.summary).schema) != SCHEMA:
            raise OtherSchema(schema)
        found = summary_of(bundle, document_of(bundle))
    except OtherSchema as error:
        yield f"summary.json: written as {error}, which this code cannot compute."
        return
    except msgspec.MsgspecError as error:
        yield f"summary.json: {error}."
        return
    told = msgspec.json.decode(bundle.summary)
    yield from named("summary.json", told, msgspec.to_builtins(found))
    is_abandoned = any(one.is_abandoned for one in bundle.closings if one.reopened_at is None)
    decided = msgspec.to_builtins(verdict.of(found, is_abandoned=is_abandoned))
    try:
        told = msgspec.json.decode(bundle.verdict)
    except msgspec.MsgspecError as error:
        yield f"verdict.json: {error}."
        return
    yield from named("verdict.json", told, decided)


def named(file: str, told: Any, found: Any) -> Iterator[str]:
    for path, here, there in differences(told, found, ""):
        yield f"{file}: {path or 'all of it'}: {short(here)} there, {short(there)} from the rows."


def differences(told: Any, found: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(told, dict) and isinstance(found, dict):
        for name in [*told, *(one for one in found if one not in told)]:
            inner = f"{path}.{name}" if path else str(name)
            yield from differences(told.get(name, MISSING), found.get(name, MISSING), inner)
    elif isinstance(told, list | tuple) and isinstance(found, list | tuple):
        if len(told) != len(found):
            yield f"{path}: how many", len(told), len(found)
        for place, (one, other) in enumerate(zip(told, found, strict=False)):
            yield from differences(one, other, f"{path}[{name_of(other, place)}]")
    elif not same(told, found):
        yield path, told, found


MISSING = "(nothing)"


def same(told: Any, found: Any) -> bool:
    if isinstance(told, bool) or isinstance(found, bool):
        return told is found
    if isinstance(told, int | float) and isinstance(found, int | float):
        return abs(told - found) <= TOLERANCE
    return bool(told == found)


def name_of(value: Any, place: int) -> str:
    if isinstance(value, dict):
        for name in NAMES:
            if value.get(name) and isinstance(value[name], str | int):
                return str(value[name])
    return str(place)


def short(value: Any) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return text if len(text) <= 60 else text[:59] + "…"
