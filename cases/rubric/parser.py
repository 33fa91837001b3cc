"""Parse a rubric document: Markdown to dataclasses, or a list of all its problems."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from .document import (
    Document,
    Level,
    Metric,
    Question,
    RubricError,
    RubricProblem,
    Section,
    _,
    slug,
)
from .lines import Item, Page, Part, checklist_label, has_text, is_list, rows, short
from .sampling import PlacedSampling, read_sampling

MOST_LEVELS = 11

_HEADING = re.compile(
    r"(?P<label>.*?(?:(?<![a-z])metric|指标))\s*(?P<number>\d{1,4})\s*[:：]\s*(?P<name>.*?)\s*"
    r"[(（]\s*(?P<low>\d{1,4})\s*[-‐‑–—~～至]\s*(?P<high>\d{1,4})\s*[)）]",
    re.IGNORECASE,
)
_LEVEL = re.compile(r"`\s*(?P<value>\d{1,4})\s*`\s*[:：]\s*(?P<text>.*)")


def is_metric_heading(text: str) -> bool:
    return _HEADING.fullmatch(text) is not None


def read_metric(page: Page, part: Part, place: int) -> Metric:
    """Read the metric in a part that begins with the heading of a metric."""
    heading = _HEADING.fullmatch(part.heading)
    assert heading, "the caller asks is_metric_heading first"
    name, number = heading["name"], int(heading["number"])
    if not has_text(name):
        page.refuse(part.row, _("This metric has no name."))
    if number != place:
        message = _("%(name)s is numbered %(number)d but comes as metric %(place)d.")
        page.warn(part.row, message, name=name, number=number, place=place)
    key = slug(name) or f"metric-{place}"
    low, high = int(heading["low"]), int(heading["high"])
    body = _Body(page, part, name or part.heading)
    return Metric(
        key=key,
        label=heading["label"],
        name=name,
        low=low,
        high=high,
        intro=body.intro,
        levels=body.read_levels(range(low, high + 1)),
        checklist_label=body.label,
        checklist=body.read_checklist(key),
        remarks="\n\n".join(body.remarks),
    )


@dataclass(frozen=True, slots=True)
class _Mark:
    """A list or the label of the checklist; they separate the texts of a metric."""

    start: int
    end: int
    label: str
    items: list[Item]


def _marks(page: Page, part: Part) -> Iterator[_Mark]:
    for block in part.blocks:
        start, end = rows(block)
        if is_list(block):
            yield _Mark(start, end, "", list(page.items(block)))
        elif block.type == "paragraph":
            for row in range(start, end):
                if label := checklist_label(page.lines[row]):
                    if row < end - 1:
                        _refuse_text_below_label(page, row + 1, label)
                    yield _Mark(row, end, label, [])
                    break


def _refuse_text_below_label(page: Page, row: int, label: str) -> None:
    message = _('Only questions may follow "%(label)s"; move this text above it.')
    page.refuse(row, message, label=label)


@dataclass(slots=True)
class _Body:
    """The content below the heading of a metric.

    Lists above the checklist's label have the levels, lists below it the questions. Text before
    the first of these is the introduction, any other text a remark. A remark has no list, so
    that no question gets lost in one.
    """

    page: Page
    part: Part
    name: str
    intro: str = ""
    label: str = ""
    label_row: int = 0
    levels: list[Item] = field(default_factory=list)
    strays: list[Item] = field(default_factory=list)
    questions: list[Item] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    is_glued: bool = False

    def __post_init__(self) -> None:
        last: _Mark | None = None
        end = self.part.start
        for mark in _marks(self.page, self.part):
            text = self.page.text(end, mark.start)
            if text and last and last.label:
                row = self.page.first_row(end, mark.start)
                _refuse_text_below_label(self.page, row, last.label)
            else:
                self._add_text(text, is_first=not last)
            if mark.label:
                self._add_label(mark)
            elif not self.label:
                self._add_levels(mark.items)
            elif text and self.questions:
                message = _(
                    "This list is separate from the checklist; move its questions up, "
                    "or give it a section of its own."
                )
                self.page.refuse(mark.start, message)
            else:
                self._add_questions(mark.items)
            last, end = mark, mark.end
        self._add_text(self.page.text(end, self.part.end), is_first=not last)

    def _add_text(self, text: str, is_first: bool) -> None:
        if is_first:
            self.intro = text
        elif text:
            self.remarks.append(text)

    def _add_label(self, mark: _Mark) -> None:
        if self.label:
            message = _("%(name)s has a second checklist; put all questions into one.")
            self.page.refuse(mark.start, message, name=self.name)
        else:
            self.label, self.label_row = mark.label, mark.start

    def _add_levels(self, items: list[Item]) -> None:
        for item in items:
            if _LEVEL.fullmatch(item.text):
                self.levels.append(item)
            elif self.is_glued:
                self.questions.append(item)
            else:
                self.strays.append(item)
            self.is_glued = self.is_glued or item.has_label_below

    def _add_questions(self, items: list[Item]) -> None:
        levels = [item for item in items if _LEVEL.fullmatch(item.text)]
        if levels:
            message = _('This level is below "%(label)s"; move the levels above it.')
            self.page.refuse(levels[0].row, message, label=self.label)
        self.levels += levels
        self.questions += [item for item in items if not _LEVEL.fullmatch(item.text)]

    def read_levels(self, scale: range) -> tuple[Level, ...]:
        has_scale = self._check_scale(scale.start, scale.stop - 1)
        found: dict[int, Level] = {}
        first_rows: dict[int, int] = {}
        for item in self.levels:
            match = _LEVEL.fullmatch(item.text)
            assert match, "only levels are among the levels"
            value = int(match["value"])
            level: dict[str, str | int] = {"value": value, "name": self.name}
            if value in found:
                message = _("Level %(value)d of %(name)s is already in line %(other_line)d.")
                self.page.refuse(item.row, message, **level, other_line=first_rows[value] + 1)
                continue
            if has_scale and value not in scale:
                message = _("Level %(value)d is outside the scale %(low)d-%(high)d of %(name)s.")
                self.page.refuse(item.row, message, **level, low=scale[0], high=scale[-1])
            if not has_text(match["text"]):
                self.page.refuse(item.row, _("Level %(value)d of %(name)s has no text."), **level)
            found[value] = Level(value, match["text"].strip(), item.hint)
            first_rows[value] = item.row
        if not found:
            message = _("%(name)s has no levels; write each as a list item like - `0`: text.")
            self.page.refuse(self.part.row, message, name=self.name)
        elif has_scale:
            for value in sorted(set(scale) - set(found)):
                message = _("%(name)s has no level %(value)d.")
                self.page.refuse(self.part.row, message, name=self.name, value=value)
        return tuple(found[value] for value in sorted(found))

    def _check_scale(self, low: int, high: int) -> bool:
        if low > high:
            message = _("The scale %(low)d-%(high)d is upside down; the lowest level comes first.")
        elif low == high:
            message = _("The scale %(low)d-%(high)d has one level; it needs at least two.")
        elif high - low >= MOST_LEVELS:
            message = _("The scale %(low)d-%(high)d has more than %(most)d levels.")
        else:
            return True
        self.page.refuse(self.part.row, message, low=low, high=high, most=MOST_LEVELS)
        return False

    def read_checklist(self, metric_key: str) -> tuple[Question, ...]:
        self._check_label()
        first_rows: dict[str, int] = {}
        for item in self.questions:
            if not has_text(item.text):
                self.page.refuse(item.row, _("This question has no text."))
                continue
            first_row = first_rows.setdefault(" ".join(item.text.casefold().split()), item.row)
            if first_row != item.row:
                message = _("%(name)s already asks this question in line %(other_line)d.")
                self.page.refuse(item.row, message, name=self.name, other_line=first_row + 1)
        return tuple(
            Question(f"{metric_key}.{number}", item.text, item.hint)
            for number, item in enumerate(self.questions, 1)
        )

    def _check_label(self) -> None:
        strays = self.strays
        if self.label and not self.questions:
            message = _('There are no questions below "%(label)s".')
            self.page.refuse(self.label_row, message, label=self.label)
        elif not self.label and not self.is_glued:
            # Without a label Markdown joins the questions to the levels: say that once.
            last_row = self.levels[-1].row if self.levels else self.part.end
            unlabelled = [item for item in strays if item.row > last_row]
            strays = [item for item in strays if item.row < last_row]
            if unlabelled:
                message = _(
                    '"%(text)s" is not a level; if the questions start here, put a blank line '
                    'and the line "Review checklist:" before it.'
                )
                self.page.refuse(unlabelled[0].row, message, text=short(unlabelled[0].text))
            else:
                message = _('%(name)s has no checklist: no line like "Review checklist:".')
                self.page.refuse(self.part.row, message, name=self.name)
        for item in strays:
            message = _('"%(text)s" is not a level; write it like - `0`: text.')
            self.page.refuse(item.row, message, text=short(item.text))


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
    preamble: list[str] = field(default_factory=list)
    scope: Section | None = None
    metrics: list[Metric] = field(default_factory=list)
    metric_rows: list[int] = field(default_factory=list)
    has_sampling: bool = False
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
                self.metrics.append(read_metric(self.page, part, len(self.metrics) + 1))
                self.metric_rows.append(part.row)
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
        if not self.metrics and not has_broken_metric:
            message = _("The document has no metric; add one under ## Metric 1: Name (0-5).")
            self.page.refuse(self.page.last_row, message)
        if not self.has_sampling:
            message = _("The document has no sampling section; add one under ## Sampling.")
            self.page.refuse(self.page.last_row, message)

    def _text(self, part: Part) -> str:
        return self.page.text(part.start, part.end)

    def _add_title(self, part: Part) -> None:
        if part.depth and self.title:
            self.page.refuse(part.row, _("The document has a second title; use ## for a section."))
        self.title = self.title or part.heading
        if text := self._text(part):
            row = self.page.first_row(part.start, part.end)
            self.page.warn(row, _("This text is outside any section; it is kept at the top."))
            self.preamble.append(text)

    def _add_scope(self, part: Part) -> None:
        if self.scope:
            self.page.refuse(part.row, _("The document has a second scope section."))
        self.scope = Section(part.heading, self._text(part))

    def _add_sampling(self, part: Part) -> None:
        if self.has_sampling:
            self.page.refuse(part.row, _("The document has a second sampling section."))
        else:
            self.has_sampling = True
            self.placed = read_sampling(self.page, part)

    def _add_other(self, part: Part) -> None:
        message = _('The section "%(heading)s" is not part of a rubric; it is kept at the end.')
        self.page.warn(part.row, message, heading=part.heading)
        self.other.append(Section(part.heading, self._text(part)))

    def check_keys(self) -> None:
        names = [(each.key, each.name) for each in self.metrics]
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
        scope = self.scope or Section("", "")
        document = Document(
            title=self.title,
            preamble="\n\n".join(self.preamble),
            scope_heading=scope.heading,
            scope=scope.text,
            metrics=tuple(self.metrics),
            sampling=self.placed.sampling,
            other=tuple(self.other),
        )
        return Reading(document, tuple(self.page.warnings))


def _starts_part(depth: int, heading: str) -> bool:
    # A metric under ### is refused, but read: its lists are not those of the metric above.
    return depth <= 2 or is_metric_heading(heading)
