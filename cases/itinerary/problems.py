"""What is wrong with a case, in words, with the path of the field."""

from __future__ import annotations

from dataclasses import dataclass


def _(message: str) -> str:
    """Mark a sentence for the translators; whoever shows a problem looks the translation up."""
    return message


@dataclass(frozen=True, slots=True)
class Problem:
    """`message` is a %-template for `params`. `path` is empty when the whole row is meant."""

    path: str
    message: str
    params: dict[str, str | int]

    def __str__(self) -> str:
        return f"{self.path}: {self.sentence}" if self.path else self.sentence

    @property
    def sentence(self) -> str:
        return self.message % self.params


class CaseError(ValueError):
    """This row cannot be used; the first thing found."""

    def __init__(self, path: str, message: str, **params: str | int) -> None:
        self.problem = Problem(path, message, params)
        super().__init__(str(self.problem))
