"""Three cases to open, each with one reason."""

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
    """`words` are a reviewer's own, perhaps none."""

    case: CaseLink
    reason: str
    words: str
    is_beside_old: bool


@dataclass(frozen=True)
class Candidate:
    """`rank`: the gravest first, then the worst of its kind."""

    rank: tuple[float, float, str]
    case_key: str
    reason: str
    words: str = ""
    is_change: bool = False


def cases_to_open(
    summary: Summary, verdict: Verdict, document: Document, links: Links
) -> list[ToOpen]:
    chosen: dict[str, Candidate] = {}
    for one in sorted(candidates(summary, verdict, document), key=lambda one: one.rank):
        chosen.setdefault(one.case_key, one)
    return [
        ToOpen(
            links.case(one.case_key),
            one.reason,
            words_on(summary, one.case_key) if one.is_change else one.words,
            one.is_change,
        )
        for one in list(chosen.values())[:MOST]
    ]


def candidates(summary: Summary, verdict: Verdict, document: Document) -> Iterator[Candidate]:
    yield from flagged(summary)
    yield from low_scores(summary, verdict, document)
    yield from waiting(summary, document)
    yield from fallen(summary, verdict, document)
    yield from refused(summary, document)
    yield from lowest(summary, document)


def flagged(summary: Summary) -> Iterator[Candidate]:
    for one in summary.flags:
        if one.outcome == FlagOutcome.REJECTED:
            continue
        is_open = one.outcome == FlagOutcome.OPEN
        template = gettext("flagged and not judged: %(flag)s")
        if not is_open:
            template = gettext("confirmed: %(flag)s")
        reason = template % {"flag": FlagKind(one.flag).label}
        yield Candidate((3 if is_open else 0, 0, one.case_key), one.case_key, reason, one.reason)


def low_scores(summary: Summary, verdict: Verdict, document: Document) -> Iterator[Candidate]:
    """Standing scores that got through although they are low; first those that forbid a GO."""
    forbidding = {
        key for one in verdict.criteria if one.name == "lowest-levels" for key in one.cases
    }
    metrics = {one.metric: one for one in summary.metrics}
    for escape in summary.escapes:
        metric = metrics.get(escape.subject)
        if metric is None:
            continue
        for one in escape.cases:
            standing = one.standing or 0.0
            reason = gettext("%(metric)s %(score)s") % {
                "metric": document.metric(metric.metric).name,
                "score": numbers.format_points(standing),
            }
            rank = (1.0 if one.case_key in forbidding else 4.0, standing, one.case_key)
            yield Candidate(rank, one.case_key, reason, one.reason)


def waiting(summary: Summary, document: Document) -> Iterator[Candidate]:
    for one in summary.disagreements:
        if one.state not in UNSETTLED:
            continue
        listed = [metric for metric in document.metrics if metric.key in one.ranges]
        spans = [(metric.name, *one.ranges[metric.key]) for metric in listed]
        name, low, high = max(spans, key=lambda each: each[2] - each[1])
        reason = gettext("waits for adjudication: %(metric)s %(low)d against %(high)d") % {
            "metric": name,
            "low": low,
            "high": high,
        }
        yield Candidate((3, low - high, one.case_key), one.case_key, reason)


def fallen(summary: Summary, verdict: Verdict, document: Document) -> Iterator[Candidate]:
    """By a point or more; first of all where the drop decided."""
    found = summary.comparison
    if found is None:
        return
    decided = verdict.word == Word.NO_GO and any(
        one.name.startswith("no-regression:") for one in verdict.because
    )
    metrics = [document.metric(one.metric).name for one in found.metrics]
    for one in found.cases:
        if one.change > -1:
            continue
        name, old, new = largest_fall(one, metrics)
        reason = gettext("%(metric)s fell from %(before)s to %(after)s") % {
            "metric": name,
            "before": numbers.format_points(old),
            "after": numbers.format_points(new),
        }
        rank = (0.5 if decided else 5.0, one.change, one.case_key)
        yield Candidate(rank, one.case_key, reason, is_change=True)


def largest_fall(one: CaseChange, names: list[str]) -> tuple[str, float, float]:
    moves = zip(names, one.before, one.after, strict=True)
    return min(moves, key=lambda move: move[2] - move[1])


def refused(summary: Summary, document: Document) -> Iterator[Candidate]:
    """A majority of no on a question."""
    questions = {one.item for one in summary.checklist}
    for escape in summary.escapes:
        if escape.subject not in questions:
            continue
        for one in escape.cases:
            assert one.answers
            reason = gettext("%(count)d of %(all)d say no: %(question)s") % {
                "count": one.answers.no,
                "all": sum(one.answers),
                "question": document.question(escape.subject).text,
            }
            yield Candidate((6, -one.answers.no, one.case_key), one.case_key, reason, one.reason)


def lowest(summary: Summary, document: Document) -> Iterator[Candidate]:
    """Where nothing stands out, the lowest scores: they are the ones to look at."""
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


def words_on(summary: Summary, case_key: str) -> str:
    """What the most critical reviewer of a case wrote."""
    said = [one for one in summary.remarks if one.case_key == case_key and one.text.strip()]
    scored = [one for one in said if one.value is not None]
    if scored:
        return min(scored, key=lambda one: one.value or 0).text.strip()
    return said[0].text.strip() if said else ""
