"""What reviewers found in a case, with their words and the lines of the plan. No names of people.

Pure: a regression is built from a case, its findings and the remarks on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from cases.facts import find_facts
from cases.itinerary.format import Case
from cases.itinerary.outline import PlanLine, list_lines, points_to
from reviews.report.summary.document import EvidenceSummary, Remark

# Of one finding, or of a plan that no evidence points into.
MOST_LINES = 40


@dataclass(frozen=True)
class FailedPart:
    """A metric, question or flag that failed in a case. `key` is that of the rubric.

    `standing` is the score, `floor` the highest score that is too low. `no` is how many reviewers
    answered no. `words` and `evidence` are the reviewers'; of a flag, the words of who judged it.
    """

    about: str
    key: str
    text: str
    standing: float | None = None
    floor: int | None = None
    no: int = 0
    words: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    lines: tuple[PlanLine, ...] = ()


@dataclass(frozen=True)
class Regression:
    """A case with everything that failed in it. `data` is the stored case, `stops` its plan."""

    release: str
    product: str
    case_key: str
    code: str
    digest: str
    data: dict[str, Any]
    parts: tuple[FailedPart, ...]
    stops: tuple[PlanLine, ...] = ()


class Words:
    """The words and the evidence of the remarks on one case."""

    def __init__(self, case: Case, remarks: Sequence[Remark]) -> None:
        self.remarks = remarks
        self.lines = tuple(list_lines(case))
        is_computed = any(piece.kind == "fact" for remark in remarks for piece in remark.evidence)
        self.facts = {fact.key: fact for fact in find_facts(case)} if is_computed else {}

    def on_score(self, metric: str, floor: int) -> list[Remark]:
        """Return the remarks on a metric that is too low, of those who scored it so."""
        own = [remark for remark in self.remarks if remark.subject == metric]
        low = [remark for remark in own if remark.value is not None and remark.value <= floor]
        return low or own

    def on_no(self, item: str, metric: str) -> list[Remark]:
        """Return the remarks of those who answered no, else those on the score of the metric."""
        own = [remark for remark in self.remarks if (remark.subject, remark.answer) == (item, "no")]
        return own or [remark for remark in self.remarks if remark.subject == metric]

    def collect(self, remarks: Iterable[Remark]) -> dict[str, Any]:
        """Return words, evidence and lines in an order that does not tell who wrote what."""
        remarks = list(remarks)
        pieces = [piece for remark in remarks for piece in remark.evidence]
        return {
            "words": unique(sorted(remark.text for remark in remarks)),
            "evidence": unique(sorted(self.describe(piece) for piece in pieces)),
            "lines": self.find_lines(pieces),
        }

    def describe(self, piece: EvidenceSummary) -> str:
        fact = self.facts.get(piece.ref) if piece.kind == "fact" else None
        return piece.text or (fact.sentence if fact else "")

    def find_lines(self, pieces: Iterable[EvidenceSummary]) -> tuple[PlanLine, ...]:
        """Return the lines of the plan that the evidence points to."""
        refs = [ref for piece in pieces for ref in self.list_refs(piece)]
        found = [line for line in self.lines if any(points_to(ref, line.pointer) for ref in refs)]
        return tuple(found[:MOST_LINES])

    @property
    def stops(self) -> tuple[PlanLine, ...]:
        stops = [line for line in self.lines if line.pointer.startswith("/plan/days/")]
        return tuple(stops[:MOST_LINES])

    def list_refs(self, piece: EvidenceSummary) -> Iterator[str]:
        if piece.kind != "fact":
            yield piece.ref
        elif fact := self.facts.get(piece.ref):
            yield from fact.refs


def unique(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))
