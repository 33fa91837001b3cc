"""Read the section of a metric: its scale, levels, checklist and texts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from .document import Level, Metric, Question, _, slug
from .lines import Item, Page, Part, checklist_label, has_text, is_list, rows, short

MOST_LEVELS = 11

METRIC_HEADING = re.compile(
    r"(?P<label>.*?(?:(?<![a-z])metric|指标))\s*(?P<number>\d{1,4})\s*[:：]\s*(?P<name>.*?)\s*"
    r"[(（]\s*(?P<low>\d{1,4})\s*[-‐‑–—~～至]\s*(?P<high>\d{1,4})\s*[)）]",
    re.IGNORECASE,
)
LEVEL = re.compile(r"`\s*(?P<value>\d{1,4})\s*`\s*[:：]\s*(?P<text>.*)")


def is_metric_heading(text: str) -> bool:
    return METRIC_HEADING.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class PlacedMetric:
    """A metric, and where its parts are in the document. `levels` are by their value."""

    metric: Metric
    part: Part
    intro: tuple[int, int]
    levels: Mapping[int, Item]
    questions: tuple[Item, ...]


def read_metric(page: Page, part: Part, place: int) -> PlacedMetric:
    """Read the metric in a part that begins with the heading of a metric."""
    heading = METRIC_HEADING.fullmatch(part.heading)
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
    metric = Metric(
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
    intro = (part.start, body.intro_end)
    return PlacedMetric(metric, part, intro, body.first_items, tuple(body.questions))


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
    intro_end: int = 0
    first_items: dict[int, Item] = field(default_factory=dict)

    def __post_init__(self) -> None:
        last: _Mark | None = None
        end = self.part.start
        self.intro_end = self.part.end
        for mark in _marks(self.page, self.part):
            if not last:
                self.intro_end = mark.start
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
            if LEVEL.fullmatch(item.text):
                self.levels.append(item)
            elif self.is_glued:
                self.questions.append(item)
            else:
                self.strays.append(item)
            self.is_glued = self.is_glued or item.has_label_below

    def _add_questions(self, items: list[Item]) -> None:
        levels = [item for item in items if LEVEL.fullmatch(item.text)]
        if levels:
            message = _('This level is below "%(label)s"; move the levels above it.')
            self.page.refuse(levels[0].row, message, label=self.label)
        self.levels += levels
        self.questions += [item for item in items if not LEVEL.fullmatch(item.text)]

    def read_levels(self, scale: range) -> tuple[Level, ...]:
        has_scale = self._check_scale(scale.start, scale.stop - 1)
        found: dict[int, Level] = {}
        for item in self.levels:
            match = LEVEL.fullmatch(item.text)
            assert match, "only levels are among the levels"
            value = int(match["value"])
            level: dict[str, str | int] = {"value": value, "name": self.name}
            if value in found:
                message = _("Level %(value)d of %(name)s is already in line %(other_line)d.")
                other_line = self.first_items[value].row + 1
                self.page.refuse(item.row, message, **level, other_line=other_line)
                continue
            if has_scale and value not in scale:
                message = _("Level %(value)d is outside the scale %(low)d-%(high)d of %(name)s.")
                self.page.refuse(item.row, message, **level, low=scale[0], high=scale[-1])
            if not has_text(match["text"]):
                self.page.refuse(item.row, _("Level %(value)d of %(name)s has no text."), **level)
            found[value] = Level(value, match["text"].strip(), item.hint)
            self.first_items[value] = item
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
