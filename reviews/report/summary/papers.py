"""What happened to the sample and to the rules, as the summary prints it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec


@dataclass(frozen=True)
class KindSummary:
    """`fitting` counts the cases of the pool that could fill the kind; None: it was not drawn."""

    kind: str
    text: str
    fitting: int | None
    cases: tuple[str, ...]
    is_covered: bool
    waived: str


@dataclass(frozen=True)
class WithdrawnSummary:
    """Its reviews are kept and printed, not counted."""

    case_key: str
    kind: str
    cause: str
    reason: str
    reviews_not_counted: int


@dataclass(frozen=True)
class DrawSummary:
    number: int
    size: int
    by: str
    pool_size: int
    pool_digest: str
    waived: tuple[str, ...]
    changes: dict[str, Any]


@dataclass(frozen=True)
class Amendment:
    """An act by hand since the last draw. `event` is its number in the ledger."""

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


@dataclass(frozen=True)
class RulingSummary:
    """What reviewers could read under a question (`metric.2`) or a level (`metric:4`)."""

    subject: str
    text: str
    by: str


@dataclass(frozen=True)
class AdjudicationSummary:
    agreed: dict[str, int]
    cause: str
    note: str
    by: str


@dataclass(frozen=True)
class DisagreementSummary:
    """A case whose reviews differ too much on some metrics, and what became of it.

    `ranges`: metric -> lowest and highest score. `state` is waiting, stale (settled, but a review
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
    """`outcome` is open, confirmed or rejected; by whom and why, once it is judged."""

    case_key: str
    reviewer: str
    flag: str
    outcome: str
    by: str
    reason: str


# There are thousands of these two. A Struct is made in a tenth of the time.


class EvidenceSummary(msgspec.Struct, frozen=True, gc=False):
    """What a score or an answer rests on: a stop, a fact, or words of the case."""

    kind: str
    ref: str
    text: str


class Remark(msgspec.Struct, frozen=True, gc=False):
    """Words or evidence of one reviewer on a case.

    `subject` is a metric with its `value`, a question with its `answer`, or empty: the overall
    comment. `coherence` is the line on how score and checklist go together; `changed_mind`: asked
    so, the reviewer changed score or answers instead.
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
