"""What the plan says it costs, and whether its numbers add up."""

from __future__ import annotations

from collections.abc import Iterator

from ..notes import sort_note
from ..topics import Topic
from .amounts import amount, money, same, total
from .budget import budget_facts
from .prices import price_facts
from .sentences import Fact, Words, _, fact, quoted, several
from .trip import Trip


def money_facts(trip: Trip) -> Iterator[Fact]:
    if trip.stops:
        yield from price_facts(trip)
        yield from _totals(trip)
        yield from _lodging(trip)
    yield from budget_facts(trip)


def _totals(trip: Trip) -> Iterator[Fact]:
    budget = trip.budget
    if budget.total is None:
        yield fact(Topic.MONEY, "total", _("The plan states no total."))
        return
    stated = money(budget.total, budget.currency, "/plan/budget/total")
    parts = [part for part in (budget.breakdown or {}).items() if part[1] is not None]
    adds_up_to = total(value for name, value in parts)
    if not parts:
        yield fact(
            Topic.MONEY, "total", _("Stated total: %(total)s, without a breakdown."), total=stated
        )
    elif same(adds_up_to, budget.total):
        yield fact(
            Topic.MONEY,
            "total",
            _("Stated total: %(total)s; the breakdown adds up to it: %(parts)s."),
            total=stated,
            parts=_parts(parts),
        )
    else:
        yield fact(
            Topic.MONEY,
            "total",
            _("Stated total: %(total)s; the breakdown adds up to %(sum)s: %(parts)s."),
            total=stated,
            sum=amount(adds_up_to),
            parts=_parts(parts),
        )
    yield from _day_costs(trip, budget.total, stated)
    if warning := " ".join(sort_note(budget.warning).words).strip():
        yield fact(
            Topic.MONEY,
            "warning",
            _("The plan itself warns: %(warning)s"),
            warning=quoted(warning, "/plan/budget/warning"),
        )


def _parts(parts: list[tuple[str, float | None]]) -> tuple[Words, ...]:
    """“tickets 218”: the name is the case's, so its number goes with it."""
    return several(
        Words(
            f"{quoted(name, '').text} {amount(value or 0)}",
            "/plan/budget/breakdown/" + name.replace("~", "~0").replace("/", "~1"),
        )
        for name, value in parts
    )


def _day_costs(trip: Trip, stated_total: float, stated: Words) -> Iterator[Fact]:
    costs = [day.day.estimated_cost for day in trip.days]
    if None not in costs and not same(total(costs), stated_total):
        yield fact(
            Topic.MONEY,
            "day-costs",
            _("The costs of the days add up to %(sum)s; the stated total is %(total)s."),
            [day.pointer for day in trip.days],
            sum=amount(total(costs)),
            total=stated,
        )


def _lodging(trip: Trip) -> Iterator[Fact]:
    """Where lodging was asked for, the wishes speak of it. A trip of one day needs none."""
    has_lodging = any(stop.kind == "hotel" for stop in trip.stops)
    if len(trip.days) > 1 and not trip.request.lodging and not has_lodging:
        yield fact(Topic.MONEY, "lodging", _("The plan names no lodging."))
