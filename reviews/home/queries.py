"""Load what waits for admins and managers in all open releases.

What waits in a release follows from its ledger: every act is an event. So it is kept in each
process until the ledger grows, and usually a home reads the releases alone. What has no event is
read each time: due dates, people, and what is closed.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date

from django.contrib.auth.models import User
from django.db.models import Exists, Max, OuterRef, Q
from django.utils.translation import get_language

from cases.models import Release
from cases.models.releases import Status
from evalsite.permissions import GROUP_OF, Role
from evalsite.statements import Statement
from reviews.home.tasks import Person, Waiting, Work
from reviews.home.work import read_work
from reviews.models import Closing, Question

MOST_KEPT = 1_000
MOST_UNSIGNED = 50

# The ends of the ledgers of a release and of its baseline.
State = tuple[int, str, int]
# By release and language: the state for which the work holds, and the work.
_kept: dict[tuple[int, str], tuple[State, Work]] = {}


def load_waiting(user: User, roles: Collection[Role], today: date) -> Waiting:
    """Load everything that waits for a person with these roles."""
    releases = load_open_releases()
    work = load_work(releases)
    return Waiting(
        releases=[(release, work[release.pk]) for release in releases],
        people=load_people(releases, work, today),
        closings=load_unsigned() if Role.MANAGER in roles else [],
        questions=len(_questions.rows()) if Role.ADMIN in roles else 0,
        viewer=user.pk,
        may_waive=Role.MANAGER in roles,
    )


def load_open_releases() -> list[Release]:
    """Load the columns of releases in draft or in review that homes show."""
    return _open_releases.objects()


_open_releases = Statement[Release](
    lambda: (
        Release.objects.filter(archived_at=None)
        .exclude(status=Status.CLOSED)
        .select_related("baseline")
        .newest_first()
        .only(
            *("name", "status", "due_date", "ledger_length", "ledger_head"),
            "baseline__ledger_length",
        )
    )
)


_questions = Statement(lambda: Question.objects.waiting().order_by().values_list("pk"))


def load_unsigned() -> list[Closing]:
    return list(Closing.objects.unsigned().order_by("closed_at")[:MOST_UNSIGNED])


def load_people(
    releases: Iterable[Release], work: Mapping[int, Work], today: date
) -> dict[int, Person]:
    """Load the people with late work, and those with open work who can no longer review."""
    busy = {
        release: {*work[release.pk].open_by, *work[release.pk].pairs_by} for release in releases
    }
    has_open = {pk for people in busy.values() for pk in people}
    if not has_open:
        return {}
    late = {pk for release, people in busy.items() if release.is_late(today) for pk in people}
    groups = User.groups.through.objects.filter(group__name=GROUP_OF[Role.REVIEWER])
    rows = User.objects.filter(pk__in=has_open).annotate(
        can_review=Q(is_active=True) & Exists(groups.filter(user=OuterRef("pk"))),
        reminded=Max("reminders__sent_date"),
    )
    wanted = rows.filter(Q(pk__in=late) | Q(can_review=False))
    return {
        pk: Person(*rest)
        for pk, *rest in wanted.values_list("pk", "username", "can_review", "reminded")
    }


def load_work(releases: Sequence[Release]) -> dict[int, Work]:
    """Load the work of open releases, by primary key: kept, or read for all the others at once."""
    language = get_language() or ""
    found = {}
    unknown = []
    for release in releases:
        kept = _kept.get((release.pk, language))
        if kept and kept[0] == read_state(release):
            found[release.pk] = kept[1]
        else:
            unknown.append(release.pk)
    if len(_kept) + len(unknown) > MOST_KEPT:
        _kept.clear()
    rows = Release.objects.filter(pk__in=unknown).select_related("baseline")
    whole = list(rows) if unknown else []
    for release, work in read_work(whole):
        found[release.pk] = work
        _kept[release.pk, language] = (read_state(release), work)
    return found


def read_state(release: Release) -> State:
    baseline = release.baseline
    return release.ledger_length, release.ledger_head, baseline.ledger_length if baseline else 0


def forget_work() -> None:
    """Forget what is kept. Tests write rows without events."""
    _kept.clear()
