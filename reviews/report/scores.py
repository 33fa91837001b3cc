"""What reviewers gave: the whole scale, the kinds, and the checklist."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import floor

from django.utils.translation import gettext, ngettext

from cases.rubric import Document, Level, Metric
from reviews.report import charts
from reviews.report.charts import At, IntervalRow, LevelCount, Span, Svg
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
class LevelGiven:
    value: int
    count: int
    href: str


@dataclass(frozen=True)
class KindRow:
    """`figure` with its interval; `note` says why there is none."""

    text: str
    cases: int
    figure: str
    interval: str
    note: str
    href: str


@dataclass(frozen=True)
class MetricScores:
    """`at_least` is the level that even the lower limit reaches, in the rubric's words."""

    metric: Metric
    figure: str
    interval: str
    note: str
    at_least: Level | None
    lowest: int | None
    lowest_href: str
    adjusted: str
    given: list[LevelGiven]
    total: int
    chart: Svg
    kinds: list[KindRow]
    kinds_chart: Svg
    href: str


def build_scores(summary: Summary, document: Document, links: Links) -> list[MetricScores]:
    return [
        metric_scores(one, place, summary, document, links)
        for place, one in enumerate(summary.metrics)
    ]


def metric_scores(
    one: MetricSummary, place: int, summary: Summary, document: Document, links: Links
) -> MetricScores:
    metric = document.metric(one.metric)
    figure = (
        "" if one.mean.value is None else numbers.format_points(one.mean.value, beside=one.floor)
    )
    interval = numbers.format_interval(one.mean, beside=one.floor)
    floor_span = Span(
        one.floor, title=gettext("floor %(floor)s") % {"floor": numbers.format_points(one.floor)}
    )
    adjusted = one.severity.adjusted
    return MetricScores(
        metric=metric,
        figure=figure,
        interval=interval,
        note=translate_reason(one.mean.why or one.mean.caution),
        at_least=level_reached(metric, one.mean.low),
        lowest=one.lowest,
        lowest_href="" if one.lowest is None else links.rows(metric=one.metric, level=one.lowest),
        adjusted=""
        if adjusted is None or adjusted.value is None
        else f"{numbers.format_points(adjusted.value)} ({numbers.format_interval(adjusted)})",
        given=[
            LevelGiven(level, count, links.rows(metric=one.metric, level=level))
            for level, count in zip(one.levels, one.given, strict=True)
        ],
        total=sum(one.given),
        chart=charts.distribution(
            [
                LevelCount(level, count, given_words(level, count))
                for level, count in zip(one.levels, one.given, strict=True)
            ],
            label=gettext("How often each level of %(metric)s was given") % {"metric": metric.name},
            mean=Span(one.mean.value, one.mean.low, one.mean.high, f"{figure} ({interval})"),
            floor=floor_span,
        ),
        kinds=[kind_row(one.metric, each, document, links) for each in one.by_kind],
        kinds_chart=charts.points(
            kind_chart_rows(one, place, summary.counted, document),
            low=one.levels[0],
            high=one.levels[-1],
            label=gettext("%(metric)s of the cases of each kind") % {"metric": metric.name},
            floor=floor_span,
        ),
        href=links.rows(metric=one.metric),
    )


def level_reached(metric: Metric, low: float | None) -> Level | None:
    if low is None or low < metric.low:
        return None
    return metric.level(floor(low))


def given_words(level: int, count: int) -> str:
    return ngettext(
        "level %(level)d: given once", "level %(level)d: given %(count)d times", count
    ) % {"level": level, "count": count}


def kind_text(kind: str, document: Document) -> str:
    return document.kind(kind).text if kind else gettext("Further cases")


def kind_row(metric: str, one: KindMean, document: Document, links: Links) -> KindRow:
    return KindRow(
        text=kind_text(one.kind, document),
        cases=one.mean.n,
        figure="" if one.mean.value is None else numbers.format_points(one.mean.value),
        interval=numbers.format_interval(one.mean),
        note=translate_reason(one.mean.why or one.mean.caution),
        href=links.rows(metric=metric, kind=one.kind or "-"),
    )


def kind_chart_rows(
    one: MetricSummary, place: int, counted: Sequence[CaseSummary], document: Document
) -> list[IntervalRow]:
    at = defaultdict[str, Counter[float]](Counter)
    for case in counted:
        at[case.kind][case.scores[place].standing] += 1
    return [
        IntervalRow(
            name=kind_text(each.kind, document),
            note=numbers.format_cases(each.mean.n),
            span=Span(
                each.mean.value,
                each.mean.low,
                each.mean.high,
                "" if each.mean.value is None else numbers.format_points(each.mean.value),
            ),
            points=[
                At(value, count, f"{numbers.format_points(value)}: {numbers.format_cases(count)}")
                for value, count in sorted(at[each.kind].items())
            ],
        )
        for each in one.by_kind
    ]


# --- Checklist ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class QuestionRow:
    """`figure`: yes among the answers that apply."""

    text: str
    item: str
    figure: str
    interval: str
    applies: str
    note: str
    chart: Svg
    agreement: str
    agreement_href: str
    split: int
    yes_href: str
    no_href: str
    all_href: str
    split_href: str


@dataclass(frozen=True)
class MetricChecklist:
    metric: Metric
    questions: list[QuestionRow]


def build_checklist(summary: Summary, document: Document, links: Links) -> list[MetricChecklist]:
    split = {one.item: len(one.cases) for one in summary.splits}
    return [
        MetricChecklist(
            metric,
            [
                question_row(one, split.get(one.item, 0), document, links)
                for one in summary.checklist
                if one.metric == metric.key
            ],
        )
        for metric in document.metrics
    ]


def question_row(one: QuestionSummary, split: int, document: Document, links: Links) -> QuestionRow:
    text = document.question(one.item).text
    figure, interval = (
        numbers.format_part(one.rate.count, one.rate.of),
        numbers.format_rate_interval(one.rate),
    )
    applies = numbers.format_part(one.applies.count, one.applies.of)
    return QuestionRow(
        text=text,
        item=one.item,
        figure="" if one.rate.value is None else figure,
        interval=interval,
        applies=applies,
        note=translate_reason(one.rate.why),
        chart=charts.rate(
            build_span(one.rate, f"{figure} ({interval})"),
            label=f"{text} {figure} ({interval})"
            if interval
            else f"{text} {translate_reason(one.rate.why)}",
            applies=build_span(one.applies, gettext("applies: %(count)s") % {"count": applies}),
        ),
        agreement=numbers.format_share(one.exact) or translate_reason(one.exact.why),
        agreement_href=""
        if one.exact.value is None
        else links.rows(question=one.item, only="paired"),
        split=split,
        yes_href=links.rows(question=one.item, answer="yes"),
        no_href=links.rows(question=one.item, answer="no") if one.answers.no else "",
        all_href=links.rows(question=one.item),
        split_href=links.rows(question=one.item, only="split"),
    )


def build_span(rate: Rate, title: str) -> Span:
    return Span(rate.value, rate.low, rate.high, title)
