"""Submit or revise a review. The same request sent twice is stored once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

import msgspec
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from cases import ledger
from cases.case.display import CALENDAR
from cases.facts import find_facts
from cases.rubric import Document
from evalsite.http import LONGEST_KEY
from reviews.desk import judgement
from reviews.desk.judgement import Judgement
from reviews.desk.revision import keep_revision
from reviews.desk.workflow import (
    Incomplete,
    Stale,
    add_active,
    check_texts,
    document_for,
    locked,
    refuse,
    require_open,
    translate_problems,
)
from reviews.errors import (
    LONGEST_REASON,
    Missing,
    Refused,
    require_reason,
    require_reviewing,
)
from reviews.models import ChecklistAnswer, Flag, Review, Score, Submission
from reviews.models.reviews import ReviewStatus


class BadKey(Refused):
    code = "bad_idempotency_key"
    status = 400


class KeyReused(Refused):
    code = "idempotency_key_reused"


class Incoherent(Incomplete):
    """A score contradicts its checklist. The reviewer explains it or changes one of them."""

    code = "incoherent"


@dataclass(frozen=True)
class Submitted:
    version: int
    submitted_at: datetime


def submit(
    *,
    review: int,
    user: User,
    key: str,
    version: int,
    said: Judgement | None,
    coherence: Mapping[str, str] | None = None,
    reason: str = "",
    active_seconds: int = 0,
    now: datetime,
) -> Submitted:
    """Submit a review. The same key and body return the first result again.

    `said` None submits the stored draft. `active_seconds` is not part of the body: it goes on while
    a submit is sent again.
    """
    check_key(key)
    coherence = {name: " ".join(text.split()) for name, text in (coherence or {}).items()}
    reason = require_reason(reason) if reason.strip() else ""
    body = Body(version, said, coherence, reason, active_seconds)
    if said is not None:
        check_texts(said)
    try:
        return submit_once(review=review, user=user, key=key, body=body, now=now)
    except Incoherent as refusal:
        store_contradictions(review, user, body, refusal)
        raise


@dataclass(frozen=True)
class Body:
    version: int
    said: Judgement | None
    coherence: Mapping[str, str]
    reason: str
    active_seconds: int

    @property
    def digest(self) -> str:
        content = judgement.digest(self.said) if self.said is not None else f"v{self.version}"
        lines = msgspec.json.encode(dict(self.coherence), order="deterministic").decode()
        return sha256(f"{content} {lines} {self.reason}".encode()).hexdigest()


@transaction.atomic
def submit_once(*, review: int, user: User, key: str, body: Body, now: datetime) -> Submitted:
    release, mine = locked(review, user)
    # A review that was never submitted has no submissions: saves a query in nearly every case.
    earlier = mine.submissions.filter(key=key).first() if mine.submitted_at else None
    if earlier:
        if earlier.body_digest != body.digest:
            raise KeyReused(gettext("This idempotency key was already used with a different body."))
        return Submitted(earlier.version, earlier.submitted_at)
    require_reviewing(release)
    require_open(mine)
    if mine.version != body.version:
        raise Stale(mine)
    said = body.said if body.said is not None else judgement.from_data(mine.draft)
    document = document_for(release)
    refuse(
        [
            *judgement.find_unknown_parts(said, document),
            *judgement.find_missing_parts(said, document),
            *find_loose_evidence(said, mine),
        ]
    )
    coherence = require_coherence(said, document, body.coherence)
    is_revision = mine.status == ReviewStatus.SUBMITTED
    if is_revision:
        keep_revision(release, mine, reason=body.reason, now=now)
    write_rows(mine, said, coherence)
    version = body.version + 1
    Review.objects.filter(pk=mine.pk, version=body.version).update(
        status=ReviewStatus.SUBMITTED,
        version=version,
        draft=judgement.to_data(said),
        comment=said.comment,
        asked={},
        saved_at=now,
        submitted_at=now,
        active_seconds=add_active(mine, body.active_seconds, now),
    )
    Submission.objects.create(
        review=mine,
        release=release,
        key=key,
        body_digest=body.digest,
        version=version,
        submitted_at=now,
    )
    ledger.append(
        release=release,
        kind="review-revised" if is_revision else "review-submitted",
        data={
            "case": mine.case.case_key,
            "reviewer": user.get_username(),
            "version": version,
            "content": judgement.digest(said),
            **({"reason": body.reason} if is_revision else {}),
        },
        user=user,
        now=now,
    )
    return Submitted(version, now)


def find_loose_evidence(said: Judgement, mine: Review) -> Iterator[judgement.JudgementProblem]:
    """Find evidence that points to nothing. Reads the case only if there is evidence."""
    kinds = {piece.kind for _path, piece in judgement.list_evidence(said)}
    if kinds:
        facts = find_facts(mine.case.itinerary, CALENDAR) if "fact" in kinds else ()
        keys = {fact.key for fact in facts}
        yield from judgement.find_loose_evidence(said, mine.case.content, keys)


def check_key(key: str) -> None:
    if not 1 <= len(key) <= LONGEST_KEY or not key.isprintable():
        sentence = gettext("An idempotency key has 1 to %(most)d printable characters.")
        raise BadKey(Missing("Idempotency-Key", sentence % {"most": LONGEST_KEY}))


# --- Contradictions, explained by the reviewer ----------------------------------------------------


def require_coherence(
    said: Judgement, document: Document, given: Mapping[str, str]
) -> dict[str, str]:
    """Return the explanation for each metric that contradicts its checklist.

    Raises Incoherent if one is missing.
    """
    contradictions = {
        problem.path.removeprefix("coherence."): problem
        for problem in judgement.find_contradictions(said, document)
    }
    unexplained = [problem for metric, problem in contradictions.items() if not given.get(metric)]
    if unexplained:
        raise Incoherent(*translate_problems(unexplained))
    return {metric: given[metric][:LONGEST_REASON] for metric in contradictions}


def store_contradictions(review: int, user: User, body: Body, refusal: Incoherent) -> None:
    """Store the contradicting values, to see later whether the reviewer changed them."""
    with transaction.atomic():
        release, mine = locked(review, user)
        if release.is_reviewing and mine.version == body.version:
            said = body.said if body.said is not None else judgement.from_data(mine.draft)
            metrics = [problem.rule.removeprefix("coherence.") for problem in refusal.missing]
            Review.objects.filter(pk=mine.pk, version=body.version).update(
                asked=mine.asked | {metric: collect_values(said, metric) for metric in metrics}
            )


def collect_values(said: Judgement, metric: str) -> dict[str, Any]:
    """Return the score of a metric and the answers to its questions."""
    score = said.scores.get(metric)
    return {
        "value": score.value if score else None,
        "answers": {
            item: answer.answer
            for item, answer in sorted(said.answers.items())
            if item.rpartition(".")[0] == metric
        },
    }


# --- Rows -----------------------------------------------------------------------------------------


def write_rows(review: Review, said: Judgement, coherence: Mapping[str, str]) -> None:
    Score.objects.bulk_create(
        Score(
            review=review,
            release_id=review.release_id,
            metric=metric,
            value=score.value,
            rationale=score.rationale,
            evidence=to_rows(score.evidence),
            coherence=coherence.get(metric, ""),
            changed_mind=metric in review.asked
            and review.asked[metric] != collect_values(said, metric),
        )
        for metric, score in said.scores.items()
        if score.value is not None
    )
    ChecklistAnswer.objects.bulk_create(
        ChecklistAnswer(
            review=review,
            release_id=review.release_id,
            item=item,
            answer=answer.answer,
            note=answer.note,
            evidence=to_rows(answer.evidence),
        )
        for item, answer in said.answers.items()
        if answer.answer is not None
    )
    # A flag that was already confirmed or rejected keeps its outcome when it is raised again.
    if review.is_submitted:
        review.flags.exclude(kind__in=said.flags).delete()
    Flag.objects.bulk_create(
        [
            Flag(review=review, release_id=review.release_id, kind=kind)
            for kind in sorted(set(said.flags))
        ],
        ignore_conflicts=True,
    )


def to_rows(evidence: Sequence[judgement.Evidence]) -> list[dict[str, str]]:
    return [{"kind": piece.kind, "ref": piece.ref, "text": piece.text} for piece in evidence]
