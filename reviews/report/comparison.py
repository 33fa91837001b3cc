"""Two releases side by side, for the section of the report and for its own page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from cases.rubric import Document
from reviews.comparison import Paired
from reviews.report import charts
from reviews.report.charts import Chart, Span
from reviews.report.summary.figures import (
    CaseChange,
    Comparison,
    MetricComparison,
    QuestionChange,
    Rate,
)

from . import numbers
from .key_figures import describe_few_pairs, describe_margin, find_reach
from .links import CaseLink, Links
from .scores import find_kind_text
from .sentences import translate_reason


class Behind:
    """Links to the cases behind a comparison, in the later and in the earlier release.

    `is_named`: the address contains the other release; else it is the comparison of the report.
    """

    def __init__(self, found: Comparison, links: Links, *, is_named: bool = False) -> None:
        self.links = links
        across: dict[str, str | int] = {"across": 1} if found.caution else {}
        self.named = {"with": found.before, **across} if is_named else {}
        self.named_back = {"with": found.after, **across}

    def now(self, **asked: str | int) -> str:
        return self.links.rows(**asked, **self.named)

    def before(self, **asked: str | int) -> str:
        return self.links.rows_before(**asked, **self.named_back)


@dataclass(frozen=True)
class Count:
    """A number of cases in words; `href` is empty if there are none."""

    words: str
    href: str


@dataclass(frozen=True)
class Change:
    """A paired difference in words. If `figure` is empty, `note` gives the reason."""

    name: str
    figure: str
    interval: str
    cases: int
    href: str
    counts: list[Count]
    chance: str
    note: str


@dataclass(frozen=True)
class ComparedMetric:
    """`lines` are cautions below the figure."""

    name: str
    before: Count
    after: Count
    total: Change
    same: Change
    kinds: list[Change]
    chart: Chart | None
    lines: list[str]


@dataclass(frozen=True)
class ComparedQuestion:
    """`before` and `after`: yes among the answers that apply, on the shared cases."""

    text: str
    before: Count
    before_interval: str
    after: Count
    after_interval: str
    to_yes: Count
    to_no: Count
    cases: int
    cases_href: str
    chance: str
    note: str
    is_worse: bool


@dataclass(frozen=True)
class Move:
    before: str
    after: str
    change: str
    tone: str


@dataclass(frozen=True)
class CaseRow:
    case: CaseLink
    kind: str
    moves: list[Move]
    is_by_same: bool


@dataclass(frozen=True)
class ComparedReleases:
    """The comparison of two summaries, with the names and links that its pages need."""

    figures: Comparison
    shared_href: str
    same_href: str
    metric_names: list[str]
    metrics: list[ComparedMetric]
    questions: list[ComparedQuestion]


def build_comparison(
    found: Comparison, document: Document, behind: Behind, *, margin: float
) -> ComparedReleases:
    """`document` is the rubric of the later release, in the reader's language."""
    names = [document.metric(metric.metric).name for metric in found.metrics]
    return ComparedReleases(
        figures=found,
        shared_href=behind.now(change="shared"),
        same_href=behind.now(change="shared", judges="same") if found.by_same else "",
        metric_names=names,
        metrics=[
            compare_metric(metric, name, document, behind, margin)
            for metric, name in zip(found.metrics, names, strict=True)
        ],
        questions=[compare_question(question, document, behind) for question in found.checklist],
    )


def compare_metric(
    change: MetricComparison, name: str, document: Document, behind: Behind, margin: float
) -> ComparedMetric:
    asked: dict[str, str | int] = {"metric": change.metric}
    total = build_change(name, change.paired, behind, asked, margin=margin)
    return ComparedMetric(
        name=name,
        before=Count(
            "" if change.before is None else numbers.format_points(change.before),
            behind.before(**asked, change="shared"),
        ),
        after=Count(
            "" if change.after is None else numbers.format_points(change.after),
            behind.now(**asked, change="shared"),
        ),
        total=total,
        same=build_change(
            gettext("judged by the same reviewers"),
            change.by_same,
            behind,
            {**asked, "judges": "same"},
        ),
        kinds=[
            build_change(
                find_kind_text(kind.kind, document),
                kind.paired,
                behind,
                {**asked, "kind": kind.kind or "-"},
            )
            for kind in change.by_kind
        ],
        chart=build_change_chart(change.paired, total, margin),
        lines=[
            line
            for line in (
                describe_few_pairs(change.paired),
                translate_reason(change.paired.p_caution),
            )
            if line
        ],
    )


