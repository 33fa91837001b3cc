"""Chooses three cases to open, each with one reason."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext

from cases.rubric import Document
from reviews.adjudication.queries import UNSETTLED
from reviews.models.reviews import FlagKind, FlagOutcome
from reviews.report.summary import Summary
from reviews.report.summary.figures import CaseChange
from reviews.report.verdict import Verdict, Word

from . import numbers
from .links import CaseLink, Links

MOST = 3


@dataclass(frozen=True)
class ToOpen:
    """`words` quotes a reviewer, if one wrote anything."""

    case: CaseLink
    reason: str
    words: str
    is_beside_old: bool


@dataclass(frozen=True)
class Candidate:
    """`rank` sorts by gravity of the reason, then by badness."""

    rank: tuple[float, float, str]
    case_key: str
    reason: str
    words: str = ""
    is_change: bool = False


def choose_cases(
    summary: Summary, verdict: Verdict, document: Document, links: Links
) -> list[ToOpen]:
    chosen: dict[str, Candidate] = {}
    for candidate in sorted(
        list_candidates(summary, verdict, document), key=lambda candidate: candidate.rank
    ):
        chosen.setdefault(candidate.case_key, candidate)
    return [
        ToOpen(
            links.case(criterion.case_key),
            criterion.reason,
            quote_critic(summary, criterion.case_key) if criterion.is_change else criterion.words,
            criterion.is_change,
        )
        for criterion in list(chosen.values())[:MOST]
    ]


def list_candidates(summary: Summary, verdict: Verdict, document: Document) -> Iterator[Candidate]:
    yield from find_flagged(summary)
    yield from find_low_scores(summary, verdict, document)
    yield from find_waiting(summary, document)
    yield from find_fallen(summary, verdict, document)
    yield from find_refused(summary, document)
    yield from find_lowest(summary, document)


def find_flagged(summary: Summary) -> Iterator[Candidate]:
    for flag in summary.flags:
        if flag.outcome == FlagOutcome.REJECTED:
            continue
        is_open = flag.outcome == FlagOutcome.OPEN
        template = gettext("flagged and not judged: %(flag)s")
        if not is_open:
            template = gettext("confirmed: %(flag)s")
        reason = template % {"flag": FlagKind(flag.flag).label}
        yield Candidate((3 if is_open else 0, 0, flag.case_key), flag.case_key, reason, flag.reason)


def find_low_scores(summary: Summary, verdict: Verdict, document: Document) -> Iterator[Candidate]:
    """Yield low standing scores; those that forbid a GO rank first."""
    forbidding = {
        key
        for criterion in verdict.criteria
        if criterion.name == "lowest-levels"
        for key in criterion.cases
    }
    metrics = {metric_summary.metric: metric_summary for metric_summary in summary.metrics}
    for escape in summary.escapes:
        metric = metrics.get(escape.subject)
        if metric is None:
            continue
        for case in escape.cases:
            standing = case.standing or 0.0
            reason = gettext("%(metric)s %(score)s") % {
                "metric": document.metric(metric.metric).name,
                "score": numbers.format_points(standing),
            }
            rank = (1.0 if case.case_key in forbidding else 4.0, standing, case.case_key)
            yield Candidate(rank, case.case_key, reason, case.reason)


def find_waiting(summary: Summary, document: Document) -> Iterator[Candidate]:
    for disagreement in summary.disagreements:
        if disagreement.state not in UNSETTLED:
            continue
        listed = [metric for metric in document.metrics if metric.key in disagreement.ranges]
        spans = [(metric.name, *disagreement.ranges[metric.key]) for metric in listed]
        name, low, high = max(spans, key=lambda span: span[2] - span[1])
        reason = gettext("waits for adjudication: %(metric)s %(low)d against %(high)d") % {
            "metric": name,
            "low": low,
            "high": high,
        }
        yield Candidate((3, low - high, disagreement.case_key), disagreement.case_key, reason)


def find_fallen(summary: Summary, verdict: Verdict, document: Document) -> Iterator[Candidate]:
    """Yield cases that fell by a point or more; they rank first if the drop decided."""
    found = summary.comparison
    if found is None:
        return
    decided = verdict.word == Word.NO_GO and any(
        criterion.name.startswith("no-regression:") for criterion in verdict.because
    )
    metrics = [document.metric(metric.metric).name for metric in found.metrics]
    for case in found.cases:
        if case.change > -1:
            continue
        name, old, new = find_largest_fall(case, metrics)
        reason = gettext("%(metric)s fell from %(before)s to %(after)s") % {
            "metric": name,
            "before": numbers.format_points(old),
            "after": numbers.format_points(new),
        }
        rank = (0.5 if decided else 5.0, case.change, case.case_key)
        yield Candidate(rank, case.case_key, reason, is_change=True)


def find_largest_fall(change: CaseChange, names: list[str]) -> tuple[str, float, float]:
    moves = zip(names, change.before, change.after, strict=True)
    return min(moves, key=lambda move: move[2] - move[1])


def find_refused(summary: Summary, document: Document) -> Iterator[Candidate]:
    """Yield cases with a majority of no on a question."""
    questions = {question.item for question in summary.checklist}
    for escape in summary.escapes:
        if escape.subject not in questions:
            continue
        for case in escape.cases:
            assert case.answers
            reason = gettext("%(count)d of %(all)d answered no: %(question)s") % {
                "count": case.answers.no,
                "all": sum(case.answers),
                "question": document.question(escape.subject).text,
            }
            yield Candidate(
                (6, -case.answers.no, case.case_key), case.case_key, reason, case.reason
            )


def find_lowest(summary: Summary, document: Document) -> Iterator[Candidate]:
    """Yield the lowest scores, for a release without anything more serious."""
    for case in summary.counted:
        scores = [
            (score.standing, document.metric(metric.metric).name)
            for score, metric in zip(case.scores, summary.metrics, strict=True)
        ]
        standing, name = min(scores)
        reason = gettext("among the lowest: %(metric)s %(score)s") % {
            "metric": name,
            "score": numbers.format_points(standing),
        }
        yield Candidate((7, standing, case.case_key), case.case_key, reason)


def quote_critic(summary: Summary, case_key: str) -> str:
    """Quote the most critical reviewer of a case."""
    remarks = [
        remark for remark in summary.remarks if remark.case_key == case_key and remark.text.strip()
    ]
    scored = [remark for remark in remarks if remark.value is not None]
    if scored:
        return min(scored, key=lambda remark: remark.value or 0).text.strip()
    return remarks[0].text.strip() if remarks else ""
