"""What one reviewer has to do, did, and had: read without a word about where the cases are from."""

from collections import Counter
from dataclasses import dataclass, replace
from datetime import date
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.http import QueryDict

from evalsite.statements import Statement
from reviews.models import Review
from reviews.models.reviews import OPEN, ReviewQuerySet, ReviewStatus

MOST_SHOWN = 50
# What is taken for a short trip and what for a long one, in days.
LENGTHS = {"short": range(0, 3), "medium": range(3, 6), "long": range(6, 10_000)}


@dataclass(frozen=True)
class Filters:
    """What the address asks for; whatever does not exist is left out."""

    language: str = ""
    length: str = ""

    @property
    def are_set(self) -> bool:
        return bool(self.language or self.length)

    @property
    def query(self) -> str:
        """As an address holds them, so that they stay from one case to the next."""
        chosen = (("language", self.language), ("length", self.length))
        return urlencode([(name, value) for name, value in chosen if value])

    def fit(self, review: Review) -> bool:
        if self.language and find_language(review) != self.language:
            return False
        return not self.length or review.case.days in LENGTHS[self.length]


@dataclass(frozen=True)
class Queue:
    """Each in the order in which it is read. `next` is the first of the others."""

    waiting: list[Review]
    drafts: list[Review]
    done: list[Review]
    gone: list[Review]
    languages: list[str]
    is_filtered: bool
    # Nothing was begun or submitted yet: the moment for a practice case.
    is_first: bool

    @property
    def next(self) -> Review | None:
        return next(iter([*self.waiting, *self.drafts]), None)

    @property
    def left(self) -> int:
        return len(self.waiting) + len(self.drafts)

    @property
    def due_date(self) -> date | None:
        return self.next.release.due_date if self.next else None

    def __bool__(self) -> bool:
        return bool(self.waiting or self.drafts or self.done or self.gone)


def queue_for(user: User, filters: Filters) -> Queue:
    """Three queries, however much there is."""
    mine = Review.objects.by(user)
    submitted = mine.submitted().for_done_lists()
    done = list(submitted.order_by("-submitted_at", "-pk")[:MOST_SHOWN])
    queue = open_for(user, filters)
    return replace(
        queue,
        done=done,
        gone=list(mine.over().for_lists().order_by("-assigned_at", "-pk")[:MOST_SHOWN]),
        is_first=not done and not queue.drafts,
    )


def open_for(user: User, filters: Filters) -> Queue:
    """Only what there is to do: one query."""
    rows = list(Review.objects.by(user).for_lists().open().standing().in_turn())
    fitting = [one for one in rows if filters.fit(one)]
    return Queue(
        waiting=[one for one in fitting if one.status == ReviewStatus.ASSIGNED],
        drafts=[one for one in fitting if one.status == ReviewStatus.DRAFT],
        done=[],
        gone=[],
        languages=sorted({find_language(one) for one in rows}),
        is_filtered=filters.are_set,
        is_first=False,
    )


def next_for(user: User, filters: Filters) -> Review | None:
    """One query that reads one row, unless something is filtered by the words of the case."""
    if not filters.are_set:
        return next(iter(_next.objects(user.pk)), None)
    rows = Review.objects.by(user).open().standing().for_lists().in_turn()
    return next((one for one in rows if filters.fit(one)), None)


def next_on_desk(user: User) -> Review | None:
    """The same, with what a desk reads of it."""
    return next(iter(_next_on_desk.objects(user.pk)), None)


def own_review(user: User, pk: int) -> Review | None:
    """With what a desk reads of it. Anybody else's does not exist."""
    return next(iter(_own.objects(user.pk, pk)), None)


def waiting_for(user: int) -> ReviewQuerySet:
    return Review.objects.filter(reviewer=user).open().standing().in_turn()


_next = Statement[Review](lambda user: waiting_for(user).for_lists()[:1])
_next_on_desk = Statement[Review](lambda user: waiting_for(user).for_desk()[:1])
_own = Statement[Review](
    lambda user, review: Review.objects.filter(reviewer=user, pk=review).for_desk()
)


@dataclass(frozen=True)
class Progress:
    done: int
    total: int

    @property
    def place(self) -> int:
        """Which one an open review is, counting those that are done."""
        return min(self.done + 1, self.total)


def count_progress(user: User) -> Progress:
    """Of what this person has in all open releases together: one query, no names."""
    found = Counter(status for (status,) in _progress.rows(user.pk))
    done = found[ReviewStatus.SUBMITTED]
    return Progress(done, done + sum(found[one] for one in OPEN))


# Neither grouped nor for some of them only: SQLite would go through all that somebody ever did.
_progress = Statement(
    lambda who: Review.objects.filter(reviewer=who).standing().order_by().values_list("status")
)


def find_language(review: Review) -> str:
    """Of the request: its first part, such as zh."""
    return review.case.opening_language.split("-")[0].lower()


def filters_from(asked: QueryDict) -> Filters:
    length = asked.get("length", "")
    return Filters(
        language=asked.get("language", "")[:10].lower(),
        length=length if length in LENGTHS else "",
    )
