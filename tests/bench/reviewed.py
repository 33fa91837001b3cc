"""Releases with samples, reviews, scores, answers and events, by bulk insert.

Everything around the reviews is done as people do it: imported, drawn, started, closed. Only the
triggers are away meanwhile, which would look at each of so many rows.
"""

import json
import random
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import connection

from cases import ledger, rubric
from cases.imports import bulk
from cases.models import Event, Release, Rubric
from cases.rubrics.workflow import publish
from evalsite import triggers
from reviews.adjudication.disagreements import list_open_disagreements
from reviews.adjudication.visibility import open_scores
from reviews.assignments.workflow import shuffle_place
from reviews.desk import judgement as desk_judgement
from reviews.models import ChecklistAnswer, Review, Score, Submission
from reviews.releases import lifecycle as releases_lifecycle
from reviews.releases.waivers import ADJUDICATIONS
from reviews.sample import workflow as sample_workflow
from tests.bench import itineraries
from tests.bench.draw_ours import waive_what_is_missing
from tests.bench.import_ours import NOW, import_file, open_release
from tests.bench.opinions import opinion

# However large the past is, the same is at hand: one release that was closed, and two open ones.
AT_HAND, CASES_AT_HAND = 3, 100
OPEN_RELEASES = 2
# Of the past the first release is large, up to 100,000 reviews with three for each case.
MOST_IN_ONE = 33_333
# Work that the bench itself does: reviews that nobody has begun.
WAITING, ONE_QUESTION = "bench-waiting", "bench-one-question"
ONE_QUESTION_CASES = 5


def reviewed_name(number: int) -> str:
    return f"bench-reviewed-{number}"


