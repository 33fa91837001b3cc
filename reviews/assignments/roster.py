"""Who is on which case, and who may not take what. Free places are filled by chains of moves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from .plan import ExistingReview, Person, Reason, ToReview, reasons_against


class Roster:
    """People and cases are numbers here, and sets of people are bits: chains cross many of them.

    `may` has for each case the people who may take it. `load` counts each person's work in this
    release, `met` how many cases two people share. What `seat` put there is never moved; what
    `add` put there is.
    """

    def __init__(self, may: Sequence[int], room: Sequence[int], load: Sequence[int]) -> None:
        self.may = list(may)
        self.room = list(room)
        self.load = list(load)
        self.on = [0] * len(self.may)
        self.members: list[list[int]] = [[] for _ in self.may]
        self.added: list[list[int]] = [[] for _ in self.may]
        # Dictionaries as sets that keep their order.
        self.cases: list[dict[int, None]] = [{} for _ in self.room]
        self.met = [[0] * len(self.room) for _ in self.room]
        # Sets of people that no chain leaves, as long as `fill` alone moves people: to search them
        # again would find nothing new, and with languages that is most of the time.
        self._reaches: set[int] = set()

    def seat(self, case: int, person: int) -> None:
        """Work that stands. The load and the room that were given count it already."""
        self._meet(case, person, 1)
        self.on[case] |= 1 << person
        self.members[case].append(person)

    def add(self, case: int, person: int) -> None:
        self.seat(case, person)
        self.added[case].append(person)
        self.cases[person][case] = None
        self.load[person] += 1
        self.room[person] -= 1

    def remove(self, case: int, person: int) -> None:
        """Undoes `add`."""
        self.members[case].remove(person)
        self.on[case] ^= 1 << person
        self._meet(case, person, -1)
        self.added[case].remove(person)
        del self.cases[person][case]
        self.load[person] -= 1
        self.room[person] += 1

    def takers(self, case: int) -> int:
        """Those who may take it and are not on it; whether they have room is another question."""
        return self.may[case] & ~self.on[case]

    def fill(self, case: int) -> bool:
        """One more person for the case, if there is a way at all. Once there is none, none comes.

        The least loaded person within reach; if several could simply take it, the one who has
        met the others least. Within reach is also somebody who takes over another case from a
        person who takes this one, and so on. Ending each chain at the lowest load keeps the sum
        of squared loads as small as can be: these are shortest augmenting paths of a flow.
        """
        takers = self.takers(case)
        reach = self._known_reach(takers)
        free = [person for person in each(reach) if self.room[person] > 0]
        if not free:
            return False
        nearest = min(
            (person for person in free if takers >> person & 1),
            key=lambda person: self._rank(case, person),
            default=None,
        )
        lowest = min(self.load[person] for person in free)
        if nearest is not None and self.load[nearest] == lowest:
            self._forget_reaches(takers, unless_without=nearest)
            self.add(case, nearest)
            return True
        came_by = self._within_reach(case)
        ends = [person for person in came_by if self.room[person] > 0]
        if not ends:
            return False
        end = min(ends, key=lambda person: (self.load[person], person != nearest))
        self._forget_reaches(takers)
        self._hand_on(end, came_by)
        return True

    def _known_reach(self, takers: int) -> int:
        """As few people as are known to hold all chains that begin with these."""
        reach = (1 << len(self.room)) - 1
        for known in self._reaches:
            if not takers & ~known:
                reach &= known
        return reach

    def _forget_reaches(self, takers: int, unless_without: int | None = None) -> None:
        """Before a chain that begins with these: it may lead out of a set that it enters.

        A chain that begins inside a set stays there and opens no way out. One that is a single
        person opens none either, if that person is not in the set.
        """
        self._reaches = {
            known
            for known in self._reaches
            if not takers & ~known
            or (unless_without is not None and not known >> unless_without & 1)
        }

    def _rank(self, case: int, person: int) -> tuple[int, int]:
        met = self.met[person]
        return self.load[person], sum(met[other] for other in self.members[case])

    def _within_reach(self, case: int) -> dict[int, tuple[int, int | None]]:
        """Person -> the case they would take and who would hand it to them; nearest first."""
        came_by: dict[int, tuple[int, int | None]] = {}
        left = (1 << len(self.room)) - 1
        waiting: list[tuple[int, int | None]] = [(case, None)]
        # The list grows while it is read.
        for wanted, giver in waiting:
            found = self.takers(wanted) & left
            left ^= found
            for person in each(found):
                came_by[person] = (wanted, giver)
                waiting += [(held, person) for held in self.cases[person]]
            if not left:
                break
        self._reaches.add(sum(1 << person for person in came_by))
        return came_by

    def _hand_on(self, end: int, came_by: dict[int, tuple[int, int | None]]) -> None:
        taker: int | None = end
        while taker is not None:
            case, giver = came_by[taker]
            if giver is not None:
                self.remove(case, giver)
            self.add(case, taker)
            taker = giver

    def _meet(self, case: int, person: int, times: int) -> None:
        for other in self.members[case]:
            self.met[person][other] += times
            self.met[other][person] += times


def each(bits: int) -> Iterator[int]:
    """The people of a set, in order."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


@dataclass(frozen=True, slots=True)
class Ground:
    """From here on people and cases are numbers: their places in these two lists.

    `standing` has for each case the usernames whose work on it counts; some may be of people who
    are not asked any more. `before` counts the work of each person in this release, also that on
    cases which left the sample. `against` has for each case the reasons against each person; who
    is not in it may take the case.
    """

    people: Sequence[Person]
    cases: Sequence[ToReview]
    standing: Sequence[Sequence[str]]
    before: Sequence[int]
    against: Sequence[dict[int, tuple[Reason, ...]]]

    def roster(self) -> Roster:
        """As things stand, with nothing added."""
        everybody = (1 << len(self.people)) - 1
        may = [everybody ^ sum(1 << person for person in barred) for barred in self.against]
        roster = Roster(may, [person.room for person in self.people], self.before)
        places = {person.username: place for place, person in enumerate(self.people)}
        for case, usernames in enumerate(self.standing):
            for username in usernames:
                if username in places:
                    roster.seat(case, places[username])
        return roster


def build_ground(
    cases: Iterable[ToReview], people: Iterable[Person], standing: Iterable[ExistingReview]
) -> Ground:
    """The order depends on the names alone, and is another one in every release.

    Where a review more cannot be avoided, it should not always fall to the same person.
    """
    ordered = sorted(cases, key=lambda case: _mark(case.case_key))
    salt = _mark(*(case.case_key for case in ordered))
    asked = sorted(people, key=lambda person: _mark(salt, person.username))
    statuses = {(review.case_key, review.username): review.status for review in standing}
    counted = sorted(
        key for key, status in statuses.items() if ExistingReview(*key, status=status).is_counted
    )
    on_case: dict[str, list[str]] = {case.case_key: [] for case in ordered}
    for case_key, username in counted:
        if case_key in on_case:
            on_case[case_key].append(username)
    loads = Counter(username for _case_key, username in counted)
    return Ground(
        people=asked,
        cases=ordered,
        standing=[on_case[case.case_key] for case in ordered],
        before=[loads[person.username] for person in asked],
        against=[
            {
                place: reasons
                for place, person in enumerate(asked)
                if (
                    reasons := reasons_against(
                        person, case, statuses.get((case.case_key, person.username))
                    )
                )
            }
            for case in ordered
        ],
    )


def _mark(*names: str) -> str:
    return sha256("\0".join(names).encode()).hexdigest()
