"""Convert the planner's own response: {key, release, request (text), result {status, ...}}.

Its releases differ: the first has `_constraints` and neither buffers nor meal windows; later ones
have `field_evidence` for the origin of a value. The name of the release does not matter: each field
is read where it is found.
"""

from __future__ import annotations

import re
from typing import Any

from cases.itinerary.format import SCHEMA, CaseError, _
from cases.itinerary.reading import shown

from .fields import Fields, checked_clock
from .shape import Shape, guess_language, plan_item

PRODUCT = "trip-agent"
STATUSES = ("done", "clarifying", "error", "empty")
STATED = ("user_text", "user_form")  # not llm_guess, not default
LONGEST_TITLE = 80

# The product counts in yuan without naming it, and gives only the hours of a meal.
CURRENCY = "CNY"
MEAL, MEAL_NOTE = "用餐", "meal_windows"

_SPAN = re.compile(r"([0-9]{1,2}:[0-9]{2})\s*[-–~]\s*([0-9]{1,2}:[0-9]{2})")


def recognises(record: dict[str, Any]) -> bool:
    return (
        "result" in record
        and not isinstance(record.get("request"), dict)
        and not {"case_key", "schema", "query"} & record.keys()
    )


def convert(record: dict[str, Any]) -> dict[str, Any]:
    fields = Fields(record)
    key = fields.key("key")
    version = fields.name("release")
    text = fields.filled("request")
    result = fields.inside("result")
    if result is None:
        raise CaseError("result", _("is required."))
    constraints = result.inside("_constraints") or Fields({})
    stated = _stated(result.inside("field_evidence"), constraints)
    plan = _plan(result, constraints.text("transport_mode"))
    data: dict[str, Any] = {
        "schema": SCHEMA,
        "id": f"{PRODUCT}@{version}:{key}" if version else f"{PRODUCT}:{key}",
        "case_key": key,
        "release": {"product": PRODUCT, "version": version, "commit": None},
        "locale": guess_language(text),
        "source": {"derived": _derived(stated, plan)},
        "request": {"text": text, **stated},
        "plan": plan,
        "tags": [PRODUCT],
    }
    if left := fields.left():
        data["other"] = left
    return data


SHAPE = Shape(PRODUCT, recognises, convert)


def _derived(stated: dict[str, Any], plan: dict[str, Any]) -> list[str]:
    found = ["locale", *(f"request.{name} (as the product read the text)" for name in stated)]
    if plan["title"]:
        found.append("plan.title (the beginning of the summary)")
    if plan["budget"]:
        found.append("plan.budget.currency")
    return found


def _stated(evidence: Fields | None, constraints: Fields) -> dict[str, Any]:
    """Return place and time as the customer stated them, without what the product guessed."""
    found: dict[str, Any] = {}
    for theirs, ours in (
        ("city", "destination"),
        ("days", "days"),
        ("date_start", "start_date"),
        ("date_end", "end_date"),
    ):
        origin = evidence.inside(theirs) if evidence else None
        value: str | int | None = None
        if origin is None:
            value = _read(constraints, theirs, theirs)
        elif origin.peek("source") in STATED:
            value = _read(origin, "value", theirs)
        if value:
            found[ours] = value
    return found


def _read(fields: Fields, name: str, meaning: str) -> str | int | None:
    if meaning == "days":
        return fields.whole(name)
    return fields.text(name) if meaning == "city" else fields.date(name)


def _plan(result: Fields, mode: str | None) -> dict[str, Any]:
    status = result.choice("status", STATUSES)
    message = result.text("message") or None
    questions = result.texts("next_questions")
    itinerary = result.inside("itinerary") or Fields({})
    summary = itinerary.text("summary") or message
    notes = [message] if message and message != summary else []
    days, fallbacks = [], []
    for place, day in enumerate(itinerary.each("days")):
        converted = _day(day, mode)
        days.append(converted)
        number = place + 1 if converted["day"] is None else converted["day"]
        fallbacks += [_fallback(backup, number) for backup in day.each("backups")]
    return {
        "status": status,
        "title": summary[:LONGEST_TITLE] if summary and days else None,
        "summary": summary,
        "days": days,
        "budget": _budget(itinerary),
        "fallbacks": fallbacks,
        "notes": [*notes, *itinerary.texts("assumptions"), *questions],
    }


def _budget(itinerary: Fields) -> dict[str, Any] | None:
    parts = itinerary.inside("budget_breakdown") or Fields({})
    found = {
        "total": itinerary.number("total_cost"),
        "breakdown": {name: parts.number(name) for name in parts},
        "minimum_feasible": itinerary.number("minimum_feasible_budget"),
        "warning": itinerary.text("budget_warning") or None,
    }
    known = any(value not in (None, {}) for value in found.values())
    return {"currency": CURRENCY, **found} if known else None


def _day(day: Fields, mode: str | None) -> dict[str, Any]:
    items: list[dict[str, Any]] = []
    meals = sorted(_meals(day), key=lambda meal: meal["start"])
    before: str | None = None
    for stop in day.each("schedule"):
        visit = _visit(stop)
        while meals and visit["start"] and meals[0]["start"] < visit["start"]:
            items.append(meals.pop(0))
        minutes = stop.minutes("travel_minutes")
        if minutes is not None and (minutes or before):
            items.append(_leg(before, visit["title"], minutes, mode))
        items.append(visit)
        before = visit["title"]
    return {
        "day": day.whole("day_number", least=0),
        "date": day.date("date"),
        "summary": day.text("day_summary"),
        "estimated_cost": day.number("estimated_cost"),
        "items": [*items, *meals],
    }


def _visit(stop: Fields) -> dict[str, Any]:
    poi = stop.inside("poi") or Fields({})
    title = poi.text("name")
    return plan_item(
        "sight",
        start=stop.clock("start_time"),
        end=stop.clock("end_time"),
        title=title,
        place=title,
        cost=poi.number("cost"),
        note=stop.text("notes") or None,
        buffer_minutes=stop.minutes("buffer_minutes"),
    )


def _leg(before: str | None, after: str | None, minutes: float, mode: str | None) -> dict[str, Any]:
    title = f"{before} → {after}" if before else f"→ {after}"
    transport = {"mode": mode, "from": before, "to": after, "minutes": minutes}
    return plan_item("transport", title=title if after else None, transport=transport)


def _meals(day: Fields) -> list[dict[str, Any]]:
    path, found = day.at("meal_windows"), []
    for place, window in enumerate(day.texts("meal_windows")):
        at = f"{path}[{place}]"
        span = _SPAN.fullmatch(window.strip())
        if not span:
            raise CaseError(at, NOT_A_SPAN, got=shown(window))
        start, end = (checked_clock(clock, at) for clock in span.groups())
        found.append(plan_item("meal", start=start, end=end, title=MEAL, note=MEAL_NOTE))
    return found


NOT_A_SPAN = _("must be a span of time such as 12:00-13:00, got %(got)s.")


def _fallback(backup: Fields, day: int) -> dict[str, Any]:
    poi = backup.inside("poi") or Fields({})
    note = backup.text("notes") or None
    return {"day": day, "title": poi.text("name"), "reason": None, "note": note}
