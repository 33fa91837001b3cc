"""The planner's state: who is on which case. Fills free places by chains of moves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from .plan import ExistingReview, Person, Reason, ToReview, list_reasons_against


class Roster:
    """Who is on which case. People and cases are numbers, sets of people are bits of an integer.

    `may` has for each case the people who may take it. `load` counts each person's reviews in
    this release, `met` how many cases two people share. Reviews placed by `seat` are never moved;
    those placed by `add` may be.
    """

    def __init__(self, may: Sequence[int], room: Sequence[int], load: Sequence[int]) -> None:
        self.may = list(may)
        self.room = list(room)
        self.load = list(load)
        self.on = [0] * len(self.may)
        self.members: list[list[int]] = [[] for _ in self.may]
        self.added: list[list[int]] = [[] for _ in self.may]
        # Dictionaries serve as ordered sets.
        self.cases: list[dict[int, None]] = [{} for _ in self.room]
        self.met = [[0] * len(self.room) for _ in self.room]
        # Sets of people that no chain of moves can leave, as long as only `fill` moves people.
        # Searching them again would find nothing new; with languages that is most of the time.
        self._reaches: set[int] = set()

    def seat(self, case: int, person: int) -> None:
        """Place an existing review. The initial load and room count it already."""
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
        """Undo `add`."""
        self.members[case].remove(person)
        self.on[case] ^= 1 << person
        self._meet(case, person, -1)
        self.added[case].remove(person)
        del self.cases[person][case]
        self.load[person] -= 1
        self.room[person] += 1

    def takers(self, case: int) -> int:
        """Return the people who may take the case and are not on it, with or without room."""
        return self.may[case] & ~self.on[case]

    def fill(self, case: int) -> bool:
        """Add one more person to the case and return True, or return False if that is impossible.

        Chooses the least loaded person within reach; among people who can take the case directly,
        the one who has met the others least. A person is also within reach through a chain: they
        take over another case from a person who then takes this one, and so on. Ending each chain
        at the lowest load keeps the sum of squared loads minimal: these are shortest augmenting
        paths of a flow. Once the answer is False, it stays False.
        """
        takers = self.takers(case)
        reach = self._known_reach(takers)
        free = [person for person in list_people(reach) if self.room[person] > 0]
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
        self._move_along(end, came_by)
        return True

    def _known_reach(self, takers: int) -> int:
        """Return the smallest known set of people that all chains beginning with these stay in."""
        reach = (1 << len(self.room)) - 1
        for known in self._reaches:
            if not takers & ~known:
                reach &= known
        return reach

    def _forget_reaches(self, takers: int, unless_without: int | None = None) -> None:
        """Drop known sets before a chain that begins with these people changes them.

        A chain that begins inside a set stays there, so the set remains valid. So does a set
        that does not contain the only person of the chain.
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
        """Map each reachable person to the case they would take and from whom; nearest first."""
        came_by: dict[int, tuple[int, int | None]] = {}
        left = (1 << len(self.room)) - 1
        waiting: list[tuple[int, int | None]] = [(case, None)]
        # The list grows during the loop.
        for wanted, giver in waiting:
            found = self.takers(wanted) & left
            left ^= found
            for person in list_people(found):
                came_by[person] = (wanted, giver)
                waiting += [(held, person) for held in self.cases[person]]
            if not left:
                break
        self._reaches.add(sum(1 << person for person in came_by))
        return came_by

    def _move_along(self, end: int, came_by: dict[int, tuple[int, int | None]]) -> None:
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


def list_people(bits: int) -> Iterator[int]:
    """Yield the people of a set, in order."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


@dataclass(frozen=True, slots=True)
class PlannerInput:
    """The planner's input, sorted. People and cases are numbered by their place in these lists.

    `standing` has the usernames with an existing review of each case, even of people who are no
    longer reviewers. `before` counts the reviews of each person in this release, also those of
    cases that left the sample. `against` has the reasons against each person for each case;
    people without an entry may take it.
    """

    people: Sequence[Person]
    cases: Sequence[ToReview]
    standing: Sequence[Sequence[str]]
    before: Sequence[int]
    against: Sequence[dict[int, tuple[Reason, ...]]]

    def build_roster(self) -> Roster:
        """Build the roster of the existing reviews, with nothing added."""
        everyone = (1 << len(self.people)) - 1
        may = [everyone ^ sum(1 << person for person in barred) for barred in self.against]
        roster = Roster(may, [person.room for person in self.people], self.before)
        places = {person.username: place for place, person in enumerate(self.people)}
        for case, usernames in enumerate(self.standing):
            for username in usernames:
                if username in places:
                    roster.seat(case, places[username])
        return roster


def build_input(
    cases: Iterable[ToReview], people: Iterable[Person], standing: Iterable[ExistingReview]
) -> PlannerInput:
    """Sort and number the input.

    The order depends only on the names and differs between releases, so that an unavoidable extra
    review does not always go to the same person.
    """
    ordered = sorted(cases, key=lambda case: _digest(case.case_key))
    salt = _digest(*(case.case_key for case in ordered))
    ordered_people = sorted(people, key=lambda person: _digest(salt, person.username))
    statuses = {(review.case_key, review.username): review.status for review in standing}
    counted = sorted(
        key for key, status in statuses.items() if ExistingReview(*key, status=status).is_counted
    )
    on_case: dict[str, list[str]] = {case.case_key: [] for case in ordered}
    for case_key, username in counted:
        if case_key in on_case:
            on_case[case_key].append(username)
    loads = Counter(username for _case_key, username in counted)
    return PlannerInput(
        people=ordered_people,
        cases=ordered,
        standing=[on_case[case.case_key] for case in ordered],
        before=[loads[person.username] for person in ordered_people],
        against=[
            {
                place: reasons
                for place, person in enumerate(ordered_people)
                if (
                    reasons := list_reasons_against(
                        person, case, statuses.get((case.case_key, person.username))
                    )
                )
            }
            for case in ordered
        ],
    )


def _digest(*names: str) -> str:
    return sha256("\0".join(names).encode()).hexdigest()
