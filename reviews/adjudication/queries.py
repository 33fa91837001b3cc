"""Load what is to be settled in a release: cases, flags, and questions answered differently.

It contains others' scores, so check `reviews.adjudication.visibility` first.
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
from reviews.adjudication.disagreements import Disagreement, list_disagreements_in
from reviews.adjudication.together import Settlers, describe_settlers, load_team
from reviews.assignments.queries import is_complete
from reviews.models import Adjudication, ChecklistAnswer, Flag, Review, SampledCase, Waiver
from reviews.models.reviews import OPEN, Answer, FlagKind, FlagOutcome, ReviewStatus, is_judging


class State(StrEnum):
    WAITING = "waiting"
    STALE = "stale"
    WAIVED = "waived"
    SETTLED = "settled"

    @property
    def words(self) -> str:
        return str(STATE_LABELS[self])


STATE_LABELS = {
    State.WAITING: _("waiting"),
    State.STALE: _("open again"),
    State.WAIVED: _("waived"),
    State.SETTLED: _("settled"),
}
UNSETTLED = (State.WAITING, State.STALE)


@dataclass(frozen=True)
class DisagreementState:
    """A disagreement with its state and its adjudication, if any."""

    disagreement: Disagreement
    state: State
    adjudication: Adjudication | None


@dataclass(frozen=True)
class ReleaseComparison:
    """The keys of cases with all their reviews, and the disagreements among them."""

    complete: set[str]
    disagreements: list[DisagreementState]

    @property
    def unsettled(self) -> set[str]:
        """Return the keys of the cases that wait for adjudication."""
        return {
            found.disagreement.case_key for found in self.disagreements if found.state in UNSETTLED
        }

    @property
    def waiting(self) -> int:
        return len(self.unsettled)


def compare_reviews(releases: Collection[Release]) -> dict[int, ReleaseComparison]:
    """Compare the reviews of each release. The number of queries does not depend on them."""
    waivers = {
        (waiver.release_id, waiver.rule): waiver
        for waiver in Waiver.objects.filter(
            release__in=releases, rule__in=("reviews", "adjudications")
        )
    }
    adjudications = {
        (adjudication.release_id, adjudication.case.case_key): adjudication
        for adjudication in Adjudication.objects.filter(release__in=releases)
        .select_related("case")
        .defer("case__data")
    }
    complete = find_complete(releases, waivers)
    return {
        release: ReleaseComparison(
            complete[release],
            [
                find_disagreement_state(
                    disagreement,
                    adjudications.get((release, disagreement.case_key)),
                    waivers.get((release, "adjudications")),
                )
                for disagreement in found
                if disagreement.case_key in complete[release]
            ],
        )
        for release, found in list_disagreements_in(releases).items()
    }


def find_disagreement_state(
    found: Disagreement, adjudication: Adjudication | None, waiver: Waiver | None
) -> DisagreementState:
    if adjudication and found.is_settled_by(adjudication):
        return DisagreementState(found, State.SETTLED, adjudication)
    if waiver and waiver.covers["cases"].get(found.case_key) == found.to_data():
        return DisagreementState(found, State.WAIVED, adjudication)
    return DisagreementState(found, State.STALE if adjudication else State.WAITING, adjudication)


def find_complete(
    releases: Collection[Release], waivers: Mapping[tuple[int, str], Waiver]
) -> dict[int, set[str]]:
    """Find by release the cases of the sample that have k reviews or a waiver for the rest."""
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
    status: DisagreementState
    differences: list[Difference]
    is_own: bool
    settlers: Settlers

    @property
    def is_unsettled(self) -> bool:
        return self.status.state in UNSETTLED

    @property
    def may_settle_together(self) -> bool:
        """Return whether its reviewers, and so the viewer, may settle it together now."""
        return self.is_unsettled and self.is_own and self.settlers.may_settle_together

    @property
    def advice(self) -> list[str]:
        """Say to the viewer, who reviewed the case, who may settle it."""
        is_theirs = self.is_unsettled and self.is_own
        return describe_settlers(self.settlers) if is_theirs else []


@dataclass(frozen=True)
class SplitCase:
    """A case with the user name and the answer of each reviewer."""

    case: Case
    answers: list[tuple[str, str]]


@dataclass(frozen=True)
class Split:
    """A question with the cases whose reviewers answered it differently."""

    question: Question
    cases: list[SplitCase]


@dataclass(frozen=True)
class Unsettled:
    """Everything the page of disagreements shows.

    `several` counts the cases with all their reviews and more than one; `complete` those with all.
    """

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
        """Count the broken cases that are still in the sample."""
        return len({flag.review.case_id for flag in self.flags if flag.is_to_withdraw})


def load_unsettled(release: Release, document: Document, viewer: User) -> Unsettled:
    """Load the page of a release, with a fixed number of queries."""
    compared = compare_reviews([release])[release.pk]
    sampled = SampledCase.objects.of(release).standing().with_cases()
    cases = {row.case.case_key: row.case for row in sampled}
    own = set(select_own_reviews(viewer, release).values_list("case__case_key", flat=True))
    team = load_team(release)
    rows = [
        DisagreementRow(
            case=cases[status.disagreement.case_key],
            status=status,
            differences=list_differences(status.disagreement, document),
            is_own=status.disagreement.case_key in own,
            settlers=team.find_settlers(
                status.disagreement.case_key, status.disagreement.reviewers
            ),
        )
        for status in compared.disagreements
    ]
    comparable = {key: cases[key] for key in compared.complete}
    splits, several = list_splits(release, document, comparable)
    return Unsettled(
        rows=sorted(rows, key=sort_key),
        flags=list(list_flags(release)),
        splits=splits,
        several=several,
        cases=len(cases),
        complete=len(compared.complete),
        waiting=compared.waiting,
    )


def list_differences(disagreement: Disagreement, document: Document) -> list[Difference]:
    """List the disputed metrics in the order of the rubric."""
    ranges = dict(zip(disagreement.metrics, disagreement.ranges, strict=True))
    return [
        Difference(metric, *ranges[metric.key])
        for metric in document.metrics
        if metric.key in ranges
    ]


def sort_key(row: DisagreementRow) -> tuple[int, int, str]:
    """Sort unsettled cases first, then by the largest gap."""
    order = [State.WAITING, State.STALE, State.WAIVED, State.SETTLED]
    group = max(order.index(row.status.state), 1)
    return group, -row.status.disagreement.gap, row.case.case_key


def select_own_reviews(viewer: User, release: Release) -> QuerySet[Review]:
    """Select the person's own reviews. They may not settle the cases of these."""
    return Review.objects.of(release).by(viewer).filter(status__in=(*OPEN, ReviewStatus.SUBMITTED))


