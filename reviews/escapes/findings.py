"""Which findings of a report are escapes."""

import hashlib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from reviews.models.escapes import WORDING_LENGTH, About
from reviews.models.reviews import FlagOutcome
from reviews.report.summary import Summary
from reviews.report.summary.figures import Answers, CaseScore


class Subject(NamedTuple):
    """What a finding is about. `wording` is a digest of the text; a flag has none."""

    about: str
    key: str
    wording: str


class Finding(NamedTuple):
    subject: Subject
    case_key: str
    is_counted: bool


def list_findings(summary: Summary) -> list[Finding]:
    """List every finding against a case that was read, in the order of their digest."""
    found = {
        (finding.subject, finding.case_key): finding
        for finding in [*find_in_flags(summary), *find_in_reviews(summary)]
    }
    return [found[place] for place in sorted(found)]


def find_in_reviews(summary: Summary) -> Iterator[Finding]:
    """Find what failed in the cases whose reviews are in, also those outside the plan."""
    metrics = [
        (name_subject(About.METRIC, metric.metric, metric.name), metric.levels[0])
        for metric in summary.metrics
    ]
    questions = [
        name_subject(About.QUESTION, question.item, question.text) for question in summary.checklist
    ]
    for case in summary.sample:
        for (subject, lowest), score in zip(metrics, case.scores, strict=False):
            if is_low(score, lowest):
                yield Finding(subject, case.case_key, case.is_counted)
        for subject, answers in zip(questions, case.answers, strict=False):
            if is_refused(answers):
                yield Finding(subject, case.case_key, case.is_counted)


def find_in_flags(summary: Summary) -> Iterator[Finding]:
    counted = {case.case_key for case in summary.counted}
    for flag in summary.flags:
        if flag.outcome == FlagOutcome.CONFIRMED:
            subject = Subject(About.FLAG, flag.flag, "")
            yield Finding(subject, flag.case_key, flag.case_key in counted)


def is_low(score: CaseScore, lowest: int) -> bool:
    """Return whether the standing score is at the two lowest levels of the scale."""
    return score.standing <= lowest + 1


def is_refused(answers: Answers) -> bool:
    """Return whether all its readers answered no."""
    return answers.no > 0 and answers.no == sum(answers)


def name_subject(about: About, key: str, text: str) -> Subject:
    words = " ".join(text.split())
    return Subject(str(about), key, hashlib.sha256(words.encode()).hexdigest()[:WORDING_LENGTH])


def digest_findings(findings: Iterable[Finding]) -> str:
    """Return a digest of the findings of a closing, for its event in the ledger of the product."""
    lines = [[*finding.subject, finding.case_key, finding.is_counted] for finding in findings]
    return hashlib.sha256(msgspec.json.encode(sorted(lines))).hexdigest()
