"""A rubric document: what it says, its keys, its canonical text and digest, and its problems."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass, is_dataclass
from functools import cache
from typing import Any, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

from cases.itinerary.tags import normal_tag


def _(message: str) -> str:
    """Mark a sentence for translation; it is translated when the problem is shown."""
    return message


PREFIX = _("Line %(line)d: %(sentence)s")


@dataclass(frozen=True, slots=True)
class RubricProblem:
    """A problem in a line. `message` is a %-template for `params`, without the line number."""

    line: int
    message: str
    params: dict[str, str | int]

    def __str__(self) -> str:
        return PREFIX % {"line": self.line, "sentence": self.sentence}

    @property
    def sentence(self) -> str:
        return self.message % self.params


class RubricError(ValueError):
    """The document cannot be used. `problems` has all problems, in the order of the lines."""

    def __init__(self, problems: Iterable[RubricProblem]) -> None:
        self.problems = tuple(sorted(problems, key=lambda problem: problem.line))
        super().__init__("\n".join(map(str, self.problems)))


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Level:
    value: int
    text: str
    hint: str


@dataclass(frozen=True, slots=True)
class Question:
    key: str
    text: str
    hint: str


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric. `label` is the text before the number in the heading, such as "Manual Metric"."""

    key: str
    label: str
    name: str
    low: int
    high: int
    intro: str
    levels: tuple[Level, ...]
    checklist_label: str
    checklist: tuple[Question, ...]
    remarks: str

    @property
    def values(self) -> tuple[int, ...]:
        return tuple(range(self.low, self.high + 1))

    def level(self, value: int) -> Level:
        return _found((each for each in self.levels if each.value == value), value)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of the sampling rule. `tags` has only the tags that the document states."""

    key: str
    text: str
    tags: tuple[str, ...]

    @property
    def required_tags(self) -> tuple[str, ...]:
        return self.tags or (self.key,)


@dataclass(frozen=True, slots=True)
class Sampling:
    heading: str
    rule: str
    minimum: int
    kinds: tuple[Kind, ...]
    remarks: str


@dataclass(frozen=True, slots=True)
class Section:
    """A section without a meaning for the rubric, kept for its readers."""

    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class Document:
    title: str
    preamble: str
    scope_heading: str
    scope: str
    metrics: tuple[Metric, ...]
    sampling: Sampling
    other: tuple[Section, ...]

    @property
    def questions(self) -> tuple[Question, ...]:
        return tuple(question for metric in self.metrics for question in metric.checklist)

    def metric(self, key: str) -> Metric:
        return _found((each for each in self.metrics if each.key == key), key)

    def question(self, key: str) -> Question:
        return _found((each for each in self.questions if each.key == key), key)

    def kind(self, key: str) -> Kind:
        return _found((each for each in self.sampling.kinds if each.key == key), key)


def _found(matches: Iterable[T], key: object) -> T:
    for match in matches:
        return match
    raise KeyError(key)


def slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def fits(tags: Collection[str], kind: Kind) -> bool:
    """Whether a case has all the tags that the kind requires."""
    return bool(fitted(tags, [kind]))


def fitted(tags: Collection[str], kinds: Iterable[Kind]) -> list[Kind]:
    """Return the kinds that a case with these tags fits."""
    had = {normal_tag(tag) for tag in tags}
    return [kind for kind in kinds if had.issuperset(kind.required_tags)]


def detect_language(text: str) -> Literal["zh-hans", "en"]:
    """Detect Chinese by a fifth of Chinese characters; names of places may be in Latin letters."""
    letters = [letter for letter in text if letter.isalpha()]
    han = sum("\u3400" <= letter <= "\u9fff" for letter in letters)
    return "zh-hans" if han * 5 > len(letters) else "en"


def write(document: Document) -> str:
    """Return the canonical text, from which `read` gives the same document again."""
    parts = [f"# {document.title}", document.preamble]
    if document.scope_heading:
        parts.append(f"## {document.scope_heading}\n{document.scope}")
    parts += [write_metric(metric, number) for number, metric in enumerate(document.metrics, 1)]
    parts.append(_sampling(document.sampling))
    parts += [f"## {section.heading}\n{section.text}" for section in document.other]
    return _paragraphs(parts) + "\n"


def digest(document: Document) -> str:
    return hashlib.sha256(write(document).encode()).hexdigest()


def to_data(document: Document) -> dict[str, Any]:
    """Convert to plain dictionaries and lists, equal to what JSON returns."""
    return cast(dict[str, Any], json.loads(json.dumps(asdict(document))))


def from_data(data: dict[str, Any]) -> Document:
    return cast(Document, _rebuilt(Document, data))


# Resolving annotations costs more than all the rest of reading a stored document.
_fields_of = cache(get_type_hints)


def _rebuilt(shape: Any, value: Any) -> Any:
    if isinstance(shape, type) and is_dataclass(shape):
        fields = _fields_of(shape)
        return cast(Any, shape)(**{name: _rebuilt(fields[name], value[name]) for name in fields})
    if get_origin(shape) is tuple:
        return tuple(_rebuilt(get_args(shape)[0], each) for each in value)
    return value


def write_metric(metric: Metric, number: int) -> str:
    scale = f"{metric.low}-{metric.high}"
    chinese = detect_language(metric.label) == "zh-hans"
    heading = f"## {metric.label} {number}"
    heading += f"：{metric.name}（{scale}）" if chinese else f": {metric.name} ({scale})"
    colon = "：" if chinese else ": "
    levels = [_item(f"`{each.value}`{colon}{each.text}", each.hint) for each in metric.levels]
    label = metric.checklist_label
    label += "：" if detect_language(label) == "zh-hans" else ":"
    questions = [_item(question.text, question.hint) for question in metric.checklist]
    return _paragraphs(
        [
            f"{heading}\n{metric.intro}",
            "\n".join(levels),
            "\n".join([label, *questions]),
            metric.remarks,
        ]
    )


def _sampling(sampling: Sampling) -> str:
    kinds = [
        " ".join([f"{number}. {kind.text}", *(f"`{tag}`" for tag in kind.tags)])
        for number, kind in enumerate(sampling.kinds, 1)
    ]
    first, *rest = sampling.rule.split("\n")
    rule = _item(first, "\n".join(rest + kinds))
    return _paragraphs([f"## {sampling.heading}\n{rule}", sampling.remarks])


def _item(text: str, below: str) -> str:
    return "\n  ".join([f"- {text}", *(below.split("\n") if below else [])])


def _paragraphs(parts: list[str]) -> str:
    return "\n\n".join(part.rstrip("\n") for part in parts if part)
