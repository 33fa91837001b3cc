"""Facts about a case: computed, never a verdict, each a sentence with pointers into the case."""

from __future__ import annotations

from cases.itinerary.format import Case

from .fallbacks import Repeat, fallback_facts, repeats_of
from .general import Calendar, general_facts, languages_of, peak_facts
from .meals import meal_facts
from .money import money_facts
from .pace import pace_facts
from .sentences import Fact, Value, Words
from .style import style_facts
from .topics import Topic
from .transfers import Leg, buffer_facts, legs_of, legs_of_day
from .trip import Stop, Trip, TripDay, trip_of
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
    "facts_of",
    "languages_of",
    "legs_of",
    "legs_of_day",
    "repeats_of",
    "trip_of",
]

# The order of reading: what everything hangs on, then the order of the checklist.
_FACTS = (
    general_facts,
    buffer_facts,
    meal_facts,
    fallback_facts,
    money_facts,
    wish_facts,
    pace_facts,
    constraint_facts,
    style_facts,
)


def facts_of(case: Case, calendar: Calendar | None = None) -> tuple[Fact, ...]:
    trip = trip_of(case)
    found = tuple(fact for find_facts in _FACTS for fact in find_facts(trip))
    return found + tuple(peak_facts(trip, calendar)) if calendar else found
