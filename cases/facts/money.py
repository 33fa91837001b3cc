"""Facts about money: the budget asked, the costs stated, and whether the numbers add up.

Nothing is converted between currencies.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from enum import Enum, auto

from cases.itinerary.format import Budget, Request
from cases.itinerary.notes import sort_note

from .sentences import Fact, Words, _, fact, ngettext, quoted, several
from .topics import Topic
from .trip import Stop, Trip

_SAME_CURRENCY = {
    "RMB": "CNY",
    "CN¥": "CNY",
    "元": "CNY",
    "人民币": "CNY",
    "US$": "USD",
    "US DOLLAR": "USD",
    "€": "EUR",
    "£": "GBP",
}
_SMALLEST = 0.005
_LARGEST = 1e12


def amount(value: float) -> str:
    """Format 1234.5 as "1,234.50" and 1234.0 as "1,234"; the last form is for absurd numbers."""
    if not math.isfinite(value) or abs(value) >= _LARGEST:
        return f"{value:.3g}"
    if abs(value - round(value)) < _SMALLEST:
        return f"{round(value):,}"
    return f"{value:,.2f}"


def is_same(first: float, second: float) -> bool:
    """Whether two amounts are equal to the cent."""
    return abs(first - second) < _SMALLEST


def total(values: Iterable[float | None]) -> float:
    return float(sum(value for value in values if value is not None))


def code(currency: str | None) -> str:
    """Return a code that can be compared; "" if none is stated. $ and ¥ alone are ambiguous."""
    short = (currency or "").strip().upper()[:12]
    return _SAME_CURRENCY.get(short, short)


def money(value: float, currency: str | None, pointer: str) -> Words:
    return Words(f"{amount(value)} {(currency or '').strip()[:12]}".strip(), pointer)


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
    elif is_same(adds_up_to, budget.total):
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
    """Quote the parts of the budget with their amounts, such as “tickets 218”."""
    return several(
        Words(
            f"{quoted(name, '').text} {amount(value or 0)}",
            "/plan/budget/breakdown/" + name.replace("~", "~0").replace("/", "~1"),
        )
        for name, value in parts
    )


def _day_costs(trip: Trip, stated_total: float, stated: Words) -> Iterator[Fact]:
    costs = [day.day.estimated_cost for day in trip.days]
    if None not in costs and not is_same(total(costs), stated_total):
        yield fact(
            Topic.MONEY,
            "day-costs",
            _("The costs of the days add up to %(sum)s; the stated total is %(total)s."),
            [day.pointer for day in trip.days],
            sum=amount(total(costs)),
            total=stated,
        )


def _lodging(trip: Trip) -> Iterator[Fact]:
    """Report missing lodging, unless the request asks for it (see wishes) or lasts one day."""
    has_lodging = any(stop.kind == "hotel" for stop in trip.stops)
    if len(trip.days) > 1 and not trip.request.lodging and not has_lodging:
        yield fact(Topic.MONEY, "lodging", _("The plan names no lodging."))


class Scope(Enum):
    TRIP = auto()
    PERSON = auto()
    DAY = auto()
    OTHER = auto()


_SCOPES = {
    **dict.fromkeys(("", "total", "trip", "overall", "总计", "全程", "总预算"), Scope.TRIP),
    **dict.fromkeys(("per_person", "person", "each", "人均", "每人"), Scope.PERSON),
    **dict.fromkeys(("per_day", "day", "daily", "每天", "每日", "日均"), Scope.DAY),
}
_POINTER = "/request/budget/amount"


def budget_facts(trip: Trip) -> Iterator[Fact]:
    asked = trip.request.budget
    has_people = trip.request.people is not None
    if asked is None or asked.amount is None:
        message = (
            _("The request states no budget.")
            if has_people
            else _("The request states no budget and no number of people.")
        )
        yield fact(Topic.MONEY, "budget", message)
        return
    planned = trip.budget.total
    scope = _scope(asked)
    if scope is not Scope.TRIP or planned is None:
        yield _stated(trip, asked, asked.amount, scope)
    whole = _for_the_whole_trip(trip, asked.amount, scope)
    if whole is not None and planned is not None:
        yield _against_total(trip, asked, whole, planned)
    if not has_people:
        yield fact(Topic.MONEY, "people", _("The request states no number of people."))


def _scope(asked: Budget) -> Scope:
    name = (asked.scope or "").strip().lower().replace(" ", "_").replace("-", "_")
    return _SCOPES.get(name, Scope.OTHER)


def _for_the_whole_trip(trip: Trip, asked: float, scope: Scope) -> float | None:
    many = {Scope.TRIP: 1, Scope.PERSON: trip.request.people, Scope.DAY: trip.days_asked}
    times = many.get(scope)
    return None if times is None else asked * times


def _stated(trip: Trip, asked: Budget, each: float, scope: Scope) -> Fact:
    budget = money(each, asked.currency, _POINTER)
    whole = _for_the_whole_trip(trip, each, scope)
    if scope is Scope.TRIP:
        return fact(
            Topic.MONEY, "budget", _("Budget asked: %(asked)s for the whole trip."), asked=budget
        )
    if scope is Scope.PERSON and whole is not None:
        return fact(
            Topic.MONEY,
            "budget",
            ngettext(
                "Budget asked: %(asked)s for one person.",
                "Budget asked: %(asked)s per person, %(whole)s for %(count)d people.",
            ),
            asked=budget,
            whole=amount(whole),
            count=trip.request.people or 0,
        )
    if scope is Scope.DAY and whole is not None:
        return fact(
            Topic.MONEY,
            "budget",
            ngettext(
                "Budget asked: %(asked)s for one day.",
                "Budget asked: %(asked)s per day, %(whole)s for %(count)d days.",
            ),
            asked=budget,
            whole=amount(whole),
            count=trip.days_asked or 0,
        )
    if scope is Scope.PERSON:
        return fact(Topic.MONEY, "budget", _("Budget asked: %(asked)s per person."), asked=budget)
    if scope is Scope.DAY:
        return fact(Topic.MONEY, "budget", _("Budget asked: %(asked)s per day."), asked=budget)
    return fact(
        Topic.MONEY,
        "budget",
        _("Budget asked: %(asked)s (%(scope)s)."),
        asked=budget,
        scope=quoted(asked.scope or "", "/request/budget/scope"),
    )


def _against_total(trip: Trip, asked: Budget, whole: float, planned: float) -> Fact:
    ours, theirs = code(asked.currency), code(trip.budget.currency)
    if ours != theirs and ours and theirs:
        message = _("Budget asked: %(asked)s; stated total: %(total)s; two currencies.")
    elif ours != theirs or not ours:
        message = _("Budget asked: %(asked)s; stated total: %(total)s; a currency is not stated.")
    elif is_same(whole, planned):
        message = _("Budget asked: %(asked)s; stated total: %(total)s, the same.")
    elif planned > whole:
        message = _("Budget asked: %(asked)s; stated total: %(total)s, %(difference)s above.")
    else:
        message = _("Budget asked: %(asked)s; stated total: %(total)s, %(difference)s below.")
    return fact(
        Topic.MONEY,
        "budget-against-total",
        message,
        asked=money(whole, asked.currency, _POINTER),
        total=money(planned, trip.budget.currency, "/plan/budget/total"),
        difference=amount(abs(planned - whole)),
    )


_TICKETS = {
    "ticket",
    "tickets",
    "admission",
    "admissions",
    "entrance",
    "entrance_fees",
    "attractions",
    "sights",
    "门票",
    "景点",
    "景点门票",
}


def price_facts(trip: Trip) -> Iterator[Fact]:
    """Yield facts on prices: how many items state one, and what they add up to."""
    tickets = _stated_tickets(trip)
    stops = trip.stops if tickets is None else trip.visits
    priced = [stop for stop in stops if stop.item.cost is not None]
    if not priced:
        yield fact(Topic.MONEY, "prices", _("No item states a price."))
    elif tickets is None:
        yield fact(
            Topic.MONEY,
            "prices",
            _("Items with a price: %(priced)d of %(items)d, %(sum)s in all."),
            [stop.pointer for stop in priced],
            priced=len(priced),
            items=len(stops),
            sum=amount(total(stop.item.cost for stop in priced)),
        )
    else:
        yield _tickets(trip.request, stops, priced, tickets)


def _stated_tickets(trip: Trip) -> float | None:
    breakdown = (trip.budget.breakdown or {}).items()
    found = [value for name, value in breakdown if name.strip().lower() in _TICKETS]
    return found[0] if len(found) == 1 else None


def _tickets(
    request: Request, visits: tuple[Stop, ...], priced: list[Stop], tickets: float
) -> Fact:
    """Compare the prices of visits, which are mostly per person, with the stated tickets."""
    each = total(visit.item.cost for visit in priced)
    people, times = request.people, _times(each, tickets)
    if people is not None and is_same(each * people, tickets):
        message: str | tuple[str, str] = ngettext(
            "Visits with a price: %(priced)d of %(visits)d, %(sum)s for one person, "
            "as much as the stated tickets.",
            "Visits with a price: %(priced)d of %(visits)d, %(sum)s × %(count)d people "
            "= %(product)s, as much as the stated tickets.",
        )
    elif people is not None:
        message = ngettext(
            "Visits with a price: %(priced)d of %(visits)d, %(sum)s for one person; "
            "the stated tickets are %(tickets)s.",
            "Visits with a price: %(priced)d of %(visits)d, %(sum)s × %(count)d people "
            "= %(product)s; the stated tickets are %(tickets)s.",
        )
    elif times > 1:
        message = _(
            "Visits with a price: %(priced)d of %(visits)d, %(sum)s in all; "
            "the stated tickets are %(times)d × that, %(tickets)s."
        )
    else:
        message = _(
            "Visits with a price: %(priced)d of %(visits)d, %(sum)s in all; "
            "the stated tickets are %(tickets)s."
        )
    return fact(
        Topic.MONEY,
        "prices",
        message,
        [visit.pointer for visit in priced],
        priced=len(priced),
        visits=len(visits),
        sum=amount(each),
        count=people or 0,
        product=amount(each * (people or 0)),
        times=times,
        tickets=amount(tickets),
    )


def _times(each: float, tickets: float) -> int:
    """Return how many times the prices make up the tickets; 0 if not a whole number of times."""
    if not each > 0 or not 0 <= tickets / each < 1000:
        return 0
    times = round(tickets / each)
    return times if is_same(times * each, tickets) else 0
