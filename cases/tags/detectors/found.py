"""What a detector found: the tag, how sure it is, and why, in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Strength = Literal["strong", "weak"]


def _(message: str) -> str:
    """Mark a sentence for the translators; whoever shows a finding looks the translation up."""
    return message


def ngettext(singular: str, plural: str) -> tuple[str, str]:
    """The same for a sentence with a number; `count` among the parameters decides."""
    return singular, plural


@dataclass(frozen=True, slots=True)
class Found:
    """`message` is a %-template for `params`. Where `plural` is not empty it is for a `count`
    other than one.
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


# Sentences that more than one detector says.
SAYS = _("The request says “%(words)s”.")
RULED_OUT = _("The request mentions “%(words)s”, but seems to rule it out.")
