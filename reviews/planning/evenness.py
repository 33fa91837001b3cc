"""Where a plan is uneven, and what stands in the way."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, combinations

from .ground import Ground
from .limits import Reason, Why
from .outcome import UnevenLoad, UnevenPair
from .roster import Roster


def uneven_loads(ground: Ground, roster: Roster) -> tuple[UnevenLoad, ...]:
    """Everybody who has at least two fewer than somebody else, with what keeps them from more."""
    most = max(roster.load, default=0)
    uneven = [
        UnevenLoad(one.username, load, most, _against_more(ground, roster, person))
        for person, (one, load) in enumerate(zip(ground.people, roster.load, strict=True))
        if load <= most - 2
    ]
    return tuple(sorted(uneven, key=lambda one: one.username))


def uneven_pairs(ground: Ground, roster: Roster, per_case: int) -> tuple[UnevenPair, ...]:
    """Pairs of people with work; somebody without any is among the uneven loads already."""
    working = [person for person, load in enumerate(roster.load) if load]
    most = max((max(roster.met[person]) for person in working), default=0)
    pairs = [
        (one, other)
        for one, other in combinations(working, 2)
        if roster.met[one][other] <= most - 2
    ]
    against = {one: _against_any(ground, roster, one) for one in sorted(set(chain(*pairs)))}
    places = _places_left(ground, roster, per_case)
    uneven = []
    for one, other in pairs:
        first, second = sorted(ground.people[person].username for person in (one, other))
        both = 1 << one | 1 << other
        taken = sum((both & ~on).bit_count() > left for on, left in places)
        reasons = _tally([*against[one], *against[other], Reason(Why.STANDING_WORK, taken)])
        uneven.append(
            UnevenPair(
                usernames=(first, second),
                meetings=roster.met[one][other],
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
    one = ground.people[person]
    return [
        why
        for why, holds in (
            (Why.SEEN_SCORES, one.has_seen_scores),
            (Why.AWAY, one.is_away),
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
