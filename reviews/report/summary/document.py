"""The summary: its parts, and how it is serialized and read again."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import msgspec

from cases.releases.policy import OLD_RULES
from reviews.agreement import Reason

from .figures import (
    CaseSummary,
    Comparison,
    Escape,
    Evidence,
    MetricSummary,
    PersonSummary,
    Plan,
    QuestionSummary,
)
from .side_by_side import SideBySide


@dataclass(frozen=True)
class KindSummary:
    """`fitting`: how many cases of the pool could fill the kind; None before a draw."""

    kind: str
    text: str
    fitting: int | None
    cases: tuple[str, ...]
    is_covered: bool
    waived: str


@dataclass(frozen=True)
class WithdrawnSummary:
    """A withdrawn case. Its reviews are kept and printed, but not counted."""

    case_key: str
    kind: str
    cause: str
    reason: str
    reviews_not_counted: int


@dataclass(frozen=True)
class DrawSummary:
    """`accept`: the accepted results of the automated checks; left out if it is only "pass"."""

    number: int
    size: int
    by: str
    pool_size: int
    pool_digest: str
    waived: tuple[str, ...]
    changes: dict[str, Any]
    accept: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET

    @property
    def accepts_warnings(self) -> bool:
        return self.accept is not msgspec.UNSET and "warn" in self.accept


@dataclass(frozen=True)
class Amendment:
    """A change of the sample since the last draw: by hand, or the next planned look (`EXTENDED`).

    `event` is its number in the ledger.
    """

    event: int
    act: str
    by: str
    details: dict[str, Any]


@dataclass(frozen=True)
class WaiverSummary:
    rule: str
    by: str
    reason: str
    covers: dict[str, Any]


class RulingSummary(msgspec.Struct, frozen=True, omit_defaults=True):
    """A ruling that reviewers could read under a question (`metric.2`) or level (`metric:4`)."""

    subject: str
    text: str
    by: str
    is_superseded: bool = False


class AdjudicationSummary(msgspec.Struct, frozen=True, omit_defaults=True):
    """`together`: the reviewers of the case, if they settled it themselves; left out if empty."""

    agreed: dict[str, int]
    cause: str
    note: str
    by: str
    together: tuple[str, ...] = ()


@dataclass(frozen=True)
class DisagreementSummary:
    """A case whose reviews differ too much on some metrics, and whether that is settled.

    `ranges`: lowest and highest score by metric. `state` is waiting, stale (settled, but a review
    was revised since), waived or settled. `adjudication` is the last one, stale or not.
    """

    case_key: str
    ranges: dict[str, tuple[int, int]]
    state: str
    adjudication: AdjudicationSummary | None

    @property
    def gap(self) -> int:
        return max(high - low for low, high in self.ranges.values())


@dataclass(frozen=True)
class SplitSummary:
    """A question, and the cases in which its reviewers answered it differently."""

    item: str
    cases: tuple[str, ...]


@dataclass(frozen=True)
class FlagSummary:
    """`outcome` is open, confirmed or rejected; `by` and `reason` are empty while it is open."""

    case_key: str
    reviewer: str
    flag: str
    outcome: str
    by: str
    reason: str


# There are thousands of these two, and a Struct is created in a tenth of the time.


class EvidenceSummary(msgspec.Struct, frozen=True, gc=False):
    """The evidence for a score or an answer: a stop, a fact, or a quote from the case."""

    kind: str
    ref: str
    text: str


class Remark(msgspec.Struct, frozen=True, gc=False):
    """A remark or evidence of one reviewer on a case.

    `subject` is a metric with its `value`, a question with its `answer`, or empty for the overall
    comment. `coherence` explains how score and checklist fit together; `changed_mind`: asked about
    that, the reviewer changed the score or the answers instead.
    """

    case_key: str
    reviewer: str
    subject: str
    value: int | None
    answer: str
    text: str
    evidence: tuple[EvidenceSummary, ...]
    coherence: str
    changed_mind: bool


SCHEMA = "spotcheck-summary/5"
# Schemas that this code still reads: the fields that older ones lack are optional.
READABLE = (SCHEMA, "spotcheck-summary/4", "spotcheck-summary/3", "spotcheck-summary/2")


@dataclass(frozen=True)
class Summary:
    """A release, the evidence about it, and every figure that any page shows.

    `baseline` is the name of the release it is compared with; `comparison` is the comparison, and
    `not_compared` the reason if there is none. `metrics` and `checklist` follow the rubric, cases
    and people their keys; `sample` has its own order. `remarks` are those of all counted cases, or
    of the worst of very many. `baseline_digest` is the digest of the baseline's stored report.
    `rules` is the version of the verdict's rules; from 2 on there is a plan of looks.
    `side_by_side` is left out where no pair was planned.
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
    rules: int = OLD_RULES
    plan: Plan | None = None
    side_by_side: SideBySide | msgspec.UnsetType = msgspec.UNSET

    @property
    def read_side_by_side(self) -> SideBySide | None:
        return None if self.side_by_side is msgspec.UNSET else self.side_by_side

    @property
    def counted(self) -> tuple[CaseSummary, ...]:
        """Return the cases that count; every figure is computed from them."""
        return tuple(case for case in self.sample if case.is_counted)

    @property
    def planned(self) -> tuple[CaseSummary, ...]:
        """Return the cases of the plan: all but those outside it."""
        return tuple(case for case in self.sample if not case.is_outside)

    @property
    def outside(self) -> tuple[CaseSummary, ...]:
        """Return the cases chosen by hand after the start: read and shown, never counted."""
        return tuple(case for case in self.sample if case.is_outside)

    @property
    def unjudged_kinds(self) -> tuple[str, ...]:
        """Return the kinds without a counted case: an unjudged case shows nothing."""
        counted = {case.case_key for case in self.counted}
        return tuple(
            kind.kind
            for kind in self.coverage
            if not kind.is_covered or (kind.cases and counted.isdisjoint(kind.cases))
        )

    @property
    def kinds_covered(self) -> int:
        return len(self.coverage) - len(self.unjudged_kinds)

    @property
    def cases_needed(self) -> int:
        """Return how many cases must count, after waivers."""
        waiver = self.waiver("cases")
        return min(self.least_cases, waiver.covers["cases"]) if waiver else self.least_cases

    @property
    def still_missing(self) -> dict[str, int]:
        """Return how many reviews each case of the plan lacks beyond those that are waived."""
        waiver = self.waiver("reviews")
        waived = waiver.covers["reviews"] if waiver else {}
        lacking = {key: lack - waived.get(key, 0) for key, lack in self.missing_in_plan.items()}
        return {key: lack for key, lack in lacking.items() if lack > 0}

    @property
    def missing_in_plan(self) -> dict[str, int]:
        """Return how many reviews each case of the plan lacks, also those that are waived."""
        outside = {case.case_key for case in self.outside}
        return {key: lack for key, lack in self.missing_reviews.items() if key not in outside}

    @property
    def reviews_wanted(self) -> int:
        """Return how many reviews the plan needs; `reviews_expected` has those outside it too."""
        return len(self.planned) * self.reviews_per_case

    @property
    def reviews_counted(self) -> int:
        """Return how many of those are in: for each case no more than it needs."""
        return sum(min(case.reviews_in, self.reviews_per_case) for case in self.planned)

    def metric(self, key: str) -> MetricSummary:
        return next(metric for metric in self.metrics if metric.metric == key)

    def question(self, key: str) -> QuestionSummary:
        return next(question for question in self.checklist if question.item == key)

    def waiver(self, rule: str) -> WaiverSummary | None:
        return next((waiver for waiver in self.waivers if waiver.rule == rule), None)


class OtherSchema(ValueError):
    """A stored summary that this version of the code cannot read."""


class Schema(msgspec.Struct):
    schema: str


def serialize(summary: Summary) -> tuple[str, str]:
    """Return the summary as JSON text, and its digest."""
    text = encode(summary).decode()
    return text, digest_summary(text)


def encode(summary: Summary) -> bytes:
    return msgspec.json.encode(summary, order="deterministic")


def digest_summary(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def read(text: str | bytes) -> Summary:
    """Read what `serialize` wrote. Raises OtherSchema, or msgspec.MsgspecError for other text."""
    schema = msgspec.json.decode(text, type=Schema).schema
    if schema not in READABLE:
        raise OtherSchema(schema)
    return msgspec.json.decode(text, type=Summary)
