"""List the tasks of admins and managers, most urgent first. Runs no query.

A task is one line with one button. Which step a release needs is the rule of
`reviews.releases.next_step`; its words are in the template.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum

from django.utils import timezone

from cases.models import Release
from evalsite.permissions import Role
from reviews.models import Closing
from reviews.releases.next_step import Facts, Step, choose_next_step


class TaskKind(StrEnum):
    """The kinds of tasks, most urgent first."""

    LATE = "late"
    GONE = "gone"
    DECLINED = "declined"
    QUESTIONS = "questions"
    FLAGS = "flags"
    BROKEN = "broken"
    WAIVE = "waive"
    COMPLETE = "add"
    ASSIGN = "assign"
    PAIRS = "pairs"
    SIGN = "sign"
    CLOSE = "close"
    SETTLE = "settle"
    LOOK = "look"
    # Late reviews, for managers: admins have a line for each person instead.
    BEHIND = "behind"
    START = "start"
    DRAW = "draw"
    DRAW_AGAIN = "draw again"
    IMPORT = "import"
    SCARCE = "scarce"


URGENCY = {kind: place for place, kind in enumerate(TaskKind)}
OF_MANAGERS = {TaskKind.WAIVE, TaskKind.SIGN, TaskKind.CLOSE, TaskKind.BEHIND}
OF_BOTH = {TaskKind.FLAGS, TaskKind.SETTLE}
# The acts of a step that are tasks; the others are listed from counts.
STEPS = {
    *(TaskKind.WAIVE, TaskKind.COMPLETE, TaskKind.ASSIGN, TaskKind.PAIRS, TaskKind.CLOSE),
    *(TaskKind.START, TaskKind.DRAW, TaskKind.IMPORT),
}


@dataclass(frozen=True)
class Scarce:
    """A kind of the sampling rule with one candidate, the same in this and earlier releases."""

    kind: str
    releases: int


@dataclass(frozen=True)
class Work:
    """What waits in an open release. Names no one and has no score.

    `open_by` counts the open reviews of each person, by primary key, and `pairs_by` the open
    pairings; `judging` are all who have some, also of cases that left the sample. `declined` counts
    the cases that lack a reviewer because one declined, `broken` those that are to be withdrawn.
    `steps` keeps the next steps.
    """

    facts: Facts
    open_by: Mapping[int, int] = field(default_factory=dict)
    pairs_by: Mapping[int, int] = field(default_factory=dict)
    judging: frozenset[int] = frozenset()
    declined: int = 0
    flags: int = 0
    broken: int = 0
    unsettled: int = 0
    scarce: tuple[Scarce, ...] = ()
    steps: dict[tuple[bool, bool], Step] = field(default_factory=dict, compare=False)

    def choose_step(self, release: Release, *, is_blind: bool, may_waive: bool) -> Step:
        """Choose the next step of the release as such a viewer may know it."""
        viewed = (is_blind, may_waive)
        if viewed not in self.steps:
            facts = replace(self.facts, is_blind=is_blind, may_waive=may_waive)
            self.steps[viewed] = choose_next_step(release, facts)
        return self.steps[viewed]


@dataclass(frozen=True)
class Person:
    """A person with open reviews or pairings that are late, or who can no longer review."""

    username: str
    can_review: bool
    reminded_date: date | None = None


@dataclass(frozen=True)
class Waiting:
    """Everything that waits: `questions` without an answer, `closings` without a decision.

    `viewer` is the primary key of the person whose tasks are listed; `may_waive`: a manager.
    """

    viewer: int
    releases: Sequence[tuple[Release, Work]] = ()
    people: Mapping[int, Person] = field(default_factory=dict)
    closings: Sequence[Closing] = ()
    questions: int = 0
    may_waive: bool = False

    def choose_step(self, release: Release, work: Work) -> Step:
        is_blind = self.viewer in work.judging
        return work.choose_step(release, is_blind=is_blind, may_waive=self.may_waive)


@dataclass(frozen=True)
class Task:
    """One line of a home; what is not needed for its kind is empty.

    `is_of_pairs`: `count` counts pairings, not reviews.
    """

    kind: TaskKind
    release: Release | None = None
    count: int = 0
    is_of_pairs: bool = False
    person: str = ""
    since: date | None = None
    is_reminded: bool = False
    step: Step | None = None
    scarce: tuple[Scarce, ...] = ()
    closing: Closing | None = None

    @property
    def urgency(self) -> tuple[int, date, str, str]:
        release = self.release.name if self.release else ""
        return URGENCY[self.kind], self.since or date.max, release, self.person


def list_tasks(waiting: Waiting, *, roles: Collection[Role], today: date) -> list[Task]:
    """List the tasks of a person with these roles, most urgent first."""
    own = select_kinds(roles)
    found = list(list_signatures(waiting.closings))
    if waiting.questions:
        found.append(Task(TaskKind.QUESTIONS, count=waiting.questions))
    for release, work in waiting.releases:
        found += list_tasks_of(release, work, waiting, today=today)
    return sorted((task for task in found if task.kind in own), key=lambda task: task.urgency)


def select_kinds(roles: Collection[Role]) -> set[TaskKind]:
    kinds: set[TaskKind] = set()
    if Role.ADMIN in roles:
        kinds |= set(TaskKind) - OF_MANAGERS
    if Role.MANAGER in roles:
        kinds |= OF_MANAGERS | OF_BOTH
    return kinds - {TaskKind.BEHIND} if Role.ADMIN in roles else kinds


def list_signatures(closings: Iterable[Closing]) -> Iterator[Task]:
    for closing in closings:
        since = timezone.localdate(closing.closed_at)
        yield Task(TaskKind.SIGN, closing.release, since=since, closing=closing)


def list_tasks_of(release: Release, work: Work, waiting: Waiting, *, today: date) -> Iterator[Task]:
    due = release.due_date
    is_blind = waiting.viewer in work.judging
    if release.is_reviewing:
        yield from list_people(release, work, waiting.people, today=today)
        if work.declined:
            yield Task(TaskKind.DECLINED, release, work.declined, since=due)
    if not is_blind:
        yield from list_to_settle(release, work)
    step = waiting.choose_step(release, work)
    kind = next((kind for kind in STEPS if kind == step.act), None)
    if kind == TaskKind.DRAW and work.facts.is_drawn:
        kind = TaskKind.DRAW_AGAIN
    if kind:
        counts = {
            TaskKind.ASSIGN: work.facts.unassigned,
            TaskKind.PAIRS: work.facts.pairs_unplanned,
        }
        count = counts.get(kind, 0)
        yield Task(kind, release, count, since=due, step=step)
    if step.next_look and not is_blind:
        yield Task(TaskKind.LOOK, release, since=due, step=step)
    if work.scarce:
        yield Task(TaskKind.SCARCE, release, len(work.scarce), scarce=work.scarce)


def list_people(
    release: Release, work: Work, people: Mapping[int, Person], *, today: date
) -> Iterator[Task]:
    """List who is late, and who can no longer do the reviews and pairings they have."""
    due = release.due_date
    for open_by, is_of_pairs in ((work.open_by, False), (work.pairs_by, True)):
        late = 0
        for pk, count in open_by.items():
            person = people.get(pk)
            task = Task(TaskKind.GONE, release, count, is_of_pairs, since=due)
            if person and not person.can_review:
                yield replace(task, person=person.username)
            elif release.is_late(today) and person:
                late += count
                is_reminded = person.reminded_date == today
                yield replace(
                    task, kind=TaskKind.LATE, person=person.username, is_reminded=is_reminded
                )
        if late:
            yield Task(TaskKind.BEHIND, release, late, is_of_pairs, since=due)


def list_to_settle(release: Release, work: Work) -> Iterator[Task]:
    counts = {
        TaskKind.FLAGS: work.flags,
        TaskKind.BROKEN: work.broken,
        TaskKind.SETTLE: work.unsettled,
    }
    for kind, count in counts.items():
        if count:
            yield Task(kind, release, count, since=release.due_date)


@dataclass(frozen=True)
class UnderWay:
    """A release in review, with the step it is at."""

    release: Release
    step: Step
    late: int


def list_under_way(waiting: Waiting, *, today: date) -> list[UnderWay]:
    """List the releases in review, by due date."""
    found = []
    for release, work in waiting.releases:
        if release.is_reviewing:
            waiting_for = sum(work.open_by.values()) + sum(work.pairs_by.values())
            late = waiting_for if release.is_late(today) else 0
            found.append(UnderWay(release, waiting.choose_step(release, work), late))
    return sorted(found, key=lambda row: (row.release.due_date or date.max, row.release.name))
