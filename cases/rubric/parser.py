"""Parse a rubric document: Markdown to dataclasses, or a list of all its problems."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from .document import Document, RubricError, RubricProblem, Sampling, Section, _
from .lines import Page, Part
from .metric import PlacedMetric, is_metric_heading, read_metric
from .sampling import PlacedSampling, read_sampling

_NUMBERED_METRIC = re.compile(r"(?:(?<![a-z])metrics?|指标)\s*\d", re.IGNORECASE)
_METRIC = re.compile(r"(?<![a-z])metrics?(?![a-z])|指标", re.IGNORECASE)
_SCOPE = re.compile(r"scope\b.*|(?:适用|使用|评审|评估|评测)?范围", re.IGNORECASE)
_SAMPLING = re.compile(r"\bsampling\b|抽样", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reading:
    document: Document
    warnings: tuple[RubricProblem, ...]


def read(text: str) -> Reading:
    """Read a document that has keys of its own, that is, no translation."""
    draft = Draft(Page(text))
    draft.check_keys()
    return draft.finish()


@dataclass(slots=True)
class Draft:
    """A document as far as it could be read, and the rows of its parts."""

    page: Page
    title: str = ""
    title_row: int | None = None
    preamble: list[str] = field(default_factory=list)
    scope: Section | None = None
    scope_part: Part | None = None
    placed_metrics: list[PlacedMetric] = field(default_factory=list)
    sampling_row: int | None = None
    placed: PlacedSampling | None = None
    other: list[Section] = field(default_factory=list)

    def __post_init__(self) -> None:
        has_broken_metric = False
        for part in self.page.parts(_starts_part):
            is_fit = is_metric_heading(part.heading)
            is_numbered = _NUMBERED_METRIC.search(part.heading) is not None
            if is_fit and part.depth != 2:
                message = _("A metric's heading starts with ##, not with %(hashes)s.")
                self.page.refuse(part.row, message, hashes="#" * part.depth)
            if is_fit:
                place = len(self.placed_metrics) + 1
                self.placed_metrics.append(read_metric(self.page, part, place))
            elif part.depth < 2:
                self._add_title(part)
            elif _SCOPE.fullmatch(part.heading) and not is_numbered:
                self._add_scope(part)
            elif _SAMPLING.search(part.heading) and not is_numbered:
                self._add_sampling(part)
            elif _METRIC.search(part.heading) or is_numbered:
                has_broken_metric = True
                message = _("Write a metric's heading like ## Metric 1: Name (0-5).")
                self.page.refuse(part.row, message)
            else:
                self._add_other(part)
        if not self.title:
            self.page.refuse(0, _("The document has no title; start it with a line # Title."))
        if not self.placed_metrics and not has_broken_metric:
            message = _("The document has no metric; add one under ## Metric 1: Name (0-5).")
            self.page.refuse(self.page.last_row, message)
        if self.sampling_row is None:
            message = _("The document has no sampling section; add one under ## Sampling.")
            self.page.refuse(self.page.last_row, message)

    @property
    def metric_rows(self) -> list[int]:
        return [placed.part.row for placed in self.placed_metrics]

    @property
    def document(self) -> Document:
        """Return what could be read, also of a document with problems."""
        scope = self.scope or Section("", "")
        return Document(
            title=self.title,
            preamble="\n\n".join(self.preamble),
            scope_heading=scope.heading,
            scope=scope.text,
            metrics=tuple(placed.metric for placed in self.placed_metrics),
            sampling=self.placed.sampling if self.placed else Sampling("", "", 0, (), ""),
            other=tuple(self.other),
        )

    def _text(self, part: Part) -> str:
        return self.page.text(part.start, part.end)

    def _add_title(self, part: Part) -> None:
        if part.depth and self.title:
            self.page.refuse(part.row, _("The document has a second title; use ## for a section."))
        if part.depth and not self.title:
            self.title, self.title_row = part.heading, part.row
        if text := self._text(part):
            row = self.page.first_row(part.start, part.end)
            self.page.warn(row, _("This text is outside any section; it is kept at the top."))
            self.preamble.append(text)

    def _add_scope(self, part: Part) -> None:
        if self.scope:
            self.page.refuse(part.row, _("The document has a second scope section."))
        self.scope, self.scope_part = Section(part.heading, self._text(part)), part

    def _add_sampling(self, part: Part) -> None:
        if self.sampling_row is not None:
            self.page.refuse(part.row, _("The document has a second sampling section."))
        else:
            self.sampling_row = part.row
            self.placed = read_sampling(self.page, part)

    def _add_other(self, part: Part) -> None:
        message = _('The section "%(heading)s" is not part of a rubric; it is kept at the end.')
        self.page.warn(part.row, message, heading=part.heading)
        self.other.append(Section(part.heading, self._text(part)))

    def check_keys(self) -> None:
        names = [(each.key, each.name) for each in self.document.metrics]
        message = _(
            'Metric "%(name)s" gets the key %(key)s, as "%(other)s" in line %(other_line)d.'
        )
        self._check_unique(message, names, self.metric_rows)
        if self.placed:
            names = [(each.key, each.text) for each in self.placed.sampling.kinds]
            message = _(
                'Kind "%(name)s" gets the key %(key)s, as "%(other)s" in line %(other_line)d.'
            )
            self._check_unique(message, names, self.placed.kind_rows)

    def _check_unique(
        self, message: str, names: list[tuple[str, str]], rows: Sequence[int]
    ) -> None:
        first: dict[str, tuple[str, int]] = {}
        for (key, name), row in zip(names, rows, strict=True):
            other, other_row = first.setdefault(key, (name, row))
            if other_row != row:
                params = {"name": name, "key": key, "other": other}
                self.page.refuse(row, message, **params, other_line=other_row + 1)

    def finish(self) -> Reading:
        if self.page.problems or not self.placed:
            raise RubricError(self.page.problems)
        return Reading(self.document, tuple(self.page.warnings))


def _starts_part(depth: int, heading: str) -> bool:
    # A metric under ### is refused, but read: its lists are not those of the metric above.
    return depth <= 2 or is_metric_heading(heading)
