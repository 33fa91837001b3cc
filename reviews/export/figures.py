"""Every figure of a summary as one table.

If a figure is undefined, its cell is empty and the column `reason` explains it; if it has no
interval, the column `caution` does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields

from reviews.agreement import Reason, Result
from reviews.comparison import Mean, Paired
from reviews.report.sentences import own_names, translate_reason
from reviews.report.summary import Summary
from reviews.report.summary.figures import (
    Agreement,
    Comparison,
    MetricSummary,
    QuestionSummary,
    Rate,
)

from .tables import Cell, Row, Table

COLUMNS = ["release", "report", "part", "about", "kind", "who", "figure", "value", "low", "high"]
COLUMNS += ["n", "pairs", "method", "reason_code", "reason", "caution_code", "caution", "weights"]

Names = Mapping[str, str]
Figure = Result | Mean | Paired | Rate | int | float | Reason | None


def build_figure_table(summary: Summary, report: str) -> Table:
    return Table(COLUMNS, Rows(summary, report).all())


class Rows:
    def __init__(self, summary: Summary, report: str) -> None:
        self.summary = summary
        self.report = report
        self.names: Names = own_names(summary)

    def all(self) -> Iterator[Row]:
        yield from self.evidence()
        for metric in self.summary.metrics:
            yield from self.metric(metric)
        for question in self.summary.checklist:
            yield from self.question(question)
        if self.summary.comparison:
            yield from self.comparison(self.summary.comparison)
        else:
            yield self.row("comparison", "difference", self.summary.not_compared)

    def row(
        self,
        part: str,
        name: str,
        figure: Figure,
        *,
        about: str = "",
        kind: str = "",
        who: str = "",
        weights: str | None = None,
    ) -> Row:
        first: Row = [self.summary.release, self.report, part, about, kind, who, name]
        return [*first, *list_numbers(figure), *self.reasons(figure), weights]

    def reasons(self, figure: Figure) -> Row:
        """Return code and sentence of why there is no value, and of why there is no interval."""
        why = figure if isinstance(figure, Reason) else getattr(figure, "why", None)
        return [*self.explain(why), *self.explain(getattr(figure, "caution", None))]

    def explain(self, reason: Reason | None) -> Row:
        return [reason.code, translate_reason(reason, self.names)] if reason else [None, None]

    # --- Parts ----------------------------------------------------------------------------------

    def evidence(self) -> Iterator[Row]:
        found, part = self.summary.evidence, "evidence"
        yield self.row(part, "cases", found.cases)
        yield self.row(part, "reviews", found.reviews)
        yield self.row(part, "reviewers", found.reviewers)
        yield self.row(part, "pairs", found.pairs)
        yield self.row(part, "reviews_in", self.summary.reviews_in)
        yield self.row(part, "reviews_expected", self.summary.reviews_expected)
        yield self.row(part, "kinds", len(self.summary.coverage))
        yield self.row(part, "kinds_covered", self.summary.kinds_covered)
        for person in self.summary.people:
            yield self.row(part, "reviews", person.reviews, who=person.reviewer)

    def metric(self, metric: MetricSummary) -> Iterator[Row]:
        part, about = "metric", metric.metric
        yield self.row(part, "mean", metric.mean, about=about)
        yield self.row(part, "floor", metric.floor, about=about)
        for level, count in zip(metric.levels, metric.given, strict=True):
            yield self.row(part, f"scores_of_{level}", count, about=about)
        for kind in metric.by_kind:
            yield self.row(part, "mean", kind.mean, about=about, kind=kind.kind)
        for field in fields(Agreement):
            value = getattr(metric.agreement, field.name)
            if isinstance(value, Result):
                weights = metric.agreement.ac2_weights if field.name == "ac2" else None
                yield self.row("agreement", field.name, value, about=about, weights=weights)
        for pair in metric.pairs:
            who = f"{pair.first} / {pair.second}"
            for name in ("cases", "same", "within_one", "difference"):
                yield self.row("pair", name, getattr(pair, name), about=about, who=who)
        severity = metric.severity
        for group in severity.groups:
            for person in group:
                yield self.row(
                    "severity", "effect", person.effect, about=about, who=person.reviewer
                )
        yield self.row("severity", "adjusted_mean", severity.adjusted or severity.why, about=about)

    def question(self, question: QuestionSummary) -> Iterator[Row]:
        part, about = "question", question.item
        for answer, count in question.answers._asdict().items():
            yield self.row(part, f"answers_{answer}", count, about=about)
        for name in ("rate", "applies", "applicability", "exact", "ac1"):
            yield self.row(part, name, getattr(question, name), about=about)

    def comparison(self, found: Comparison) -> Iterator[Row]:
        part = "comparison"
        yield self.row(part, "shared", found.shared)
        yield self.row(part, "by_same", found.by_same)
        for metric in found.metrics:
            about = metric.metric
            yield self.row(part, "before", metric.before, about=about)
            yield self.row(part, "after", metric.after, about=about)
            yield from self.paired("difference", metric.paired, about)
            for kind in metric.by_kind:
                yield self.row(part, "difference", kind.paired, about=about, kind=kind.kind)
            yield from self.paired("by_same_difference", metric.by_same, about)
        for question in found.checklist:
            about = question.item
            yield self.row(part, "rate_before", question.before, about=about)
            yield self.row(part, "rate_after", question.after, about=about)
            for name in ("cases", "to_yes", "to_no"):
                yield self.row(part, name, getattr(question, name), about=about)
            yield self.row(part, "p_value", choose(question.p_value, question.why), about=about)

    def paired(self, name: str, figure: Paired, about: str) -> Iterator[Row]:
        part = "comparison"
        yield self.row(part, name, figure, about=about)
        for count in ("better", "same", "worse"):
            yield self.row(part, f"{name}_{count}", getattr(figure, count), about=about)
        p_value = choose(figure.p_value, figure.p_caution or figure.why)
        yield self.row(part, f"{name}_p_value", p_value, about=about)
        detectable = choose(figure.detectable, figure.caution or figure.why)
        yield self.row(part, f"{name}_detectable", detectable, about=about)


def choose(value: float | None, why: Reason | None) -> float | Reason | None:
    return why if value is None else value


def list_numbers(figure: Figure) -> list[Cell]:
    """Return value, low, high, n, pairs and method."""
    if figure is None or isinstance(figure, Reason):
        return [None] * 6
    if isinstance(figure, int | float):
        return [figure, None, None, None, None, None]
    value = figure.mean if isinstance(figure, Paired) else figure.value
    if isinstance(figure, Result):
        return [value, figure.low, figure.high, figure.n_units, figure.n_pairs, figure.method]
    if isinstance(figure, Rate):
        return [value, figure.low, figure.high, figure.of, None, figure.method]
    return [value, figure.low, figure.high, figure.n, None, "t"]
