"""What calls about reviews take and give. Whoever only reviews never learns the release."""

from datetime import date, datetime
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from cases.itinerary.format import Plan, Request
from cases.rubric import Document
from evalsite.api.errors import Error
from reviews.api.shapes import Reason
from reviews.desk.judgement import AnswerSaid, Judgement, ScoreSaid
from reviews.workflow.refusals import LONGEST_REASON


class ReviewListed(msgspec.Struct):
    """One's own has `code`, by which its case is known, and `opening`, how the request begins.

    One of a case has `reviewer`, `case_key` and `content`; it is for those who may see scores.
    """

    id: int
    status: str
    version: int
    submitted_at: datetime | None
    code: str | UnsetType = UNSET
    saved_at: datetime | UnsetType | None = UNSET
    due_date: date | UnsetType | None = UNSET
    can_be_written: bool | UnsetType = UNSET
    opening: str | UnsetType = UNSET
    reviewer: str | UnsetType = UNSET
    case_key: str | UnsetType = UNSET
    content: Judgement | UnsetType = UNSET


class ReviewList(msgspec.Struct):
    results: list[ReviewListed]
    next: str | None


class FactShown(msgspec.Struct):
    """`key` is what evidence refers to; `refs` are pointers into the case."""

    key: str
    number: int
    sentence: str
    question: str | None
    refs: list[str]


class BlindCase(msgspec.Struct):
    """`read_from_text`: fields of the request that somebody read from its text."""

    code: str
    locale: str
    request: Request
    plan: Plan | None
    facts: list[FactShown]
    read_from_text: list[str]


class RubricOfReview(msgspec.Struct):
    number: int
    language: str
    document: Document


class ReviewWhole(msgspec.Struct):
    """`draft` is what the next save goes on from. `submitted`: what counts, if it was submitted."""

    id: int
    code: str
    status: str
    version: int
    due_date: date | None
    saved_at: datetime | None
    submitted_at: datetime | None
    can_be_written: bool
    can_be_revised: bool
    needs_reason: bool
    sentence: str
    case: BlindCase
    rubric: RubricOfReview
    draft: Judgement
    submitted: Judgement | None


Version = Annotated[int, Meta(ge=0, le=2_147_483_647)]
Line = Annotated[str, Meta(max_length=LONGEST_REASON)]
FlagKinds = list[Literal["harmful", "broken"]]


class DraftCall(msgspec.Struct, forbid_unknown_fields=True):
    """A draft as a whole; it may leave out anything."""

    version: Version
    scores: dict[str, ScoreSaid] = msgspec.field(default_factory=dict)
    answers: dict[str, AnswerSaid] = msgspec.field(default_factory=dict)
    comment: str = ""
    flags: FlagKinds = msgspec.field(default_factory=list)

    @property
    def said(self) -> Judgement:
        return Judgement(self.scores, self.answers, self.comment, self.flags)


class SubmitCall(msgspec.Struct, forbid_unknown_fields=True):
    """With `version` alone the stored draft is submitted. `coherence` answers, by metric, how a
    score goes with its checklist; a revision says its `reason`."""

    version: Version
    scores: dict[str, ScoreSaid] | UnsetType = UNSET
    answers: dict[str, AnswerSaid] | UnsetType = UNSET
    comment: str | UnsetType = UNSET
    flags: FlagKinds | UnsetType = UNSET
    coherence: dict[str, Line] = msgspec.field(default_factory=dict)
    reason: str = ""

    @property
    def said(self) -> Judgement | None:
        parts = {name: getattr(self, name) for name in ("scores", "answers", "comment", "flags")}
        given = {name: part for name, part in parts.items() if part is not UNSET}
        return Judgement(**given) if given else None


class Saved(msgspec.Struct):
    version: int
    saved_at: datetime


class Submitted(msgspec.Struct):
    version: int
    submitted_at: datetime


class DeclineCall(msgspec.Struct, forbid_unknown_fields=True):
    reason: Reason
    cause: Literal["conflict", "language", "cannot-judge", "broken"] = "cannot-judge"


class Declined(msgspec.Struct):
    status: str


class StaleVersion(Error):
    """`version` and `draft` are what is stored."""

    version: int
    draft: Judgement
    is_submitted: bool
