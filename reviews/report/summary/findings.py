"""Findings that passed the checks, disagreements and split answers, with reviewers' words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from cases.rubric import Document, Metric
from reviews.adjudication.disagreements import Disagreement, differ
from reviews.adjudication.queries import State, find_disagreement_state
from reviews.models import Adjudication, Waiver

from .document import AdjudicationSummary, DisagreementSummary, Remark, SplitSummary
from .figures import CaseSummary, Escape, EscapedCase, find_span

# A standing score of at most this is a finding, whatever the scale.
ESCAPED = 2

ReviewVersions = tuple[tuple[str, int], ...]
Counts = Mapping[str, tuple[int, ...]]
Badness = Callable[[EscapedCase], float]


# --- Disagreements --------------------------------------------------------------------------------


def list_disagreements(
    document: Document,
    counts: Mapping[str, Counts],
    reviews: Mapping[str, ReviewVersions],
    adjudications: Mapping[str, Adjudication],
    waiver: Waiver | None,
) -> tuple[DisagreementSummary, ...]:
    """List the disagreements of the counted cases, by key.

    `counts`: how often each level was given, by case and metric.
    """
    found = []
    metrics = sorted(document.metrics, key=lambda metric: metric.key)
    for case_key in sorted(counts):
        one = find_disagreement(metrics, case_key, counts[case_key], reviews[case_key])
        if one:
            ruling = find_disagreement_state(one, adjudications.get(case_key), waiver)
            found.append(
                DisagreementSummary(
                    case_key=case_key,
                    ranges=dict(zip(one.metrics, one.ranges, strict=True)),
                    state=str(ruling.state),
                    adjudication=summarise_adjudication(ruling.adjudication),
                )
            )
    return tuple(found)


def find_disagreement(
    metrics: Sequence[Metric], case_key: str, counts: Counts, reviews: ReviewVersions
) -> Disagreement | None:
    ranges = {
        metric.key: span
        for metric in metrics
        if differ(*(span := find_span(counts[metric.key], metric.low)), metric)
    }
    if not ranges:
        return None
    return Disagreement(case_key, tuple(ranges), reviews, tuple(ranges.values()))


def summarise_adjudication(adjudication: Adjudication | None) -> AdjudicationSummary | None:
    if adjudication is None:
        return None
    return AdjudicationSummary(
        dict(sorted(adjudication.agreed.items())),
        adjudication.cause,
        adjudication.note,
        adjudication.by,
        tuple(adjudication.together),
    )


def collect_agreed_scores(
    disagreements: Iterable[DisagreementSummary],
) -> dict[str, dict[str, int]]:
    """Return the agreed scores by case and metric, where an adjudication is in force."""
    return {
        disagreement.case_key: disagreement.adjudication.agreed
        for disagreement in disagreements
        if disagreement.adjudication and disagreement.state == State.SETTLED
    }


def list_splits(document: Document, cases: Sequence[CaseSummary]) -> tuple[SplitSummary, ...]:
    """List the questions with different answers in a case, most cases first. They never block."""
    found = [
        SplitSummary(
            question.key,
            tuple(
                sorted(
                    case.case_key for case in cases if sum(n > 0 for n in case.answers[place]) > 1
                )
            ),
        )
        for place, question in enumerate(document.questions)
    ]
    return tuple(
        sorted((split for split in found if split.cases), key=lambda split: -len(split.cases))
    )


# --- Escapes --------------------------------------------------------------------------------------


def list_escapes(
    document: Document, cases: Sequence[CaseSummary], remarks: Iterable[Remark]
) -> tuple[Escape, ...]:
    """List the findings in the rubric's order, each metric before its questions."""
    words = RemarksByPlace(remarks)
    found, item = [], 0
    for place, metric in enumerate(document.metrics):
        low = [
            EscapedCase(
                case.case_key,
                case.scores[place].standing,
                None,
                words.quote_on_score(case.case_key, metric.key),
            )
            for case in cases
            if case.scores[place].standing <= ESCAPED
        ]
        found.append(
            Escape(
                metric.key, metric.name, sort_cases(low, lambda escaped: escaped.standing or 0.0)
            )
        )
        for question in metric.checklist:
            refused = [
                EscapedCase(
                    case.case_key,
                    None,
                    case.answers[item],
                    words.quote_on_no(case.case_key, question.key, metric.key),
                )
                for case in cases
                if case.answers[item].majority == "no"
            ]
            item += 1
            found.append(
                Escape(
                    question.key,
                    question.text,
                    sort_cases(
                        refused, lambda escaped: -escaped.answers.no if escaped.answers else 0
                    ),
                )
            )
    return tuple(escape for escape in found if escape.cases)


def sort_cases(cases: list[EscapedCase], badness: Badness) -> tuple[EscapedCase, ...]:
    return tuple(sorted(cases, key=lambda case: (badness(case), case.case_key)))


class RemarksByPlace:
    """Remarks by case and subject, to find the words that explain a finding."""

    def __init__(self, remarks: Iterable[Remark]) -> None:
        self.by_place = defaultdict[tuple[str, str], list[Remark]](list)
        for remark in remarks:
            self.by_place[remark.case_key, remark.subject].append(remark)

    def quote_on_score(self, case_key: str, metric: str) -> str:
        """Quote the reviewer who gave the lowest score."""
        found = self.by_place[case_key, metric]
        return quote_first(sorted(found, key=lambda remark: (remark.value or 0, remark.reviewer)))

    def quote_on_no(self, case_key: str, item: str, metric: str) -> str:
        """Quote a reviewer who answered no, else the remark on the score."""
        found = [remark for remark in self.by_place[case_key, item] if remark.answer == "no"]
        return quote_first(found) or self.quote_on_score(case_key, metric)


def quote_first(remarks: Iterable[Remark]) -> str:
    for remark in remarks:
        for text in (remark.text, *(piece.text for piece in remark.evidence)):
            if text.strip():
                return text.strip()
    return ""


# --- The worst of them ----------------------------------------------------------------------------


class Finding(NamedTuple):
    """A case, the metric or question that failed in it (key and text), and why."""

    case_key: str
    subject: str
    text: str
    standing: float | None
    reason: str


def find_worst(escapes: Iterable[Escape], most: int) -> list[Finding]:
    """Return the worst findings: low scores first, then questions by the number of "no"."""
    found = [
        (
            case.standing is None,
            case.standing
            if case.standing is not None
            else -(case.answers.no if case.answers else 0),
            place,
            Finding(case.case_key, escape.subject, escape.text, case.standing, case.reason),
        )
        for place, escape in enumerate(escapes)
        for case in escape.cases
    ]
    return [ranked[-1] for ranked in sorted(found)[:most]]
