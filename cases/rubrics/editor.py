"""The form beside a document: what it shows of a text."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from django.utils.translation import gettext as _

from cases import rubric
from cases.rubric import Document, Level, Metric, RubricError, RubricProblem
from cases.rubric.merging import Held
from cases.rubric.metric import MOST_LEVELS
from cases.rubric.parser import Draft
from cases.rubric.text_rows import list_rows
from cases.rubric.texts import list_texts
from cases.rubric.writing import read_draft
from cases.rubrics.edits import PREFIX, Edited

# A request may have 1,000 fields: of a longer document the form shows the start.
MOST_FIELDS = 600
MOST_PROBLEMS = 100


@dataclass(frozen=True)
class Field:
    """A text of the document, under its path.

    `value` is that of the document, or what was typed and is not in it: then `held` says why, and
    `in_document` is what the document has. `original` is the text that this one translates.
    """

    path: str
    value: str
    original: str
    held: Held | None
    in_document: str
    is_wrong: bool

    @property
    def name(self) -> str:
        return PREFIX + self.path

    @property
    def problem(self) -> str:
        return _(self.held.message) if self.held else ""


@dataclass(frozen=True)
class Moves:
    """What can be done with a part of a list."""

    up: bool
    down: bool
    remove: bool


@dataclass(frozen=True)
class Part:
    """A level, a question or a kind: its text, and its hint or its tags."""

    path: str
    number: int
    text: Field
    more: Field
    moves: Moves


@dataclass(frozen=True)
class MetricPart:
    path: str
    metric: Metric
    number: int
    name: Field
    intro: Field
    levels: Sequence[Part]
    questions: Sequence[Part]
    is_full: bool
    moves: Moves


@dataclass(frozen=True)
class LineProblem:
    """A problem with the words of its line, and the name of the field that has them, if any."""

    problem: RubricProblem
    line: str
    field: str


@dataclass(frozen=True)
class Editor:
    """The form beside a text, and the problems of the text."""

    edited: Edited
    title: Field | None = None
    scope: Field | None = None
    metrics: Sequence[MetricPart] = ()
    rule: Field | None = None
    kinds: Sequence[Part] = ()
    minimum: int = 0
    problems: Sequence[LineProblem] = ()
    problem_count: int = 0
    is_cut: bool = False
    is_translation: bool = False

    @property
    def base(self) -> str:
        return self.edited.text


def build_editor(edited: Edited, original: Document | None = None) -> Editor:
    """Build the form for a text; `original` is the document that it translates."""
    try:
        draft = read_draft(edited.text)
    except RubricError as error:
        unread = [LineProblem(problem, "", "") for problem in error.problems]
        return Editor(edited, problems=unread, problem_count=len(unread))
    document = draft.document
    problems = find_problems(draft, edited.text, original)
    rows = list_rows(draft)
    fields = _Fields(
        list_texts(document),
        list_texts(original) if original else {},
        edited.held,
        {rows.get(problem.line - 1, "") for problem in problems},
    )
    return Editor(
        edited=edited,
        title=fields.find("title"),
        scope=fields.find("scope") if document.scope_heading else None,
        metrics=[
            _build_metric(place, document, fields)
            for place in range(len(document.metrics))
            if fields.left > 0
        ],
        rule=fields.find("rule") if document.sampling.heading else None,
        kinds=list(_build_parts("kinds", len(document.sampling.kinds), "tags", fields)),
        minimum=document.sampling.minimum,
        problems=[
            LineProblem(
                problem,
                draft.page.lines[problem.line - 1].strip(),
                PREFIX + rows[problem.line - 1] if problem.line - 1 in rows else "",
            )
            for problem in islice(problems, MOST_PROBLEMS)
        ],
        problem_count=len(problems),
        is_cut=fields.left <= 0,
        is_translation=original is not None,
    )


def find_problems(draft: Draft, text: str, original: Document | None) -> Sequence[RubricProblem]:
    """Find what is wrong with a text, for itself or as a translation."""
    if original is None:
        return sorted(draft.page.problems, key=lambda problem: problem.line)
    try:
        rubric.translated(original, text)
    except RubricError as error:
        return error.problems
    return ()


@dataclass
class _Fields:
    """The fields of a form, and how many more it may have."""

    texts: Mapping[str, str]
    originals: Mapping[str, str]
    held: Mapping[str, Held]
    wrong: Collection[str]
    left: int = MOST_FIELDS

    def find(self, path: str) -> Field:
        self.left -= 1
        held, text = self.held.get(path), self.texts[path]
        return Field(
            path=path,
            value=held.typed if held else text,
            original=self.originals.get(path, ""),
            held=held,
            in_document=text if held else "",
            is_wrong=path in self.wrong,
        )


def _build_metric(place: int, document: Document, fields: _Fields) -> MetricPart:
    metric, path = document.metrics[place], f"metrics.{place}"
    return MetricPart(
        path=path,
        metric=metric,
        number=place + 1,
        name=fields.find(f"{path}.name"),
        intro=fields.find(f"{path}.intro"),
        # The highest first, as on the desk.
        levels=list(reversed(list(_build_levels(f"{path}.levels", metric.levels, fields)))),
        questions=list(_build_parts(f"{path}.questions", len(metric.checklist), "hint", fields)),
        is_full=len(metric.values) >= MOST_LEVELS and len(metric.levels) >= len(metric.values),
        moves=_find_moves(place, len(document.metrics)),
    )


def _build_levels(path: str, levels: Sequence[Level], fields: _Fields) -> Iterator[Part]:
    for place, level in enumerate(levels):
        moves = Moves(up=place < len(levels) - 1, down=place > 0, remove=len(levels) > 2)
        yield _build_part(f"{path}.{level.value}", level.value, "hint", fields, moves)


def _build_parts(path: str, count: int, more: str, fields: _Fields) -> Iterator[Part]:
    for place in range(count):
        if fields.left > 0:
            moves = _find_moves(place, count)
            yield _build_part(f"{path}.{place}", place + 1, more, fields, moves)


def _build_part(path: str, number: int, more: str, fields: _Fields, moves: Moves) -> Part:
    return Part(path, number, fields.find(f"{path}.text"), fields.find(f"{path}.{more}"), moves)


def _find_moves(place: int, count: int) -> Moves:
    return Moves(up=place > 0, down=place < count - 1, remove=count > 1)
