"""What a reader says of two plans, and whether it is complete. Imports no Django."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from typing import Annotated, Any, Literal

import msgspec

from cases.rubric import Document
from reviews.comparison.steps import FARTHEST
from reviews.desk.judgement import JudgementProblem, walk_bad_texts


def _(message: str) -> str:
    """Mark a sentence for the catalogue. It is translated where it is shown."""
    return message


Step = Annotated[int, msgspec.Meta(ge=-FARTHEST, le=FARTHEST)]
SideChoice = Literal["left", "right", "both", "neither"]


class StepEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A step: negative if the left plan is better, 0 for no difference, None for no answer."""

    step: Step | None = None
    why: str = ""


class PairJudgement(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Everything a reader enters: steps by metric, sides by question, which plan is newer.

    A draft may leave out any part. A submission needs a step for each metric, with a reason if
    there is a difference, and `newer`; questions are answered where the reader sees a difference.
    """

    steps: dict[str, StepEntry] = msgspec.field(default_factory=dict)
    sides: dict[str, SideChoice | None] = msgspec.field(default_factory=dict)
    newer: Literal["no", "left", "right"] | None = None


def from_data(data: dict[str, Any]) -> PairJudgement:
    """Parse a judgement. Raises msgspec.ValidationError, whose message names the path."""
    return msgspec.convert(data, PairJudgement)


def to_data(judgement: PairJudgement) -> dict[str, Any]:
    data: dict[str, Any] = msgspec.to_builtins(judgement)
    return data


def digest(judgement: PairJudgement) -> str:
    """Return a digest that stays the same for a judgement read back from its rows."""
    given = msgspec.structs.replace(
        judgement,
        sides={item: side for item, side in judgement.sides.items() if side},
    )
    return hashlib.sha256(msgspec.json.encode(given, order="deterministic")).hexdigest()


def find_bad_texts(judgement: PairJudgement) -> Iterator[JudgementProblem]:
    """Find texts that a database cannot store."""
    yield from walk_bad_texts(to_data(judgement))


def find_unknown_parts(
    judgement: PairJudgement, rubric: Document, asked: Collection[str]
) -> Iterator[JudgementProblem]:
    """Find metrics that the rubric does not have, and questions that are not asked."""
    metrics = {metric.key for metric in rubric.metrics}
    for key in sorted(judgement.steps.keys() - metrics):
        yield JudgementProblem(f"steps.{key}", _("The rubric has no metric with this key."))
    for key in sorted(judgement.sides.keys() - set(asked)):
        yield JudgementProblem(f"sides.{key}", _("This question is not asked about these plans."))


def find_missing_parts(judgement: PairJudgement, rubric: Document) -> Iterator[JudgementProblem]:
    """Find every part that is missing before the pairing can be submitted."""
    for metric in rubric.metrics:
        entry = judgement.steps.get(metric.key, StepEntry())
        if entry.step is None:
            yield JudgementProblem(
                f"steps.{metric.key}.step",
                _("%(metric)s needs a choice."),
                {"metric": metric.name},
            )
        elif entry.step and not entry.why.strip():
            yield JudgementProblem(
                f"steps.{metric.key}.why",
                _("%(metric)s needs one line why."),
                {"metric": metric.name},
            )
    if judgement.newer is None:
        yield JudgementProblem("newer", _("Say whether you recognised the newer plan."))
