"""Read and write the planner's own test cases: {id, user_request, constraints, ...}.

Its evaluation runs them: `constraints` are what the customer asked for, `context` the setting of
the run, `expected_properties` what the answer must have, `human_notes` a text for people.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from cases.itinerary.format import SCHEMA, GroupType, Pace

from .fields import Fields
from .shape import Shape, guess_language

NAME = "trip-agent-case"
# Their name of a constraint, and our field of the request.
TEXTS = {"city": "destination", "origin": "origin"}
DATES = {"date_start": "start_date", "date_end": "end_date"}
NUMBERS = {"days": "days", "travelers_count": "people"}
CHOICES = {"travelers_type": "group_type", "pace": "pace"}
LISTS = {
    "cities": "destination",
    "must_visit": "must_visit",
    "avoid": "avoid",
    "themes": "goals",
    "food_constraints": "dietary",
    "mobility": "mobility",
}
EITHER = {"transport_mode": "transport_preference", "lodging": "lodging"}
ALLOWED = {"group_type": get_args(GroupType), "pace": get_args(Pace)}
# Amounts, and the scope of the budget that each names.
TOTAL, PER_DAY = "total", "per_day"
BUDGETS = {"total_budget": TOTAL, "budget_per_day": PER_DAY}


def recognises(record: dict[str, Any]) -> bool:
    return (
        "user_request" in record
        and not isinstance(record.get("request"), dict)
        and not {"case_key", "schema", "query", "result"} & record.keys()
    )


# --- Reading --------------------------------------------------------------------------------------


def convert(record: dict[str, Any]) -> dict[str, Any]:
    fields = Fields(record)
    key = fields.key("id")
    text = fields.filled("user_request")
    data: dict[str, Any] = {
        "schema": SCHEMA,
        "id": f"{NAME}:{key}",
        "case_key": key,
        "locale": guess_language(text),
        "source": {"derived": ["locale"]},
        "request": {"text": text, **read_constraints(fields)},
        "plan": None,
    }
    if left := fields.left():
        data["other"] = left
    return data


SHAPE = Shape(NAME, recognises, convert)


def read_constraints(fields: Fields) -> dict[str, Any]:
    constraints = fields.inside("constraints")
    if constraints is None:
        return {}
    found: dict[str, Any] = {
        **{ours: constraints.text(theirs) for theirs, ours in TEXTS.items()},
        **{ours: constraints.date(theirs) for theirs, ours in DATES.items()},
        **{ours: constraints.whole(theirs) for theirs, ours in NUMBERS.items()},
        **{ours: read_either(constraints, theirs) for theirs, ours in EITHER.items()},
        "budget": read_budget(constraints),
    }
    for theirs, ours in CHOICES.items():
        if constraints.peek(theirs) in ALLOWED[ours]:
            found[ours] = constraints.take(theirs)
    for theirs, ours in LISTS.items():
        if theirs in constraints and found.get(ours) is None:
            found[ours] = constraints.texts(theirs)
    return {name: value for name, value in found.items() if value is not None}


def read_either(constraints: Fields, name: str) -> str | list[str] | None:
    if isinstance(constraints.peek(name), list):
        return constraints.texts(name)
    return constraints.text(name)


def read_budget(constraints: Fields) -> dict[str, Any] | None:
    for theirs, scope in BUDGETS.items():
        if theirs in constraints:
            amount = constraints.number(theirs)
            return {
                "amount": amount,
                "currency": constraints.text("budget_currency"),
                "scope": constraints.text("budget_scope") or scope,
            }
    return None


# --- Writing --------------------------------------------------------------------------------------


def write(
    case_key: str, request: Mapping[str, Any], *, expected: Mapping[str, Any], notes: str
) -> dict[str, Any]:
    """Write a case of ours as one of theirs; `request` is that of a checked case."""
    return {
        "id": case_key,
        "user_request": request["text"],
        "constraints": write_constraints(request),
        "context": {},
        "expected_properties": {"status": "done", **write_days(request), **expected},
        "human_notes": notes,
    }


def write_days(request: Mapping[str, Any]) -> dict[str, int]:
    return {"days": request["days"]} if request.get("days") else {}


def write_constraints(request: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for theirs, ours in (TEXTS | DATES | NUMBERS | CHOICES | LISTS | EITHER).items():
        value = request.get(ours)
        if value in (None, []) or (ours == "destination" and not fits_name(theirs, value)):
            continue
        found[theirs] = value
    return found | write_budget(request.get("budget") or {})


def fits_name(theirs: str, destination: Any) -> bool:
    """Return whether one place is called city, and several cities."""
    return isinstance(destination, list) == (theirs in LISTS)


def write_budget(budget: Mapping[str, Any]) -> dict[str, Any]:
    if budget.get("amount") is None:
        return {}
    scope, currency = budget.get("scope"), budget.get("currency")
    name = next((theirs for theirs, known in BUDGETS.items() if known == scope), "total_budget")
    found = {name: budget["amount"]}
    if currency:
        found["budget_currency"] = currency
    if scope and scope not in BUDGETS.values():
        found["budget_scope"] = scope
    return found
