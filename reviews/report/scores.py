"""The scores that reviewers gave: distributions, kinds, and the checklist."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import floor

from django.utils.translation import gettext, ngettext

from cases.rubric import Document, Level, Metric
from reviews.report import charts
from reviews.report.charts import At, Chart, IntervalRow, LevelCount, Span
from reviews.report.summary import Summary
from reviews.report.summary.figures import (
    CaseSummary,
    KindMean,
    MetricSummary,
    QuestionSummary,
    Rate,
)

from . import numbers
from .links import Links
from .sentences import translate_reason


@dataclass(frozen=True)
class KindRow:
    """A kind with its mean; `note` gives the reason for a missing interval."""

    text: str
    cases: int
    figure: str
    interval: str
    note: str
    href: str


@dataclass(frozen=True)
class MetricScores:
    """`at_least` is the level that even the lower limit reaches."""

    metric: Metric
    figure: str
    interval: str
    note: str
    at_least: Level | None
    lowest: int | None
    lowest_href: str
    adjusted: str
    given: list[tuple[int, int, str]]
    total: int
    chart: Chart
    kinds: list[KindRow]
    kinds_chart: Chart
    href: str


def build_scores(summary: Summary, document: Document, links: Links) -> list[MetricScores]:
    return [
        build_metric_scores(metric, place, summary, document, links)
        for place, metric in enumerate(summary.metrics)
    ]


def build_metric_scores(
    metric_summary: MetricSummary, place: int, summary: Summary, document: Document, links: Links
) -> MetricScores:
    metric = document.metric(metric_summary.metric)
    figure = (
        ""
        if metric_summary.mean.value is None
        else numbers.format_points(metric_summary.mean.value, beside=metric_summary.floor)
    )
    interval = numbers.format_interval(metric_summary.mean, beside=metric_summary.floor)
    floor_span = Span(
        metric_summary.floor,
        title=gettext("floor %(floor)s") % {"floor": numbers.format_points(metric_summary.floor)},
    )
    adjusted = metric_summary.severity.adjusted
    return MetricScores(
        metric=metric,
        figure=figure,
        interval=interval,
        note=translate_reason(metric_summary.mean.why or metric_summary.mean.caution),
        at_least=find_level(metric, metric_summary.mean.low),
        lowest=metric_summary.lowest,
        lowest_href=""
        if metric_summary.lowest is None
        else links.rows(metric=metric_summary.metric, level=metric_summary.lowest),
        adjusted=""
        if adjusted is None or adjusted.value is None
        else f"{numbers.format_points(adjusted.value)} ({numbers.format_interval(adjusted)})",
        given=[
            (level, count, links.rows(metric=metric_summary.metric, level=level))
            for level, count in zip(metric_summary.levels, metric_summary.given, strict=True)
        ],
        total=sum(metric_summary.given),
        chart=charts.distribution(
            [
                LevelCount(level, count, describe_count(level, count))
                for level, count in zip(metric_summary.levels, metric_summary.given, strict=True)
            ],
            label=gettext("How often each level of %(metric)s was given") % {"metric": metric.name},
            mean=Span(
                metric_summary.mean.value,
                metric_summary.mean.low,
                metric_summary.mean.high,
                f"{figure} ({interval})",
            ),
            floor=floor_span,
        ),
        kinds=[
            build_kind_row(metric_summary.metric, kind, document, links)
            for kind in metric_summary.by_kind
        ],
        kinds_chart=charts.points(
            build_kind_chart_rows(metric_summary, place, summary.counted, document),
            low=metric_summary.levels[0],
            high=metric_summary.levels[-1],
            label=gettext("%(metric)s of the cases of each kind") % {"metric": metric.name},
            floor=floor_span,
        ),
        href=links.rows(metric=metric_summary.metric),
    )


def find_level(metric: Metric, low: float | None) -> Level | None:
    if low is None or low < metric.low:
        return None
    return metric.level(floor(low))


def describe_count(level: int, count: int) -> str:
    return ngettext(
        "level %(level)d: given once", "level %(level)d: given %(count)d times", count
    ) % {"level": level, "count": count}


def find_kind_text(kind: str, document: Document) -> str:
    return document.kind(kind).text if kind else gettext("Further cases")


def build_kind_row(metric: str, kind_mean: KindMean, document: Document, links: Links) -> KindRow:
    return KindRow(
        text=find_kind_text(kind_mean.kind, document),
        cases=kind_mean.mean.n,
        figure="" if kind_mean.mean.value is None else numbers.format_points(kind_mean.mean.value),
        interval=numbers.format_interval(kind_mean.mean),
        note=translate_reason(kind_mean.mean.why or kind_mean.mean.caution),
        href=links.rows(metric=metric, kind=kind_mean.kind or "-"),
    )


def build_kind_chart_rows(
    metric: MetricSummary, place: int, counted: Sequence[CaseSummary], document: Document
) -> list[IntervalRow]:
    at = defaultdict[str, Counter[float]](Counter)
    for case in counted:
        at[case.kind][case.scores[place].standing] += 1
    return [
        IntervalRow(
            name=find_kind_text(kind.kind, document),
            note=numbers.format_cases(kind.mean.n),
            span=Span(
                kind.mean.value,
                kind.mean.low,
                kind.mean.high,
                "" if kind.mean.value is None else numbers.format_points(kind.mean.value),
            ),
            points=[
                At(value, count, f"{numbers.format_points(value)}: {numbers.format_cases(count)}")
                for value, count in sorted(at[kind.kind].items())
            ],
        )
        for kind in metric.by_kind
    ]


# --- Checklist ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class QuestionRow:
    """A question. `figure` is yes among the answers that apply."""

    text: str
    item: str
    figure: str
    interval: str
    applies: str
    note: str
    chart: Chart
    agreement: str
    agreement_href: str
    split: int
    yes_href: str
    no_href: str
    all_href: str
    split_href: str


def build_checklist(
    summary: Summary, document: Document, links: Links
) -> list[tuple[Metric, list[QuestionRow]]]:
    split = {split.item: len(split.cases) for split in summary.splits}
    return [
        (
            metric,
            [
                build_question_row(question, split.get(question.item, 0), document, links)
                for question in summary.checklist
                if question.metric == metric.key
            ],
        )
        for metric in document.metrics
    ]


def build_question_row(
    question: QuestionSummary, split: int, document: Document, links: Links
) -> QuestionRow:
    text = document.question(question.item).text
    figure, interval = (
        numbers.format_part(question.rate.count, question.rate.of),
        numbers.format_rate_interval(question.rate),
    )
    applies = numbers.format_part(question.applies.count, question.applies.of)
    return QuestionRow(
        text=text,
        item=question.item,
        figure="" if question.rate.value is None else figure,
        interval=interval,
        applies=applies,
        note=translate_reason(question.rate.why),
        chart=charts.rate(
            build_span(question.rate, f"{figure} ({interval})"),
            label=f"{text} {figure} ({interval})"
            if interval
            else f"{text} {translate_reason(question.rate.why)}",
            applies=build_span(
                question.applies, gettext("applies: %(count)s") % {"count": applies}
            ),
        ),
        agreement=numbers.format_share(question.exact) or translate_reason(question.exact.why),
        agreement_href=""
        if question.exact.value is None
        else links.rows(question=question.item, only="paired"),
        split=split,
        yes_href=links.rows(question=question.item, answer="yes"),
        no_href=links.rows(question=question.item, answer="no") if question.answers.no else "",
        all_href=links.rows(question=question.item),
        split_href=links.rows(question=question.item, only="split"),
    )


def build_span(rate: Rate, title: str) -> Span:
    return Span(rate.value, rate.low, rate.high, title)
