"""Whether an adopted rule still agrees with what people say. Pure."""

from dataclasses import dataclass
from enum import StrEnum

from reviews.backtest import FEWEST_READS, Share


class Doubt(StrEnum):
    """Why a rule no longer agrees with people.

    FALSE_ALARMS: where it hits, people say no less often than before, or mostly yes. MISSES: where
    it passes, they say no more often than before: it was gamed, or it asks the wrong thing.
    """

    FALSE_ALARMS = "false-alarms"
    MISSES = "misses"


NONE = Share(0, 0)


@dataclass(frozen=True, slots=True)
class Reads:
    """The cases that were read: how many got a no where the rule hits, and where it passes."""

    hit: Share = NONE
    passed: Share = NONE

    def __add__(self, other: "Reads") -> "Reads":
        return Reads(add(self.hit, other.hit), add(self.passed, other.passed))


def add(one: Share, other: Share) -> Share:
    return Share(one.count + other.count, one.total + other.total)


def find_doubt(before: Reads, after: Reads) -> Doubt | None:
    """Compare the reads since the adoption with those before it, by their 95 % intervals.

    With fewer than FEWEST_READS on a side nothing can be told; where there were so few before, a
    hit should get a no at least as often as not.
    """
    if is_enough(after.hit):
        expected = before.hit.interval.low if is_enough(before.hit) else 0.5
        if after.hit.interval.high < expected:
            return Doubt.FALSE_ALARMS
    can_compare = is_enough(after.passed) and is_enough(before.passed)
    if can_compare and after.passed.interval.low > before.passed.interval.high:
        return Doubt.MISSES
    return None


def is_enough(share: Share) -> bool:
    return share.total >= FEWEST_READS
