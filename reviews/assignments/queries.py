"""Load assignments and their progress. Nothing here depends on a score."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property

from django.contrib.auth.models import User
from django.db.models import Count, Prefetch, Q, QuerySet
from django.utils import timezone

from cases.models import Case, Release
from evalsite.permissions import GROUP_OF, Role
from reviews.models import Absence, Pairing, Reminder, Review, SampledCase, Waiver
from reviews.models.reviews import OPEN, ReviewStatus, taking_room
from reviews.sample.rule import kind_texts


@dataclass(frozen=True)
class Cell:
    """One person's review of one case."""

    review: Review
    is_late: bool

    @property
    def is_open(self) -> bool:
        return self.review.status in OPEN

    @property
    def is_counted(self) -> bool:
        return self.is_open or self.is_submitted

    @property
    def is_submitted(self) -> bool:
        return self.review.status == ReviewStatus.SUBMITTED

    @property
    def is_declined(self) -> bool:
        return self.review.status == ReviewStatus.DECLINED


@dataclass
class CaseRow:
    """A case of the sample with all its reviews; `missing` counts the reviewers it lacks."""

    case: Case
    kind: str
    per_case: int
    is_outside: bool = False
    cells: dict[int, Cell] = field(default_factory=dict)

    @cached_property
    def submitted(self) -> int:
        return sum(cell.is_submitted for cell in self.cells.values())

    @cached_property
    def missing(self) -> int:
        return max(0, self.per_case - sum(cell.is_counted for cell in self.cells.values()))

    @cached_property
    def is_late(self) -> bool:
        return any(cell.is_late for cell in self.cells.values())

    @cached_property
    def declined(self) -> list[Cell]:
        return [cell for cell in self.cells.values() if cell.is_declined]

    def across(self, people: "Sequence[PersonRow]") -> "list[tuple[PersonRow, Cell | None]]":
        return [(person, self.cells.get(person.user.pk)) for person in people]


@dataclass
class PersonRow:
    """A person with their reviews here. `open_everywhere` counts all releases, as capacity does.

    `open_pairs` and `submitted_pairs` are what they read side by side here. `reminder` is their
    last one because of this release, or today's because of any.
    """

    user: User
    is_reviewer: bool
    away: list[Absence]
    open_everywhere: int
    cells: list[Cell] = field(default_factory=list)
    reminder: Reminder | None = None
    open_pairs: int = 0
    submitted_pairs: int = 0
    are_pairs_late: bool = False

    @cached_property
    def submitted(self) -> int:
        return sum(cell.is_submitted for cell in self.cells)

    @cached_property
    def begun(self) -> int:
        return sum(cell.review.status == ReviewStatus.DRAFT for cell in self.cells)

    @cached_property
    def open(self) -> int:
        return sum(cell.is_open for cell in self.cells)

    @cached_property
    def late(self) -> int:
        return sum(cell.is_late for cell in self.cells)

    @cached_property
    def declined(self) -> int:
        return sum(cell.is_declined for cell in self.cells)

    @property
    def can_review(self) -> bool:
        return self.user.is_active and self.is_reviewer

    @property
    def can_be_reminded(self) -> bool:
        return self.can_review and bool(self.open or self.open_pairs)

    @property
    def capacity(self) -> int | None:
        reviewer = getattr(self.user, "reviewer", None)
        return reviewer.capacity if reviewer else None


