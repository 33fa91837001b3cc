"""Letting every pair of people meet on about equally many cases, by exchanges.

What is made small is the sum, over all pairs, of the squared number of cases they share. An
exchange leaves each case as many people as it had, and the loads as even as they were.
"""

from __future__ import annotations

from dataclasses import dataclass

from .roster import Roster, each

# How many exchanges are looked at in all. Counted and not timed, so that the same input gives the
# same plan on any machine. A hundred cases need less; a thousand get a third of a second.
MOST_LOOKS = 600_000


@dataclass(frozen=True, slots=True)
class Exchange:
    """`taker` comes in for `person`, who gets the case `back` in return, unless it is None."""

    case: int
    person: int
    taker: int
    back: int | None

    def make(self, roster: Roster) -> None:
        roster.remove(self.case, self.person)
        if self.back is not None:
            roster.remove(self.back, self.taker)
            roster.add(self.back, self.person)
        roster.add(self.case, self.taker)


def mix(roster: Roster) -> None:
    """Exchange until nothing helps.

    First only takers with whom the case itself gains: they are few and do nearly all. Then
    anybody, because two cases that share a third person can gain together.
    """
    looks = _exchange_all(roster, MOST_LOOKS, is_thorough=False)
    if not _is_even(roster):
        _exchange_all(roster, MOST_LOOKS - looks, is_thorough=True)


def _is_even(roster: Roster) -> bool:
    """Counts that differ by at most one have the least sum of squares there is."""
    counts = [count for row, met in enumerate(roster.met) for count in met[:row]]
    return not counts or max(counts) - min(counts) <= 1


def _exchange_all(roster: Roster, most_looks: int, *, is_thorough: bool) -> int:
    """Case after case, until a whole round changes nothing. Returns how many were looked at."""
    looks = 0
    is_settled = False
    while not is_settled:
        is_settled = True
        for case, added in enumerate(roster.added):
            for person in tuple(added):
                if looks >= most_looks:
                    return looks
                best, looked = _best(roster, case, person, is_thorough=is_thorough)
                looks += looked
                if best:
                    best.make(roster)
                    is_settled = False
    return looks


def _best(
    roster: Roster, case: int, person: int, *, is_thorough: bool
) -> tuple[Exchange | None, int]:
    """The exchange that takes the person off the case and helps most, if one helps."""
    bit = 1 << person
    mine = roster.met[person]
    rest = [one for one in roster.members[case] if one != person]
    best, least, looks = None, 0, 0
    for taker in each(roster.takers(case)):
        theirs = roster.met[taker]
        # Half of what the sum of squares grows by: (t + 1)^2 - t^2 + (m - 1)^2 - m^2 for each
        # of the rest, with whom the taker shares t cases and the person m.
        here = sum(theirs[one] - mine[one] + 1 for one in rest)
        looks += 1
        if here >= 0 and not is_thorough:
            continue
        may_take_it_over = roster.room[taker] > 0 and roster.load[taker] + 1 == roster.load[person]
        if may_take_it_over and here < least:
            best, least = Exchange(case, person, taker, None), here
        for back in roster.cases[taker]:
            looks += 1
            if not roster.takers(back) & bit:
                continue
            there = sum(mine[one] - theirs[one] + 1 for one in roster.members[back])
            # The taker does not meet themselves; and who is on both cases meets both as before.
            there -= mine[taker] + 1
            there -= 2 * (roster.on[case] & roster.on[back]).bit_count()
            if here + there < least:
                best, least = Exchange(case, person, taker, back), here + there
    return best, looks
