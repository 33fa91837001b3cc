"""What got through, what reviewers differ on, and in whose words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from cases.rubric import Document, Metric
from reviews.adjudication.disagreements import Disagreement, differ
from reviews.adjudication.queries import State, find_standing
from reviews.models import Adjudication, Waiver

from .document import AdjudicationSummary, DisagreementSummary, Remark, SplitSummary
from .figures import CaseSummary, Escape, EscapedCase, find_span

# A standing score of at most this is a finding, whatever the scale.
ESCAPED = 2

Said = tuple[tuple[str, int], ...]
Counts = Mapping[str, tuple[int, ...]]
Badness = Callable[[EscapedCase], float]


# --- Disagreements --------------------------------------------------------------------------------


def list_disagreements(
    document: Document,
    counts: Mapping[str, Counts],
    said: Mapping[str, Said],
    adjudications: Mapping[str, Adjudication],
    waiver: Waiver | None,
) -> tuple[DisagreementSummary, ...]:
    """Of the counted cases, by key. `counts`: case -> metric -> how often each level was given."""
    found = []
    metrics = sorted(document.metrics, key=lambda metric: metric.key)
    for case_key in sorted(counts):
        one = disagreement_on(metrics, case_key, counts[case_key], said[case_key])
        if one:
            standing = find_standing(one, adjudications.get(case_key), waiver)
            found.append(
                DisagreementSummary(
                    case_key=case_key,
                    ranges=dict(zip(one.metrics, one.ranges, strict=True)),
                    state=str(standing.state),
                    adjudication=told(standing.adjudication),
                )
            )
    return tuple(found)


def disagreement_on(
    metrics: Sequence[Metric], case_key: str, counts: Counts, said: Said
) -> Disagreement | None:
    ranges = {
        metric.key: span
        for metric in metrics
        if differ(*(span := find_span(counts[metric.key], metric.low)), metric)
    }
    if not ranges:
        return None
    return Disagreement(case_key, tuple(ranges), said, tuple(ranges.values()))


def told(adjudication: Adjudication | None) -> AdjudicationSummary | None:
    if adjudication is None:
        return None
    return AdjudicationSummary(
        dict(sorted(adjudication.agreed.items())),
        adjudication.cause,
        adjudication.note,
        adjudication.by,
    )


def agreed_in(disagreements: Iterable[DisagreementSummary]) -> dict[str, dict[str, int]]:
    """Case -> metric -> the agreed score, where an adjudication stands."""
    return {
        disagreement.case_key: disagreement.adjudication.agreed
        for disagreement in disagreements
        if disagreement.adjudication and disagreement.state == State.SETTLED
    }


def list_splits(document: Document, cases: Sequence[CaseSummary]) -> tuple[SplitSummary, ...]:
    """Questions that were answered differently in a case, most often first. They never block."""
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
    """In the rubric's order, each metric before its questions; the worst case of each first."""
    words = RemarksByPlace(remarks)
    found, item = [], 0
    for place, metric in enumerate(document.metrics):
        low = [
            EscapedCase(
                case.case_key,
                case.scores[place].standing,
                None,
                words.on_a_score(case.case_key, metric.key),
            )
            for case in cases
            if case.scores[place].standing <= ESCAPED
        ]
        found.append(
            Escape(metric.key, metric.name, ordered(low, lambda escaped: escaped.standing or 0.0))
        )
        for question in metric.checklist:
            refused = [
                EscapedCase(
                    case.case_key,
                    None,
                    case.answers[item],
                    words.on_a_no(case.case_key, question.key, metric.key),
                )
                for case in cases
                if case.answers[item].majority == "no"
            ]
            item += 1
            found.append(
                Escape(
                    question.key,
                    question.text,
                    ordered(refused, lambda escaped: -escaped.answers.no if escaped.answers else 0),
                )
            )
    return tuple(escape for escape in found if escape.cases)


def ordered(cases: list[EscapedCase], badness: Badness) -> tuple[EscapedCase, ...]:
    return tuple(sorted(cases, key=lambda case: (badness(case), case.case_key)))


class RemarksByPlace:
    """What reviewers wrote, to find the words that explain a finding."""

    def __init__(self, remarks: Iterable[Remark]) -> None:
        self.by_place = defaultdict[tuple[str, str], list[Remark]](list)
        for remark in remarks:
            self.by_place[remark.case_key, remark.subject].append(remark)

    def on_a_score(self, case_key: str, metric: str) -> str:
        """Of whoever gave the lowest score."""
        found = self.by_place[case_key, metric]
        return first_words(sorted(found, key=lambda remark: (remark.value or 0, remark.reviewer)))

    def on_a_no(self, case_key: str, item: str, metric: str) -> str:
        """Of somebody who said no, else of the score."""
        found = [remark for remark in self.by_place[case_key, item] if remark.answer == "no"]
        return first_words(found) or self.on_a_score(case_key, metric)


def first_words(remarks: Iterable[Remark]) -> str:
    for remark in remarks:
        for text in (remark.text, *(piece.text for piece in remark.evidence)):
            if text.strip():
                return text.strip()
    return ""


# --- The worst of them ----------------------------------------------------------------------------


class Finding(NamedTuple):
    """A case, what failed in it (a metric or a question, by key and in words), and why."""

    case_key: str
    subject: str
    text: str
    standing: float | None
    reason: str


def worst(escapes: Iterable[Escape], most: int) -> list[Finding]:
    """Low scores first, the lowest before the others; then questions that most answered "no"."""
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
