"""Convert TravelPlanner's published plans: {idx, query, plan [{day, current_city, ...}]}.

A day is all text, such as "The Blue Oar, Lakeport; Cost: 31", which travelplanner_words parses.
The fields of the request (org, dest, days, date, ...) are next to the query in the benchmark's own
tables, and missing where only plans were published.
"""

from __future__ import annotations

import datetime
from typing import Any

from cases.itinerary.format import SCHEMA, CaseError, _

from .fields import Fields, checked_date, checked_list, checked_name, checked_whole
from .shape import Shape, guess_language, plan_item
from .travelplanner_words import Leg, Stop, is_nothing, legs, literal, sights, stop

CURRENCY = "USD"  # of the whole benchmark; only the text of its queries says so
LONGEST_INDEX = 150


def recognises(record: dict[str, Any]) -> bool:
    return (
        "query" in record
        and not isinstance(record.get("request"), dict)
        and not {"case_key", "schema"} & record.keys()
    )


def convert(record: dict[str, Any]) -> dict[str, Any]:
    fields = Fields(record)
    index = _index(fields)
    text = fields.filled("query")
    dates = _dates(fields)
    request = _request(fields, dates)
    language = guess_language(text)
    data: dict[str, Any] = {
        "schema": SCHEMA,
        "id": f"travelplanner:{index}",
        "case_key": f"tp_{index}",
        "release": None,
        "locale": "en-US" if language == "en" else language,
        "source": {"derived": _derived(request, dates)},
        "request": {"text": text, **request},
        "plan": _plan(fields, dates) if "plan" in fields else None,
        "tags": ["travelplanner"],
    }
    if left := fields.left():
        data["other"] = left
    return data


SHAPE = Shape("travelplanner", recognises, convert)


def _derived(request: dict[str, Any], dates: list[str]) -> list[str]:
    found = ["locale"]
    if "budget" in request:
        found.append("request.budget.currency, request.budget.scope (the same in all of the set)")
    if dates:
        found.append("plan.days[].date (the dates of the request in the order of the days)")
    return found


def _index(fields: Fields) -> str:
    value = fields.take("idx")
    if value is None:
        raise CaseError("idx", _("is required."))
    if isinstance(value, str):
        return checked_name(value, "idx", LONGEST_INDEX)
    return str(checked_whole(value, "idx", 0))


def _dates(fields: Fields) -> list[str]:
    value = literal(fields.take("date"))
    values = [] if value is None else checked_list(value, "date")
    dates = [checked_date(date, f"date[{place}]") for place, date in enumerate(values)]
    if dates and not _are_consecutive(dates):
        fields.leave("date", dates)  # the first and the last date do not tell the whole story
    return dates


def _are_consecutive(dates: list[str]) -> bool:
    numbers = [datetime.date.fromisoformat(date).toordinal() for date in dates]
    return numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def _request(fields: Fields, dates: list[str]) -> dict[str, Any]:
    """Convert the request without its text. Fields that we do not have (level, ...) are left."""
    amount = fields.number("budget")
    local = fields.inside("local_constraint", literal) or Fields({})
    found = {
        "origin": fields.text("org"),
        "destination": fields.text("dest"),
        "start_date": dates[0] if dates else None,
        "end_date": dates[-1] if dates else None,
        "days": fields.whole("days"),
        "people": fields.whole("people_number"),
        "budget": None
        if amount is None
        else {"amount": amount, "currency": CURRENCY, "scope": "total"},
        "goals": [f"cuisine:{cuisine}" for cuisine in _one_or_more(local, "cuisine")],
        "transport_preference": local.text("transportation"),
        "lodging": [*_one_or_more(local, "house rule"), *_one_or_more(local, "room type")],
    }
    return {name: value for name, value in found.items() if value}


def _one_or_more(fields: Fields, name: str) -> list[str]:
    if isinstance(fields.peek(name), list):
        return fields.texts(name)
    value = fields.text(name)
    return [value] if value else []


def _plan(fields: Fields, dates: list[str]) -> dict[str, Any]:
    """Convert the plan. Null, [] and {} all mean that the agent delivered nothing."""
    if fields.peek("plan") == {}:
        fields.take("plan")
    days = [_day(day, place, dates) for place, day in enumerate(fields.each("plan"))]
    return {
        "status": "done" if any(day["items"] for day in days) else "empty",
        "title": None,
        "summary": None,
        "days": days,
        "budget": None,
        "fallbacks": [],
        "notes": [],
    }


def _day(day: Fields, place: int, dates: list[str]) -> dict[str, Any]:
    """Convert the items in the order of the source, which may not be the visiting order."""
    number = day.whole("day" if "day" in day else "days", least=0)
    number = place + 1 if number is None else number
    items = [_transport(leg) for leg in legs(_words(day, "transportation"))]
    items += _stops(day, "meal", "breakfast")
    items += [_stop("sight", sight) for sight in sights(_words(day, "attraction"))]
    items += _stops(day, "meal", "lunch")
    items += _stops(day, "meal", "dinner")
    items += _stops(day, "hotel", "accommodation")
    return {
        "day": number,
        "date": dates[number - 1] if 1 <= number <= len(dates) else None,
        "summary": _words(day, "current_city") or None,
        "estimated_cost": None,
        "items": items,
    }


def _words(day: Fields, name: str) -> str:
    value = day.text(name) or ""
    return "" if is_nothing(value) else value


def _transport(leg: Leg) -> dict[str, Any]:
    return plan_item(
        "transport",
        start=leg.start,
        end=leg.end,
        title=leg.words,
        cost=leg.cost,
        transport={
            "mode": leg.mode,
            "from": leg.origin,
            "to": leg.destination,
            "minutes": leg.minutes,
        },
    )


def _stops(day: Fields, kind: str, name: str) -> list[dict[str, Any]]:
    """Convert the stop under this name, if there is one."""
    words = _words(day, name)
    return [_stop(kind, stop(words), f"{name}: " if kind == "meal" else "")] if words else []


def _stop(kind: str, parsed: Stop, prefix: str = "") -> dict[str, Any]:
    return plan_item(
        kind, title=prefix + parsed.words, place=parsed.city, cost=parsed.cost, note=parsed.note
    )
