"""The tiles of the first screen: each metric, the cases within one point, the change."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from django.utils.translation import gettext, ngettext

from cases.rubric import Document
from reviews.comparison import Paired
from reviews.report import charts
from reviews.report.charts import Chart, Span
from reviews.report.summary import Summary
from reviews.report.summary.figures import MetricComparison, MetricSummary

from . import numbers
from .links import Links
from .sentences import translate_reason

# How many pairs a comparison needs before it is more than a hint.
FEW_PAIRS = 10


@dataclass(frozen=True)
class TileLine:
    """A line below a figure, with a link to the cases behind it."""

    words: str
    href: str = ""

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True)
class Tile:
    """A tile. If `figure` is empty, `lines` give the reason."""

    name: str
    figure: str
    interval: str
    lines: list[TileLine]
    href: str
    tone: str = ""
    chart: Chart | None = None
    is_rubric: bool = False


def build_tiles(summary: Summary, document: Document, links: Links) -> list[Tile]:
    return [
        *(build_metric_tile(metric, summary, document, links) for metric in summary.metrics),
        build_within_one_tile(summary, document, links),
        build_baseline_tile(summary, document, links),
    ]


def build_metric_tile(
    metric: MetricSummary, summary: Summary, document: Document, links: Links
) -> Tile:
    name = document.metric(metric.metric).name
    floor = numbers.format_points(metric.floor)
    href = links.rows(metric=metric.metric)
    if metric.mean.value is None:
        return Tile(
            name,
            "",
            "",
            [TileLine(translate_reason(metric.mean.why))],
            links.rows(),
            "open",
            is_rubric=True,
        )
    words = gettext("floor %(floor)s: %(word)s") % {"floor": floor, "word": describe_floor(metric)}
    lines = [TileLine(words), TileLine(describe_basis(summary), href)]
    if metric.mean.caution:
        lines.insert(1, TileLine(translate_reason(metric.mean.caution)))
    figure = numbers.format_points(metric.mean.value, beside=metric.floor)
    interval = numbers.format_interval(metric.mean, beside=metric.floor)
    label = f"{name}: {figure} ({interval})" if interval else f"{name}: {figure}"
    return Tile(
        name=name,
        figure=figure,
        interval=interval,
        lines=lines,
        href=href,
        tone=choose_tone(metric),
        chart=charts.interval(
            Span(metric.mean.value, metric.mean.low, metric.mean.high, label),
            low=metric.levels[0],
            high=metric.levels[-1],
            floor=Span(metric.floor, title=gettext("floor %(floor)s") % {"floor": floor}),
            label=label,
        ),
        is_rubric=True,
    )


def describe_basis(summary: Summary) -> str:
    found = summary.evidence
    return gettext("%(cases)s, %(reviews)s") % {
        "cases": numbers.format_cases(found.cases),
        "reviews": numbers.format_reviews(found.reviews),
    }


def choose_tone(metric: MetricSummary) -> str:
    """Choose the colour by the limits of the interval, never by the mean alone."""
    if metric.mean.low is None or metric.mean.high is None:
        return "open"
    if metric.mean.low > metric.floor:
        return "good"
    return "bad" if metric.mean.high < metric.floor else "open"


def describe_floor(metric: MetricSummary) -> str:
    words = {
        "good": gettext("the whole interval is above it"),
        "bad": gettext("the whole interval is below it"),
        "open": gettext("the true mean may be above or below it"),
    }
    return words[choose_tone(metric)]


def build_within_one_tile(summary: Summary, document: Document, links: Links) -> Tile:
    """Build the tile of the cases whose reviews all lie within one point."""
    name = gettext("Within one point")
    undefined = [
        metric.agreement.cases_within_one.why
        for metric in summary.metrics
        if metric.agreement.cases_within_one.value is None
    ]
    if undefined:
        why = [TileLine(gettext("not assessed")), TileLine(translate_reason(undefined[0]))]
        return Tile(name, "", "", why, links.part("method"), "open")
    least = summary.policy["within_one"]
    shares = [format_within_one(metric) for metric in summary.metrics]
    lines = [TileLine(gettext("cases on every metric"))]
    if len(set(shares)) > 1:
        lines = [
            TileLine(
                gettext("%(metric)s: %(figure)s cases")
                % {"metric": document.metric(metric.metric).name, "figure": share},
                link_to_apart(metric, links),
            )
            for metric, share in zip(summary.metrics, shares, strict=True)
        ]
    asked_for = gettext("at least %(share)d %% required")
    lines.append(TileLine(asked_for % {"share": numbers.round_percent(least)}))
    worst = min(summary.metrics, key=lambda metric: metric.agreement.cases_within_one.value or 0.0)
    return Tile(
        name=name,
        figure=format_within_one(worst),
        interval=format_within_one_interval(worst),
        lines=lines,
        href=link_to_apart(worst, links),
        tone="good" if (worst.agreement.cases_within_one.value or 0.0) >= least else "bad",
    )


def format_within_one(metric: MetricSummary) -> str:
    cases = metric.agreement.cases_within_one.n_units
    return numbers.format_part(cases - len(metric.apart), cases)


def link_to_apart(metric: MetricSummary, links: Links) -> str:
    """Link to the cases that are apart, or to all with two reviews if none is."""
    return links.rows(metric=metric.metric, only="apart" if metric.apart else "paired")


def format_within_one_interval(metric: MetricSummary) -> str:
    result = metric.agreement.cases_within_one
    if result.low is None or result.high is None:
        return ""
    return gettext("%(low)d to %(high)d %%") % {
        "low": numbers.round_percent(result.low),
        "high": numbers.round_percent(result.high),
    }


def build_baseline_tile(summary: Summary, document: Document, links: Links) -> Tile:
    """Build the tile of the metric that lost most or gained least, with the others below it."""
    found = summary.comparison
    if found is None or found.why or not found.metrics:
        why = translate_reason(found.why) if found else translate_reason(summary.not_compared)
        name, href = gettext("Against the baseline"), links.part("comparison")
        return Tile(name, "", "", [TileLine(why)], href, "open")
    name = gettext("Against %(release)s") % {"release": found.before}
    worst = min(found.metrics, key=lambda metric_summary: metric_summary.paired.mean or 0.0)
    margin = summary.policy["margin"]
    change = worst.paired.mean or 0.0
    figure = numbers.format_change(change, beside=-margin)
    interval = numbers.format_change_interval(worst.paired, beside=-margin)
    metric = document.metric(worst.metric).name
    label = f"{metric}: {figure} ({interval})" if interval else f"{metric}: {figure}"
    return Tile(
        name=name,
        figure=figure,
        interval=interval,
        lines=list_change_lines(summary, worst, document, links),
        href=links.rows(metric=worst.metric, change="shared"),
        tone=choose_change_tone(worst, margin),
        chart=charts.interval(
            Span(change, worst.paired.low, worst.paired.high, label),
            low=-find_reach(worst.paired),
            high=find_reach(worst.paired),
            floor=Span(-margin, title=describe_margin(margin)),
            label=label,
        ),
    )


def find_reach(paired: Paired) -> float:
    """Return how many points to either side of 0 the chart needs for the whole interval."""
    known = [abs(value) for value in (paired.mean, paired.low, paired.high) if value is not None]
    return float(max(1, ceil(max(known, default=0.0))))


def describe_margin(margin: float) -> str:
    return gettext("margin %(margin)s") % {"margin": numbers.format_points(margin)}


def list_change_lines(
    summary: Summary, worst: MetricComparison, document: Document, links: Links
) -> list[TileLine]:
    found = summary.comparison
    assert found
    one = worst.paired
    beside = -summary.policy["margin"]
    others = [
        TileLine(
            gettext("%(metric)s %(change)s (%(interval)s)")
            % {
                "metric": document.metric(metric.metric).name,
                "change": numbers.format_change(metric.paired.mean or 0.0, beside=beside),
                "interval": numbers.format_change_interval(metric.paired, beside=beside) or "–",
            },
            links.rows(metric=metric.metric, change="shared"),
        )
        for metric in found.metrics
        if metric is not worst
    ]
    words = gettext("%(metric)s on %(cases)s: %(counts)s") % {
        "metric": document.metric(worst.metric).name,
        "cases": format_shared_cases(one.n),
        "counts": format_counts(one),
    }
    same = format_same_reviewers(found.by_same, found.shared)
    href = links.rows(change="shared", judges="same") if found.by_same else ""
    lines = [TileLine(words, links.part("comparison")), *others, TileLine(same, href)]
    few = describe_few_pairs(one)
    return [*lines, TileLine(few)] if few else lines


def format_shared_cases(count: int) -> str:
    return ngettext("%(count)d shared case", "%(count)d shared cases", count) % {"count": count}


def format_counts(paired: Paired) -> str:
    return gettext("%(better)d better, %(same)d same, %(worse)d worse") % {
        "better": paired.better,
        "same": paired.same,
        "worse": paired.worse,
    }


def format_same_reviewers(by_same: int, shared: int) -> str:
    return gettext("%(count)d of %(all)d by the same reviewers") % {
        "count": by_same,
        "all": shared,
    }


def describe_few_pairs(paired: Paired) -> str:
    """Describe the smallest change that so few pairs could show."""
    if paired.n >= FEW_PAIRS or paired.detectable is None:
        return ""
    return ngettext(
        "%(count)d pair can only detect changes of about %(points)s points or more",
        "%(count)d pairs can only detect changes of about %(points)s points or more",
        paired.n,
    ) % {"count": paired.n, "points": numbers.format_points(paired.detectable)}


def choose_change_tone(change: MetricComparison, margin: float) -> str:
    if change.paired.low is None or change.paired.high is None:
        return "open"
    if change.paired.low > -margin:
        return "good"
    is_proven = change.paired.high < 0 and (change.paired.mean or 0.0) <= -margin
    return "bad" if is_proven else "open"
