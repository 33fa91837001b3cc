"""Reads the regressions of a closed release: its cases with findings, with words and evidence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping

from cases.models import Case, Release
from reviews.errors import require_closed
from reviews.escapes.findings import Finding, list_findings
from reviews.models.escapes import About
from reviews.report import summary
from reviews.report.sentences import Names, own_names
from reviews.report.summary import Summary
from reviews.report.summary.document import Remark
from reviews.report.summary.rows import read_remarks

from .parts import FailedPart, Regression, Words

CASES_AT_ONCE = 50


class Findings:
    """The findings of a release by case, in the order of the case keys."""

    def __init__(self, release: Release, names: Names | None = None) -> None:
        require_closed(release)
        self.release = release
        self.summary = summary.load(release)
        self.names = own_names(self.summary) if names is None else names
        self.by_case = defaultdict[str, list[Finding]](list)
        for finding in list_findings(self.summary):
            self.by_case[finding.case_key].append(finding)
        self.case_keys = sorted(self.by_case)

    def load(self, case_keys: Collection[str]) -> list[Regression]:
        """Load the regressions of those of these cases that have findings, with two queries."""
        case_keys = self.by_case.keys() & set(case_keys)
        rows = Case.objects.of(self.release).filter(case_key__in=case_keys)
        cases = {case.case_key: case for case in rows}
        keys = {case.pk: case.case_key for case in cases.values()}
        remarks = defaultdict[str, list[Remark]](list)
        for remark in read_remarks(self.release, keys, is_large=True):
            remarks[remark.case_key].append(remark)
        return [self.build(cases[key], remarks[key]) for key in sorted(case_keys) if key in cases]

    def load_all(self) -> Iterator[Regression]:
        """Load everything in portions, so that memory does not grow with the release."""
        for start in range(0, len(self.case_keys), CASES_AT_ONCE):
            yield from self.load(self.case_keys[start : start + CASES_AT_ONCE])

    def build(self, case: Case, remarks: list[Remark]) -> Regression:
        words = Words(case.itinerary, remarks)
        return Regression(
            release=self.release.name,
            product=self.release.product,
            case_key=case.case_key,
            code=case.code,
            digest=case.digest,
            data=case.content,
            parts=tuple(
                build_part(self.summary, finding, words, self.names)
                for finding in sort_findings(self.by_case[case.case_key], self.summary)
            ),
            stops=words.stops,
        )


def sort_findings(findings: Iterable[Finding], found: Summary) -> list[Finding]:
    """Sort findings: flags first, then each metric before its questions, as in the rubric."""
    order: Mapping[str, tuple[int, int]] = {
        **{metric.metric: (place, -1) for place, metric in enumerate(found.metrics)},
        **{
            question.item: (place, number)
            for place, metric in enumerate(found.metrics)
            for number, question in enumerate(found.checklist)
            if question.metric == metric.metric
        },
    }
    return sorted(findings, key=lambda finding: order.get(finding.subject.key, (-1, 0)))


def build_part(found: Summary, finding: Finding, words: Words, names: Names) -> FailedPart:
    about, key = finding.subject.about, finding.subject.key
    case = next((case for case in found.sample if case.case_key == finding.case_key), None)
    if about == About.FLAG or case is None:
        reasons = [
            flag.reason
            for flag in found.flags
            if (flag.case_key, flag.flag, flag.outcome) == (finding.case_key, key, "confirmed")
        ]
        return FailedPart(about, key, key, words=tuple(dict.fromkeys(reasons)))
    if about == About.METRIC:
        place = [metric.metric for metric in found.metrics].index(key)
        floor = found.metrics[place].levels[0] + 1
        return FailedPart(
            about,
            key,
            names.get(key, key),
            standing=case.scores[place].standing,
            floor=floor,
            **words.collect(words.on_score(key, floor)),
        )
    place = [question.item for question in found.checklist].index(key)
    return FailedPart(
        about,
        key,
        names.get(key, key),
        no=case.answers[place].no,
        **words.collect(words.on_no(key, found.checklist[place].metric)),
    )
