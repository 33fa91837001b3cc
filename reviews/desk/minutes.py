"""How long reviews take: the seconds in which the page of a review was visible and used.

Only their owner sees them. Admins see the median of a release, from enough reviews of enough
people on.
"""

from collections.abc import Iterable, Sequence
from statistics import median

# Of fewer reviews there is no median: neither for their owner nor for admins.
LEAST_REVIEWS = 5
LEAST_PEOPLE = 2
# The owner's own median is that of the latest.
RECENT = 20


def count_active(stored: int, sent: int, *, possible: int) -> int:
    """Return the seconds to store: never fewer than before, and none that cannot have passed."""
    return max(stored, min(sent, possible))


def find_pace(seconds: Sequence[int]) -> float | None:
    """Return the median of a person's reviews, or None if too few were measured.

    A review without scripts is not measured: its seconds are 0.
    """
    measured = [count for count in seconds if count > 0]
    return median(measured) if len(measured) >= LEAST_REVIEWS else None


def estimate_minutes(pace: float, begun: Iterable[int], waiting: int) -> int:
    """Return about how many minutes are left, at least one.

    `begun` are the seconds already spent on each begun review.
    """
    left = waiting * pace + sum(max(pace - spent, 0) for spent in begun)
    return max(round_minutes(left / 60), 1)


def round_minutes(minutes: float) -> int:
    """Round to what "about" means: single minutes, from ten on fives, from an hour on tens."""
    step = 1 if minutes < 10 else 5 if minutes < 60 else 10
    return int(minutes / step + 0.5) * step


def is_told(reviews: int, people: int) -> bool:
    """Return whether admins may learn the median of so many reviews by so many people."""
    return reviews >= LEAST_REVIEWS and people >= LEAST_PEOPLE
