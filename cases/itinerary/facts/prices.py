"""Prices of the items, against the tickets that the plan adds up."""

from __future__ import annotations

from collections.abc import Iterator

from ..document import Request
from ..topics import Topic
from .amounts import amount, same, total
from .sentences import Fact, _, fact, ngettext
from .trip import Stop, Trip

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
    """How many state a price comes before any sum of them."""
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
    """Item prices are mostly for one person, so a mismatch is one only after the people."""
    each = total(visit.item.cost for visit in priced)
    people, times = request.people, _times(each, tickets)
    if people is not None and same(each * people, tickets):
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
    """How often the prices go into the tickets; 0 when not a whole number of times."""
    if not each > 0 or not 0 <= tickets / each < 1000:
        return 0
    times = round(tickets / each)
    return times if same(times * each, tickets) else 0
