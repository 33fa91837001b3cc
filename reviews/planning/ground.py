"""The ground a plan is made on: people and cases in a fixed order, and who may not take what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from .given import Person, Standing, ToReview
from .limits import Reason, reasons_against
from .roster import Roster


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
        roster = Roster(may, [one.room for one in self.people], self.before)
        places = {one.username: place for place, one in enumerate(self.people)}
        for case, usernames in enumerate(self.standing):
            for username in usernames:
                if username in places:
                    roster.seat(case, places[username])
        return roster


def ground_of(
    cases: Iterable[ToReview], people: Iterable[Person], standing: Iterable[Standing]
) -> Ground:
    """The order depends on the names alone, and is another one in every release.

    Where a review more cannot be avoided, it should not always fall to the same person.
    """
    ordered = sorted(cases, key=lambda one: _mark(one.case_key))
    salt = _mark(*(one.case_key for one in ordered))
    asked = sorted(people, key=lambda one: _mark(salt, one.username))
    statuses = {(one.case_key, one.username): one.status for one in standing}
    counted = sorted(
        key for key, status in statuses.items() if Standing(*key, status=status).is_counted
    )
    on_case: dict[str, list[str]] = {one.case_key: [] for one in ordered}
    for case_key, username in counted:
        if case_key in on_case:
            on_case[case_key].append(username)
    loads = Counter(username for _case_key, username in counted)
    return Ground(
        people=asked,
        cases=ordered,
        standing=[on_case[one.case_key] for one in ordered],
        before=[loads[one.username] for one in asked],
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
