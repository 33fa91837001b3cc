"""A reviewer's judgement of a case, and checks whether it is complete. Imports no Django."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from cases.itinerary.language import at
from cases.rubric import Document

FLAGS = ("harmful", "broken")
LONGEST_SHOWN = 80


class Evidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A piece of evidence for a score or an answer: a stop, a fact, or a quote from the case.

    `ref` is a JSON pointer into the case for a stop, the pointer with `#start-end` in code points
    for a quote, and the key for a fact. Submitting refuses a `ref` that points to nothing.
    """

    kind: Literal["stop", "fact", "quote"]
    ref: str
    text: str = ""


class ScoreEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A score. 0 is a score, None is not."""

    value: int | None = None
    rationale: str = ""
    evidence: list[Evidence] = msgspec.field(default_factory=list)


class AnswerEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An answer. "na" is an answer, None is not."""

    answer: Literal["yes", "no", "na"] | None = None
    note: str = ""
    evidence: list[Evidence] = msgspec.field(default_factory=list)


class Judgement(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Everything a reviewer enters. A draft may leave out any part, a submission none."""

    scores: dict[str, ScoreEntry] = msgspec.field(default_factory=dict)
    answers: dict[str, AnswerEntry] = msgspec.field(default_factory=dict)
    comment: str = ""
    flags: list[Literal["harmful", "broken"]] = msgspec.field(default_factory=list)


@dataclass(frozen=True)
class JudgementProblem:
    """A sentence to translate, with the path of the part it is about."""

    path: str
    message: str
    params: dict[str, Any] = field(default_factory=dict)


def _(message: str) -> str:
    """Mark a sentence for the catalogue. It is translated where it is shown."""
    return message


def from_data(data: dict[str, Any]) -> Judgement:
    """Parse a judgement. Raises msgspec.ValidationError, whose message names the path."""
    judgement = msgspec.convert(data, Judgement)
    for problem in find_bad_texts(judgement):
        raise msgspec.ValidationError(f"{problem.path}: {problem.message}")
    return judgement


def to_data(judgement: Judgement) -> dict[str, Any]:
    data: dict[str, Any] = msgspec.to_builtins(judgement)
    return data


def digest(judgement: Judgement) -> str:
    """Return a digest that stays the same for a judgement read back from its rows.

    Rows store each flag once and no order.
    """
    flags = [flag for flag in FLAGS if flag in judgement.flags]
    encoded = msgspec.json.encode(
        msgspec.structs.replace(judgement, flags=flags), order="deterministic"
    )
    return hashlib.sha256(encoded).hexdigest()


def find_bad_texts(judgement: Judgement) -> Iterator[JudgementProblem]:
    """Find texts that a database cannot store."""
    yield from walk_bad_texts(to_data(judgement))


def walk_bad_texts(data: dict[str, Any]) -> Iterator[JudgementProblem]:
    """Find texts with NUL or a lone surrogate."""
    for path, text in _walk_texts(data, ""):
        if "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
            yield JudgementProblem(
                path, _("This text contains a character that cannot be stored. Remove it.")
            )


def _walk_texts(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for name, part in value.items():
            yield path, name
            yield from _walk_texts(part, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield from _walk_texts(part, f"{path}[{place}]")


def find_unknown_parts(judgement: Judgement, rubric: Document) -> Iterator[JudgementProblem]:
    """Find metrics, levels and questions that the rubric does not have. Drafts are checked too."""
    metrics = {metric.key: metric for metric in rubric.metrics}
    items = {question.key for question in rubric.questions}
    for key, score in judgement.scores.items():
        if key not in metrics:
            yield JudgementProblem(f"scores.{key}", _("The rubric has no metric with this key."))
        elif score.value is not None and score.value not in metrics[key].values:
            yield JudgementProblem(
                f"scores.{key}.value",
                _("The score for %(metric)s must be a whole number from %(low)d to %(high)d."),
                {
                    "metric": metrics[key].name,
                    "low": metrics[key].low,
                    "high": metrics[key].high,
                },
            )
    for key in judgement.answers:
        if key not in items:
            yield JudgementProblem(f"answers.{key}", _("The rubric has no question with this key."))


def find_missing_parts(judgement: Judgement, rubric: Document) -> Iterator[JudgementProblem]:
    """Find every part that is missing before the review can be submitted."""
    for metric in rubric.metrics:
        for number, question in enumerate(metric.checklist, 1):
            answer = judgement.answers.get(question.key)
            if answer is None or answer.answer is None:
                yield JudgementProblem(
                    f"answers.{question.key}",
                    _("Question %(number)d of %(metric)s needs an answer."),
                    {"number": number, "metric": metric.name},
                )
        score = judgement.scores.get(metric.key)
        if score is None or score.value is None:
            yield JudgementProblem(
                f"scores.{metric.key}.value",
                _("%(metric)s needs a score."),
                {"metric": metric.name},
            )
        elif not score.rationale.strip() and not score.evidence:
            yield JudgementProblem(
                f"scores.{metric.key}.rationale",
                _("%(metric)s needs a reason or evidence."),
                {"metric": metric.name},
            )


def find_loose_evidence(
    judgement: Judgement, case: dict[str, Any], facts: Collection[str]
) -> Iterator[JudgementProblem]:
    """Find evidence that points to nothing in the case. `facts` are the keys of its facts."""
    for path, piece in list_evidence(judgement):
        if piece.ref not in facts if piece.kind == "fact" else not points_into(piece, case):
            yield JudgementProblem(
                f"{path}.ref",
                _("The evidence “%(ref)s” does not exist in this case. Remove it."),
                {"ref": shorten(piece.ref)},
            )


def list_evidence(judgement: Judgement) -> Iterator[tuple[str, Evidence]]:
    """Yield each piece of evidence with its path."""
    for part, entries in (("scores", judgement.scores), ("answers", judgement.answers)):
        for key, entry in entries.items():
            for place, piece in enumerate(entry.evidence):
                yield f"{part}.{key}.evidence[{place}]", piece


# The parts of a case that reviewers see. Other pointers would reveal which hidden parts exist.
_SHOWN = re.compile("/(?:request|plan|translations)(?:/.*)?")
_QUOTED = re.compile("(.*)#([0-9]{1,9})-([0-9]{1,9})")


def points_into(piece: Evidence, case: dict[str, Any]) -> bool:
    """Return whether a stop exists, or a quote lies within its text."""
    quoted = _QUOTED.fullmatch(piece.ref) if piece.kind == "quote" else None
    pointer = quoted[1] if quoted else piece.ref
    target = at(case, pointer) if _SHOWN.fullmatch(pointer) else None
    if piece.kind == "stop":
        return target is not None
    return bool(
        quoted and isinstance(target, str) and int(quoted[2]) < int(quoted[3]) <= len(target)
    )


def shorten(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"


def find_contradictions(judgement: Judgement, rubric: Document) -> Iterator[JudgementProblem]:
    """Find scores that contradict their checklist. Reviewers may keep them with an explanation."""
    for metric in rubric.metrics:
        value = judgement.scores.get(metric.key, ScoreEntry()).value
        answers = [
            judgement.answers.get(question.key, AnswerEntry()).answer
            for question in metric.checklist
        ]
        if value is None or not answers or None in answers:
            continue
        if all(answer == "na" for answer in answers):
            message = _(
                "Every question of %(metric)s is answered “not applicable”. Explain what the score "
                "is based on, or change an answer."
            )
        elif value == metric.high and "no" in answers:
            message = _(
                "%(metric)s has the highest score, but a question is answered “no”. Explain how "
                "both can be true, or change one of them."
            )
        elif value <= metric.low + 1 and all(answer == "yes" for answer in answers):
            message = _(
                "%(metric)s has one of the two lowest scores, but every question is answered "
                "“yes”. Explain how both can be true, or change one of them."
            )
        else:
            continue
        yield JudgementProblem(f"coherence.{metric.key}", message, {"metric": metric.name})
