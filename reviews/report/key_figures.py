"""The tiles of the first screen: each metric, the cases within one point, the change."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from django.utils.translation import gettext, ngettext

from cases.rubric import Document
from reviews.comparison import Paired
from reviews.report import charts
from reviews.report.charts import Span, Svg
from reviews.report.summary import Summary
from reviews.report.summary.figures import MetricComparison, MetricSummary

from . import numbers
from .links import Links
from .sentences import translate_reason

# How many pairs a comparison needs before it is more than a hint.
FEW_PAIRS = 10


@dataclass(frozen=True)
class TileLine:
    """What stands below a figure, with the cases behind it."""

    words: str
    href: str = ""

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True)
class Tile:
    """`figure` is empty where there is none, and `lines` say why."""

    name: str
    figure: str
    interval: str
    lines: list[TileLine]
    href: str
    tone: str = ""
    chart: Svg | None = None
    is_rubric: bool = False


def build_tiles(summary: Summary, document: Document, links: Links) -> list[Tile]:
    return [
        *(metric_tile(one, summary, document, links) for one in summary.metrics),
        within_one_tile(summary, document, links),
        baseline_tile(summary, document, links),
    ]


def metric_tile(one: MetricSummary, summary: Summary, document: Document, links: Links) -> Tile:
    name = document.metric(one.metric).name
    floor = numbers.format_points(one.floor)
    href = links.rows(metric=one.metric)
    if one.mean.value is None:
        return Tile(
            name,
            "",
            "",
            [TileLine(translate_reason(one.mean.why))],
            links.rows(),
            "open",
            is_rubric=True,
        )
    words = gettext("floor %(floor)s: %(word)s") % {"floor": floor, "word": beside_floor(one)}
    lines = [TileLine(words), TileLine(rests_on(summary), href)]
    if one.mean.caution:
        lines.insert(1, TileLine(translate_reason(one.mean.caution)))
    figure = numbers.format_points(one.mean.value, beside=one.floor)
    interval = numbers.format_interval(one.mean, beside=one.floor)
    told = f"{name}: {figure} ({interval})" if interval else f"{name}: {figure}"
    return Tile(
        name=name,
        figure=figure,
        interval=interval,
        lines=lines,
        href=href,
        tone=choose_tone(one),
        chart=charts.interval(
            Span(one.mean.value, one.mean.low, one.mean.high, told),
            low=one.levels[0],
            high=one.levels[-1],
            floor=Span(one.floor, title=gettext("floor %(floor)s") % {"floor": floor}),
            label=told,
        ),
        is_rubric=True,
    )


def rests_on(summary: Summary) -> str:
    found = summary.evidence
    return gettext("%(cases)s, %(reviews)s") % {
        "cases": numbers.format_cases(found.cases),
        "reviews": numbers.format_reviews(found.reviews),
    }


def choose_tone(one: MetricSummary) -> str:
    """By the limits of the interval, never by the mean alone."""
    if one.mean.low is None or one.mean.high is None:
        return "open"
    if one.mean.low > one.floor:
        return "good"
    return "bad" if one.mean.high < one.floor else "open"


def beside_floor(one: MetricSummary) -> str:
    words = {
        "good": gettext("the whole interval lies above it"),
        "bad": gettext("the whole interval lies below it"),
        "open": gettext("it may lie on either side"),
    }
    return words[choose_tone(one)]


def within_one_tile(summary: Summary, document: Document, links: Links) -> Tile:
    """Cases whose reviews all lie within one point, on each metric."""
    name = gettext("Within one point")
    results = [(one, one.agreement.cases_within_one) for one in summary.metrics]
    undefined = [translate_reason(result.why) for _one, result in results if result.value is None]
    if undefined:
        why = [TileLine(gettext("not assessed")), TileLine(undefined[0])]
        return Tile(name, "", "", why, links.part("method"), "open")
    least = summary.policy["within_one"]
    told = [numbers.format_part(r.n_units - len(one.apart), r.n_units) for one, r in results]
    lines = [TileLine(gettext("cases on every metric"))]
    if len(set(told)) > 1:
        lines = [
            TileLine(
                gettext("%(metric)s: %(figure)s cases")
                % {"metric": document.metric(one.metric).name, "figure": figure},
                apart_rows(one, links),
            )
            for (one, _result), figure in zip(results, told, strict=True)
        ]
    worst = min(results, key=lambda one: one[1].value or 0.0)
    asked_for = gettext("at least %(share)d %% are asked for")
    lines.append(TileLine(asked_for % {"share": numbers.round_percent(least)}))
    return Tile(
        name=name,
        figure=numbers.format_part(
            worst[1].n_units - len(worst[0].apart),
            worst[1].n_units,
        ),
        interval=span_in_percent(worst[0]),
        lines=lines,
        href=apart_rows(worst[0], links),
        tone="good" if (worst[1].value or 0.0) >= least else "bad",
    )


def apart_rows(one: MetricSummary, links: Links) -> str:
    """The cases that are apart, or where there are none all that could be."""
    return links.rows(metric=one.metric, only="apart" if one.apart else "paired")


def span_in_percent(one: MetricSummary) -> str:
    result = one.agreement.cases_within_one
    if result.low is None or result.high is None:
        return ""
    return gettext("%(low)d to %(high)d %%") % {
        "low": numbers.round_percent(result.low),
        "high": numbers.round_percent(result.high),
    }


def baseline_tile(summary: Summary, document: Document, links: Links) -> Tile:
    """The metric that lost most, or gained least; the others below it."""
    found = summary.comparison
    if found is None or found.why or not found.metrics:
        why = translate_reason(found.why) if found else translate_reason(summary.not_compared)
        name, href = gettext("Against the baseline"), links.part("comparison")
        return Tile(name, "", "", [TileLine(why)], href, "open")
    name = gettext("Against %(release)s") % {"release": found.before}
    worst = min(found.metrics, key=lambda one: one.paired.mean or 0.0)
    margin = summary.policy["margin"]
    change = worst.paired.mean or 0.0
    figure = numbers.format_change(change, beside=-margin)
    interval = numbers.format_change_interval(worst.paired, beside=-margin)
    metric = document.metric(worst.metric).name
    told = f"{metric}: {figure} ({interval})" if interval else f"{metric}: {figure}"
    return Tile(
        name=name,
        figure=figure,
        interval=interval,
        lines=lines_of_change(summary, worst, document, links),
        href=links.rows(metric=worst.metric, change="shared"),
        tone=change_tone(worst, margin),
        chart=charts.interval(
            Span(change, worst.paired.low, worst.paired.high, told),
            low=-find_reach(worst.paired),
            high=find_reach(worst.paired),
            floor=Span(-margin, title=margin_words(margin)),
            label=told,
        ),
    )


def find_reach(one: Paired) -> float:
    """How many points to either side a difference is drawn with: all of its interval."""
    known = [abs(value) for value in (one.mean, one.low, one.high) if value is not None]
    return float(max(1, ceil(max(known, default=0.0))))


def margin_words(margin: float) -> str:
    return gettext("margin %(margin)s") % {"margin": numbers.format_points(margin)}


def lines_of_change(
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
                "metric": document.metric(each.metric).name,
                "change": numbers.format_change(each.paired.mean or 0.0, beside=beside),
                "interval": numbers.format_change_interval(each.paired, beside=beside) or "–",
            },
            links.rows(metric=each.metric, change="shared"),
        )
        for each in found.metrics
        if each is not worst
    ]
    words = gettext("%(metric)s on %(cases)s: %(counts)s") % {
        "metric": document.metric(worst.metric).name,
        "cases": shared_cases(one.n),
        "counts": better_same_worse(one),
    }
    same = same_reviewers(found.by_same, found.shared)
    href = links.rows(change="shared", judges="same") if found.by_same else ""
    lines = [TileLine(words, links.part("comparison")), *others, TileLine(same, href)]
    few = few_pairs(one)
    return [*lines, TileLine(few)] if few else lines


def shared_cases(count: int) -> str:
    return ngettext("%(count)d shared case", "%(count)d shared cases", count) % {"count": count}


def better_same_worse(one: Paired) -> str:
    return gettext("%(better)d better, %(same)d same, %(worse)d worse") % {
        "better": one.better,
        "same": one.same,
        "worse": one.worse,
    }


def same_reviewers(by_same: int, shared: int) -> str:
    return gettext("%(count)d of %(all)d by the same reviewers") % {
        "count": by_same,
        "all": shared,
    }


def few_pairs(one: Paired) -> str:
    """What so few pairs could have shown at all."""
    if one.n >= FEW_PAIRS or one.detectable is None:
        return ""
    return ngettext(
        "%(count)d pair can only show changes of about %(points)s points",
        "%(count)d pairs can only show changes of about %(points)s points",
        one.n,
    ) % {"count": one.n, "points": numbers.format_points(one.detectable)}


def change_tone(one: MetricComparison, margin: float) -> str:
    if one.paired.low is None or one.paired.high is None:
        return "open"
    if one.paired.low > -margin:
        return "good"
    is_proven = one.paired.high < 0 and (one.paired.mean or 0.0) <= -margin
    return "bad" if is_proven else "open"