def shares(cases: int, releases: int) -> list[int]:
    """How many cases each release has, the oldest first."""
    if releases <= AT_HAND:
        return spread(cases, releases)
    at_hand = min(CASES_AT_HAND, cases // AT_HAND)
    return past(cases - AT_HAND * at_hand, releases - AT_HAND) + [at_hand] * AT_HAND


def past(cases: int, releases: int) -> list[int]:
    """A large one, and others as those at hand are."""
    others = releases - 1
    each = min(CASES_AT_HAND, cases // releases)
    large = cases - others * each
    if others and large > MOST_IN_ONE:
        return [MOST_IN_ONE, *spread(cases - MOST_IN_ONE, others)]
    return [large] + [each] * others


def spread(cases: int, releases: int) -> list[int]:
    each, rest = divmod(cases, releases)
    return [each + (place < rest) for place in range(releases)]


def add_reviewed(
    *,
    cases: int,
    releases: int,
    reviews: int,
    reviewers: Sequence[User],
    manager: User,
    seed: int,
) -> None:
    """So many cases over so many releases, each with so many reviews; those that exist stay.

    The last release still waits for the last review of each case. The manager has looked at what
    is said in those that are open.
    """
    sizes = shares(cases, releases)
    known = {one.name: one for one in Release.objects.all()}
    before: Release | None = None
    with without_triggers(), Files(seed) as files:
        for number, size in enumerate(sizes, 1):
            name = reviewed_name(number)
            if number == len(sizes) - AT_HAND + 1:
                before = None  # what is at hand is compared with nothing that grows
            if name in known or not size:
                before = known.get(name)
                continue
            release = started(name, files.of(size), size, baseline=before, per_case=reviews)
            waits = number == len(sizes)
            review(release, reviewers, submitted=reviews - waits, assigned=waits, seed=seed)
            if number == 1:
                look_at_the_rows()
            if number <= len(sizes) - OPEN_RELEASES:
                close(release)
            else:
                open_scores(release=release, user=manager, now=NOW)
            before = release


def look_at_the_rows() -> None:
    """PostgreSQL does so by itself a minute later, when this transaction is over.

    Until then it takes tables for empty and reads them whole for every case of the summary.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")


def add_waiting(count: int, *, reviewers: Sequence[User], seed: int) -> None:
    """At least so many reviews that nobody has begun; and a few by a rubric of one question."""
    if Release.objects.filter(name=WAITING).exists():
        return
    size = max(ONE_QUESTION_CASES, -(-count // len(reviewers)))
    with Files(seed) as files:
        waiting = started(WAITING, files.of(size), size)
        review(waiting, reviewers, submitted=0, assigned=len(reviewers), seed=seed)
        few = started(
            ONE_QUESTION,
            files.of(ONE_QUESTION_CASES),
            ONE_QUESTION_CASES,
            rubric=one_question(),
        )
        review(few, reviewers, submitted=0, assigned=1, seed=seed)


def one_question() -> Rubric:
    """The rubric of the product, cut down to one question of one metric."""
    whole = Rubric.objects.earliest("number")
    metric = whole.document.metrics[0]
    cut = replace(
        whole.document,
        title="One question",
        metrics=(replace(metric, checklist=metric.checklist[:1]),),
    )
    return publish(text=rubric.write(cut), language="en", user=None, now=NOW).version


@contextmanager
def without_triggers() -> Iterator[None]:
    """Only where seeding.check_name lets it."""
    connection.check_constraints()  # PostgreSQL drops no trigger while a check is still to come
    triggers.drop(connection)
    yield
    connection.check_constraints()
    triggers.install(connection)


class Files(ExitStack):
    """Files of cases by their number, each written once: releases of one size share its keys."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.seed = seed
        self.place = Path(self.enter_context(tempfile.TemporaryDirectory()))

    def of(self, count: int) -> Path:
        file = self.place / f"{count}.jsonl"
        if not file.exists():
            itineraries.write(file, itineraries.drawable(count=count, seed=self.seed))
        return file


def started(
    name: str,
    file: Path,
    size: int,
    *,
    baseline: Release | None = None,
    per_case: int = 2,
    rubric: Rubric | None = None,
) -> Release:
    """All its cases are in its sample."""
    release = open_release(name, baseline, rubric=rubric, reviews_per_case=per_case)
    import_file(file, release)
    waive_what_is_missing(release)
    sample_workflow.draw(release=release, size=max(size, least_of(release)), user=None, now=NOW)
    return releases_lifecycle.start(release=release, user=None, now=NOW)


def least_of(release: Release) -> int:
    """A smaller size is refused; a waiver then makes do with the cases that there are."""
    sampling = release.rubric.document.sampling
    return max(sampling.minimum, len(sampling.kinds))


def close(release: Release) -> None:
    waived = [ADJUDICATIONS] if list_open_disagreements(release) else []
    releases_lifecycle.close(release=release, waived=waived, reason="invented", user=None, now=NOW)


# --- Rows -----------------------------------------------------------------------------------------


class Given(NamedTuple):
    """One review before it is stored."""

    pk: int
    case: int
    case_key: str
    reviewer: User
    place: int
    said: desk_judgement.Judgement | None
    at: datetime  # submitted


def review(
    release: Release, reviewers: Sequence[User], *, submitted: int, assigned: int, seed: int
) -> None:
    """Each case goes to as many people as the two say together, the next ones in turn."""
    chance = random.Random(f"{seed}-{release.name}")
    document = release.rubric.document
    rows = release.sample.order_by("case__case_key")
    cases = list(rows.values_list("case", "case__case_key", "case__code"))
    each = submitted + assigned
    keys = iter(bulk.reserve_ids(Review, len(cases) * each))
    given: list[Given] = []
    for number, (case, case_key, code) in enumerate(cases):
        quality = chance.randint(2, 5)
        for turn in range(each):
            who = reviewers[(number * each + turn) % len(reviewers)]
            said = opinion(chance, document, quality) if turn < submitted else None
            place = shuffle_place(who.get_username(), code)
            at = NOW + timedelta(days=1, seconds=len(given))
            given.append(Given(next(keys), case, case_key, who, place, said, at))
    store_reviews(release, given)
    done = [one for one in given if one.said is not None]
    store_words(release, done)
    store_submissions(release, done)
    store_events(release, given)


def store_reviews(release: Release, given: Iterable[Given]) -> None:
    columns = "id case_id reviewer_id release_id status version draft comment assigned_at saved_at "
    columns += "submitted_at place declined_for decline_reason given_back active_seconds asked"
    bulk.insert(
        Review,
        columns.split(),
        (
            (
                *(one.pk, one.case, one.reviewer.pk, release.pk),
                *(("submitted", 1) if one.said else ("assigned", 0)),
                as_json(desk_judgement.to_data(one.said)) if one.said else "{}",
                one.said.comment if one.said else "",
                stored(NOW),
                *([stored(one.at)] * 2 if one.said else [None] * 2),
                *(one.place, "", "", "", 600 if one.said else 0, "{}"),
            )
            for one in given
        ),
    )


def store_words(release: Release, done: Iterable[Given]) -> None:
    """Scores and answers."""
    scores, answers = [], []
    for one in done:
        assert one.said is not None
        said = desk_judgement.to_data(one.said)
        for metric, score in said["scores"].items():
            evidence = as_json(score.get("evidence", []))
            why = (score["value"], score["rationale"], evidence, "", False)
            scores.append((one.pk, release.pk, metric, *why))
        for item, answer in said["answers"].items():
            words = (answer["answer"], answer.get("note", ""), "[]")
            answers.append((one.pk, release.pk, item, *words))
    columns = "review_id release_id metric value rationale evidence coherence changed_mind"
    bulk.insert(Score, columns.split(), scores)
    columns = "review_id release_id item answer note evidence"
    bulk.insert(ChecklistAnswer, columns.split(), answers)


def store_submissions(release: Release, done: Iterable[Given]) -> None:
    columns = "review_id release_id key body_digest version submitted_at"
    bulk.insert(
        Submission,
        columns.split(),
        ((one.pk, release.pk, f"bench-{one.pk}", "0" * 64, 1, stored(one.at)) for one in done),
    )


def store_events(release: Release, given: Sequence[Given]) -> None:
    """One for the plan and one for each submit, chained as the ledger does it."""
    release = Release.objects.locked(release)
    pairs = [[one.case_key, one.reviewer.get_username()] for one in given]
    planned = {"assignments": pairs, "missing": {}}
    ledger.append(release=release, kind="reviews-planned", data=planned, user=None, now=NOW)
    rows = []
    for one in given:
        if one.said is None:
            continue
        who = one.reviewer.get_username()
        event = Event(
            release=release,
            number=release.ledger_length + 1,
            at=one.at,
            by=who,
            kind="review-submitted",
            data={
                "case": one.case_key,
                "reviewer": who,
                "version": 1,
                "content": desk_judgement.digest(one.said),
            },
            previous=release.ledger_head,
        )
        event.digest = ledger.digest_event(event, release.name)
        release.ledger_length, release.ledger_head = event.number, event.digest
        told = (event.number, stored(event.at), event.by, event.kind, as_json(event.data))
        rows.append((release.pk, *told, event.previous, event.digest))
    columns = "release_id number at by kind data previous digest"
    bulk.insert(Event, columns.split(), rows)
    release.save(update_fields=["ledger_length", "ledger_head"])


def stored(moment: datetime) -> Any:
    """As a column holds it."""
    return connection.ops.adapt_datetimefield_value(moment)


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
