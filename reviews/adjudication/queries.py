"""What waits to be settled in a release: cases, flags, and questions that were read differently.

Whoever reads this has been shown others' scores: ask `workflow.opening` first.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

from django.contrib.auth.models import User
from django.db.models import Case as Choice
from django.db.models import IntegerField, Q, QuerySet, Value, When
from django.utils.translation import gettext_lazy as _

from cases.models import Case, Release
from cases.models.releases import Status
from cases.rubric import Document, Metric, Question
from reviews.adjudication.disagreements import Disagreement, disagreements_in
from reviews.assignments.queries import is_complete
from reviews.models import Adjudication, ChecklistAnswer, Flag, Review, SampledCase, Waiver
from reviews.models.reviews import OPEN, Answer, FlagKind, FlagOutcome, ReviewStatus


class State(StrEnum):
    WAITING = "waiting"
    STALE = "stale"
    WAIVED = "waived"
    SETTLED = "settled"

    @property
    def words(self) -> str:
        return str(STATE_WORDS[self])


STATE_WORDS = {
    State.WAITING: _("waiting"),
    State.STALE: _("open again"),
    State.WAIVED: _("waived"),
    State.SETTLED: _("settled"),
}
# Somebody has to settle these.
UNSETTLED = (State.WAITING, State.STALE)


@dataclass(frozen=True)
class DisagreementState:
    """A disagreement, and what became of it."""

    disagreement: Disagreement
    state: State
    adjudication: Adjudication | None


@dataclass(frozen=True)
class Compared:
    """The cases of a release whose reviews are all in, and those of them that are listed."""

    complete: set[str]
    standings: list[DisagreementState]

    @property
    def waiting(self) -> int:
        return sum(one.state in UNSETTLED for one in self.standings)


def compared_in(releases: Collection[Release]) -> dict[int, Compared]:
    """By release. As many queries for one as for many."""
    waivers = {
        (one.release_id, one.rule): one
        for one in Waiver.objects.filter(
            release__in=releases, rule__in=("reviews", "adjudications")
        )
    }
    adjudications = {
        (one.release_id, one.case.case_key): one
        for one in Adjudication.objects.filter(release__in=releases)
        .select_related("case")
        .defer("case__data")
    }
    complete = complete_in(releases, waivers)
    return {
        release: Compared(
            complete[release],
            [
                find_standing(
                    one,
                    adjudications.get((release, one.case_key)),
                    waivers.get((release, "adjudications")),
                )
                for one in found
                if one.case_key in complete[release]
            ],
        )
        for release, found in disagreements_in(releases).items()
    }


def find_standing(
    one: Disagreement, adjudication: Adjudication | None, waiver: Waiver | None
) -> DisagreementState:
    if adjudication and one.is_settled_by(adjudication):
        return DisagreementState(one, State.SETTLED, adjudication)
    if waiver and waiver.covers["cases"].get(one.case_key) == one.to_data():
        return DisagreementState(one, State.WAIVED, adjudication)
    return DisagreementState(one, State.STALE if adjudication else State.WAITING, adjudication)


def complete_in(
    releases: Collection[Release], waivers: Mapping[tuple[int, str], Waiver]
) -> dict[int, set[str]]:
    """By release the cases of the sample whose k reviews are in, or are waived by name."""
    submitted = Counter(
        Review.objects.filter(release__in=releases).submitted().values_list("case", flat=True)
    )
    wanted = {release.pk: release.reviews_per_case for release in releases}
    found: dict[int, set[str]] = {release.pk: set() for release in releases}
    rows = SampledCase.objects.standing().filter(release__in=releases)
    for release, case, case_key in rows.values_list("release", "case", "case__case_key"):
        waiver = waivers.get((release, "reviews"))
        waived = waiver.covers["reviews"].get(case_key, 0) if waiver else 0
        if is_complete(submitted[case], waived, wanted[release]):
            found[release].add(case_key)
    return found


# --- The page of a release ------------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    metric: Metric
    low: int
    high: int


@dataclass(frozen=True)
class DisagreementRow:
    case: Case
    standing: DisagreementState
    differences: list[Difference]
    is_own: bool


@dataclass(frozen=True)
class SplitCase:
    case: Case
    answers: list[tuple[str, str]]


@dataclass(frozen=True)
class Split:
    """A question, and the cases in which its reviewers answered it differently."""

    question: Question
    cases: list[SplitCase]


@dataclass(frozen=True)
class Settling:
    """`several` is how many cases have all their reviews, and more than one."""

    rows: list[DisagreementRow]
    flags: list[Flag]
    splits: list[Split]
    several: int
    cases: int
    complete: int
    waiting: int

    @property
    def incomplete(self) -> int:
        return self.cases - self.complete

    @property
    def flags_open(self) -> int:
        return sum(flag.outcome == FlagOutcome.OPEN for flag in self.flags)

    @property
    def to_withdraw(self) -> int:
        """Cases that are broken and still in the sample."""
        return len({flag.review.case_id for flag in self.flags if flag.is_to_withdraw})


def load_unsettled(release: Release, document: Document, viewer: User) -> Settling:
    """Largest gap first. A fixed number of queries, however many cases there are."""
    compared = compared_in([release])[release.pk]
    sampled = SampledCase.objects.of(release).standing().with_cases()
    cases = {one.case.case_key: one.case for one in sampled}
    own = set(reviewed_by(viewer, release).values_list("case__case_key", flat=True))
    rows = [
        DisagreementRow(
            case=cases[one.disagreement.case_key],
            standing=one,
            differences=list_differences(one.disagreement, document),
            is_own=one.disagreement.case_key in own,
        )
        for one in compared.standings
    ]
    comparable = {key: cases[key] for key in compared.complete}
    splits, several = list_splits(release, document, comparable)
    return Settling(
        rows=sorted(rows, key=sort_key),
        flags=list(list_flags(release)),
        splits=splits,
        several=several,
        cases=len(cases),
        complete=len(compared.complete),
        waiting=compared.waiting,
    )


def list_differences(one: Disagreement, document: Document) -> list[Difference]:
    """In the order of the rubric."""
    ranges = dict(zip(one.metrics, one.ranges, strict=True))
    return [
        Difference(metric, *ranges[metric.key])
        for metric in document.metrics
        if metric.key in ranges
    ]


def sort_key(row: DisagreementRow) -> tuple[int, int, str]:
    """What waits first, then the largest gap."""
    order = [State.WAITING, State.STALE, State.WAIVED, State.SETTLED]
    group = max(order.index(row.standing.state), 1)
    return group, -row.standing.disagreement.gap, row.case.case_key


def reviewed_by(viewer: User, release: Release) -> QuerySet[Review]:
    """The reviews because of which this person settles nothing on their cases."""
    return Review.objects.of(release).by(viewer).filter(status__in=(*OPEN, ReviewStatus.SUBMITTED))


def list_flags(release: Release) -> QuerySet[Flag]:
    """Those that nobody has judged first."""
    judged = Choice(
        When(outcome=FlagOutcome.OPEN, then=Value(0)),
        default=Value(1),
        output_field=IntegerField(),
    )
    return (
        Flag.objects.filter(release=release)
        .select_related("review__case__sampled", "review__reviewer", "judged_by")
        .defer("review__case__data", "review__draft")
        .order_by(judged, "kind", "review__case__case_key", "pk")
    )


def list_splits(
    release: Release, document: Document, cases: Mapping[str, Case]
) -> tuple[list[Split], int]:
    """Most often first, and how many cases have more than one review to compare."""
    by_pk = {case.pk: case for case in cases.values()}
    rows = (
        ChecklistAnswer.objects.filter(release=release, review__status=ReviewStatus.SUBMITTED)
        .order_by("review__case__case_key", "review__reviewer__username")
        .values_list("item", "review__case", "review__reviewer__username", "answer")
    )
    given = defaultdict[tuple[str, int], list[tuple[str, str]]](list)
    for item, case, username, answer in rows:
        if case in by_pk:
            given[item, case].append((username, answer))
    several = {case for (_item, case), answers in given.items() if len(answers) > 1}
    found = defaultdict[str, list[SplitCase]](list)
    for (item, case), answers in given.items():
        if len({answer for _username, answer in answers}) > 1:
            told = [(username, str(Answer(answer).label)) for username, answer in answers]
            found[item].append(SplitCase(by_pk[case], told))
    splits = [Split(one, found[one.key]) for one in document.questions if found[one.key]]
    return sorted(splits, key=lambda one: -len(one.cases)), len(several)


# --- What waits, for the first page ---------------------------------------------------------------


@dataclass(frozen=True)
class WaitingInRelease:
    """What there is to settle in one release."""

    release: Release
    adjudications: int
    flags: int
    to_withdraw: int


def waiting_for(viewer: User) -> list[WaitingInRelease]:
    """Releases with something to settle, without those in which this person still judges."""
    own = Review.objects.by(viewer).open().values("release")
    releases = list(
        Release.objects.filter(status=Status.REVIEWING, archived_at=None)
        .exclude(pk__in=own)
        .select_related("rubric")
        .newest_first()
    )
    if not releases:
        return []
    flags, broken = flags_waiting_in(releases)
    compared = compared_in(releases)
    found = [
        WaitingInRelease(one, compared[one.pk].waiting, flags[one.pk], broken[one.pk])
        for one in releases
    ]
    return [one for one in found if one.adjudications or one.flags or one.to_withdraw]


def flags_waiting_in(releases: Collection[Release]) -> tuple[Counter[int], Counter[int]]:
    """By release how many flags nobody has judged, and how many broken cases are still in."""
    is_broken = Q(
        kind=FlagKind.BROKEN,
        outcome=FlagOutcome.CONFIRMED,
        review__case__sampled__withdrawn_at=None,
    )
    rows = Flag.objects.filter(Q(outcome=FlagOutcome.OPEN) | is_broken, release__in=releases)
    found = list(rows.values_list("release", "outcome", "review__case"))
    return (
        Counter(release for release, outcome, _case in found if outcome == FlagOutcome.OPEN),
        Counter(
            release
            for release, case in {(one[0], one[2]) for one in found if one[1] != FlagOutcome.OPEN}
        ),
    )