@dataclass(frozen=True)
class Overview:
    cases: list[CaseRow]
    people: list[PersonRow]
    per_case: int

    @cached_property
    def lacking(self) -> list[CaseRow]:
        return [row for row in self.cases if row.missing]

    @cached_property
    def missing(self) -> int:
        return sum(row.missing for row in self.cases)

    @cached_property
    def submitted(self) -> int:
        """Count as the release page does: an extra review does not replace a missing one, and
        cases outside the plan do not count."""
        return sum(min(row.submitted, self.per_case) for row in self.planned)

    @cached_property
    def planned(self) -> list[CaseRow]:
        return [row for row in self.cases if not row.is_outside]

    @property
    def expected(self) -> int:
        return len(self.planned) * self.per_case

    @cached_property
    def late(self) -> list[PersonRow]:
        """List who can review and has late reviews or pairs."""
        late = [person for person in self.people if person.late or person.are_pairs_late]
        return [person for person in late if person.can_review]

    @cached_property
    def gone(self) -> list[PersonRow]:
        """List people with open reviews or pairs who can no longer review."""
        busy = [person for person in self.people if person.open or person.open_pairs]
        return [person for person in busy if not person.can_review]

    @cached_property
    def declined(self) -> list[tuple[CaseRow, list[Cell]]]:
        """List declined cases that still lack a reviewer."""
        return [(row, row.declined) for row in self.lacking if row.declined]

    @property
    def needs_attention(self) -> bool:
        return bool(self.late or self.gone or self.declined)


def load_overview(release: Release, *, now: datetime) -> Overview:
    """Load all assignments of a release in seven queries."""
    today = timezone.localdate(now)
    is_late = release.is_late(today)
    texts, per_case = kind_texts(release), release.reviews_per_case
    sample = SampledCase.objects.of(release).standing().in_order().with_cases()
    cases = {
        row.case_id: CaseRow(row.case, texts.get(row.kind, ""), per_case, row.is_outside)
        for row in sample
    }
    people = {user.pk: build_person_row(user) for user in select_people(release, today)}
    rows = Review.objects.of(release).filter(case__sampled__withdrawn_at=None).order_by("pk")
    for review in rows.filter(case__sampled__isnull=False).defer("draft", "comment", "asked"):
        cell = Cell(review, is_late and review.status in OPEN)
        cases[review.case_id].cells[review.reviewer_id] = cell
        people[review.reviewer_id].cells.append(cell)
        # Lets a cell name its person without a query.
        review.reviewer = people[review.reviewer_id].user
    pairings = Pairing.objects.of(release).filter(case__sampled__withdrawn_at=None)
    for reader, status in pairings.not_over().values_list("reader", "status"):
        row = people[reader]
        row.submitted_pairs += status == ReviewStatus.SUBMITTED
        row.open_pairs += status in OPEN
        row.are_pairs_late = is_late and row.open_pairs > 0
    for reminder in Reminder.objects.shown_in(release, today).filter(reviewer__in=people):
        people[reminder.reviewer_id].reminder = reminder
    return Overview(
        cases=list(cases.values()),
        people=[
            person
            for person in people.values()
            if person.cells or person.open_pairs or person.submitted_pairs
        ],
        per_case=per_case,
    )


def select_people(release: Release, today: date) -> QuerySet[User]:
    """Select everyone who was ever assigned a review or a pair in this release."""
    absences = Absence.objects.not_over(today)
    return (
        User.objects.filter(
            Q(pk__in=Review.objects.of(release).values("reviewer"))
            | Q(pk__in=Pairing.objects.of(release).values("reader"))
        )
        .select_related("reviewer")
        .prefetch_related("groups", Prefetch("reviewer__absences", queryset=absences))
        .annotate(open_everywhere=Count("reviews", filter=taking_room("reviews__"), distinct=True))
        .order_by("username")
    )


def build_person_row(user: User) -> PersonRow:
    reviewer = getattr(user, "reviewer", None)
    return PersonRow(
        user,
        is_reviewer=any(group.name == GROUP_OF[Role.REVIEWER] for group in user.groups.all()),
        away=list(reviewer.absences.all()) if reviewer else [],
        open_everywhere=user.open_everywhere,  # type: ignore[attr-defined]
    )


# --- Counts ---------------------------------------------------------------------------------------


