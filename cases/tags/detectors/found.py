"""The result of a detector: a tag, how sure it is, and the reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Strength = Literal["strong", "weak"]


def _(message: str) -> str:
    """Mark a sentence for translation; it is translated when the finding is shown."""
    return message


def ngettext(singular: str, plural: str) -> tuple[str, str]:
    """Mark a sentence with a number for translation; `count` in the parameters selects the form."""
    return singular, plural


@dataclass(frozen=True, slots=True)
class Found:
    """A tag that was detected, and the sentence why.

    `message` is a %-template for `params`; `plural`, if any, is used for a `count` other than 1.
    Both are stored with the tag, so a sentence that was once used stays in the catalogue.
    """

    tag: str
    strength: Strength
    message: str
    params: Mapping[str, str | int]
    plural: str = ""

    @property
    def sentence(self) -> str:
        message = self.plural if self.plural and self.params["count"] != 1 else self.message
        return message % self.params


# Sentences that several detectors use.
SAYS = _("The request says “%(words)s”.")
RULED_OUT = _("The request mentions “%(words)s”, but seems to rule it out.")
