"""How far reviewers agree, in the order in which it should be read, and how severe each one is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from cases.rubric import Document, Metric
from reviews.agreement import Reading, Result
from reviews.report import charts
from reviews.report.charts import IntervalRow, PairCell, Span, Svg
from reviews.report.summary import Summary
from reviews.report.summary.figures import Agreement, MetricSummary, PairSummary, ReviewerSeverity

from . import numbers
from .links import Links
from .sentences import translate_reason

# Chosen by the lower limit of alpha: a wide interval supports little.
READINGS: dict[Reading, Promise] = {
    "reliable": _("Reviewers agree so well that the scores can be relied on."),
    "tentative": _("Reviewers agree well enough for tentative conclusions, not more."),
    "unreliable": _(
        "It cannot be shown that reviewers agree much beyond chance: take single scores with care."
    ),
    "barely-varies": _(
        "The scores barely vary, so agreement beyond chance cannot be shown; nearly all of them "
        "lie within one point."
    ),
    "no-interval": _("There are too few cases to say how surely reviewers agree."),
    "undefined": _("Agreement beyond chance is not defined here."),
}
# By the weights that the summary names.
AC2: dict[str, Promise] = {"linear": _("Gwet's AC2, linear weights")}
METHODS: dict[str, Promise] = {
    "": _("no interval"),
    "wilson": _("Wilson, over cases"),
    "case-t": _("t, over cases"),
    "one-way-f": _("F, one-way analysis of variance"),
    "jackknife-t": _("t, leaving out one case at a time"),
    "linearised-t": _("t, linearised over cases"),
}


@dataclass(frozen=True)
class Coefficient:
    """`figure` empty: `note` says why it is not defined."""

    name: str
    figure: str
    interval: str
    method: str
    rests_on: str
    note: str
    href: str


@dataclass(frozen=True)
class PairRow:
    first: str
    second: str
    cases: int
    same: int
    within_one: int
    difference: str
    href: str


@dataclass(frozen=True)
class SeverityRow:
    reviewer: str
    reviews: int
    effect: str
    href: str


@dataclass(frozen=True)
class MetricMethod:
    """What is read first: plain agreement, alpha and its words; all other coefficients below."""

    metric: Metric
    reading: str
    few: str
    levels_used: tuple[int, ...]
    plain: list[Coefficient]
    coefficients: list[Coefficient]
    pairs: list[PairRow]
    pairs_chart: Svg | None
    severity: list[list[SeverityRow]]
    severity_charts: list[Svg]
    severity_note: str


@dataclass(frozen=True)
class QuestionMethod:
    """How far reviewers agree on whether a question applies, and on its answer where it does."""

    text: str
    applicability: Coefficient
    exact: Coefficient
    ac1: Coefficient


def build_question_methods(
    summary: Summary, document: Document, links: Links
) -> list[QuestionMethod]:
    return [
        QuestionMethod(
            text=document.question(one.item).text,
            applicability=plain("", one.applicability, True, links.rows(question=one.item)),
            exact=plain("", one.exact, True, twice),
            ac1=beyond_chance("", one.ac1, twice),
        )
        for one in summary.checklist
        for twice in [links.rows(question=one.item, only="paired")]
    ]


def build_methods(summary: Summary, document: Document, links: Links) -> list[MetricMethod]:
    return [metric_method(one, document, links) for one in summary.metrics]


def metric_method(one: MetricSummary, document: Document, links: Links) -> MetricMethod:
    metric = document.metric(one.metric)
    href = links.rows(metric=one.metric, only="paired")
    return MetricMethod(
        metric=metric,
        reading=str(READINGS[one.agreement.reading]),
        few=translate_reason(one.agreement.few),
        levels_used=one.agreement.levels_used,
        plain=[
            *(plain(*each, href) for each in plain_agreement(one.agreement)),
            *(beyond_chance(*each, href) for each in headlines(one.agreement)),
        ],
        coefficients=[beyond_chance(*each, href) for each in coefficients(one.agreement)],
        pairs=[pair_row(one.metric, each, links) for each in one.pairs],
        pairs_chart=pair_chart(one.pairs, metric) if one.pairs else None,
        severity=[[severity_row(each, links) for each in group] for group in one.severity.groups],
        severity_charts=[severity_chart(group, metric) for group in one.severity.groups],
        severity_note=translate_reason(one.severity.why),
    )


def plain_agreement(one: Agreement) -> Iterator[tuple[str, Result, bool]]:
    yield gettext("The same score, of pairs of reviews"), one.exact, True
    yield gettext("Within one point, of pairs of reviews"), one.within_one, True
    yield gettext("All reviews within one point, of cases"), one.cases_within_one, True
    yield gettext("Mean gap between two reviews, in points"), one.mean_gap, False


def headlines(one: Agreement) -> Iterator[tuple[str, Result]]:
    """AC1 beside alpha: where scores barely vary, alpha alone misleads."""
    yield gettext("Krippendorff's alpha, ordinal"), one.alpha
    yield gettext("Gwet's AC1"), one.ac1


def coefficients(one: Agreement) -> Iterator[tuple[str, Result]]:
    yield gettext("Krippendorff's alpha, interval"), one.alpha_interval
    yield gettext("Krippendorff's alpha, nominal"), one.alpha_nominal
    yield str(AC2[one.ac2_weights]), one.ac2
    yield gettext("Fleiss' kappa"), one.fleiss
    yield gettext("Brennan and Prediger"), one.brennan_prediger
    yield gettext("ICC(1), one review"), one.icc1
    yield gettext("ICC(1,k), the mean of a case's reviews"), one.reliability


def plain(name: str, result: Result, is_share: bool, href: str) -> Coefficient:
    if result.value is None:
        return build_coefficient(name, result, "", "", href)
    if not is_share:
        limits = [result.low, result.high]
        known = [numbers.format_points(one) for one in limits if one is not None]
        interval = numbers.format_span(*known) if len(known) == 2 else ""
        return build_coefficient(name, result, f"{result.value:.2f}", interval, href)
    limits_shown = ""
    if result.low is not None and result.high is not None:
        low, high = numbers.round_percent(result.low), numbers.round_percent(result.high)
        limits_shown = gettext("%(low)d to %(high)d %%") % {"low": low, "high": high}
    share = gettext("%(share)d %%") % {"share": numbers.round_percent(result.value)}
    return build_coefficient(name, result, share, limits_shown, href)


def beyond_chance(name: str, result: Result, href: str) -> Coefficient:
    if result.value is None:
        return build_coefficient(name, result, "", "", href)
    interval = ""
    if result.low is not None and result.high is not None:
        interval = numbers.format_span(
            numbers.format_coefficient(result.low), numbers.format_coefficient(result.high)
        )
    return build_coefficient(name, result, numbers.format_coefficient(result.value), interval, href)


def build_coefficient(
    name: str, result: Result, figure: str, interval: str, href: str
) -> Coefficient:
    """`href` leads to the cases with two reviews, where there are any."""
    return Coefficient(
        name=name,
        figure=figure,
        interval=interval,
        method=str(METHODS.get(result.method, result.method)),
        rests_on=gettext("%(cases)s, %(pairs)s")
        % {"cases": numbers.format_cases(result.n_units), "pairs": pairs_words(result.n_pairs)},
        note=translate_reason(result.why or result.caution),
        href=href if result.n_units else "",
    )


def pairs_words(count: int) -> str:
    return ngettext("%(count)d pair", "%(count)d pairs", count) % {"count": count}


# --- Who with whom --------------------------------------------------------------------------------


def pair_row(metric: str, one: PairSummary, links: Links) -> PairRow:
    return PairRow(
        first=one.first,
        second=one.second,
        cases=one.cases,
        same=one.same,
        within_one=one.within_one,
        difference=numbers.format_change(one.difference),
        href=links.rows(metric=metric, first=one.first, second=one.second),
    )


def pair_chart(pairs: tuple[PairSummary, ...], metric: Metric) -> Svg:
    names = sorted({name for one in pairs for name in (one.first, one.second)})
    place = {name: number for number, name in enumerate(names)}
    cells = {
        (max(both), min(both)): PairCell(
            share=one.within_one / one.cases,
            text=f"{one.within_one}/{one.cases}",
            title=gettext("%(first)s and %(second)s: %(count)d of %(all)d within one point")
            % {
                "first": one.first,
                "second": one.second,
                "count": one.within_one,
                "all": one.cases,
            },
        )
        for one in pairs
        for both in [(place[one.first], place[one.second])]
    }
    label = gettext("%(metric)s: cases within one point, for each two reviewers")
    return charts.pair_matrix(names, cells, label=label % {"metric": metric.name})


def severity_row(one: ReviewerSeverity, links: Links) -> SeverityRow:
    return SeverityRow(
        one.reviewer,
        one.reviews,
        numbers.format_change(one.effect),
        links.rows(reviewer=one.reviewer),
    )


def severity_chart(group: tuple[ReviewerSeverity, ...], metric: Metric) -> Svg:
    rows = [
        IntervalRow(
            one.reviewer,
            "",
            Span(
                one.effect,
                title=gettext("%(reviewer)s: %(change)s points, %(reviews)s")
                % {
                    "reviewer": one.reviewer,
                    "change": numbers.format_change(one.effect),
                    "reviews": numbers.format_reviews(one.reviews),
                },
            ),
        )
        for one in group
    ]
    label = gettext("%(metric)s: how far above or below the others each reviewer scores")
    return charts.severity(rows, label=label % {"metric": metric.name})
