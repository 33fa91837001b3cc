"""A verdict and its criteria."""

from __future__ import annotations

from dataclasses import dataclass

from reviews.agreement import Reason
from reviews.models.outcomes import Word


@dataclass(frozen=True)
class Criterion:
    """A requirement of the verdict.

    `name` is a slug for programs, for a metric `floor:METRIC` and the like. `passed` is None if it
    was not assessed, which blocks nothing. `leads_to` is the word it leads to if it did not pass.
    `cases` are the cases behind it; `would_change` is what would settle it.
    """

    name: str
    subject: str
    value: float | None
    limit: float | None
    passed: bool | None
    leads_to: Word | None
    reason: Reason
    cases: tuple[str, ...] = ()
    would_change: Reason | None = None


@dataclass(frozen=True)
class Verdict:
    """`sentence` is shown beside the word, `conditions` are what qualifies it.

    `word` is None between looks, and if the release was abandoned.
    """

    word: Word | None
    sentence: Reason
    criteria: tuple[Criterion, ...]
    conditions: tuple[Reason, ...] = ()

    @property
    def because(self) -> tuple[Criterion, ...]:
        """Return the criteria that decided: for GO all that were assessed."""
        if self.word == Word.GO:
            return tuple(criterion for criterion in self.criteria if criterion.passed)
        return tuple(criterion for criterion in self.criteria if criterion.leads_to == self.word)

    @property
    def open(self) -> tuple[Criterion, ...]:
        """Return the criteria that did not pass, the gravest first."""
        order = list(Word)
        failed = [criterion for criterion in self.criteria if criterion.leads_to is not None]
        return tuple(
            sorted(failed, key=lambda criterion: order.index(criterion.leads_to or Word.GO))
        )

    def criterion(self, name: str) -> Criterion:
        return next(criterion for criterion in self.criteria if criterion.name == name)
