"""A product from release to release, from the headlines stored at closing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from django.utils.translation import get_language, gettext

from cases.models import Rubric
from reviews.models import Closing, Decision
from reviews.report import charts
from reviews.report.charts import Chart, Span

from . import numbers
from .links import Links

# As many as a chart can show legibly.
MOST_RELEASES = 24


@dataclass(frozen=True)
class Point:
    """One metric of one release; `figure` may be empty."""

    figure: str
    interval: str
    href: str = ""


@dataclass(frozen=True)
class TrendLine:
    """A release. `is_break`: the release before it was judged by another rubric version."""

    closing: Closing
    decision: Decision | None
    rubric: int
    cases: int
    reviews: int
    href: str
    points: list[Point]
    is_break: bool


@dataclass(frozen=True)
class MetricTrend:
    name: str
    language: str
    chart: Chart


@dataclass(frozen=True)
class Trend:
    """`lines` has the newest release first; the charts have the oldest first."""

    lines: list[TrendLine]
    metrics: list[MetricTrend]
    has_breaks: bool


def load_trend(product: str) -> Trend:
    """Load the trend in four queries, without reading summaries."""
    closings = list(
        Closing.objects.standing()
        .filter(release__product=product, is_abandoned=False)
        .select_related("release")
        .defer("summary")
        .order_by("-closed_at", "-pk")[:MOST_RELEASES]
    )
    rubrics = {
        rubric.pk: rubric
        for rubric in Rubric.objects.filter(
            pk__in={closing.release.rubric_id for closing in closings}
        ).prefetch_related("translations")
    }
    decisions = {
        decision.closing_id: decision
        for decision in Decision.objects.standing().filter(closing__in=closings)
    }
    metrics = list_metrics(closings, rubrics)
    breaks = {
        later.pk
        for earlier, later in pairwise(reversed(closings))
        if earlier.release.rubric_id != later.release.rubric_id
    }
    for closing in closings:
        if closing.pk in decisions:
            decisions[closing.pk].closing = closing
    return Trend(
        lines=[
            build_line(
                closing,
                rubrics,
                decisions.get(closing.pk),
                list(metrics),
                closing.pk in breaks,
            )
            for closing in closings
        ],
        metrics=[
            build_metric_trend(key, *found, closings, rubrics) for key, found in metrics.items()
        ],
        has_breaks=bool(breaks),
    )


def read_figures(closing: Closing) -> dict[str, dict[str, Any]]:
    """Return the stored figures by metric; none if an older version closed the release."""
    return {mean["metric"]: mean for mean in closing.headline.get("means", []) if "floor" in mean}


def count_cases(closing: Closing) -> int:
    """Return how many cases the means include; older versions stored the size of the sample."""
    judged: list[int] = [mean["cases"] for mean in closing.headline.get("means", [])]
    return max(judged, default=int(closing.headline["cases"]))


def count_reviews(closing: Closing) -> int:
    """Return how many reviews the means include; older versions stored all of the sample."""
    return int(closing.headline.get("reviews_judged", closing.headline["reviews"]))


def list_metrics(
    closings: Sequence[Closing], rubrics: dict[int, Rubric]
) -> dict[str, tuple[str, str]]:
    """Return every metric of these releases, with its name in the newest one that has it."""
    found: dict[str, tuple[str, str]] = {}
    for closing in closings:
        text = rubrics[closing.release.rubric_id].text_for(get_language())
        for metric in text.document.metrics:
            found.setdefault(metric.key, (metric.name, text.language))
    return found


def build_line(
    closing: Closing,
    rubrics: dict[int, Rubric],
    decision: Decision | None,
    metrics: Sequence[str],
    is_break: bool,
) -> TrendLine:
    known, links = read_figures(closing), Links(closing.release)
    return TrendLine(
        closing=closing,
        decision=decision,
        rubric=rubrics[closing.release.rubric_id].number,
        cases=count_cases(closing),
        reviews=count_reviews(closing),
        href=links.rows(),
        points=[
            replace(build_point(known.get(key)), href=links.rows(metric=key)) for key in metrics
        ],
        is_break=is_break,
    )


def build_point(stored: dict[str, Any] | None) -> Point:
    if stored is None or stored["mean"] is None:
        return Point("", "")
    beside = stored["floor"]
    interval = ""
    if stored["low"] is not None:
        limits = (numbers.format_points(stored[name], beside=beside) for name in ("low", "high"))
        interval = numbers.format_span(*limits)
    return Point(numbers.format_points(stored["mean"], beside=beside), interval)


def build_metric_trend(
    key: str,
    name: str,
    language: str,
    closings: Sequence[Closing],
    rubrics: dict[int, Rubric],
) -> MetricTrend:
    known = [read_figures(closing).get(key) for closing in closings]
    scales = [(stored["levels"][0], stored["levels"][-1]) for stored in known if stored]
    newest = next((stored for stored in known if stored), None)
    floor = newest["floor"] if newest else None
    return MetricTrend(
        name=name,
        language=language,
        chart=charts.trend(
            [
                charts.Release(
                    name=closing.release.name,
                    yardstick=str(rubrics[closing.release.rubric_id]),
                    span=build_span(closing, stored),
                )
                for closing, stored in zip(reversed(closings), reversed(known), strict=True)
            ],
            low=min((low for low, _high in scales), default=0),
            high=max((high for _low, high in scales), default=5),
            label=gettext("%(metric)s from release to release") % {"metric": name},
            floor=None
            if floor is None
            else Span(
                floor, title=gettext("floor %(floor)s") % {"floor": numbers.format_points(floor)}
            ),
        ),
    )


def build_span(closing: Closing, stored: dict[str, Any] | None) -> Span:
    if stored is None:
        return Span(None)
    point = build_point(stored)
    title = f"{closing.release.name}: {point.figure} ({point.interval})"
    return Span(stored["mean"], stored["low"], stored["high"], title)
