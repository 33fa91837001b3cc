"""The records of a bundle, for writing and reading: docs/exports.md.

Fields have the names of the models. There are no primary keys and no timestamps of writing: the
same release gives the same bytes.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Literal

import msgspec

from cases.releases.policy import Result
from reviews.desk.judgement import Judgement
from reviews.pairings.judgement import PairJudgement

FORMAT = "spotcheck-bundle/1"

Count = Annotated[int, msgspec.Meta(ge=0, le=2**31)]
Digest = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
Moment = Annotated[datetime, msgspec.Meta(tz=True)]
ReviewState = Literal["assigned", "draft", "submitted", "declined", "withdrawn"]


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


# --- About the bundle -----------------------------------------------------------------------------


class FileRecord(Record, frozen=True):
    name: str
    bytes: int
    sha256: Digest


class CodeRecord(Record, frozen=True):
    """`digest` covers the source code that computed the bundle."""

    version: str
    digest: Digest


class Manifest(Record, frozen=True):
    """`report` is final once the release is closed. `summary` is the digest that is signed."""

    format: str
    release: str
    report: Literal["provisional", "final"]
    code: CodeRecord
    summary: Digest
    files: list[FileRecord]


# --- The release and its rubric -------------------------------------------------------------------


class ReleaseRecord(Record, frozen=True):
    """`baseline_state`: none, open, abandoned, or closed; then its summary is in the bundle."""

    name: str
    product: str
    status: Literal["draft", "reviewing", "closed"]
    rubric: int
    rubric_digest: Digest
    reviews_per_case: Annotated[int, msgspec.Meta(ge=1, le=20)]
    baseline: str | None
    baseline_state: Literal["none", "open", "abandoned", "closed"]
    policy: dict[str, Any]
    due_date: date | None
    created_at: Moment
    ledger_length: Count
    ledger_head: str


class TextRecord(Record, frozen=True):
    """A language of the rubric. Its document is the file rubric/LANGUAGE.md."""

    language: Annotated[str, msgspec.Meta(pattern="^[a-z-]{2,10}$")]
    digest: Digest
    is_original: bool


class RubricRecord(Record, frozen=True):
    number: int
    texts: Annotated[list[TextRecord], msgspec.Meta(min_length=1)]


class RulingRecord(Record, frozen=True, omit_defaults=True):
    """`supersedes` is the line of an earlier ruling, from 1 on; 0: none."""

    subject: str
    text: str
    by: str
    given_at: Moment
    supersedes: Count = 0
    look_again: bool = False


# --- The sample -----------------------------------------------------------------------------------


class DrawRecord(Record, frozen=True):
    """A draw. Its pool is the file pools/NUMBER.jsonl.

    `accept` is written only if it is not ["pass"]: bundles of earlier versions have none.
    """

    number: Count
    size: Count
    drawn_at: Moment
    by: str
    rubric_digest: Digest
    kinds: list[tuple[str, list[str]]]
    waived: list[str]
    fitting: dict[str, int]
    pool_size: Count
    pool_digest: Digest
    changes: dict[str, Any]
    event: Count
    accept: list[Result] | msgspec.UnsetType = msgspec.UNSET


class PoolRecord(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """An eligible case, in the order of the draw. `kind` is the kind that took it."""

    case_key: str
    digest: str
    kind: str
    tags: list[str]


class CaseRecord(Record, frozen=True, omit_defaults=True):
    """A case of the sample. `content` is the imported row.

    `is_outside` is left out unless it is true: bundles of earlier versions have none.
    """

    case_key: str
    digest: Digest
    kind: str
    origin: Literal["drawn", "next", "hand"]
    place: Count | None
    reason: str
    added_at: Moment
    withdrawn_at: Moment | None
    cause: str
    withdrawal_reason: str
    tags: list[str]
    content: msgspec.Raw
    is_outside: bool = False


class HitRecord(Record, frozen=True):
    """What an adopted rule hits in a case; `hits` are the bytes that a pipeline writes, too."""

    case_key: str
    rule: str
    version: Count
    hits: msgspec.Raw


class ExclusionRecord(Record, frozen=True):
    case_key: str
    reason: str
    by: str
    excluded_at: Moment


# --- Reviews --------------------------------------------------------------------------------------


class FlagRecord(Record, frozen=True):
    kind: Literal["harmful", "broken"]
    outcome: Literal["open", "confirmed", "rejected"]
    by: str
    reason: str
    judged_at: Moment | None


class VersionRecord(Record, frozen=True):
    """An earlier version of a review, and why it was revised."""

    version: Count
    said: Judgement
    coherence: dict[str, str]
    submitted_at: Moment
    replaced_at: Moment
    reason: str


class ReviewRecord(Record, frozen=True):
    """A review. `said` is None unless it is submitted and its content may be shown: before the
    release is closed, all reviews of the case must be in. Flags are shown at once. `version` is
    that of the last submit.
    """

    case_key: str
    reviewer: str
    status: ReviewState
    is_sealed: bool
    is_counted: bool
    assigned_at: Moment
    submitted_at: Moment | None
    version: Count | None
    said: Judgement | None
    coherence: dict[str, str]
    changed_minds: list[str]
    flags: list[FlagRecord]
    declined_for: str
    decline_reason: str
    earlier: list[VersionRecord]


class PairVersionRecord(Record, frozen=True):
    """An earlier version of a pairing."""

    version: Count
    said: PairJudgement
    submitted_at: Moment
    replaced_at: Moment


class PairingRecord(Record, frozen=True):
    """One person's comparison of two plans. `old_digest` is that of the case in the baseline.

    `said` is None unless it is submitted; sides are as the reader saw them.
    """

    case_key: str
    reviewer: str
    old_digest: Digest
    is_new_left: bool
    status: ReviewState
    assigned_at: Moment
    submitted_at: Moment | None
    version: Count | None
    said: PairJudgement | None
    decline_reason: str
    earlier: list[PairVersionRecord]


# --- Outcomes -------------------------------------------------------------------------------------


class AdjudicationRecord(Record, frozen=True, omit_defaults=True):
    """`together` is left out if it is empty, as in bundles of earlier versions."""

    case_key: str
    agreed: dict[str, int]
    basis: list[tuple[str, int]]
    cause: str
    note: str
    by: str
    adjudicated_at: Moment
    together: list[str] = []


class WaiverRecord(Record, frozen=True):
    rule: str
    covers: dict[str, Any]
    reason: str
    by: str
    waived_at: Moment


class ClosingRecord(Record, frozen=True):
    number: Count
    closed_at: Moment
    by: str
    closed_from: str
    is_abandoned: bool
    reason: str
    digest: Digest
    event: Count
    head: str
    reopened_at: Moment | None


class DecisionRecord(Record, frozen=True):
    """`summary` is the digest of the report that was signed."""

    decision: Literal["ship", "do-not-ship"]
    summary: Digest
    reason: str
    by: str
    decided_at: Moment
    voided_at: Moment | None


class EventRecord(Record, frozen=True):
    number: Count
    at: Moment
    by: str
    kind: str
    data: dict[str, Any]
    previous: str
    digest: str


class EscapeRecord(Record, frozen=True):
    """A finding of the report in a case that had passed the automated checks."""

    about: str
    key: str
    case_key: str
    is_counted: bool


# Written only where pairs were planned: bundles of earlier versions have none.
PAIRINGS = "pairings.jsonl"
# Files with one record per line, in the order in which they are restored.
LINES: dict[str, type[Record]] = {
    "rulings.jsonl": RulingRecord,
    "draws.jsonl": DrawRecord,
    "cases.jsonl": CaseRecord,
    "exclusions.jsonl": ExclusionRecord,
    "reviews.jsonl": ReviewRecord,
    PAIRINGS: PairingRecord,
    "adjudications.jsonl": AdjudicationRecord,
    "waivers.jsonl": WaiverRecord,
    "events.jsonl": EventRecord,
    "closings.jsonl": ClosingRecord,
    "decisions.jsonl": DecisionRecord,
}
