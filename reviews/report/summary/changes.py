"""The figures of a comparison: two releases on the cases that both have."""

from __future__ import annotations

from dataclasses import dataclass

from reviews.agreement import Reason
from reviews.comparison import Paired

from .figures import Rate


@dataclass(frozen=True)
class KindComparison:
    kind: str
    paired: Paired


@dataclass(frozen=True)
class MetricComparison:
    """`before` and `after` are the means over the shared cases.

    `by_same` is the difference among the cases that the same reviewers judged both times.
    """

    metric: str
    before: float | None
    after: float | None
    paired: Paired
    by_kind: tuple[KindComparison, ...]
    by_same: Paired


@dataclass(frozen=True)
class CaseChange:
    """A shared case, its standing scores before and after in the order of `Comparison.metrics`."""

    case_key: str
    kind: str
    before: tuple[float, ...]
    after: tuple[float, ...]
    is_by_same: bool

    @property
    def change(self) -> float:
        """The largest fall, or where nothing fell the largest rise."""
        moved = [new - old for new, old in zip(self.after, self.before, strict=True)]
        return min(moved) if min(moved) < 0 else max(moved)


@dataclass(frozen=True)
class QuestionChange:
    """`before` and `after`: yes among the answers that apply, on the shared cases.

    The unit of the test is the case: what more than half of its answers say, where that is yes or
    no both times. `to_yes` and `to_no` count the cases that changed, `cases` those that could;
    `turned_yes`, `turned_no` and `could_turn` name them.
    """

    item: str
    text: str
    before: Rate
    after: Rate
    cases: int
    to_yes: int
    to_no: int
    p_value: float | None
    why: Reason | None
    could_turn: tuple[str, ...] = ()
    turned_yes: tuple[str, ...] = ()
    turned_no: tuple[str, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """`why`: no case is shared, so there is no difference. `caution`: what to bear in mind.

    `only_before` and `only_after` are the cases that have no partner.
    """

    before: str
    after: str
    rubric_before: int
    rubric_after: int
    shared: int
    by_same: int
    metrics: tuple[MetricComparison, ...]
    checklist: tuple[QuestionChange, ...]
    cases: tuple[CaseChange, ...]
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    why: Reason | None
    caution: Reason | None
