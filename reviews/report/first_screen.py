"""The first screen of the report, which a manager reads in half a minute: figures and choices.

The words are in `templates/reviews/report/_first_screen.html`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from cases.models import Event
from cases.rubric import Document
from reviews.agreement import Reason
from reviews.models.samples import Cause
from reviews.releases.history import describe_event
from reviews.report import charts
from reviews.report.charts import Chart, Span
from reviews.report.summary import Summary
from reviews.report.summary.figures import MetricComparison, MetricSummary
from reviews.report.verdict import Criterion, Verdict, Word
from reviews.report.verdict.sides import is_by_side
from reviews.sample.replay import EXTENDED
from reviews.sample.rule import describe_rule

from . import numbers
from .cases_to_open import choose_cases
from .links import CaseLink, Links

# The first screen has room for so many.
MOST_DECIDED = 3
MOST_CHANGES = 2
# The criteria that the cards show.
FLOOR, DROP = "floor:", "no-regression:"
RULED_OUT = ("lowest-levels", "harmful-content")
OPEN_WORK = ("reviews", "adjudications", "flags")


class Card(NamedTuple):
    """A metric with the criterion of its floor, its change, and the criterion of that if it failed.
    Between looks it has neither a criterion nor a chart: they would tell the word."""

    metric: MetricSummary
    criterion: Criterion | None
    change: MetricComparison | None
    drop: Criterion | None
    chart: Chart | None

    @property
    def tone(self) -> str:
        if self.criterion is None:
            return ""
        if self.criterion.passed:
            return "good"
        return "bad" if self.criterion.leads_to == Word.NO_GO else "open"


class Exceptions(NamedTuple):
    """What was done by hand: waivers with their names, amendments as events, and cases."""

    waived: list[tuple[str, Any]]
    amended: list[tuple[str, Any]]
    withdrawn: list[tuple[CaseLink, Cause, Any]]
    outside: list[CaseLink]


def build_first_screen(
    summary: Summary, verdict: Verdict, document: Document, links: Links
) -> dict[str, Any]:
    cards = build_cards(summary, verdict, document)
    said = {card.drop.name for card in cards if card.drop}
    unsaid = [
        criterion
        for criterion in list_decided(verdict)
        if not is_said(criterion, verdict) and criterion.name not in said
    ]
    return {
        "cards": cards,
        "is_between": summary.plan is not None and not summary.plan.is_at_look,
        "decided": unsaid[:MOST_DECIDED],
        "more_decided": len(unsaid[MOST_DECIDED:]),
        "would_change": list_changes(verdict)[:MOST_CHANGES],
        "met": sum(bool(criterion.passed) for criterion in verdict.criteria),
        "minus_margin": -float(summary.policy["margin"]),
        "zero": 0.0,
        "to_open": choose_cases(summary, verdict, document, links),
        "exceptions": list_exceptions(summary, document, links),
    }


def build_cards(summary: Summary, verdict: Verdict, document: Document) -> list[Card]:
    criteria = {criterion.name: criterion for criterion in verdict.criteria}
    found = summary.comparison
    changes = {change.metric: change for change in found.metrics} if found else {}
    cards = []
    for metric in summary.metrics:
        criterion = criteria.get(FLOOR + metric.metric)
        chart = build_chart(metric, document) if criterion else None
        change, drop = changes.get(metric.metric), criteria.get(DROP + metric.metric)
        # A drop that pairs decide is no change of scores: it is listed with what decided.
        is_drop = bool(change and change.limits and drop and drop.passed is False)
        is_drop = is_drop and not is_by_side(summary)
        cards.append(Card(metric, criterion, change, drop if is_drop else None, chart))
    return cards


def build_chart(metric: MetricSummary, document: Document) -> Chart | None:
    if metric.mean.value is None:
        return None
    figure = numbers.format_points(metric.mean.value, beside=metric.floor)
    interval = numbers.format_interval(metric.mean, beside=metric.floor)
    label = f"{document.metric(metric.metric).name}: {figure} ({interval})"
    return charts.interval(
        Span(metric.mean.value, metric.mean.low, metric.mean.high, label),
        low=metric.levels[0],
        high=metric.levels[-1],
        floor=Span(metric.floor),
        label=label,
    )


# --- What decided ---------------------------------------------------------------------------------


def list_decided(verdict: Verdict) -> list[Criterion]:
    """List the criteria that did not pass, those that decided first; for a GO what it rules out."""
    if verdict.word == Word.GO:
        return [criterion for criterion in verdict.because if criterion.name in RULED_OUT]
    decided = [criterion for criterion in verdict.because if not criterion.passed]
    return [*decided, *(criterion for criterion in verdict.open if criterion not in decided)]


def is_said(criterion: Criterion, verdict: Verdict) -> bool:
    """Return whether the card of the metric or the sentence beside the word says it."""
    return criterion.name.startswith(FLOOR) or criterion.reason == verdict.sentence


def list_changes(verdict: Verdict) -> list[Reason]:
    """List what would change the criteria that decided, each once; open work says so itself."""
    found: list[Reason] = []
    for criterion in verdict.because:
        change = criterion.would_change
        if change and criterion.name not in OPEN_WORK and change not in found:
            found.append(change)
    return found


# --- What was done by hand ------------------------------------------------------------------------


def list_exceptions(summary: Summary, document: Document, links: Links) -> Exceptions | None:
    """List waivers, amendments, withdrawn cases and those outside the plan; None without any."""
    texts = {kind.key: kind.text for kind in document.sampling.kinds}
    found = Exceptions(
        waived=[(describe_rule(waiver.rule, texts), waiver) for waiver in summary.waivers],
        amended=list(list_amendments(summary)),
        withdrawn=[
            (links.case(withdrawn.case_key), Cause(withdrawn.cause), withdrawn)
            for withdrawn in summary.withdrawn
        ],
        outside=[links.case(case.case_key) for case in summary.outside],
    )
    return found if any(found) or len(summary.draws) > 1 else None


def list_amendments(summary: Summary) -> Iterator[tuple[str, Any]]:
    """Yield each change of the sample by hand since the last draw; a planned look is none."""
    for amendment in summary.amendments:
        if amendment.act != EXTENDED:
            yield describe_event(Event(kind=amendment.act, data=amendment.details)), amendment
