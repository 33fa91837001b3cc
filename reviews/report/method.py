"""The section on method: how far reviewers agree, and how severe each of them is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from cases.rubric import Document, Metric
from reviews.agreement import Reading, Result
from reviews.report import charts
from reviews.report.charts import Chart, IntervalRow, PairCell, Span
from reviews.report.summary import Summary
from reviews.report.summary.figures import Agreement, MetricSummary, PairSummary, ReviewerSeverity

from . import numbers
from .links import Links
from .sentences import translate_reason

# By the lower limit of alpha: a wide interval supports little.
READINGS: dict[Reading, Promise] = {
    "reliable": _("Reviewers agree well enough to rely on the scores."),
    "tentative": _("Reviewers agree well enough for tentative conclusions only."),
    "unreliable": _(
        "There is no evidence that reviewers agree much beyond chance: treat single scores with "
        "care."
    ),
    "barely-varies": _(
        "The scores barely vary, so agreement beyond chance cannot be shown; nearly all of them "
        "lie within one point."
    ),
    "no-interval": _("There are too few cases to tell how well reviewers agree."),
    "undefined": _("Agreement beyond chance is not defined here."),
}
# By the name of the weights in the summary.
AC2: dict[str, Promise] = {"linear": _("Gwet's AC2, linear weights")}
METHODS: dict[str, Promise] = {
    "": _("no interval"),
    "wilson": _("Wilson, over cases"),
    "case-t": _("t, over cases"),
    "one-way-f": _("F, one-way analysis of variance"),
    "jackknife-t": _("t, leaving out one case at a time"),
    "linearised-t": _("t, linearised over cases"),
    "clopper-pearson": _("Clopper and Pearson, over cases"),
    "one-way-f-or-jackknife-t": _("the wider of F and leaving out one case at a time"),
    "linearised-t-or-share": _("the wider of t and the share that agrees"),
    "share": _("from the share of cases that agree"),
}


@dataclass(frozen=True)
class Coefficient:
    """A coefficient in words. If `figure` is empty, `note` gives the reason."""

    name: str
    figure: str
    interval: str
    method: str
    rests_on: str
    note: str
    href: str


@dataclass(frozen=True)
class MetricMethod:
    """The agreement on a metric: `plain` is read first, then the other `coefficients`.

    Pairs and reviewers come with a link to their cases.
    """

    metric: Metric
    reading: str
    few: str
    levels_used: tuple[int, ...]
    plain: list[Coefficient]
    coefficients: list[Coefficient]
    pairs: list[tuple[PairSummary, str]]
    pairs_chart: Chart | None
    severity: list[list[tuple[ReviewerSeverity, str]]]
    severity_charts: list[Chart]
    severity_note: str


@dataclass(frozen=True)
class QuestionMethod:
    """Agreement on whether a question applies, and on its answer where it does."""

    text: str
    applicability: Coefficient
    exact: Coefficient
    ac1: Coefficient


def build_question_methods(
    summary: Summary, document: Document, links: Links
) -> list[QuestionMethod]:
    return [
        QuestionMethod(
            text=document.question(question.item).text,
            applicability=build_plain(
                "", question.applicability, True, links.rows(question=question.item)
            ),
            exact=build_plain("", question.exact, True, twice),
            ac1=build_beyond_chance("", question.ac1, twice),
        )
        for question in summary.checklist
        for twice in [links.rows(question=question.item, only="paired")]
    ]


def build_methods(summary: Summary, document: Document, links: Links) -> list[MetricMethod]:
    return [build_metric_method(metric, document, links) for metric in summary.metrics]


def build_metric_method(
    metric_summary: MetricSummary, document: Document, links: Links
) -> MetricMethod:
    metric = document.metric(metric_summary.metric)
    href = links.rows(metric=metric_summary.metric, only="paired")
    return MetricMethod(
        metric=metric,
        reading=str(READINGS[metric_summary.agreement.reading]),
        few=translate_reason(metric_summary.agreement.few),
        levels_used=metric_summary.agreement.levels_used,
        plain=[
            *(
                build_plain(*coefficient, href)
                for coefficient in list_plain_agreement(metric_summary.agreement)
            ),
            *(
                warn_of_few(build_beyond_chance(*coefficient, href), coefficient[1])
                for coefficient in list_headlines(metric_summary.agreement)
            ),
        ],
        coefficients=[
            warn_of_few(build_beyond_chance(*coefficient, href), coefficient[1])
            for coefficient in list_coefficients(metric_summary.agreement)
        ],
        pairs=[
            (pair, links.rows(metric=metric.key, first=pair.first, second=pair.second))
            for pair in metric_summary.pairs
        ],
        pairs_chart=build_pair_chart(metric_summary.pairs, metric)
        if metric_summary.pairs
        else None,
        severity=[
            [(person, links.rows(reviewer=person.reviewer)) for person in group]
            for group in list_shown(metric_summary)
        ],
        severity_charts=[
            build_severity_chart(group, metric) for group in list_shown(metric_summary)
        ],
        severity_note=describe_severity(metric_summary),
    )


def describe_severity(metric: MetricSummary) -> str:
    """Say why severity is not shown, or that none of it is more than chance."""
    why = translate_reason(metric.severity.why)
    people = [person for group in metric.severity.groups for person in group]
    if not people or any(person.is_shown for person in people):
        return why
    none = gettext("no difference between reviewers can be shown")
    return gettext("%(first)s; %(second)s") % {"first": none, "second": why} if why else none


def list_shown(metric: MetricSummary) -> list[tuple[ReviewerSeverity, ...]]:
    """Return the groups with an effect whose interval excludes 0; the others are chance."""
    return [group for group in metric.severity.groups if any(person.is_shown for person in group)]


def list_plain_agreement(agreement: Agreement) -> Iterator[tuple[str, Result, bool]]:
    yield gettext("The same score, of pairs of reviews"), agreement.exact, True
    yield gettext("Within one point, of pairs of reviews"), agreement.within_one, True
    yield gettext("All reviews within one point, of cases"), agreement.cases_within_one, True
    yield gettext("Mean gap between two reviews, in points"), agreement.mean_gap, False


def list_headlines(agreement: Agreement) -> Iterator[tuple[str, Result]]:
    """Yield alpha with AC1 beside it: where scores barely vary, alpha alone misleads."""
    yield gettext("Krippendorff's alpha, ordinal"), agreement.alpha
    yield gettext("Gwet's AC1"), agreement.ac1


def list_coefficients(agreement: Agreement) -> Iterator[tuple[str, Result]]:
    yield gettext("Krippendorff's alpha, interval"), agreement.alpha_interval
    yield gettext("Krippendorff's alpha, nominal"), agreement.alpha_nominal
    yield str(AC2[agreement.ac2_weights]), agreement.ac2
    yield gettext("Fleiss' kappa"), agreement.fleiss
    yield gettext("Brennan and Prediger"), agreement.brennan_prediger
    yield gettext("ICC(1), one review"), agreement.icc1
    yield gettext("ICC(1,k), the mean of a case's reviews"), agreement.reliability


def build_plain(name: str, result: Result, is_share: bool, href: str) -> Coefficient:
    if result.value is None:
        return build_coefficient(name, result, "", "", href)
    if not is_share:
        limits = [result.low, result.high]
        known = [numbers.format_points(limit) for limit in limits if limit is not None]
        interval = numbers.format_span(*known) if len(known) == 2 else ""
        return build_coefficient(name, result, f"{result.value:.2f}", interval, href)
    limits_shown = ""
    if result.low is not None and result.high is not None:
        low, high = numbers.round_percent(result.low), numbers.round_percent(result.high)
        limits_shown = gettext("%(low)d to %(high)d %%") % {"low": low, "high": high}
    share = gettext("%(share)d %%") % {"share": numbers.round_percent(result.value)}
    return build_coefficient(name, result, share, limits_shown, href)


def build_beyond_chance(name: str, result: Result, href: str) -> Coefficient:
    if result.value is None:
        return build_coefficient(name, result, "", "", href)
    interval = ""
    if result.low is not None and result.high is not None:
        interval = numbers.format_span(
            numbers.format_coefficient(result.low), numbers.format_coefficient(result.high)
        )
    return build_coefficient(name, result, numbers.format_coefficient(result.value), interval, href)


# Trials with fewer cases: docs/agreement.md, "Do the intervals cover?".
ENOUGH_TO_TRUST = 20
NARROW = {"one-way-f", "jackknife-t", "one-way-f-or-jackknife-t"}


def warn_of_few(row: Coefficient, result: Result) -> Coefficient:
    """Say how far to trust an interval that was too narrow in trials with so few cases."""
    if not row.interval or result.method not in NARROW or result.n_units >= ENOUGH_TO_TRUST:
        return row
    narrow = gettext("in trials with so few cases that score alike, too narrow: read it as a guide")
    note = gettext("%(first)s; %(second)s") % {"first": row.note, "second": narrow}
    return replace(row, note=note if row.note else narrow)


def build_coefficient(
    name: str, result: Result, figure: str, interval: str, href: str
) -> Coefficient:
    """Build the row; `href` leads to the cases with two reviews, if there are any."""
    return Coefficient(
        name=name,
        figure=figure,
        interval=interval,
        method=str(METHODS.get(result.method, result.method)),
        rests_on=gettext("%(cases)s, %(pairs)s")
        % {"cases": numbers.format_cases(result.n_units), "pairs": format_pairs(result.n_pairs)},
        note=translate_reason(result.why or result.caution),
        href=href if result.n_units else "",
    )


def format_pairs(count: int) -> str:
    return ngettext("%(count)d pair", "%(count)d pairs", count) % {"count": count}


# --- Who with whom --------------------------------------------------------------------------------


def build_pair_chart(pairs: tuple[PairSummary, ...], metric: Metric) -> Chart:
    names = sorted({name for pair in pairs for name in (pair.first, pair.second)})
    place = {name: number for number, name in enumerate(names)}
    cells = {
        (max(both), min(both)): PairCell(
            share=pair.within_one / pair.cases,
            text=f"{pair.within_one}/{pair.cases}",
            title=gettext("%(first)s and %(second)s: %(count)d of %(all)d within one point")
            % {
                "first": pair.first,
                "second": pair.second,
                "count": pair.within_one,
                "all": pair.cases,
            },
        )
        for pair in pairs
        for both in [(place[pair.first], place[pair.second])]
    }
    label = gettext("%(metric)s: cases within one point, for each pair of reviewers")
    return charts.pair_matrix(names, cells, label=label % {"metric": metric.name})


def build_severity_chart(group: tuple[ReviewerSeverity, ...], metric: Metric) -> Chart:
    rows = [
        IntervalRow(
            person.reviewer,
            "",
            Span(
                person.effect,
                title=gettext("%(reviewer)s: %(change)s points, %(reviews)s")
                % {
                    "reviewer": person.reviewer,
                    "change": numbers.format_change(person.effect),
                    "reviews": numbers.format_reviews(person.reviews),
                },
            ),
        )
        for person in group
        if person.is_shown
    ]
    label = gettext("%(metric)s: how far above or below the others each reviewer scores")
    return charts.severity(rows, label=label % {"metric": metric.name})
