"""Short words for building cases. All places are invented."""

from typing import Any

from cases.facts import Fact, Topic, find_facts
from cases.itinerary.format import (
    Budget,
    Case,
    Day,
    Fallback,
    Item,
    Plan,
    PlanBudget,
    Request,
    Transport,
)


def visit(title: str | None, start: str | None = None, end: str | None = None, **more: Any) -> Item:
    return Item(start=start, end=end, kind="sight", title=title, **more)


def meal(
    start: str | None = None, end: str | None = None, title: str = "午餐", **more: Any
) -> Item:
    return Item(start=start, end=end, kind="meal", title=title, **more)


_OF_ITEM = ("start", "end", "title", "cost", "note")


def transfer(minutes: float | None = None, **more: Any) -> Item:
    times = {name: more.pop(name) for name in _OF_ITEM if name in more}
    buffer = more.pop("buffer_minutes", None)
    return Item(
        kind="transport",
        transport=Transport(minutes=minutes, **{"mode": "metro", **more}),
        buffer_minutes=buffer,
        **times,
    )


def hotel(title: str, **more: Any) -> Item:
    return Item(kind="hotel", title=title, **more)


def day(*items: Item, **more: Any) -> Day:
    return Day(items=list(items), **more)


def trip(
    *days: Day,
    text: str = "Three days, please.",
    fallbacks: list[Fallback] | None = None,
    budget: PlanBudget | None = None,
    asked: Budget | None = None,
    plan: dict[str, Any] | None = None,
    locale: str | None = None,
    **request: Any,
) -> Case:
    """A case whose request names nothing but what is given."""
    lists = "must_visit", "avoid", "dietary", "mobility", "goals"
    nothing: dict[str, Any] = {name: [] for name in lists}
    return Case(
        case_key="invented",
        locale=locale,
        request=Request(text=text, budget=asked, **{**nothing, **request}),
        plan=Plan(
            **{"status": "done", **(plan or {})},
            days=[
                found_day
                if found_day.day is not None
                else Day(**{**as_fields(found_day), "day": number})
                for number, found_day in enumerate(days, 1)
            ],
            fallbacks=fallbacks or [],
            budget=budget,
        ),
    )


def as_fields(one: Day) -> dict[str, Any]:
    return {name: getattr(one, name) for name in one.__struct_fields__}


def told(case: Case, topic: Topic | None = None) -> list[str]:
    return [fact.sentence for fact in find_facts(case) if topic in (None, fact.topic)]


def by_key(case: Case) -> dict[str, Fact]:
    return {fact.key: fact for fact in find_facts(case)}


def keys(case: Case) -> list[str]:
    return [fact.key for fact in find_facts(case)]
