"""Diet and mobility: whether the plan's words speak of what was asked."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..clock import whole
from ..topics import Topic
from .names import MOST_WISHES, Register
from .sentences import Fact, Words, _, fact, ngettext, quoted, several
from .trip import Trip

_WALKING = re.compile(
    r"(?:步行|徒步|走路|\bwalk\w*)[^。.;；|\n]{0,15}\d|\d[\d.]*\s*(?:公里|千米|米|步|km\b|steps\b)",
    re.IGNORECASE,
)

# Told one by one; the others are named.
MOST_TOLD = 3

_MESSAGES = {
    "dietary": (
        _("Dietary need %(asked)s: the plan's words name it (%(where)s)."),
        _("Dietary needs that the plan's words name as well: %(asked)s."),
        _("Dietary need, nowhere in the plan's words: %(asked)s."),
    ),
    "mobility": (
        _("Mobility need %(asked)s: the plan's words name it (%(where)s)."),
        _("Mobility needs that the plan's words name as well: %(asked)s."),
        _("Mobility need, nowhere in the plan's words: %(asked)s."),
    ),
}


def constraint_facts(trip: Trip) -> Iterator[Fact]:
    yield from _named_none(trip)
    if trip.stops:
        yield from _found(trip.request.dietary, "dietary", trip.words)
        yield from _found(trip.request.mobility, "mobility", trip.words)
        if trip.request.mobility:
            yield from _walking(trip)


def _named_none(trip: Trip) -> Iterator[Fact]:
    dietary, mobility = trip.request.dietary, trip.request.mobility
    if dietary is None or mobility is None:
        message = _(
            "Dietary and mobility needs are not fully recorded; "
            "the request's own words may name some."
        )
    elif not dietary and not mobility:
        message = _("The request names no dietary and no mobility need.")
    elif not dietary:
        message = _("The request names no dietary need.")
    elif not mobility:
        message = _("The request names no mobility need.")
    else:
        return
    yield fact(Topic.CONSTRAINTS, "constraints-none", message)


def _found(asked: list[str] | None, field: str, texts: tuple[Words, ...]) -> Iterator[Fact]:
    if not asked:
        return
    by_need = Register([(one, one.text, None) for one in texts])
    found_message, more_message, nowhere_message = _MESSAGES[field]
    nowhere: list[Words] = []
    more: list[Words] = []
    told = 0
    for place, need in enumerate(asked[:MOST_WISHES]):
        wish = quoted(need, f"/request/{field}/{place}")
        where = by_need.all(need)
        if not where:
            nowhere += [wish] if need.strip() else []
        elif told == MOST_TOLD:
            more.append(wish)
        else:
            told += 1
            yield fact(
                Topic.CONSTRAINTS,
                f"{field}-found:{wish.pointer}",
                found_message,
                [one.pointer for one in where],
                asked=wish,
                where=several(quoted(one.text, one.pointer) for one in where),
            )
    if more:
        yield fact(Topic.CONSTRAINTS, f"{field}-more", more_message, asked=several(more))
    if nowhere:
        yield fact(Topic.CONSTRAINTS, f"{field}-nowhere", nowhere_message, asked=several(nowhere))


def _walking(trip: Trip) -> Iterator[Fact]:
    walks = [
        (stop, stop.item.transport.minutes)
        for stop in trip.transfers
        if stop.item.transport
        and stop.item.transport.minutes is not None
        and "walk" in (stop.item.transport.mode or "").lower()
    ]
    if walks:
        yield fact(
            Topic.CONSTRAINTS,
            "walking",
            ngettext(
                "%(count)d transfer on foot, %(minutes)d min.",
                "%(count)d transfers on foot, %(minutes)d min in all.",
            ),
            [stop.pointer for stop, minutes in walks],
            count=len(walks),
            minutes=whole(sum(minutes for stop, minutes in walks)),
        )
    elif not any(_WALKING.search(one.text) for one in trip.words):
        yield fact(
            Topic.CONSTRAINTS,
            "walking",
            _("The plan states no walking distance and no time on foot."),
        )
