"""What a reviewer says of a case, and whether it is complete. No Django here."""

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
    """What a score or an answer rests on: a stop, a fact, or words of the case.

    `ref`: of a stop the JSON pointer into the case, of a quote the pointer and `#start-end` in code
    points, of a fact its key. A submit refuses what leads to nothing."""

    kind: Literal["stop", "fact", "quote"]
    ref: str
    text: str = ""


class ScoreSaid(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """0 is a score, None is none."""

    value: int | None = None
    rationale: str = ""
    evidence: list[Evidence] = msgspec.field(default_factory=list)


class AnswerSaid(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """ "na" is an answer, None is none."""

    answer: Literal["yes", "no", "na"] | None = None
    note: str = ""
    evidence: list[Evidence] = msgspec.field(default_factory=list)


class Judgement(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A draft may leave out anything; what is submitted is complete."""

    scores: dict[str, ScoreSaid] = msgspec.field(default_factory=dict)
    answers: dict[str, AnswerSaid] = msgspec.field(default_factory=dict)
    comment: str = ""
    flags: list[Literal["harmful", "broken"]] = msgspec.field(default_factory=list)


@dataclass(frozen=True)
class JudgementProblem:
    """A sentence to translate, with the path of what it is about."""

    path: str
    message: str
    params: dict[str, Any] = field(default_factory=dict)


def _(message: str) -> str:
    """Marks a sentence for the catalogue; whoever shows it translates it."""
    return message


def from_data(data: dict[str, Any]) -> Judgement:
    """Raises msgspec.ValidationError, whose words name the path."""
    found = msgspec.convert(data, Judgement)
    for problem in bad_texts(found):
        raise msgspec.ValidationError(f"{problem.path}: {problem.message}")
    return found


def to_data(judgement: Judgement) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(judgement)
    return found


def digest(judgement: Judgement) -> str:
    """The same for whoever reads it back from rows, which keep each flag once and no order."""
    flags = [one for one in FLAGS if one in judgement.flags]
    said = msgspec.json.encode(
        msgspec.structs.replace(judgement, flags=flags), order="deterministic"
    )
    return hashlib.sha256(said).hexdigest()


def bad_texts(judgement: Judgement) -> Iterator[JudgementProblem]:
    """What no database can keep: NUL, and half of a character pair."""
    for path, text in _texts(to_data(judgement), ""):
        if "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
            yield JudgementProblem(path, _("This text holds a character that cannot be stored."))


def _texts(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for name, one in value.items():
            yield path, name
            yield from _texts(one, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for place, one in enumerate(value):
            yield from _texts(one, f"{path}[{place}]")


def unknown_parts(judgement: Judgement, rubric: Document) -> Iterator[JudgementProblem]:
    """What the rubric does not have; a draft may not say it either."""
    metrics = {metric.key: metric for metric in rubric.metrics}
    items = {question.key for question in rubric.questions}
    for key, said in judgement.scores.items():
        if key not in metrics:
            yield JudgementProblem(f"scores.{key}", _("The rubric has no metric of this name."))
        elif said.value is not None and said.value not in metrics[key].values:
            yield JudgementProblem(
                f"scores.{key}.value",
                _("A score of %(metric)s is a whole number from %(low)d to %(high)d."),
                {
                    "metric": metrics[key].name,
                    "low": metrics[key].low,
                    "high": metrics[key].high,
                },
            )
    for key in judgement.answers:
        if key not in items:
            yield JudgementProblem(f"answers.{key}", _("The rubric has no question of this name."))


def missing_parts(judgement: Judgement, rubric: Document) -> Iterator[JudgementProblem]:
    """Everything that a review needs before it can be submitted."""
    for metric in rubric.metrics:
        for question in metric.checklist:
            said = judgement.answers.get(question.key)
            if said is None or said.answer is None:
                yield JudgementProblem(
                    f"answers.{question.key}",
                    _("“%(question)s” needs an answer before you can submit."),
                    {"question": question.text},
                )
        score = judgement.scores.get(metric.key)
        if score is None or score.value is None:
            yield JudgementProblem(
                f"scores.{metric.key}.value",
                _("%(metric)s needs a score before you can submit."),
                {"metric": metric.name},
            )
        elif not score.rationale.strip() and not score.evidence:
            yield JudgementProblem(
                f"scores.{metric.key}.rationale",
                _("%(metric)s needs a reason or a piece of evidence for its score."),
                {"metric": metric.name},
            )


def loose_evidence(
    judgement: Judgement, case: dict[str, Any], facts: Collection[str]
) -> Iterator[JudgementProblem]:
    """What leads to nothing in the case, of whose facts these are the keys."""
    for path, one in evidence_in(judgement):
        if one.ref not in facts if one.kind == "fact" else not leads_somewhere(one, case):
            yield JudgementProblem(
                f"{path}.ref",
                _("The evidence “%(ref)s” leads to nothing in this case. Take it out."),
                {"ref": shortened(one.ref)},
            )


def evidence_in(judgement: Judgement) -> Iterator[tuple[str, Evidence]]:
    """Each piece, with its path."""
    for part, said in (("scores", judgement.scores), ("answers", judgement.answers)):
        for key, own in said.items():
            for place, one in enumerate(own.evidence):
                yield f"{part}.{key}.evidence[{place}]", one


# What is shown of a case. A pointer elsewhere would tell what else there is.
_SHOWN = re.compile("/(?:request|plan|translations)(?:/.*)?")
_QUOTED = re.compile("(.*)#([0-9]{1,9})-([0-9]{1,9})")


def leads_somewhere(piece: Evidence, case: dict[str, Any]) -> bool:
    """A stop is there; a quotation lies within its text."""
    quoted = _QUOTED.fullmatch(piece.ref) if piece.kind == "quote" else None
    pointer = quoted[1] if quoted else piece.ref
    found = at(case, pointer) if _SHOWN.fullmatch(pointer) else None
    if piece.kind == "stop":
        return found is not None
    return bool(quoted and isinstance(found, str) and int(quoted[2]) < int(quoted[3]) <= len(found))


def shortened(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"


def contradictions(judgement: Judgement, rubric: Document) -> Iterator[JudgementProblem]:
    """Where a score and its checklist say different things. Asked about, never forbidden."""
    for metric in rubric.metrics:
        value = judgement.scores.get(metric.key, ScoreSaid()).value
        answers = [
            judgement.answers.get(question.key, AnswerSaid()).answer
            for question in metric.checklist
        ]
        if value is None or not answers or None in answers:
            continue
        if all(answer == "na" for answer in answers):
            message = _(
                "Every question of %(metric)s is “not applicable”. Say what its score rests on, "
                "or change an answer."
            )
        elif value == metric.high and "no" in answers:
            message = _(
                "%(metric)s has the highest score, but a question is answered “no”. Say how both "
                "hold, or change one of them."
            )
        elif value <= metric.low + 1 and all(answer == "yes" for answer in answers):
            message = _(
                "%(metric)s has one of the two lowest scores, but every question is answered "
                "“yes”. Say how both hold, or change one of them."
            )
        else:
            continue
        yield JudgementProblem(f"coherence.{metric.key}", message, {"metric": metric.name})
