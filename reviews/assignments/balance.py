"""Exchange cases until all pairs of people meet about equally often, and explain the rest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, combinations

from .plan import Reason, UnevenLoad, UnevenPair, Why
from .roster import PlannerInput, Roster, list_people

# How many exchanges are tried in all. A count and not a time limit, so that the same input gives
# the same plan on any machine. 100 cases need fewer; for 1,000 it takes a third of a second.
MOST_LOOKS = 600_000


@dataclass(frozen=True, slots=True)
class Exchange:
    """`taker` replaces `person` on `case`; `person` gets `back` in return, unless it is None."""

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
    """Exchange until no exchange helps.

    The first pass tries only takers who improve the case itself: they are few and achieve nearly
    everything. The second tries all, because two cases that share a third person can gain together.
    """
    looks = _exchange_all(roster, MOST_LOOKS, is_thorough=False)
    if not _is_even(roster):
        _exchange_all(roster, MOST_LOOKS - looks, is_thorough=True)


def _is_even(roster: Roster) -> bool:
    """Counts that differ by at most one have the smallest possible sum of squares."""
    counts = [count for row, met in enumerate(roster.met) for count in met[:row]]
    return not counts or max(counts) - min(counts) <= 1


def _exchange_all(roster: Roster, most_looks: int, *, is_thorough: bool) -> int:
    """Go through all cases until a round changes nothing. Return how many exchanges were tried."""
    looks = 0
    is_settled = False
    while not is_settled:
        is_settled = True
        for case, added in enumerate(roster.added):
            for person in tuple(added):
                if looks >= most_looks:
                    return looks
                best, looked = _find_best(roster, case, person, is_thorough=is_thorough)
                looks += looked
                if best:
                    best.make(roster)
                    is_settled = False
    return looks


def _find_best(
    roster: Roster, case: int, person: int, *, is_thorough: bool
) -> tuple[Exchange | None, int]:
    """Find the most helpful exchange that takes the person off the case, and count those tried."""
    bit = 1 << person
    mine = roster.met[person]
    rest = [member for member in roster.members[case] if member != person]
    best, least, looks = None, 0, 0
    for taker in list_people(roster.takers(case)):
        theirs = roster.met[taker]
        # Half the growth of the sum of squares: (t + 1)^2 - t^2 + (m - 1)^2 - m^2 for each of the
        # others on the case, with whom the taker shares t cases and the person m.
        here = sum(theirs[member] - mine[member] + 1 for member in rest)
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
            there = sum(mine[member] - theirs[member] + 1 for member in roster.members[back])
            # The taker does not meet themselves; anyone on both cases meets both as before.
            there -= mine[taker] + 1
            there -= 2 * (roster.on[case] & roster.on[back]).bit_count()
            if here + there < least:
                best, least = Exchange(case, person, taker, back), here + there
    return best, looks


def find_uneven_loads(given: PlannerInput, roster: Roster) -> tuple[UnevenLoad, ...]:
    """List people with at least two reviews fewer than the maximum, with the reasons."""
    most = max(roster.load, default=0)
    uneven = [
        UnevenLoad(reviewer.username, load, most, _explain_fewer(given, roster, person))
        for person, (reviewer, load) in enumerate(zip(given.people, roster.load, strict=True))
        if load <= most - 2
    ]
    return tuple(sorted(uneven, key=lambda uneven_load: uneven_load.username))


def find_uneven_pairs(given: PlannerInput, roster: Roster, per_case: int) -> tuple[UnevenPair, ...]:
    """List pairs that meet at least two times fewer than the maximum, with the reasons.

    People without any work are skipped: they are among the uneven loads.
    """
    working = [person for person, load in enumerate(roster.load) if load]
    most = max((max(roster.met[person]) for person in working), default=0)
    pairs = [
        (left, right)
        for left, right in combinations(working, 2)
        if roster.met[left][right] <= most - 2
    ]
    against = {
        person: _list_obstacles(given, roster, person) for person in sorted(set(chain(*pairs)))
    }
    places = _count_places_left(given, roster, per_case)
    uneven = []
    for left, right in pairs:
        both = 1 << left | 1 << right
        taken = sum((both & ~on).bit_count() > free for on, free in places)
        reasons = _tally([*against[left], *against[right], Reason(Why.STANDING_WORK, taken)])
        first, second = sorted(given.people[person].username for person in (left, right))
        uneven.append(
            UnevenPair(
                usernames=(first, second),
                meetings=roster.met[left][right],
                most=most,
                reasons=reasons or (Reason(Why.NO_BETTER_FOUND),),
            )
        )
    return tuple(sorted(uneven, key=lambda pair: pair.usernames))


def _explain_fewer(given: PlannerInput, roster: Roster, person: int) -> tuple[Reason, ...]:
    """Explain why this person cannot take over reviews from people who have at least two more.

    Each such review existed before or has a reason against it: otherwise moving it would have
    made the loads more even, and they are already as even as possible.
    """
    heavier = [other for other, load in enumerate(roster.load) if load >= roster.load[person] + 2]
    always = _list_general_obstacles(given, roster, person)
    if always:
        count = sum(roster.load[other] for other in heavier)
        return _tally(Reason(why, count) for why in always)
    reasons = [Reason(Why.STANDING_WORK, given.before[other]) for other in heavier]
    for other in heavier:
        for case in roster.cases[other]:
            reasons += given.against[case].get(person, (Reason(Why.ON_THE_CASE),))
    return _tally(reasons)


def _list_obstacles(given: PlannerInput, roster: Roster, person: int) -> tuple[Reason, ...]:
    """List what keeps the person from the cases they are not on."""
    always = _list_general_obstacles(given, roster, person)
    if always:
        return _tally(Reason(why, len(given.cases)) for why in always)
    return _tally(
        reason
        for against in given.against
        for reason in against.get(person, ())
        if reason.why != Why.ON_THE_CASE
    )


def _list_general_obstacles(given: PlannerInput, roster: Roster, person: int) -> list[Why]:
    """List what keeps the person from all cases."""
    reviewer = given.people[person]
    return [
        why
        for why, holds in (
            (Why.SEEN_SCORES, reviewer.has_seen_scores),
            (Why.AWAY, reviewer.is_away),
            (Why.CAPACITY, roster.room[person] <= 0),
        )
        if holds
    ]


def _count_places_left(given: PlannerInput, roster: Roster, per_case: int) -> list[tuple[int, int]]:
    """For each case with existing reviews, return their people (as bits) and the places left."""
    return [
        (
            roster.on[case] & ~sum(1 << person for person in roster.added[case]),
            max(0, per_case - len(usernames)),
        )
        for case, usernames in enumerate(given.standing)
        if usernames
    ]


def _tally(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    """Add up the reasons of each kind, in the order of Why."""
    counts: dict[Why, int] = {}
    languages: dict[Why, set[str]] = {}
    for reason in reasons:
        counts[reason.why] = counts.get(reason.why, 0) + reason.count
        languages.setdefault(reason.why, set()).update(reason.languages)
    return tuple(
        Reason(why, counts[why], tuple(sorted(languages[why]))) for why in Why if counts.get(why)
    )
