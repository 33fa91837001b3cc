"""Whatever waits in whatever releases: the list of tasks keeps to roles, order and blindness."""

from dataclasses import replace
from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from cases.models import Release
from evalsite.permissions import Role
from reviews.home.tasks import OF_BOTH, OF_MANAGERS, Person, TaskKind, Waiting, Work, list_tasks
from reviews.home.work import NOTHING

TODAY = date(2026, 11, 19)
VIEWER = 1
# These follow from scores, or lead to them.
OF_SCORES = {
    *(TaskKind.FLAGS, TaskKind.BROKEN, TaskKind.SETTLE),
    *(TaskKind.LOOK, TaskKind.CLOSE),
}
FEW = st.integers(0, 3)

facts = st.builds(
    lambda **known: replace(NOTHING, **known),
    cases=FEW,
    available=FEW,
    least=FEW,
    is_drawn=st.booleans(),
    is_stale=st.booleans(),
    problems=st.sampled_from([(), ("No case.",)]),
    is_fillable=st.booleans(),
    is_waiting=st.booleans(),
    unassigned=FEW,
    adjudications_open=FEW,
    look=st.just(1),
    looks=st.just(2),
    next_size=st.sampled_from([None, 8]),
)
works = st.builds(
    Work,
    facts=facts,
    open_by=st.dictionaries(st.integers(1, 4), st.integers(1, 3), max_size=3),
    judging=st.frozensets(st.integers(1, 4), max_size=3),
    declined=FEW,
    flags=FEW,
    broken=FEW,
    unsettled=FEW,
)
releases = st.lists(
    st.tuples(
        st.sampled_from(["draft", "reviewing"]),
        st.sampled_from([None, *(TODAY + timedelta(days=days) for days in (-2, -1, 0, 1))]),
        works,
    ),
    max_size=4,
)
people = st.dictionaries(st.integers(1, 4), st.builds(Person, st.text(max_size=3), st.booleans()))
roles = st.sampled_from([{Role.ADMIN}, {Role.MANAGER}, {Role.ADMIN, Role.MANAGER}])


def wait(
    found: list[tuple[str, date | None, Work]], people: dict[int, Person], questions: int
) -> Waiting:
    rows = [
        (Release(pk=pk, name=f"release-{pk}", status=status, due_date=due), work)
        for pk, (status, due, work) in enumerate(found, 1)
    ]
    return Waiting(viewer=VIEWER, releases=rows, people=people, questions=questions)


@given(releases, people, FEW, roles)
def test_the_tasks_are_those_of_the_roles_the_most_urgent_first(
    found: list[tuple[str, date | None, Work]],
    people: dict[int, Person],
    questions: int,
    roles: set[Role],
) -> None:
    waiting = wait(found, people, questions)
    tasks = list_tasks(waiting, roles=roles, today=TODAY)
    assert [task.urgency for task in tasks] == sorted(task.urgency for task in tasks)
    kinds = {task.kind for task in tasks}
    if Role.MANAGER not in roles:
        assert not kinds & OF_MANAGERS
    if Role.ADMIN not in roles:
        assert kinds <= OF_MANAGERS | OF_BOTH
    both = list_tasks(waiting, roles={Role.ADMIN, Role.MANAGER}, today=TODAY)
    missing = [task for task in tasks if task not in both]
    assert {task.kind for task in missing} <= {TaskKind.BEHIND}


@given(releases, people, FEW)
def test_who_judges_in_a_release_sees_no_task_there_that_follows_from_scores(
    found: list[tuple[str, date | None, Work]], people: dict[int, Person], questions: int
) -> None:
    waiting = wait(found, people, questions)
    tasks = list_tasks(waiting, roles={Role.ADMIN, Role.MANAGER}, today=TODAY)
    judging = {release.pk for release, work in waiting.releases if VIEWER in work.judging}
    seen = {task.kind for task in tasks if task.release and task.release.pk in judging}
    assert not seen & OF_SCORES


@given(releases, people)
def test_only_work_past_the_due_date_of_a_release_in_review_is_late(
    found: list[tuple[str, date | None, Work]], people: dict[int, Person]
) -> None:
    for task in list_tasks(wait(found, people, 0), roles={Role.ADMIN}, today=TODAY):
        if task.kind == TaskKind.LATE:
            assert task.release is not None
            assert task.release.is_late(TODAY)
            assert task.since == task.release.due_date
