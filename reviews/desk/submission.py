"""Submitting a review, and revising it: one review, however often it is sent."""

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
from reviews.desk import judgement
from reviews.desk.judgement import Judgement
from reviews.desk.revision import keep_revision
from reviews.desk.workflow import (
    Incomplete,
    Stale,
    check_texts,
    document_for,
    locked,
    refuse,
    require_open,
    translate_problems,
)
from reviews.models import ChecklistAnswer, Flag, Review, Score, Submission
from reviews.models.reviews import ReviewStatus
from reviews.workflow.refusals import (
    LONGEST_REASON,
    Missing,
    Refused,
    require_reason,
    require_reviewing,
)


class BadKey(Refused):
    code = "bad_idempotency_key"


class KeyReused(Refused):
    code = "idempotency_key_reused"


class Incoherent(Incomplete):
    """Score and checklist contradict each other: a line that says how, or a change of mind."""

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
    now: datetime,
) -> Submitted:
    """The same key and body get the first answer again. `said` None submits the stored draft."""
    check_key(key)
    coherence = {name: " ".join(text.split()) for name, text in (coherence or {}).items()}
    body = Body(version, said, coherence, require_reason(reason) if reason.strip() else "")
    if said is not None:
        check_texts(said)
    try:
        return submit_once(review=review, user=user, key=key, body=body, now=now)
    except Incoherent as asked:
        remember_asking(review, user, body, asked)
        raise


@dataclass(frozen=True)
class Body:
    version: int
    said: Judgement | None
    coherence: Mapping[str, str]
    reason: str

    @property
    def digest(self) -> str:
        content = judgement.digest(self.said) if self.said is not None else f"v{self.version}"
        lines = msgspec.json.encode(dict(self.coherence), order="deterministic").decode()
        return sha256(f"{content} {lines} {self.reason}".encode()).hexdigest()


@transaction.atomic
def submit_once(*, review: int, user: User, key: str, body: Body, now: datetime) -> Submitted:
    release, mine = locked(review, user)
    # What was never submitted has no submission: one query less for nearly everybody.
    earlier = mine.submissions.filter(key=key).first() if mine.submitted_at else None
    if earlier:
        if earlier.body_digest != body.digest:
            raise KeyReused(gettext("This key was used for another content of the review."))
        return Submitted(earlier.version, earlier.submitted_at)
    require_reviewing(release)
    require_open(mine)
    if mine.version != body.version:
        raise Stale(mine)
    said = body.said if body.said is not None else judgement.from_data(mine.draft)
    document = document_for(release)
    refuse(
        [
            *judgement.unknown_parts(said, document),
            *judgement.missing_parts(said, document),
            *loose_evidence(said, mine),
        ]
    )
    lines = coherence_lines(said, document, body.coherence)
    is_revision = mine.status == ReviewStatus.SUBMITTED
    if is_revision:
        keep_revision(release, mine, reason=body.reason, now=now)
    write(mine, said, lines)
    version = body.version + 1
    Review.objects.filter(pk=mine.pk, version=body.version).update(
        status=ReviewStatus.SUBMITTED,
        version=version,
        draft=judgement.to_data(said),
        comment=said.comment,
        asked={},
        saved_at=now,
        submitted_at=now,
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


def loose_evidence(said: Judgement, mine: Review) -> Iterator[judgement.JudgementProblem]:
    """Reads the case only where there is evidence."""
    kinds = {one.kind for _path, one in judgement.evidence_in(said)}
    if kinds:
        facts = find_facts(mine.case.itinerary, CALENDAR) if "fact" in kinds else ()
        yield from judgement.loose_evidence(said, mine.case.content, {one.key for one in facts})


LONGEST_KEY = 200


def check_key(key: str) -> None:
    if not 1 <= len(key) <= LONGEST_KEY or not key.isprintable():
        sentence = gettext("An idempotency key has 1 to %(most)d printable characters.")
        raise BadKey(Missing("Idempotency-Key", sentence % {"most": LONGEST_KEY}))


# --- Coherence, asked not forced ------------------------------------------------------------------


def coherence_lines(
    said: Judgement, document: Document, given: Mapping[str, str]
) -> dict[str, str]:
    """The line for each metric that contradicts its checklist. Raises Incoherent."""
    asked = {
        one.path.removeprefix("coherence."): one for one in judgement.contradictions(said, document)
    }
    unanswered = [one for key, one in asked.items() if not given.get(key)]
    if unanswered:
        raise Incoherent(*translate_problems(unanswered))
    return {key: given[key][:LONGEST_REASON] for key in asked}


def remember_asking(review: int, user: User, body: Body, asked: Incoherent) -> None:
    """Of what was asked about, what stood there: later a change of mind can be told from a line."""
    with transaction.atomic():
        release, mine = locked(review, user)
        if release.is_reviewing and mine.version == body.version:
            said = body.said if body.said is not None else judgement.from_data(mine.draft)
            metrics = [one.rule.removeprefix("coherence.") for one in asked.missing]
            Review.objects.filter(pk=mine.pk, version=body.version).update(
                asked=mine.asked | {key: build_said(said, key) for key in metrics}
            )


def build_said(said: Judgement, metric: str) -> dict[str, Any]:
    """The score of a metric and the answers to its questions."""
    score = said.scores.get(metric)
    return {
        "value": score.value if score else None,
        "answers": {
            item: one.answer
            for item, one in sorted(said.answers.items())
            if item.rpartition(".")[0] == metric
        },
    }


# --- Rows -----------------------------------------------------------------------------------------


def write(review: Review, said: Judgement, lines: Mapping[str, str]) -> None:
    Score.objects.bulk_create(
        Score(
            review=review,
            release_id=review.release_id,
            metric=metric,
            value=one.value,
            rationale=one.rationale,
            evidence=as_rows(one.evidence),
            coherence=lines.get(metric, ""),
            changed_mind=metric in review.asked
            and review.asked[metric] != build_said(said, metric),
        )
        for metric, one in said.scores.items()
        if one.value is not None
    )
    ChecklistAnswer.objects.bulk_create(
        ChecklistAnswer(
            review=review,
            release_id=review.release_id,
            item=item,
            answer=one.answer,
            note=one.note,
            evidence=as_rows(one.evidence),
        )
        for item, one in said.answers.items()
        if one.answer is not None
    )
    # What somebody has judged already stays judged when the flag is raised again.
    if review.is_submitted:
        review.flags.exclude(kind__in=said.flags).delete()
    Flag.objects.bulk_create(
        [
            Flag(review=review, release_id=review.release_id, kind=kind)
            for kind in sorted(set(said.flags))
        ],
        ignore_conflicts=True,
    )


def as_rows(evidence: Sequence[judgement.Evidence]) -> list[dict[str, str]]:
    return [{"kind": one.kind, "ref": one.ref, "text": one.text} for one in evidence]
