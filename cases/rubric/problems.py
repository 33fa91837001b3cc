"""What is wrong with a rubric document, in words and with its line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


def _(message: str) -> str:
    """Mark a sentence for the translators; whoever shows a problem looks the translation up."""
    return message


PREFIX = _("Line %(line)d: %(sentence)s")


@dataclass(frozen=True, slots=True)
class Problem:
    """`message` is a %-template for `params`, without the line, so that it can be translated."""

    line: int
    message: str
    params: dict[str, str | int]

    def __str__(self) -> str:
        return PREFIX % {"line": self.line, "sentence": self.sentence}

    @property
    def sentence(self) -> str:
        return self.message % self.params


class RubricError(ValueError):
    """The document cannot be used. `problems` has everything found, in the order of the lines."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(problems, key=lambda problem: problem.line))
        super().__init__("\n".join(map(str, self.problems)))
