"""Compute facts about a case: sentences with pointers into the case, never a verdict. README.md."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from cases.itinerary.format import Case

from .consistency import consistency_facts
from .fallbacks import Repeat, fallback_facts, find_repeats
from .general import Calendar, find_languages, general_facts, peak_facts
from .meals import meal_facts
from .money import money_facts
from .pace import pace_facts
from .plain_text import plain_text_facts
from .sentences import Fact, Value, Words
from .style import style_facts
from .topics import Topic
from .transfers import Leg, buffer_facts, list_legs, list_legs_of_day
from .trip import Stop, Trip, TripDay, build_trip
from .wishes import constraint_facts, wish_facts

__all__ = [
    "Calendar",
    "Fact",
    "Leg",
    "Repeat",
    "Stop",
    "Topic",
    "Trip",
    "TripDay",
    "Value",
    "Words",
    "build_trip",
    "find_facts",
    "find_languages",
    "find_repeats",
    "list_legs",
    "list_legs_of_day",
]

# In the order in which they are shown: general facts first, then the order of the checklist.
_FACTS: dict[Topic, Callable[[Trip], Iterable[Fact]]] = {
    Topic.GENERAL: general_facts,
    Topic.BUFFERS: buffer_facts,
    Topic.MEALS: meal_facts,
    Topic.FALLBACKS: fallback_facts,
    Topic.MONEY: money_facts,
    Topic.WISHES: wish_facts,
    Topic.PACE: pace_facts,
    Topic.CONSTRAINTS: constraint_facts,
    Topic.STYLE: style_facts,
    Topic.CONSISTENCY: consistency_facts,
}
EVERY_TOPIC = frozenset(Topic)


def find_facts(
    case: Case, calendar: Calendar | None = None, topics: Collection[Topic] = EVERY_TOPIC
) -> tuple[Fact, ...]:
    """Compute all facts about a case; with a calendar also those about Spring Festival.

    `topics` leaves out the others, which saves most of the time.
    """
    trip = build_trip(case)
    found = tuple(
        fact for topic, finder in _FACTS.items() if topic in topics for fact in finder(trip)
    )
    if trip.plan.is_plain_text:
        found = tuple(fact for fact in plain_text_facts(trip, found) if fact.topic in topics)
    if calendar and Topic.GENERAL in topics:
        found += tuple(peak_facts(trip, calendar))
    return found
