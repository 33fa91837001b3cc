"""The summary itself: what it holds, how it is written and read again."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import msgspec

from reviews.agreement import Reason

from .changes import Comparison
from .figures import CaseSummary, Escape, Evidence, MetricSummary, PersonSummary, QuestionSummary
from .papers import (
    Amendment,
    DisagreementSummary,
    DrawSummary,
    FlagSummary,
    KindSummary,
    Remark,
    RulingSummary,
    SplitSummary,
    WaiverSummary,
    WithdrawnSummary,
)

SCHEMA = "spotcheck-summary/3"
# What an older code stored and this one still reads as it is: fields that it lacks are optional.
READABLE = (SCHEMA, "spotcheck-summary/2")


@dataclass(frozen=True)
class Summary:
    """A release, the evidence about it, and every figure that is shown anywhere.

    `baseline` names the release it is compared with; `comparison` is that comparison, or
    `not_compared` says why there is none. `metrics` and `checklist` are in the rubric's order,
    cases and people in that of their keys, except `sample`, which has its own. `remarks` are of
    all counted cases, or of the worst of very many. `baseline_digest` is that of the baseline's own
    report, as it was stored.
    """

    schema: str
    release: str
    product: str
    rubric: int
    rubric_digest: str
    reviews_per_case: int
    baseline: str | None
    policy: dict[str, Any]
    least_cases: int
    reviews_in: int
    reviews_expected: int
    missing_reviews: dict[str, int]
    evidence: Evidence
    coverage: tuple[KindSummary, ...]
    metrics: tuple[MetricSummary, ...]
    checklist: tuple[QuestionSummary, ...]
    escapes: tuple[Escape, ...]
    disagreements: tuple[DisagreementSummary, ...]
    splits: tuple[SplitSummary, ...]
    flags: tuple[FlagSummary, ...]
    comparison: Comparison | None
    not_compared: Reason | None
    people: tuple[PersonSummary, ...]
    sample: tuple[CaseSummary, ...]
    withdrawn: tuple[WithdrawnSummary, ...]
    excluded: tuple[tuple[str, str], ...]
    draws: tuple[DrawSummary, ...]
    amendments: tuple[Amendment, ...]
    waivers: tuple[WaiverSummary, ...]
    rulings: tuple[RulingSummary, ...]
    remarks: tuple[Remark, ...]
    baseline_digest: str | None = None

    @property
    def counted(self) -> tuple[CaseSummary, ...]:
        """The cases that every figure rests on."""
        return tuple(one for one in self.sample if one.is_counted)

    @property
    def unjudged_kinds(self) -> tuple[str, ...]:
        """The kinds of which no case is counted: a case that nobody judged shows nothing."""
        counted = {one.case_key for one in self.counted}
        return tuple(
            one.kind
            for one in self.coverage
            if not one.is_covered or (one.cases and counted.isdisjoint(one.cases))
        )

    @property
    def kinds_covered(self) -> int:
        return len(self.coverage) - len(self.unjudged_kinds)

    @property
    def cases_needed(self) -> int:
        """How many cases have to be counted, after what was waived."""
        waiver = self.waiver("cases")
        return min(self.least_cases, waiver.covers["cases"]) if waiver else self.least_cases

    @property
    def still_missing(self) -> dict[str, int]:
        """Case -> how many reviews it lacks, beyond what is waived by name."""
        waiver = self.waiver("reviews")
        waived = waiver.covers["reviews"] if waiver else {}
        lacking = {key: lack - waived.get(key, 0) for key, lack in self.missing_reviews.items()}
        return {key: lack for key, lack in lacking.items() if lack > 0}

    @property
    def is_complete(self) -> bool:
        """Whether every case of the sample is counted."""
        return all(one.is_counted for one in self.sample)

    def metric(self, key: str) -> MetricSummary:
        return next(one for one in self.metrics if one.metric == key)

    def question(self, key: str) -> QuestionSummary:
        return next(one for one in self.checklist if one.item == key)

    def waiver(self, rule: str) -> WaiverSummary | None:
        return next((one for one in self.waivers if one.rule == rule), None)


class OtherSchema(ValueError):
    """A summary that was written by a code too old, or too new, for this one."""


class Schema(msgspec.Struct):
    schema: str


def written(summary: Summary) -> tuple[str, str]:
    """The summary as text, and its digest."""
    text = encoded(summary).decode()
    return text, digest_summary(text)


def encoded(summary: Summary) -> bytes:
    return msgspec.json.encode(summary, order="deterministic")


def digest_summary(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def read(text: str | bytes) -> Summary:
    """What `written` wrote. Raises OtherSchema, and msgspec.MsgspecError for what is none."""
    schema = msgspec.json.decode(text, type=Schema).schema
    if schema not in READABLE:
        raise OtherSchema(schema)
    return msgspec.json.decode(text, type=Summary)
