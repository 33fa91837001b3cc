"""Save, submit, revise or decline a pairing. Only its owner can read or write it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from hashlib import sha256

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from cases import ledger
from cases.case.display import CALENDAR
from cases.facts import find_facts
from cases.itinerary.blind import without_dates
from cases.models import Case, Release, Rubric
from reviews.adjudication.visibility import has_seen_scores
from reviews.assignments.workflow import SeenScores
from reviews.desk.submission import KeyReused, check_key
from reviews.desk.workflow import NotOpen, Saved, document_for, refuse
from reviews.errors import Refused, require_reason, require_reviewing
from reviews.models import PairAnswer, Pairing, PairRevision, PairSubmission
from reviews.models.reviews import OPEN, ReviewStatus
from reviews.pairings import judgement
from reviews.pairings.judgement import PairJudgement
from reviews.pairings.questions import find_differing_questions


class NoSuchPairing(Refused):
    """The pairing does not exist, or belongs to another reader."""

    code = "no_such_pairing"
    status = 404


class StalePairing(Refused):
    """A later version was saved, perhaps by the same person in another tab."""

    code = "stale_version"

    def __init__(self, pairing: Pairing) -> None:
        self.pairing = pairing
        super().__init__(
            gettext("This pair was saved elsewhere after you opened it (version %(version)d).")
            % {"version": pairing.version}
        )

    @property
    def extra(self) -> Mapping[str, object]:
        """Return the stored version, so that both can be shown side by side."""
        return {
            "version": self.pairing.version,
            "draft": self.pairing.draft,
            "is_submitted": self.pairing.is_submitted,
        }


@dataclass(frozen=True)
class Submitted:
    version: int
    submitted_at: datetime


@transaction.atomic
def save_draft(
    *, pairing: int, user: User, version: int, said: PairJudgement, now: datetime
) -> Saved:
    """Store a draft as it is. The draft of a submitted pairing starts a revision."""
    refuse(judgement.find_bad_texts(said))
    release, mine = locked(pairing, user)
    require_reviewing(release)
    require_open(mine)
    if mine.version != version:
        raise StalePairing(mine)
    refuse(judgement.find_unknown_parts(said, document_for(release), list_questions(mine)))
    status = {} if mine.is_submitted else {"status": ReviewStatus.DRAFT}
    Pairing.objects.filter(pk=mine.pk, version=version).update(
        version=version + 1, draft=judgement.to_data(said), saved_at=now, **status
    )
    return Saved(version + 1, now)


@transaction.atomic
def submit(
    *,
    pairing: int,
    user: User,
    key: str,
    version: int,
    said: PairJudgement | None,
    now: datetime,
) -> Submitted:
    """Submit or revise a pairing. The same key and body return the first result again.

    `said` None submits the stored draft.
    """
    check_key(key)
    if said is not None:
        refuse(judgement.find_bad_texts(said))
    release, mine = locked(pairing, user)
    body_digest = digest_body(version, said)
    earlier = mine.submissions.filter(key=key).first() if mine.submitted_at else None
    if earlier:
        if earlier.body_digest != body_digest:
            raise KeyReused(gettext("This idempotency key was already used with a different body."))
        return Submitted(earlier.version, earlier.submitted_at)
    require_reviewing(release)
    require_open(mine)
    if mine.version != version:
        raise StalePairing(mine)
    said = said if said is not None else judgement.from_data(mine.draft)
    document = document_for(release)
    refuse(
        [
            *judgement.find_unknown_parts(said, document, list_questions(mine)),
            *judgement.find_missing_parts(said, document),
        ]
    )
    is_revision = mine.is_submitted
    if is_revision:
        keep_revision(release, mine, now=now)
    write_rows(mine, said)
    Pairing.objects.filter(pk=mine.pk, version=version).update(
        status=ReviewStatus.SUBMITTED,
        version=version + 1,
        draft=judgement.to_data(said),
        newer=said.newer or "",
        saved_at=now,
        submitted_at=now,
    )
    PairSubmission.objects.create(
        pairing=mine,
        release=release,
        key=key,
        body_digest=body_digest,
        version=version + 1,
        submitted_at=now,
    )
    data = {
        "case": mine.case.case_key,
        "reviewer": user.get_username(),
        "version": version + 1,
        "content": judgement.digest(said),
    }
    kind = "pairing-revised" if is_revision else "pairing-submitted"
    ledger.append(release=release, kind=kind, data=data, user=user, now=now)
    return Submitted(version + 1, now)


def digest_body(version: int, said: PairJudgement | None) -> str:
    content = judgement.digest(said) if said is not None else f"v{version}"
    return sha256(content.encode()).hexdigest()


@transaction.atomic
def decline(*, pairing: int, user: User, reason: str, now: datetime) -> None:
    """Decline to compare two plans and keep the draft. Declining again changes nothing."""
    reason = require_reason(reason)
    release, mine = locked(pairing, user)
    if mine.status == ReviewStatus.DECLINED:
        return
    require_reviewing(release)
    if mine.status not in OPEN:
        raise NotOpen(gettext("You can say so only before you submit the pair."))
    Pairing.objects.filter(pk=mine.pk).update(status=ReviewStatus.DECLINED, decline_reason=reason)
    data = {"case": mine.case.case_key, "reviewer": user.get_username(), "reason": reason}
    ledger.append(release=release, kind="pairing-declined", data=data, user=user, now=now)


def locked(pairing: int, user: User) -> tuple[Release, Pairing]:
    """Lock the release, then the pairing: the order that every workflow function keeps."""
    rows = Release.objects.held().filter(pairings__pk=pairing, pairings__reader=user)
    for release in rows:
        mine = (
            Pairing.objects.select_for_update(of=("self",))
            .select_related("case__sampled", "old_case")
            .get(pk=pairing)
        )
        mine.release = release
        return release, mine
    raise NoSuchPairing(gettext("There is no such pair."))


def require_open(pairing: Pairing) -> None:
    explanation = explain_not_open(pairing)
    if explanation:
        raise NotOpen(explanation)


def explain_not_open(pairing: Pairing) -> str:
    """Return why its owner can no longer write a pairing; empty while they can."""
    if pairing.status == ReviewStatus.DECLINED:
        return gettext("You declined this pair. Your draft is kept but does not count.")
    if pairing.status == ReviewStatus.WITHDRAWN or not pairing.is_standing:
        return gettext("This pair was taken back. Your draft is kept but does not count.")
    return ""


def list_questions(pairing: Pairing) -> tuple[str, ...]:
    """List the keys of the questions asked about a pair, the same in every language."""
    digests = (pairing.case.digest, pairing.old_case.digest)
    return _list_questions(pairing.case_id, pairing.old_case_id, digests, pairing.release.rubric_id)


@lru_cache(maxsize=256)
def _list_questions(new: int, old: int, digests: tuple[str, str], rubric: int) -> tuple[str, ...]:
    """Neither case changes under its digest, and a rubric never does."""
    found = Case.objects.in_bulk([new, old])
    after, before = (find_facts(without_dates(found[pk].itinerary), CALENDAR) for pk in (new, old))
    return find_differing_questions(after, before, Rubric.objects.get(pk=rubric).document)


# --- Rows -----------------------------------------------------------------------------------------


def keep_revision(release: Release, pairing: Pairing, *, now: datetime) -> None:
    """Move the submitted version to a PairRevision, before the new one is written."""
    assert pairing.submitted_at is not None
    if has_seen_scores(release, pairing.reader):
        raise SeenScores(
            gettext(
                "You have seen the scores of other reviewers in this release, so you can no longer "
                "change yours."
            )
        )
    PairRevision.objects.create(
        pairing=pairing,
        release_id=pairing.release_id,
        version=pairing.version,
        content=judgement.to_data(read_submitted(pairing)),
        submitted_at=pairing.submitted_at,
        replaced_at=now,
    )
    pairing.answers.all().delete()


def write_rows(pairing: Pairing, said: PairJudgement) -> None:
    steps = [
        PairAnswer(item=metric, step=entry.step, why=entry.why)
        for metric, entry in said.steps.items()
        if entry.step is not None
    ]
    sides = [PairAnswer(item=item, side=side) for item, side in said.sides.items() if side]
    for row in (*steps, *sides):
        row.pairing, row.release_id = pairing, pairing.release_id
    PairAnswer.objects.bulk_create([*steps, *sides])


def read_submitted(pairing: Pairing) -> PairJudgement:
    """Return the judgement that was submitted, read from its rows."""
    rows = sorted(pairing.answers.all(), key=lambda row: row.item)
    steps = {row.item: {"step": row.step, "why": row.why} for row in rows if row.step is not None}
    sides = {row.item: row.side for row in rows if row.side}
    return judgement.from_data({"steps": steps, "sides": sides, "newer": pairing.newer or None})
