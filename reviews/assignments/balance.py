"""Keeps a plan even: lets every two people meet about equally often, and says where it cannot."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, combinations

from .plan import Reason, UnevenLoad, UnevenPair, Why
from .roster import Ground, Roster, each

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
    rest = [member for member in roster.members[case] if member != person]
    best, least, looks = None, 0, 0
    for taker in each(roster.takers(case)):
        theirs = roster.met[taker]
        # Half of what the sum of squares grows by: (t + 1)^2 - t^2 + (m - 1)^2 - m^2 for each
        # of the rest, with whom the taker shares t cases and the person m.
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
            # The taker does not meet themselves; and who is on both cases meets both as before.
            there -= mine[taker] + 1
            there -= 2 * (roster.on[case] & roster.on[back]).bit_count()
            if here + there < least:
                best, least = Exchange(case, person, taker, back), here + there
    return best, looks


def uneven_loads(ground: Ground, roster: Roster) -> tuple[UnevenLoad, ...]:
    """Everybody who has at least two fewer than somebody else, with what keeps them from more."""
    most = max(roster.load, default=0)
    uneven = [
        UnevenLoad(reviewer.username, load, most, _against_more(ground, roster, person))
        for person, (reviewer, load) in enumerate(zip(ground.people, roster.load, strict=True))
        if load <= most - 2
    ]
    return tuple(sorted(uneven, key=lambda uneven_load: uneven_load.username))


def uneven_pairs(ground: Ground, roster: Roster, per_case: int) -> tuple[UnevenPair, ...]:
    """Pairs of people with work; somebody without any is among the uneven loads already."""
    working = [person for person, load in enumerate(roster.load) if load]
    most = max((max(roster.met[person]) for person in working), default=0)
    pairs = [
        (left, right)
        for left, right in combinations(working, 2)
        if roster.met[left][right] <= most - 2
    ]
    against = {
        person: _against_any(ground, roster, person) for person in sorted(set(chain(*pairs)))
    }
    places = _places_left(ground, roster, per_case)
    uneven = []
    for left, right in pairs:
        both = 1 << left | 1 << right
        taken = sum((both & ~on).bit_count() > free for on, free in places)
        reasons = _tally([*against[left], *against[right], Reason(Why.STANDING_WORK, taken)])
        first, second = sorted(ground.people[person].username for person in (left, right))
        uneven.append(
            UnevenPair(
                usernames=(first, second),
                meetings=roster.met[left][right],
                most=most,
                reasons=reasons or (Reason(Why.NO_BETTER_FOUND),),
            )
        )
    return tuple(sorted(uneven, key=lambda pair: pair.usernames))


def _against_more(ground: Ground, roster: Roster, person: int) -> tuple[Reason, ...]:
    """Why none of the reviews of people who have at least two more is this person's.

    Each of these reviews stands, or has a reason of its own: otherwise handing it over would
    have made the loads more even, and the roster has them as even as can be.
    """
    heavier = [other for other, load in enumerate(roster.load) if load >= roster.load[person] + 2]
    always = _always_against(ground, roster, person)
    if always:
        count = sum(roster.load[other] for other in heavier)
        return _tally(Reason(why, count) for why in always)
    reasons = [Reason(Why.STANDING_WORK, ground.before[other]) for other in heavier]
    for other in heavier:
        for case in roster.cases[other]:
            reasons += ground.against[case].get(person, (Reason(Why.ON_THE_CASE),))
    return _tally(reasons)


def _against_any(ground: Ground, roster: Roster, person: int) -> tuple[Reason, ...]:
    """What keeps the person from any of the cases they are not on."""
    always = _always_against(ground, roster, person)
    if always:
        return _tally(Reason(why, len(ground.cases)) for why in always)
    return _tally(
        reason
        for against in ground.against
        for reason in against.get(person, ())
        if reason.why != Why.ON_THE_CASE
    )


def _always_against(ground: Ground, roster: Roster, person: int) -> list[Why]:
    """What keeps the person from every case alike."""
    reviewer = ground.people[person]
    return [
        why
        for why, holds in (
            (Why.SEEN_SCORES, reviewer.has_seen_scores),
            (Why.AWAY, reviewer.is_away),
            (Why.CAPACITY, roster.room[person] <= 0),
        )
        if holds
    ]


def _places_left(ground: Ground, roster: Roster, per_case: int) -> list[tuple[int, int]]:
    """Of each case with standing work: who stands, and how many places that left."""
    return [
        (
            roster.on[case] & ~sum(1 << person for person in roster.added[case]),
            max(0, per_case - len(usernames)),
        )
        for case, usernames in enumerate(ground.standing)
        if usernames
    ]


def _tally(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    """One reason of each sort, in the order of Why."""
    counts: dict[Why, int] = {}
    languages: dict[Why, set[str]] = {}
    for reason in reasons:
        counts[reason.why] = counts.get(reason.why, 0) + reason.count
        languages.setdefault(reason.why, set()).update(reason.languages)
    return tuple(
        Reason(why, counts[why], tuple(sorted(languages[why]))) for why in Why if counts.get(why)
    )