def count_submitted(release: Release) -> dict[int, int]:
    """Count the submitted reviews of each case (by primary key); cases without any are left out."""
    submitted = Review.objects.of(release).submitted().order_by()
    return dict(submitted.values_list("case").annotate(count=Count("pk")))


def count_late(releases: Iterable[Release], today: date) -> dict[int, int]:
    """Count the late reviews and pairs of the releases that have some, in at most two queries."""
    late = [release for release in releases if release.is_late(today)]
    if not late:
        return {}
    found = Counter[int]()
    for rows in (Review.objects.late(today), Pairing.objects.late(today)):
        of_these = rows.filter(release__in=late).order_by().values_list("release")
        found.update(dict(of_these.annotate(count=Count("pk"))))
    return found


def count_needed(submitted: Iterable[int], wanted: int) -> int:
    """Count the submitted reviews of a sample, for each case no more than it needs."""
    return sum(min(count, wanted) for count in submitted)


def count_reviewers(release: Release) -> dict[int, int]:
    """Count the people who have each case (by primary key); cases without any are left out."""
    has_it = (*OPEN, ReviewStatus.SUBMITTED)
    rows = Review.objects.of(release).filter(status__in=has_it).order_by()
    return dict(rows.values_list("case").annotate(count=Count("pk")))


def load_missing_reviews(release: Release, *, with_outside: bool = False) -> dict[str, int]:
    """Return how many reviews each case of the plan lacks, by case key.

    `with_outside`: those outside the plan as well, for which neither a look nor closing waits.
    """
    rows = SampledCase.objects.of(release).standing().order_by("case__case_key")
    rows = rows if with_outside else rows.planned()
    cases = list(rows.values_list("case", "case__case_key"))
    return find_missing(cases, count_submitted(release), release.reviews_per_case, {})


def find_missing(
    cases: Iterable[tuple[int, str]],
    submitted: Mapping[int, int],
    wanted: int,
    waived: Mapping[str, int],
) -> dict[str, int]:
    """Return how many reviews each of the cases lacks, by case key, without waived ones."""
    lacking = {key: wanted - submitted.get(pk, 0) - waived.get(key, 0) for pk, key in cases}
    return {key: count for key, count in lacking.items() if count > 0}


def find_unassigned(
    cases: Iterable[tuple[int, str]],
    people: Mapping[int, int],
    wanted: int,
    missing: Collection[str],
) -> list[str]:
    """Find the cases that lack reviews and have too few people to write them."""
    return [key for pk, key in cases if key in missing and people.get(pk, 0) < wanted]


def load_unwaived_missing(
    release: Release, waiver: Waiver | None, *, with_outside: bool = False
) -> dict[str, int]:
    """As `load_missing_reviews`, without those that a waiver covers."""
    waived = waiver.covers["reviews"] if waiver else {}
    missing = load_missing_reviews(release, with_outside=with_outside)
    lacking = {key: count - waived.get(key, 0) for key, count in missing.items()}
    return {key: count for key, count in lacking.items() if count > 0}


def is_complete(submitted: int, waived: int, wanted: int) -> bool:
    """Return whether a case counts in figures: its reviews are in, or the rest is waived."""
    return submitted > 0 and submitted + waived >= wanted


def list_shown(overview: Overview, words: str, shown: str) -> list[CaseRow]:
    """List the cases that pass the search and the filter of the page."""
    lowered = words.strip().lower()
    return [row for row in overview.cases if is_shown(row, lowered, shown)]


def is_shown(row: CaseRow, words: str, shown: str) -> bool:
    """Return whether the row passes the filter and the search.

    The search looks in the key and the code of the case and in the names of its people.
    """
    named = [row.case.case_key, row.case.code]
    named += [cell.review.reviewer.get_username() for cell in row.cells.values()]
    if words and not any(words in text.lower() for text in named):
        return False
    if shown == "lacking":
        return bool(row.missing)
    if shown == "late":
        return row.is_late
    return shown != "open" or any(cell.is_open for cell in row.cells.values())
