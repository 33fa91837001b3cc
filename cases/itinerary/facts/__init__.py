"""Facts about a case: computed, never a verdict, each a sentence with pointers into the case."""

from __future__ import annotations

from ..document import Case
from ..topics import Topic
from . import buffers, constraints, fallbacks, general, meals, money, pace, peak, style, wishes
from .fallbacks import Repeat, repeats_of
from .general import languages_of
from .legs import Leg, legs_of, legs_of_day
from .peak import Calendar
from .sentences import Fact, Value, Words
from .trip import Stop, Trip, TripDay, trip_of

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
_TOPICS = (general, buffers, meals, fallbacks, money, wishes, pace, constraints, style)


def facts_of(case: Case, calendar: Calendar | None = None) -> tuple[Fact, ...]:
    trip = trip_of(case)
    found = tuple(fact for topic in _TOPICS for fact in topic.facts(trip))
    return found + tuple(peak.facts(trip, calendar)) if calendar else found
