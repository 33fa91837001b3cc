"""The form beside a document: what it shows of a text, and what a posted form makes of the text."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from django.http import QueryDict
from django.utils.translation import gettext as _

from cases import rubric
from cases.rubric import Document, Level, Metric, RubricError, RubricProblem
from cases.rubric.merging import Held, locate, merge, read_document
from cases.rubric.metric import MOST_LEVELS
from cases.rubric.steps import ACTS, find_neighbour, read_step
from cases.rubric.text_rows import list_rows
from cases.rubric.texts import EditRefused, PartMissing, list_texts
from cases.rubric.writing import read_draft, write_step

PREFIX = "edit:"
# A request may have 1,000 fields: of a longer document the form shows the start.
MOST_FIELDS = 600
MOST_PROBLEMS = 100


# --- What a posted form makes of the text ---------------------------------------------------------


@dataclass(frozen=True)
class Posted:
    """A posted form. `base` is the text that its fields were made from, `text` the document.

    `kept_apart` are the paths where both sides changed the same text, until one is chosen;
    `homeless` is what was typed for parts that are gone. `act` is "up", say, and `path` for what.
    """

    base: str
    text: str
    typed: Mapping[str, str]
    kept_apart: Collection[str] = ()
    homeless: Sequence[str] = ()
    act: str = ""
    path: str = ""


@dataclass(frozen=True)
class Edited:
    """The text after a form was posted. `focus` is the id of what to go on with."""

    text: str
    held: Mapping[str, Held] = field(default_factory=dict)
    homeless: Sequence[str] = ()
    refusal: str = ""
    done: str = ""
    focus: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether all that was typed is in the text."""
        return not (self.held or self.homeless)


def read_posted(data: QueryDict, text: str) -> Posted:
    """Read the form; `text` is its document, or that of an uploaded file."""
    act, _colon, path = data.get("act", "").partition(":")
    return Posted(
        base=normal_ends(data.get("base", text)),
        text=text,
        typed={
            name.removeprefix(PREFIX): value
            for name, value in data.items()
            if name.startswith(PREFIX) and isinstance(value, str)
        },
        kept_apart=frozenset(data.getlist("held")),
        homeless=() if act == "forget" else data.getlist("homeless"),
        act=act,
        path=path,
    )


def normal_ends(text: str) -> str:
    return text.replace("\r\n", "\n")


def edit(posted: Posted, *, is_translation: bool = False) -> Edited:
    """Bring what was typed into the text, then take the step that was asked for."""
    kept_apart, typed = set(posted.kept_apart), dict(posted.typed)
    if posted.act == "take":
        kept_apart.discard(posted.path)
    if posted.act == "leave":
        typed.pop(posted.path, None)
    merged = merge(posted.base, posted.text, typed, kept_apart=kept_apart)
    homeless = [*posted.homeless, *merged.homeless]
    edited = Edited(merged.text, merged.held, homeless)
    if posted.act in ("take", "leave"):
        return Edited(merged.text, merged.held, homeless, focus=f"{PREFIX}{posted.path}")
    if posted.act not in ACTS:
        return edited
    try:
        return _take_step(posted, edited, is_translation=is_translation)
    except EditRefused as error:
        refusal = _(error.message) % error.params
        return Edited(merged.text, merged.held, homeless, refusal=refusal)


def _take_step(posted: Posted, edited: Edited, *, is_translation: bool) -> Edited:
    if is_translation:
        raise EditRefused(_("A translation has the same parts as its original."))
    if edited.held:
        raise EditRefused(_("First choose what becomes of the texts that are marked."))
    path = posted.path
    if posted.base != posted.text:
        path = locate(path, read_document(posted.base), read_document(posted.text)) or ""
    step = read_step(posted.act, path)
    try:
        text = write_step(edited.text, step)
    except RubricError as error:
        raise PartMissing from error
    parent = path if step.act == "add" else path.rpartition(".")[0]
    places = list_places(read_document(text), parent)
    if step.act == "add":
        done, focus = (
            _("Added."),
            find_field(f"{parent}.{_find_added(edited.text, parent, places)}"),
        )
    elif step.act == "remove":
        left = [place for place in places if place <= step.place] or places
        done, focus = _("Removed."), find_field(f"{parent}.{left[-1]}")
    else:
        done, focus = _("Moved."), f"{step.act}:{parent}.{find_neighbour(step)}"
    return Edited(text, homeless=edited.homeless, done=done, focus=focus)


def list_places(document: Document, path: str) -> list[int]:
    """List the places of the parts in a list, such as `metrics.0.levels`; of levels the values."""
    match path.split("."):
        case ["metrics"]:
            return list(range(len(document.metrics)))
        case ["kinds"]:
            return list(range(len(document.sampling.kinds)))
        case ["metrics", place, "questions"]:
            return list(range(len(document.metrics[int(place)].checklist)))
        case ["metrics", place, "levels"]:
            return [level.value for level in document.metrics[int(place)].levels]
    raise PartMissing


def _find_added(before: str, path: str, places: Sequence[int]) -> int:
    had = list_places(read_document(before), path)
    return next(place for place in places if place not in had)


def find_field(path: str) -> str:
    """Return the id of the first field of a part."""
    is_metric = path.startswith("metrics.") and path.count(".") == 1
    return f"{PREFIX}{path}.name" if is_metric else f"{PREFIX}{path}.text"


# --- What the form shows --------------------------------------------------------------------------


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
    problems = find_problems(edited.text, original)
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


def find_problems(text: str, original: Document | None) -> Sequence[RubricProblem]:
    try:
        rubric.translated(original, text) if original else rubric.read(text)
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
