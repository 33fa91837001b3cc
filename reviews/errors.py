"""Refusals of the workflow: a code, an HTTP status, and all reasons at once.

Pages show the sentences, commands print them, the API answers with all of it. Subclasses are
defined next to the function that raises them; those that several functions share are here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from cases.models import Release
from evalsite.errors import Problem, Refusal


@dataclass(frozen=True)
class Missing:
    """One thing that is missing: the rule behind it, a sentence, and the cases it concerns.

    For an invalid input, `rule` is the path of the field in the API.
    """

    rule: str
    sentence: str
    cases: tuple[str, ...] = ()


class Refused(Refusal):
    """Base of the workflow's refusals. `missing` lists every reason.

    The status is 409 (conflict) unless a subclass sets another: 400 for an unknown name or value,
    404 for a row that the user must not know about.
    """

    def __init__(self, *missing: Missing | str) -> None:
        self.missing = [
            Missing("", reason) if isinstance(reason, str) else reason for reason in missing
        ]
        super().__init__()

    def __str__(self) -> str:
        return " ".join(self.sentences)

    def together_with(self, others: "Sequence[Refused]") -> "Refused":
        """Add the reasons of other refusals, without duplicates."""
        added = [reason for other in others for reason in other.missing]
        self.missing = list(dict.fromkeys([*self.missing, *added]))
        return self

    @property
    def sentences(self) -> list[str]:
        return [reason.sentence for reason in self.missing]

    @property
    def problems(self) -> list[Problem]:
        return [Problem(reason.rule, reason.sentence) for reason in self.missing]


class WrongStatus(Refused):
    """The release is past the status that the act needs.

    If it has not reached the status yet, a subclass with its own code is raised, so that a script
    can wait.
    """

    code = "release_frozen"


class NotStarted(WrongStatus):
    code = "release_not_started"


class NotClosed(WrongStatus):
    code = "release_not_closed"


class NoSuchCase(Refused):
    code = "no_such_case"
    status = 400


class NeedsReason(Refused):
    code = "reason_required"
    status = 400


def hide_release(refusal: Refused) -> Refused:
    """Replace a sentence about the release's status, which would reveal its name to a reviewer."""
    if isinstance(refusal, WrongStatus):
        sentence = gettext("This review is closed. You can read it, but nothing can change.")
        return type(refusal)(sentence)
    return refusal


def require_draft(release: Release) -> None:
    if not release.is_draft:
        raise WrongStatus(gettext("%(release)s is no longer a draft.") % {"release": release.name})


def require_reviewing(release: Release) -> None:
    if release.is_draft:
        raise NotStarted(
            gettext("%(release)s is still a draft: start the review first.")
            % {"release": release.name}
        )
    require_not_closed(release)


def require_not_closed(release: Release) -> None:
    if release.is_closed:
        raise WrongStatus(
            gettext("%(release)s is closed, so nothing in it can change. Reopen it first.")
            % {"release": release.name}
        )


def require_closed(release: Release) -> None:
    """Raise NotClosed: what reviewers say of an open release is not final, nor for other eyes."""
    if not release.is_closed:
        sentence = gettext("%(release)s is not closed yet. There is nothing to hand on before.")
        raise NotClosed(sentence % {"release": release.name})


LONGEST_REASON = 500
# For the OpenAPI document.
REASON_LIMITS = {"minLength": 1, "maxLength": LONGEST_REASON}


def require_reason(reason: str, path: str = "reason") -> str:
    """Return the reason on one line without surrounding space. `path` is the name of its field."""
    reason = " ".join(reason.replace("\0", "").split())
    if not reason:
        raise NeedsReason(Missing(path, gettext("Say why: a reason is kept with this.")))
    if len(reason) > LONGEST_REASON:
        sentence = gettext("A reason has at most %(most)d characters.") % {"most": LONGEST_REASON}
        raise NeedsReason(Missing(path, sentence))
    return reason


def join_keys(keys: Sequence[str], most: int = 20) -> str:
    """Join keys with commas; after `most` of them an ellipsis follows."""
    return ", ".join(keys[:most]) + (" …" if len(keys) > most else "")