def build_change(
    name: str,
    paired: Paired,
    behind: Behind,
    asked: Mapping[str, str | int],
    *,
    margin: float | None = None,
) -> Change:
    beside = None if margin is None else -margin
    return Change(
        name=name,
        figure="" if paired.mean is None else numbers.format_change(paired.mean, beside=beside),
        interval=numbers.format_change_interval(paired, beside=beside),
        cases=paired.n,
        href=behind.now(**asked, change="shared") if paired.n else "",
        counts=[
            Count(words, behind.now(**asked, change=change) if count else "")
            for change, count, words in list_counts(paired)
        ],
        chance="" if paired.p_value is None else numbers.format_chance(paired.p_value),
        note=translate_reason(paired.why or paired.caution),
    )


def list_counts(paired: Paired) -> Iterator[tuple[str, int, str]]:
    yield "better", paired.better, gettext("%(count)d better") % {"count": paired.better}
    yield "same", paired.same, gettext("%(count)d same") % {"count": paired.same}
    yield "worse", paired.worse, gettext("%(count)d worse") % {"count": paired.worse}


def build_change_chart(paired: Paired, change: Change, margin: float) -> Chart | None:
    if paired.mean is None:
        return None
    label = f"{change.name}: {change.figure} ({change.interval})"
    return charts.interval(
        Span(paired.mean, paired.low, paired.high, label),
        low=-find_reach(paired),
        high=find_reach(paired),
        floor=Span(-margin, title=describe_margin(margin)),
        label=label,
    )


def compare_question(
    change: QuestionChange, document: Document, behind: Behind
) -> ComparedQuestion:
    def turned(count: int, which: str) -> Count:
        href = behind.now(question=change.item, turned=which) if change.could_turn and count else ""
        return Count(str(count), href)

    def answered(rate: Rate, href: str) -> Count:
        return Count(numbers.format_part(rate.count, rate.of), href if rate.of else "")

    return ComparedQuestion(
        text=document.question(change.item).text,
        before=answered(change.before, behind.before(question=change.item, change="shared")),
        before_interval=numbers.format_rate_interval(change.before)
        or translate_reason(change.before.why),
        after=answered(change.after, behind.now(question=change.item, change="shared")),
        after_interval=numbers.format_rate_interval(change.after)
        or translate_reason(change.after.why),
        to_yes=turned(change.to_yes, "yes"),
        to_no=turned(change.to_no, "no"),
        cases=change.cases,
        cases_href=turned(change.cases, "could").href,
        chance="" if change.p_value is None else numbers.format_chance(change.p_value),
        note=translate_reason(change.why),
        is_worse=(change.after.high or 0.0) < (change.before.low or 0.0),
    )


# --- Case by case ---------------------------------------------------------------------------------


def sort_cases(found: Comparison) -> list[CaseChange]:
    """Sort the cases: the largest fall first, the largest rise last."""
    return sorted(found.cases, key=lambda case: (case.change, case.case_key))


def build_case_rows(cases: Sequence[CaseChange], document: Document, links: Links) -> list[CaseRow]:
    return [
        CaseRow(
            case=links.case(case.case_key),
            kind=find_kind_text(case.kind, document),
            moves=[build_move(*scores) for scores in zip(case.before, case.after, strict=True)],
            is_by_same=case.is_by_same,
        )
        for case in cases
    ]


def build_move(before: float, after: float) -> Move:
    moved = after - before
    return Move(
        before=numbers.format_points(before),
        after=numbers.format_points(after),
        change=numbers.format_change(moved) if moved else "0",
        tone="good" if moved > 0 else "bad" if moved < 0 else "",
    )
