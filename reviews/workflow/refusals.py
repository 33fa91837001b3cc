"""What an act raises when it cannot be: every reason at once, in the reader's language."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from cases.models import Release


@dataclass(frozen=True)
class Missing:
    """One thing that an act still needs, the rule behind it, and the cases it is about.

    Of what somebody sent `rule` is the path of the part, as the API calls it."""

    rule: str
    sentence: str
    cases: tuple[str, ...] = ()


class Refused(Exception):
    """`code` is what scripts go by; `missing` lists everything."""

    code = "refused"

    def __init__(self, *missing: Missing | str) -> None:
        self.missing = [Missing("", one) if isinstance(one, str) else one for one in missing]
        super().__init__()

    def __str__(self) -> str:
        return " ".join(self.sentences)

    def together_with(self, others: "Sequence[Refused]") -> "Refused":
        """This refusal, with the reasons of others too; each reason once."""
        self.missing = list(
            dict.fromkeys([*self.missing, *(one for other in others for one in other.missing)])
        )
        return self

    @property
    def sentences(self) -> list[str]:
        return [one.sentence for one in self.missing]


class WrongStatus(Refused):
    """The release is past the status that the act needs. Too early is told apart: a script can
    wait for that."""

    code = "release_frozen"


class NotStarted(WrongStatus):
    code = "release_not_started"


class NotClosed(WrongStatus):
    code = "release_not_closed"


class NoSuchCase(Refused):
    code = "no_such_case"


class NeedsReason(Refused):
    code = "reason_required"


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


LONGEST_REASON = 500


def require_reason(reason: str, path: str = "reason") -> str:
    """The reason as it is kept: one line without space around it. `path` is what it is called."""
    reason = " ".join(reason.replace("\0", "").split())
    if not reason:
        raise NeedsReason(Missing(path, gettext("Say why: a reason is kept with this.")))
    if len(reason) > LONGEST_REASON:
        sentence = gettext("A reason has at most %(most)d characters.") % {"most": LONGEST_REASON}
        raise NeedsReason(Missing(path, sentence))
    return reason


def in_words(keys: Sequence[str], most: int = 20) -> str:
    """c01, c02, c03 …"""
    return ", ".join(keys[:most]) + (" …" if len(keys) > most else "")
