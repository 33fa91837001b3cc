"""The verdict document for pipelines: the verdict, the decision, and which of them counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.urls import reverse

from cases.models import Release
from reviews.models import Closing, Decision
from reviews.models.outcomes import DecisionMade, Word
from reviews.report import summary, verdict, would_help
from reviews.report.sentences import Names, own_names, translate_reason
from reviews.report.summary import Summary
from reviews.report.summary.findings import Finding, find_worst
from reviews.report.verdict import Criterion, Verdict
from reviews.report.verdict.acts import Act

MOST_FINDINGS = 10


@dataclass(frozen=True)
class Outcome:
    """The outcome of a release.

    `final` is the result that counts: the signed decision, else the verdict of a closed release.
    An open or abandoned release has neither: its result is NOT ENOUGH EVIDENCE.
    """

    release: Release
    summary: Summary
    verdict: Verdict
    closing: Closing | None
    decision: Decision | None
    acts: Sequence[Act] = ()

    @property
    def is_provisional(self) -> bool:
        return self.closing is None

    @property
    def final(self) -> Word:
        if self.decision:
            is_shipped = self.decision.decision == DecisionMade.SHIP
            return Word.GO if is_shipped else Word.NO_GO
        if self.closing is None or self.verdict.word is None:
            return Word.NOT_ENOUGH_EVIDENCE
        return self.verdict.word

    @property
    def findings(self) -> list[Finding]:
        return find_worst(self.summary.escapes, MOST_FINDINGS)


def load_outcome(release: Release) -> Outcome:
    """Load the outcome. It depends on scores: pages call `visibility.require_sight` first."""
    closing = release.closings.standing().defer("summary").first()
    decision = release.decisions.standing().first()
    if decision and closing:
        decision.closing = closing
    found = summary.load(release)
    is_abandoned = bool(closing and closing.is_abandoned)
    judged = verdict.decide(found, is_abandoned=is_abandoned)
    acts = would_help.load_acts(release, found, judged)
    return Outcome(release, found, judged, closing, decision, acts)


def build_document(
    outcome: Outcome, names: Names | None = None, site: str | None = None
) -> dict[str, Any]:
    """Build the verdict document of the API.

    `names` are the names of metrics and kinds in the reader's language; `site` is the address of
    this site, by default the one in the settings.
    """
    release, plan = outcome.release, outcome.summary.plan
    names = own_names(outcome.summary) if names is None else names
    site = settings.SITE_URL if site is None else site
    return {
        "release": release.name,
        "verdict": str(outcome.verdict.word) if outcome.verdict.word else None,
        "sentence": translate_reason(outcome.verdict.sentence, names),
        "decision": outcome.decision.decision if outcome.decision else None,
        "is_against_the_verdict": bool(outcome.decision and outcome.decision.is_against),
        "final": str(outcome.final),
        "status": release.status,
        "is_abandoned": bool(outcome.closing and outcome.closing.is_abandoned),
        "provisional": outcome.is_provisional,
        "submitted": outcome.summary.reviews_counted,
        "expected": outcome.summary.reviews_wanted,
        "due_date": release.due_date.isoformat() if release.due_date else None,
        "report_url": site + reverse("report", args=[release.name]),
        "digest": outcome.closing.digest if outcome.closing else None,
        "rules": outcome.summary.rules,
        "look": plan.look if plan else None,
        "looks": list(plan.sizes) if plan else [],
        "conditions": [
            {"code": condition.code, "text": translate_reason(condition, names)}
            for condition in outcome.verdict.conditions
        ],
        "would_help": would_help.build_document(outcome.acts),
        "criteria": [build_criterion(criterion, names) for criterion in outcome.verdict.criteria],
        "findings": build_findings(outcome, names, site),
    }


def build_criterion(criterion: Criterion, names: Names) -> dict[str, Any]:
    return {
        "name": criterion.name,
        "value": criterion.value,
        "limit": criterion.limit,
        "passed": criterion.passed,
        "reason": translate_reason(criterion.reason, names),
        "cases": list(criterion.cases),
        "leads_to": str(criterion.leads_to) if criterion.leads_to else None,
        "would_change": translate_reason(criterion.would_change, names)
        if criterion.would_change
        else None,
    }


def build_findings(outcome: Outcome, names: Names, site: str) -> list[dict[str, Any]]:
    """Build the worst findings, each with the address of its case."""
    findings = outcome.findings
    cases = outcome.release.cases.filter(case_key__in={finding.case_key for finding in findings})
    codes = dict(cases.values_list("case_key", "code")) if findings else {}
    return [
        {
            "case_key": finding.case_key,
            "subject": finding.subject,
            "text": names.get(finding.subject, finding.text),
            "standing": finding.standing,
            "reason": finding.reason,
            "case_url": site + reverse("case", args=[codes[finding.case_key]]),
        }
        for finding in findings
    ]
