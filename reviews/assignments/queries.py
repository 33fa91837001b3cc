"""Who reviews what, and how far it is. Nothing here depends on a score."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property

from django.contrib.auth.models import User
from django.db.models import Count, Prefetch, QuerySet
from django.utils import timezone

from cases.models import Case, Release
from evalsite.permissions import GROUP_OF, Role
from reviews.models import Absence, Review, SampledCase
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
    """A case of the sample and everybody's review of it; `missing` places are nobody's."""

    case: Case
    kind: str
    per_case: int
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
    """`open_everywhere` counts other releases too; the capacity is about these."""

    user: User
    is_reviewer: bool
    away: list[Absence]
    open_everywhere: int
    cells: list[Cell] = field(default_factory=list)

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
        """As the release page counts: a review more than asked for stands in for no other."""
        return sum(min(row.submitted, self.per_case) for row in self.cases)

    @property
    def expected(self) -> int:
        return len(self.cases) * self.per_case

    @cached_property
    def late(self) -> list[PersonRow]:
        return [person for person in self.people if person.late and person.can_review]

    @cached_property
    def gone(self) -> list[PersonRow]:
        """Who cannot review any more and has open work."""
        return [person for person in self.people if person.open and not person.can_review]

    @cached_property
    def declined(self) -> list[tuple[CaseRow, list[Cell]]]:
        """Only where nobody has come in since."""
        return [(row, row.declined) for row in self.lacking if row.declined]

    @property
    def needs_attention(self) -> bool:
        return bool(self.late or self.gone or self.declined)


def load_overview(release: Release, *, now: datetime) -> Overview:
    """Five queries, however many cases and people."""
    today = timezone.localdate(now)
    is_late = release.is_reviewing and is_past(release.due_date, today)
    texts, per_case = kind_texts(release), release.reviews_per_case
    sample = SampledCase.objects.of(release).standing().in_order().with_cases()
    cases = {row.case_id: CaseRow(row.case, texts.get(row.kind, ""), per_case) for row in sample}
    people = {user.pk: build_person_row(user) for user in people_in(release, today)}
    rows = Review.objects.of(release).filter(case__sampled__withdrawn_at=None).order_by("pk")
    for review in rows.filter(case__sampled__isnull=False).defer("draft", "comment", "asked"):
        cell = Cell(review, is_late and review.status in OPEN)
        cases[review.case_id].cells[review.reviewer_id] = cell
        people[review.reviewer_id].cells.append(cell)
        # So that a cell can name its person without a query.
        review.reviewer = people[review.reviewer_id].user
    return Overview(
        cases=list(cases.values()),
        people=[person for person in people.values() if person.cells],
        per_case=per_case,
    )


def is_past(due: date | None, today: date) -> bool:
    """What is due today is not late yet."""
    return due is not None and due < today


def people_in(release: Release, today: date) -> QuerySet[User]:
    """Everybody who was ever assigned something here."""
    still = Absence.objects.not_over(today)
    return (
        User.objects.filter(pk__in=Review.objects.of(release).values("reviewer"))
        .select_related("reviewer")
        .prefetch_related("groups", Prefetch("reviewer__absences", queryset=still))
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
