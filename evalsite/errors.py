"""The base class of refusals: an HTTP status, a code for scripts and sentences for people."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

MOST_IN_DETAIL = 20


class Problem(msgspec.Struct, omit_defaults=True, frozen=True):
    """One thing that is wrong. `path` points to the part of the input and is empty for all of it;
    `line` is the line number in an uploaded file."""

    path: str = msgspec.field()
    message: str = msgspec.field()
    line: int | None = None


class Refusal(Exception):
    """An action that is refused. Pages show the sentences; the API answers with `document`.

    Subclasses set `status` and `code`. The code never changes, because scripts depend on it; the
    sentences are translated."""

    status = 409
    code = "refused"
    headers: Mapping[str, str] = {}

    def __init__(self, *problems: Problem | str) -> None:
        self._problems = [
            Problem("", problem) if isinstance(problem, str) else problem for problem in problems
        ]
        super().__init__()

    def __str__(self) -> str:
        return self.detail

    @property
    def problems(self) -> list[Problem]:
        return self._problems

    @property
    def detail(self) -> str:
        """The first sentences, without repetitions."""
        sentences = dict.fromkeys(problem.message for problem in self.problems)
        return " ".join(list(sentences)[:MOST_IN_DETAIL])

    @property
    def extra(self) -> Mapping[str, Any]:
        """More keys for the API's answer."""
        return {}

    @property
    def document(self) -> dict[str, Any]:
        """The body of the API's answer."""
        return {"detail": self.detail, "code": self.code, "errors": self.problems, **self.extra}


def name_paths(problems: Iterable[Problem]) -> str:
    """Join the sentences, each after its path: "days: must be a whole number."."""
    return " ".join(
        f"{problem.path}: {problem.message}" if problem.path else problem.message
        for problem in problems
    )
