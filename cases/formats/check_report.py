"""Read a product's report of automated checks: {"cases": [{id, status, score, checks [...]}]}."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TypeAlias

from cases.itinerary.format import CaseError, _
from cases.itinerary.reading import shown

from .fields import Fields

OVERALL = ("PASS", "WARN", "FAIL")
HOW = "the product's own report of its automated checks"

# case id -> {"automated_checks": ..., "automated_summary": ...}, and under "other" all other fields
# that the report has for the case
Report: TypeAlias = dict[str, dict[str, Any]]


def read(content: bytes) -> Report:
    """Read a report. Raises CaseError with a path into the report."""
    report = _decoded(content)
    if not isinstance(report, dict) or report.get("cases") is None:
        raise CaseError("", _("is not a report of automated checks: it has no list “cases”."))
    found: Report = {}
    for case in Fields(report).each("cases"):
        key = case.key("id")
        if key in found:
            raise CaseError(case.at("id"), _("“%(key)s” appears twice in the report."), key=key)
        found[key] = _checks(case)
    return found


def apply(data: dict[str, Any], report: Report) -> dict[str, Any]:
    """Return the case with the report's checks; unchanged if the report does not name it.

    The checks of one run belong together, so they replace all checks in the case.
    """
    key = data.get("case_key")
    found = report.get(key) if isinstance(key, str) else None
    if found is None:
        return data
    joined = data | {name: value for name, value in found.items() if name != "other"}
    if isinstance(source := data.get("source") or {}, dict):
        joined["source"] = source | {"checks": {"how": HOW}}
    if "other" in found:
        joined["other"] = _objects(data.get("other")) | {"check_report": found["other"]}
    return joined


def _decoded(content: bytes) -> Any:
    try:
        report = json.loads(content, parse_constant=_refused)
        for text in _texts(report):
            text.encode()  # fails on half a character
            if "\x00" in text:
                raise CaseError("", _("contains a NUL character."))
    except CaseError:
        raise
    except (ValueError, RecursionError) as error:
        raise CaseError("", _("the report is not JSON.")) from error
    return report


def _refused(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


def _texts(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            waiting += [*item.keys(), *item.values()]
        elif isinstance(item, list):
            waiting += item


def _checks(case: Fields) -> dict[str, Any]:
    case.take("user_request")  # the text of the request, which the case has itself
    summary = {"status": case.choice("status", OVERALL), "score": case.share("score")}
    if "checks" not in case:
        raise CaseError(case.at("checks"), _("is required."))
    checks: dict[str, Any] = {}
    for check in case.each("checks"):
        name = check.key("name")
        if name in checks:
            raise CaseError(check.at("name"), _("“%(name)s” appears twice in one case."), name=name)
        checks[name] = {"status": _status(check), "evidence": check.take("evidence")}
    left = {name: value for name, value in case.left().items() if value not in ([], {}, None, "")}
    found = {"automated_checks": checks, "automated_summary": summary}
    return found | ({"other": left} if left else {})


def _status(check: Fields) -> str:
    passed = check.take("passed")
    if not isinstance(passed, bool):
        sentence = _("must be true or false, got %(got)s.")
        raise CaseError(check.at("passed"), sentence, got=shown(passed))
    return "pass" if passed else "fail"


def _objects(value: Any) -> dict[str, Any]:
    """Return the field "other" as an object; a case may have a field of that name of any type."""
    return value if isinstance(value, dict) else {} if value is None else {"other": value}
