"""What a posted form makes of a document."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from django.http import QueryDict
from django.utils.translation import gettext as _

from cases.rubric import Document, RubricError
from cases.rubric.merging import Held, locate, merge, read_document
from cases.rubric.steps import ACTS, find_neighbour, read_step
from cases.rubric.texts import EditRefused, PartMissing
from cases.rubric.writing import write_step

PREFIX = "edit:"  # of the names of the fields


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
    read_step(posted.act, posted.path)
    path = locate(posted.path, read_document(posted.base), read_document(posted.text)) or ""
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
