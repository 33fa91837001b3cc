"""Where requests come from; what can be written only once, and what became of it."""

import json
import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from cases import rubric
from cases.rubrics.workflow import SHIPPED
from reviews.desk import judgement as desk_judgement
from tests.bench.opinions import opinion
from tests.bench.reviewed import ONE_QUESTION, WAITING
from tests.bench.target import API, Ask, asked_of


class Asks(Protocol):
    """Where a site's requests come from. Those that are sent `once` are used up.

    After a `lap` all those that differ in what they cost were asked.
    """

    @property
    def once(self) -> bool: ...

    @property
    def lap(self) -> int: ...

    def next(self, most: int) -> list[Ask]: ...

    def used(self, count: int) -> None: ...


@dataclass(frozen=True)
class Same:
    """One request, as often as one likes."""

    ask: Ask
    once: bool = False
    lap: int = 1

    def next(self, most: int) -> list[Ask]:
        return [self.ask]

    def used(self, count: int) -> None:
        """It stays."""


@dataclass
class Round:
    """Many requests, each in its turn, over and over."""

    asks: Sequence[Ask]
    place: int = 0
    once: bool = False

    @property
    def lap(self) -> int:
        return len(self.asks)

    def next(self, most: int) -> list[Ask]:
        return [*self.asks[self.place :], *self.asks[: self.place]]

    def used(self, count: int) -> None:
        self.place = (self.place + count) % self.lap


@dataclass
class Stock:
    """Reviews in their order, how often they were saved in turn, how many are submitted."""

    reviews: Sequence[tuple[int, str]]
    body: dict[str, object]
    saved: int = 0
    submitted: int = 0

    def version(self, place: int) -> int:
        rounds, rest = divmod(self.saved, len(self.reviews))
        return rounds + (place < rest) + (place < self.submitted)

    def ask(self, place: int, *, act: str, by_token: bool) -> Ask:
        """A call of the API, by the session of a desk or by a token."""
        pk, who = self.reviews[place]
        version = self.version(place)
        return Ask(
            f"{API}/reviews/{pk}/{act}/",
            who=who,
            method="PUT" if act == "draft" else "POST",
            json=json.dumps({"version": version, **self.body}),
            key=f"bench-{pk}-{version}",
            by_token=by_token,
        )


@dataclass
class Submits:
    stock: Stock
    by_token: bool = False
    once: bool = True
    lap: int = 1

    def next(self, most: int) -> list[Ask]:
        first = self.stock.submitted
        last = min(first + most, len(self.stock.reviews))
        return [
            self.stock.ask(place, act="submit", by_token=self.by_token)
            for place in range(first, last)
        ]

    def used(self, count: int) -> None:
        self.stock.submitted += count


@dataclass
class Saves:
    """Autosaves: review after review, and then each again."""

    stock: Stock
    by_token: bool = False
    once: bool = True
    lap: int = 1

    def next(self, most: int) -> list[Ask]:
        count = len(self.stock.reviews)
        first = self.stock.saved % count
        return [
            self.stock.ask(place % count, act="draft", by_token=self.by_token)
            for place in range(first, first + min(most, count))
        ]

    def used(self, count: int) -> None:
        self.stock.saved += count


def waiting_in(database_url: str) -> Stock:
    said = opinion(random.Random(7), shipped(), quality=4)
    return Stock(open_reviews(database_url, WAITING), desk_judgement.to_data(said))


def with_one_question(database_url: str) -> Stock:
    document = shipped()
    metric = document.metrics[0]
    cut = replace(document, metrics=(replace(metric, checklist=metric.checklist[:1]),))
    said = opinion(random.Random(7), cut, quality=4)
    return Stock(open_reviews(database_url, ONE_QUESTION), desk_judgement.to_data(said))


def shipped() -> rubric.Document:
    return rubric.read((SHIPPED / "en.md").read_text("utf-8")).document


def desks_in(database_url: str, release: str, *, most: int, besides: Collection[str]) -> list[Ask]:
    """Desks of reviews that are not begun, each asked for by its owner, who is none of those."""
    found = [(who, pk) for pk, who in open_reviews(database_url, release) if who not in besides]
    # Of as few people as have so many: each of them signs in, which takes longer than a desk.
    return [Ask(f"/reviews/{pk}/", who=who) for who, pk in sorted(found)[:most]]


def open_reviews(database_url: str, release: str) -> list[tuple[int, str]]:
    """Key and owner of those that are not begun, in their order."""
    return [
        (pk, who)
        for pk, who in asked_of(
            database_url,
            "SELECT review.id, username FROM reviews_review AS review "
            "JOIN auth_user ON auth_user.id = reviewer_id "
            "JOIN cases_release AS release ON release.id = release_id "
            f"WHERE release.name = '{release}' AND review.status = 'assigned' ORDER BY review.id",
        )
    ]


@dataclass(frozen=True)
class Kept:
    """What the database holds of a stock. `whole` reviews have all that belongs to one, once."""

    whole: int
    submitted: int
    scores: int
    answers: int
    submissions: int
    events: int
    versions: int


def kept(database_url: str) -> Kept:
    per_review = " AND ".join(
        f"(SELECT count(*) FROM {table} WHERE review_id = review.id) = {count}"
        for table, count in (
            ("reviews_score", len(shipped().metrics)),
            ("reviews_checklistanswer", len(shipped().questions)),
            ("reviews_submission", 1),
        )
    )
    here = f"release_id = (SELECT id FROM cases_release WHERE name = '{WAITING}')"
    [counts] = asked_of(
        database_url,
        f"SELECT (SELECT count(*) FROM reviews_review AS review WHERE {here} "
        f"AND status = 'submitted' AND {per_review}), "
        f"(SELECT count(*) FROM reviews_review WHERE {here} AND status = 'submitted'), "
        f"(SELECT count(*) FROM reviews_score WHERE {here}), "
        f"(SELECT count(*) FROM reviews_checklistanswer WHERE {here}), "
        f"(SELECT count(*) FROM reviews_submission WHERE {here}), "
        f"(SELECT count(*) FROM cases_event WHERE {here} AND kind = 'review-submitted'), "
        f"(SELECT sum(version) FROM reviews_review WHERE {here})",
    )
    return Kept(*map(int, counts))


def expected(stock: Stock) -> Kept:
    """When every good answer is kept, and nothing else."""
    count, document = stock.submitted, shipped()
    return Kept(
        whole=count,
        submitted=count,
        scores=count * len(document.metrics),
        answers=count * len(document.questions),
        submissions=count,
        events=count,
        versions=count + stock.saved,
    )
