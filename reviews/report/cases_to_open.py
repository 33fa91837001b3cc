"""Chooses three cases to open, each with what makes it worth opening."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from cases.rubric import Document
from reviews.adjudication.queries import UNSETTLED
from reviews.models.reviews import FlagKind, FlagOutcome
from reviews.report.summary import Summary
from reviews.report.verdict import Verdict, Word

from .links import CaseLink, Links

MOST = 3


class Candidate(NamedTuple):
    """`rank` sorts by gravity, then by badness. `what` is the kind of reason, for the template:
    confirmed, flagged, low, waiting, fell, refused or lowest. `name` is a flag, metric or question;
    `words` quote a reviewer."""

    rank: tuple[float, float, str]
    case_key: str
    what: str
    name: str
    before: Any = None
    after: Any = None
    words: str = ""


def choose_cases(
    summary: Summary, verdict: Verdict, document: Document, links: Links
) -> list[tuple[CaseLink, Candidate]]:
    chosen: dict[str, Candidate] = {}
    found = list_candidates(summary, verdict, document)
    for candidate in sorted(found, key=lambda candidate: candidate.rank):
        chosen.setdefault(candidate.case_key, candidate)
    return [
        (links.case(key), candidate._replace(words=candidate.words or quote_critic(summary, key)))
        for key, candidate in list(chosen.items())[:MOST]
    ]


def list_candidates(summary: Summary, verdict: Verdict, document: Document) -> Iterator[Candidate]:
    yield from find_flagged(summary)
    yield from find_escaped(summary, verdict, document)
    yield from find_waiting(summary, document)
    yield from find_fallen(summary, verdict, document)
    yield from find_lowest(summary, document)


def find_flagged(summary: Summary) -> Iterator[Candidate]:
    ranks = {FlagOutcome.CONFIRMED: (0, "confirmed"), FlagOutcome.OPEN: (3, "flagged")}
    for flag in summary.flags:
        if flag.outcome != FlagOutcome.REJECTED:
            rank, what = ranks[FlagOutcome(flag.outcome)]
            name = str(FlagKind(flag.flag).label)
            yield Candidate((rank, 0, flag.case_key), flag.case_key, what, name, words=flag.reason)


def find_escaped(summary: Summary, verdict: Verdict, document: Document) -> Iterator[Candidate]:
    """Yield low scores, those that forbid a GO first, and majorities of "no"."""
    forbidding = {
        key
        for criterion in verdict.criteria
        if criterion.name == "lowest-levels"
        for key in criterion.cases
    }
    metrics = {metric.key: metric.name for metric in document.metrics}
    for escape in summary.escapes:
        for case in escape.cases:
            key = case.case_key
            if case.answers is not None:
                name, no = document.question(escape.subject).text, case.answers.no
                yield Candidate(
                    (6, -no, key), key, "refused", name, no, sum(case.answers), case.reason
                )
            else:
                low = case.standing or 0.0
                rank = (1 if key in forbidding else 4, low, key)
                yield Candidate(
                    rank, key, "low", metrics[escape.subject], after=low, words=case.reason
                )


def find_waiting(summary: Summary, document: Document) -> Iterator[Candidate]:
    for disagreement in summary.disagreements:
        if disagreement.state in UNSETTLED:
            key = disagreement.case_key
            listed = [metric for metric in document.metrics if metric.key in disagreement.ranges]
            spans = [(metric.name, *disagreement.ranges[metric.key]) for metric in listed]
            name, low, high = max(spans, key=lambda span: span[2] - span[1])
            yield Candidate((3, low - high, key), key, "waiting", name, low, high)


def find_fallen(summary: Summary, verdict: Verdict, document: Document) -> Iterator[Candidate]:
    """Yield cases that fell by a point or more; they rank first if the drop decided."""
    found = summary.comparison
    if found is None:
        return
    decided = verdict.word == Word.NO_GO and any(
        criterion.name.startswith("no-regression:") for criterion in verdict.because
    )
    names = [document.metric(metric.metric).name for metric in found.metrics]
    for case in found.cases:
        if case.change <= -1:
            moves = zip(names, case.before, case.after, strict=True)
            name, before, after = min(moves, key=lambda move: move[2] - move[1])
            yield Candidate(
                (0.5 if decided else 5.0, case.change, case.case_key),
                case.case_key,
                "fell",
                name,
                before,
                after,
            )


def find_lowest(summary: Summary, document: Document) -> Iterator[Candidate]:
    """Yield the lowest scores, for a release without anything more serious."""
    names = [document.metric(metric.metric).name for metric in summary.metrics]
    for case in summary.counted:
        scores = zip((score.standing for score in case.scores), names, strict=True)
        lowest, name = min(scores)
        yield Candidate((7, lowest, case.case_key), case.case_key, "lowest", name, after=lowest)


def quote_critic(summary: Summary, case_key: str) -> str:
    """Quote the most critical reviewer of a case."""
    remarks = [
        remark for remark in summary.remarks if remark.case_key == case_key and remark.text.strip()
    ]
    scored = [remark for remark in remarks if remark.value is not None]
    if scored:
        return min(scored, key=lambda remark: remark.value or 0).text.strip()
    return remarks[0].text.strip() if remarks else ""
