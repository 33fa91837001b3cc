"""The facts that a rule can be about, with the parameters of each that hold a number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from cases.facts import Topic

# Topic, name of the fact, and its parameters with numbers. docs/facts.md has all parameters; a
# property test compares this table with the facts of invented trips.
_TABLE = """
general days asked planned
general no-plan
general no-plan-words
general plain-text count
general asked
general dates
general times timed count stops
general nights count
general more-than-once visits count
general languages
general spring-festival count
general status
general closed day
general closed-more more count
buffers no-leg day
buffers no-leg-to day
buffers short-gap day transfer buffer meal gap short minutes
buffers gaps fit gaps
buffers more-short-gaps more count short
buffers times-run-backwards count
buffers buffers stated visits minutes
buffers transfers without moves
buffers longest-transfer minutes day
meals rests rests
meals meals meals having days named
meals days-without-meal count
meals meal-over-visit count visits
meals meal-over-meal count
fallbacks fallbacks repeats fallbacks titles count
fallbacks fallback-reasons reasons fallbacks
fallbacks fallback-on-its-own-day count fallbacks
fallbacks days-without-fallback count
fallbacks crowds count
money budget whole count
money budget-against-total difference
money prices priced visits sum count product times tickets items
money total sum parts
money warning
money day-costs sum
money lodging
money people
wishes avoid-found count stops
wishes avoid-paid paid stated
wishes wishes-none
wishes must-visit-found places count
wishes must-visit-fallback places
wishes must-visit-missing places
wishes must-visit-near count stops
wishes avoid-near count stops
wishes must-visit-near-more wishes
wishes avoid-near-more wishes
wishes avoid-more wishes
wishes avoid-nowhere wishes
wishes transport asked modes
wishes lodging asked hotels
pace visits-per-day visits asked
pace first-and-last first_day last_day
pace days-without-visit count
pace over-before-15 count total
pace free count minutes
pace pace-none
constraints constraints-none
constraints dietary-more asked
constraints mobility-more asked
constraints dietary-nowhere asked
constraints mobility-nowhere asked
constraints walking count minutes
constraints dietary-found where
constraints mobility-found where
style goal named visits where
style goals-none
style goals-elsewhere goals
style goals-nowhere goals
consistency summary-not-in-days named missing count sights
consistency summary-other-day moved sights count
consistency removed removed sights
consistency removed-but-planned count removed sights
buffers plain-text-buffers
meals plain-text-meals
fallbacks plain-text-fallbacks
money plain-text-money
pace plain-text-pace
wishes must-visit-in-words places
wishes avoid-in-words places
wishes must-visit-not-in-words places
wishes avoid-not-in-words places
"""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of fact. `params` are those with a number, on which thresholds can be set."""

    topic: Topic
    name: str
    params: tuple[str, ...]


def _read(line: str) -> Kind:
    topic, name, *params = line.split()
    return Kind(Topic(topic), name, tuple(params))


_KINDS = [_read(line) for line in _TABLE.strip().splitlines()]
FACTS: Mapping[tuple[Topic, str], Kind] = MappingProxyType(
    {(kind.topic, kind.name): kind for kind in _KINDS}
)


def find_kind(topic: Topic, name: str) -> Kind | None:
    return FACTS.get((topic, name))


def list_kinds() -> tuple[Kind, ...]:
    return tuple(FACTS.values())