def list_flags(release: Release) -> QuerySet[Flag]:
    """List the flags of a release, those not judged yet first."""
    is_judged = Choice(
        When(outcome=FlagOutcome.OPEN, then=Value(0)),
        default=Value(1),
        output_field=IntegerField(),
    )
    return (
        Flag.objects.filter(release=release)
        .select_related("review__case__sampled", "review__reviewer", "judged_by")
        .defer("review__case__data", "review__draft")
        .order_by(is_judged, "kind", "review__case__case_key", "pk")
    )


def list_splits(
    release: Release, document: Document, cases: Mapping[str, Case]
) -> tuple[list[Split], int]:
    """List split questions, most frequent first; and count the cases with several reviews."""
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
            labels = [(username, str(Answer(answer).label)) for username, answer in answers]
            found[item].append(SplitCase(by_pk[case], labels))
    splits = [
        Split(question, found[question.key])
        for question in document.questions
        if found[question.key]
    ]
    return sorted(splits, key=lambda split: -len(split.cases)), len(several)


# --- The home page --------------------------------------------------------------------------------


@dataclass(frozen=True)
class UnsettledCounts:
    """How much there is to settle in a release."""

    release: Release
    adjudications: int
    flags: int
    to_withdraw: int


def count_unsettled(viewer: User) -> list[UnsettledCounts]:
    """Count what is to be settled in each release where this person has nothing open."""
    releases = list(
        Release.objects.filter(status=Status.REVIEWING, archived_at=None)
        .exclude(is_judging(viewer))
        .select_related("rubric")
        .newest_first()
    )
    if not releases:
        return []
    flags, broken = count_flags(releases)
    compared = compare_reviews(releases)
    counts = [
        UnsettledCounts(
            release, compared[release.pk].waiting, flags[release.pk], broken[release.pk]
        )
        for release in releases
    ]
    return [count for count in counts if count.adjudications or count.flags or count.to_withdraw]


def count_flags(releases: Collection[Release]) -> tuple[Counter[int], Counter[int]]:
    """Count by release the flags not judged yet, and the broken cases still in the sample."""
    is_broken = Q(
        kind=FlagKind.BROKEN,
        outcome=FlagOutcome.CONFIRMED,
        review__case__sampled__withdrawn_at=None,
    )
    rows = Flag.objects.filter(Q(outcome=FlagOutcome.OPEN) | is_broken, release__in=releases)
    flags = list(rows.values_list("release", "outcome", "review__case"))
    return (
        Counter(release for release, outcome, _case in flags if outcome == FlagOutcome.OPEN),
        Counter(
            release
            for release, _case in {
                (release, case) for release, outcome, case in flags if outcome != FlagOutcome.OPEN
            }
        ),
    )
