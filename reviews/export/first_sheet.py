"""The first sheet of a workbook: what the first screen of the report says, as rows of cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from typing import Any, Literal

from django.template.loader import render_to_string
from django.utils.translation import get_language, gettext, ngettext, pgettext

from cases.models import Release
from reviews.report import would_help
from reviews.report.first_screen import Card, build_first_screen
from reviews.report.links import Links
from reviews.report.sentences import Names, names_in, translate_reason
from reviews.report.summary import Summary
from reviews.report.verdict import Verdict, Word

from .tables import Cell

Style = Literal["title", "text", "word", "heading", "head", "figures"]

TONES = {Word.GO: "good", Word.NO_GO: "bad"}


@dataclass(frozen=True)
class Line:
    """A row. `style` says how it looks; the second cell of a `text` takes the rest of the row.
    `tone` colours a word: good, bad or open."""

    style: Style
    cells: list[Cell] = field(default_factory=list)
    tone: str = ""


def list_lines(release: Release, summary: Summary, verdict: Verdict) -> Iterator[Line]:
    return FirstSheet(release, summary, verdict).list_lines()


class FirstSheet:
    def __init__(self, release: Release, summary: Summary, verdict: Verdict) -> None:
        self.release, self.summary, self.verdict = release, summary, verdict
        closings = release.closings.newest().defer("summary")
        self.closing = closings.get() if release.is_closed else None
        self.document = release.rubric.text_for(get_language()).document
        self.names: Names = names_in(self.document)
        self.screen = build_first_screen(summary, verdict, self.document, Links(release))
        acts = would_help.load_acts(release, summary, verdict)
        self.acts = would_help.describe_acts(acts)

    def list_lines(self) -> Iterator[Line]:
        yield from self.list_word()
        yield Line("text")
        yield Line("head", self.name_columns())
        for card in self.screen["cards"]:
            yield Line("figures", self.list_figures(card))
        for heading, lines in (
            (self.name_decided(), list(self.list_decided())),
            (gettext("What to do"), list(self.list_acts())),
            (gettext("Cases to open"), list(self.list_cases())),
        ):
            if lines:
                yield Line("text")
                yield Line("heading", [heading])
                yield from lines

    # --- The word -------------------------------------------------------------------------------

    def list_word(self) -> Iterator[Line]:
        yield Line("title", [gettext("Report on %(name)s") % {"name": self.release.name}])
        yield Line("text", [gettext("Product"), self.summary.product or "–"])
        word = self.verdict.word
        tone = TONES.get(word, "open") if word else ""
        yield Line("word", [gettext("Verdict"), self.name_word()], tone)
        for number, condition in enumerate(self.verdict.conditions):
            name = "" if number else gettext("Conditions")
            yield Line("text", [name, translate_reason(condition, self.names)])
        yield Line("text", [gettext("Because"), self.describe()])
        if self.closing and self.closing.is_abandoned:
            yield Line("text", [gettext("Reason"), self.closing.reason])
        yield Line("text", [gettext("Evidence"), self.describe_evidence()])
        for decision in self.release.decisions.filter(voided_at=None):
            signed = f"{decision.get_decision_display()} ({decision.by}): {decision.reason}"
            yield Line("text", [gettext("Decision"), signed])

    def name_word(self) -> str:
        if self.verdict.word:
            return str(self.verdict.word.label)
        return gettext("Abandoned") if self.closing else gettext("Between looks")

    def describe(self) -> str:
        return translate_reason(self.verdict.sentence, self.names)

    def describe_evidence(self) -> str:
        """Say what the figures rest on, and that they may change."""
        context = {**self.screen, "summary": self.summary, "closing": self.closing}
        evidence = render_words("reviews/report/_evidence.html", context)
        return evidence if self.closing else f"{gettext('PROVISIONAL')}: {evidence}"

    # --- The figures ----------------------------------------------------------------------------

    def name_columns(self) -> list[Cell]:
        columns: list[Cell] = [
            gettext("Metric"),
            gettext("Mean"),
            gettext("from (95 %)"),
            gettext("to (95 %)"),
            gettext("Cases"),
            gettext("Floor"),
            gettext("Result"),
            gettext("At least"),
            gettext("At most"),
        ]
        if self.summary.comparison and self.summary.comparison.metrics:
            before = {"before": self.summary.comparison.before}
            columns += [
                gettext("Change since %(before)s") % before,
                gettext("from (95 %)"),
                gettext("to (95 %)"),
                gettext("Shared cases"),
            ]
        return columns

    def list_figures(self, card: Card) -> list[Cell]:
        """Return the figures of a metric; between looks only its mean, as on the page."""
        metric, is_shown = card.metric, card.criterion is not None
        mean, limits = metric.mean, metric.limits if is_shown else None
        cells: list[Cell] = [self.names.get(metric.metric, metric.metric), mean.value]
        cells += [mean.low, mean.high] if is_shown else [None, None]
        cells += [mean.n, metric.floor, name_result(card)]
        cells += [limits.low, limits.high] if limits else [None, None]
        if card.change:
            paired = card.change.paired
            interval = [paired.low, paired.high] if is_shown else [None, None]
            cells += [paired.mean, *interval, paired.n]
        return cells

    # --- What decided and what to do ------------------------------------------------------------

    def name_decided(self) -> str:
        is_between = self.screen["is_between"]
        return gettext("What is missing") if is_between else gettext("What decided")

    def list_decided(self) -> Iterator[Line]:
        for criterion in self.verdict.criteria:
            if criterion.passed is False:
                yield Line("text", ["✗", translate_reason(criterion.reason, self.names)])
        if self.screen["met"]:
            yield Line("text", ["✓", count_met(self.screen["met"])])

    def list_acts(self) -> Iterator[Line]:
        for change in self.screen["would_change"]:
            yield Line("text", ["→", translate_reason(change, self.names)])
        if self.acts:
            yield Line("text", ["→", self.acts.first])
        if self.closing and not self.closing.is_abandoned and not self.is_signed:
            yield Line("text", ["→", gettext("Decide whether it ships")])

    @property
    def is_signed(self) -> bool:
        return self.release.decisions.filter(voided_at=None).exists()

    def list_cases(self) -> Iterator[Line]:
        for case, found in self.screen["to_open"]:
            why = render_words("reviews/report/_to_open.html", {"found": found})
            yield Line("text", [str(case), f"{why} “{found.words}”" if found.words else why])


def name_result(card: Card) -> str:
    names = {
        "good": pgettext("of a floor", "met"),
        "bad": pgettext("of a floor", "not met"),
        "open": pgettext("of a floor", "open"),
    }
    return names.get(card.tone, "")


def count_met(count: int) -> str:
    words = ngettext("%(count)s criterion is met", "%(count)s criteria are met", count)
    return words % {"count": count}


def render_words(template: str, context: dict[str, Any]) -> str:
    """Render a template of words as plain text."""
    return " ".join(unescape(render_to_string(template, context)).split())
