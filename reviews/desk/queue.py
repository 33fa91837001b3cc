"""Read the queue of a reviewer: open, submitted and ended reviews. Releases are never named."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.db.models import F
from django.http import QueryDict

from evalsite.statements import Statement
from reviews.desk.minutes import RECENT, estimate_minutes, find_pace
from reviews.models import Review
from reviews.models.reviews import OPEN, ReviewQuerySet, ReviewStatus

MOST_SHOWN = 50
# Short, medium and long trips, in days.
LENGTHS = {"short": range(0, 3), "medium": range(3, 6), "long": range(6, 10_000)}


@dataclass(frozen=True)
class Filters:
    """Filters that the query string sets. Values that do not exist are ignored."""

    language: str = ""
    length: str = ""

    @property
    def are_set(self) -> bool:
        return bool(self.language or self.length)

    @property
    def query(self) -> str:
        """Return the query string, so that the filters stay from one case to the next."""
        chosen = (("language", self.language), ("length", self.length))
        return urlencode([(name, value) for name, value in chosen if value])

    def match(self, review: Review) -> bool:
        if self.language and find_language(review) != self.language:
            return False
        return not self.length or review.case.days in LENGTHS[self.length]


@dataclass(frozen=True)
class Queue:
    """Reviews of one person, each list in reading order. `next` is the first open one.

    `done` are those that count in an open release; `earlier` are those of closed releases and of
    cases that left the sample.
    """

    waiting: list[Review]
    drafts: list[Review]
    done: list[Review]
    earlier: list[Review]
    gone: list[Review]
    languages: list[str]
    is_filtered: bool
    # Nothing was started or submitted yet, so offer a practice case.
    is_first: bool

    @property
    def next(self) -> Review | None:
        return next(iter([*self.drafts, *self.waiting]), None)

    @property
    def left(self) -> int:
        return len(self.waiting) + len(self.drafts)

    @property
    def due_date(self) -> date | None:
        return self.next.release.due_date if self.next else None

    def __bool__(self) -> bool:
        return bool(self.left or self.done or self.earlier or self.gone)


def load_queue(user: User, filters: Filters) -> Queue:
    """Load the whole queue, with three queries."""
    done: list[Review] = []
    earlier: list[Review] = []
    for review in _submitted.objects(user.pk):
        counts = review.release.is_reviewing and review.is_standing
        (done if counts else earlier).append(review)
    queue = load_open_queue(user, filters)
    return replace(
        queue,
        done=done,
        earlier=earlier,
        gone=_over.objects(user.pk),
        is_first=not (done or earlier or queue.drafts),
    )


def load_open_queue(user: User, filters: Filters) -> Queue:
    """Load only the open reviews, with one query."""
    rows = _open.objects(user.pk)
    matching = [review for review in rows if filters.match(review)]
    return Queue(
        waiting=[review for review in matching if review.status == ReviewStatus.ASSIGNED],
        drafts=[review for review in matching if review.status == ReviewStatus.DRAFT],
        done=[],
        earlier=[],
        gone=[],
        languages=sorted({find_language(review) for review in rows}),
        is_filtered=filters.are_set,
        is_first=False,
    )


def load_recent_seconds(user: User) -> list[int]:
    """Load how long this person's latest reviews took, with one query."""
    latest = Review.objects.by(user).submitted().order_by("-submitted_at", "-pk")
    return list(latest.values_list("active_seconds", flat=True)[:RECENT])


def list_recent_seconds(queue: Queue) -> list[int]:
    """Return what `load_recent_seconds` does, from a queue that was loaded as a whole."""
    submitted = [(review.submitted_at, review.pk, review) for review in queue.done + queue.earlier]
    return [review.active_seconds for *_, review in sorted(submitted, reverse=True)[:RECENT]]


def estimate_left(queue: Queue, recent_seconds: Sequence[int]) -> int | None:
    """Return about how many minutes the open reviews will take, or None if that is not known."""
    pace = find_pace(recent_seconds)
    if pace is None or not queue.left:
        return None
    begun = [review.active_seconds for review in queue.drafts]
    return estimate_minutes(pace, begun, len(queue.waiting))


def find_next(user: User, filters: Filters) -> Review | None:
    """Return the next review to do. Reads one row, unless filters depend on the case."""
    rows = select_open(user.pk).for_lists()
    if not filters.are_set:
        return rows.first()
    return next((review for review in rows if filters.match(review)), None)


def find_next_for_desk(user: User) -> Review | None:
    """Return the next review to do, with everything a desk reads."""
    return next(iter(_next_on_desk.objects(user.pk)), None)


def find_own_review(user: User, pk: int) -> Review | None:
    """Return a review with everything a desk reads, or None if it is not this person's."""
    return next(iter(_own.objects(user.pk, pk)), None)


def select_open(user: int) -> ReviewQuerySet:
    return Review.objects.filter(reviewer=user).open().standing().in_turn()


_submitted = Statement[Review](
    lambda user: (
        Review.objects.filter(reviewer=user)
        .submitted()
        .for_lists()
        .order_by("-submitted_at", "-pk")[:MOST_SHOWN]
    )
)
_over = Statement[Review](
    lambda user: (
        Review.objects.filter(reviewer=user)
        .over()
        .for_lists()
        .order_by("-assigned_at", "-pk")[:MOST_SHOWN]
    )
)
_open = Statement[Review](lambda user: select_open(user).for_lists())
_next_on_desk = Statement[Review](lambda user: select_open(user).for_desk()[:1])
_own = Statement[Review](
    lambda user, review: Review.objects.filter(reviewer=user, pk=review).for_desk()
)


@dataclass(frozen=True)
class Progress:
    """Done and all reviews of a person in open releases.

    `places` numbers them by their keys: by due date and the stable shuffle, so that a case keeps
    its number while others are done.
    """

    done: int
    total: int
    places: Mapping[int, int] = field(default_factory=dict, compare=False)


def count_progress(user: User) -> Progress:
    """Count the reviews of this person in all open releases, with one query."""
    statuses = {pk: status for pk, status in _progress.rows(user.pk) if status in COUNTED}
    done = list(statuses.values()).count(ReviewStatus.SUBMITTED)
    return Progress(done, len(statuses), {pk: place for place, pk in enumerate(statuses, 1)})


COUNTED = {str(status) for status in (*OPEN, ReviewStatus.SUBMITTED)}
# Neither grouped nor filtered by status: SQLite would then read every review the person ever did.
# Sorted by the database: in Python the dates of hundreds of rows would be read.
_progress = Statement(
    lambda user: (
        Review.objects.filter(reviewer=user)
        .standing()
        .order_by(F("release__due_date").asc(nulls_last=True), "place", "pk")
        .values_list("pk", "status")
    )
)


def find_language(review: Review) -> str:
    """Return the language of the request without its region, such as zh."""
    return review.case.opening_language.split("-")[0].lower()


def read_filters(query: QueryDict) -> Filters:
    length = query.get("length", "")
    return Filters(
        language=query.get("language", "")[:10].lower(),
        length=length if length in LENGTHS else "",
    )
