"""What calls about the sample, the life of a release and who reviews what take and give."""

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from cases.models.releases import MOST_REVIEWS_PER_CASE
from reviews.errors import LONGEST_REASON

Key = Annotated[str, Meta(min_length=1, max_length=210)]
Name = Annotated[str, Meta(min_length=1, max_length=150)]
# The workflow asks for these, with sentences of its own.
Reason = Annotated[str, Meta(extra_json_schema={"minLength": 1, "maxLength": LONGEST_REASON})]
Reviewers = Annotated[
    list[Name], Meta(max_length=1000, extra_json_schema={"minItems": 1, "maxItems": 1000})
]
PerCase = Annotated[int, Meta(extra_json_schema={"minimum": 1, "maximum": MOST_REVIEWS_PER_CASE})]


# --- The sample -----------------------------------------------------------------------------------


class Sampled(msgspec.Struct):
    """`kind` is empty for a case that fills none. `place` is that in the draw."""

    case_key: str
    kind: str
    origin: str
    reason: str
    place: int | None


class Withdrawn(msgspec.Struct):
    case_key: str
    cause: str
    reason: str
    withdrawn_at: datetime


class Sample(msgspec.Struct):
    """`draw`, `size` and `pool_digest` are those of the last draw; null before the first."""

    release: str
    draw: int | None
    size: int | None
    pool_digest: str | None
    sample: list[Sampled]
    withdrawn: list[Withdrawn]


class DrawBody(msgspec.Struct, forbid_unknown_fields=True):
    """`size`: as many as the rubric asks for, if it is left out."""

    size: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None


class SwapBody(msgspec.Struct, forbid_unknown_fields=True):
    out: Key
    into: Key = msgspec.field(name="in")
    reason: Reason


class WithdrawBody(msgspec.Struct, forbid_unknown_fields=True):
    case_key: Key
    reason: Reason
    cause: Literal["broken", "wrong-data", "duplicate"] = "broken"


# --- The life of a release ------------------------------------------------------------------------


class NoBody(msgspec.Struct, forbid_unknown_fields=True):
    """Nothing is to be said."""


class ReasonBody(msgspec.Struct, forbid_unknown_fields=True):
    reason: Reason


class CloseBody(msgspec.Struct, forbid_unknown_fields=True):
    """`waive` are rules to let go first, for one reason. `abandon` ends it without a verdict."""

    waive: Annotated[list[Annotated[str, Meta(max_length=200)]], Meta(max_length=1000)] = (
        msgspec.field(default_factory=list)
    )
    abandon: bool = False
    reason: str = ""


class Closed(msgspec.Struct):
    """`digest` is that of the stored report, which a decision names."""

    release: str
    status: str
    closing: int
    digest: str
    closed_at: datetime
    is_abandoned: bool


class WaiveBody(msgspec.Struct, forbid_unknown_fields=True):
    """`rule`: kind:KEY, cases, reviews or adjudications."""

    rule: Annotated[str, Meta(max_length=200)]
    reason: Reason


class Waived(msgspec.Struct):
    rule: str
    covers: dict[str, Any]
    reason: str
    by: str
    waived_at: datetime


class DecisionBody(msgspec.Struct, forbid_unknown_fields=True):
    """`digest`: of the report that was read; the one that stands, if it is left out."""

    decision: Literal["ship", "do-not-ship"]
    reason: Reason
    digest: Annotated[str, Meta(max_length=64)] | None = None


class Signed(msgspec.Struct):
    decision: str
    reason: str
    by: str
    decided_at: datetime
    digest: str
    is_against_the_verdict: bool


# --- Who reviews what -----------------------------------------------------------------------------


class AssignmentShape(msgspec.Struct):
    case_key: str
    reviewer: str
    status: str
    assigned_at: datetime
    submitted_at: datetime | None
    is_late: bool
    declined_for: str
    decline_reason: str


class AssignmentList(msgspec.Struct):
    results: list[AssignmentShape]
    next: str | None


class PlanBody(msgspec.Struct, forbid_unknown_fields=True):
    """`reviewers`: every active one, if left out; `per_case`: as the release says."""

    reviewers: Reviewers | None = None
    per_case: PerCase | None = None
    dry_run: bool = False


class NewAssignment(msgspec.Struct):
    case_key: str
    reviewer: str


class Lacking(msgspec.Struct):
    case_key: str
    missing: int


class Planned(msgspec.Struct):
    """`is_written` is false for a dry run."""

    assignments: list[NewAssignment]
    missing: list[Lacking]
    is_written: bool


class MoveBody(msgspec.Struct, forbid_unknown_fields=True):
    case_key: Key
    giver: Name = msgspec.field(name="from")
    taker: Name = msgspec.field(name="to")


class TakeBackBody(msgspec.Struct, forbid_unknown_fields=True):
    case_key: Key
    reviewer: Name
    reason: Reason


class Settled(msgspec.Struct):
    """The agreed scores of a case."""

    agreed: dict[str, int]
    cause: str
    note: str
    by: str
    adjudicated_at: datetime


class Difference(msgspec.Struct):
    metric: str
    low: int
    high: int


class Listed(msgspec.Struct):
    """`state`: waiting, stale (open again), waived or settled.

    `seen` stands for the reviews as they are now. `is_own`: whoever asks reviewed the case, so
    somebody else settles it.
    """

    case_key: str
    state: str
    differences: list[Difference]
    seen: str
    is_own: bool
    adjudication: Settled | None


class ListedPage(msgspec.Struct):
    results: list[Listed]
    next: str | None


class AgreementBody(msgspec.Struct, forbid_unknown_fields=True):
    """A whole level for each listed metric. `seen`: refused if a review changed since."""

    case_key: Key
    agreed: dict[str, int]
    cause: Literal["rubric-gap", "missed-evidence", "taste", "unclear-case"]
    note: Reason
    seen: Annotated[str, Meta(max_length=64)] | None = None
