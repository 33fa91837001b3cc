"""Reconstruct the sample from the ledger: the last draw and every change by hand since."""

from dataclasses import dataclass
from datetime import datetime

from cases.models import Event, Release
from reviews.models.samples import Origin

# Events that change the sample by hand.
BY_HAND = ("case-added", "case-removed", "case-swapped", "case-withdrawn")
# The event of the next planned look: the sample grew by the draw's next cases.
EXTENDED = "sample-extended"


@dataclass(frozen=True)
class Retraced:
    """The sample according to the ledger.

    `drawn` has the drawn cases with their kinds, `sample` the cases that should be in it now with
    their origin, `taken_out` those that left with the reason, `came_at` and `went_at` the times.
    """

    drawn: dict[str, str]
    sample: dict[str, Origin]
    taken_out: dict[str, str]
    acts: list[Event]
    came_at: dict[str, datetime]
    went_at: dict[str, datetime]


def retrace(release: Release) -> Retraced | None:
    """Replay the ledger; None before the first draw. Reads only draws and changes by hand."""
    last = release.events.filter(kind="sample-drawn").order_by("-number").first()
    if last is None:
        return None
    acts = list(release.events.filter(kind__in=BY_HAND, number__gt=last.number).order_by("number"))
    drawn: dict[str, str] = dict(last.data["sample"])
    sample, taken_out = dict.fromkeys(drawn, Origin.DRAWN), dict[str, str]()
    came_at, went_at = dict.fromkeys(drawn, last.at), dict[str, datetime]()
    for act in acts:
        going, coming = find_moved(act)
        if going:
            sample.pop(going, None)
            taken_out[going], went_at[going] = act.data["reason"], act.at
        if coming:
            sample[coming] = Origin.NEXT if act.kind == "case-withdrawn" else Origin.HAND
            taken_out.pop(coming, None)
            came_at[coming] = act.at
            went_at.pop(coming, None)
    return Retraced(drawn, sample, taken_out, acts, came_at, went_at)


def find_moved(act: Event) -> tuple[str | None, str | None]:
    """Return the case that went out and the case that came in."""
    if act.kind == "case-added":
        return None, act.data["case"]
    if act.kind == "case-removed":
        return act.data["case"], None
    if act.kind == "case-swapped":
        return act.data["out"], act.data["in"]
    return act.data["case"], act.data["in"]
