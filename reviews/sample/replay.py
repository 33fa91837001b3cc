"""The sample as the ledger tells it: the last draw, and every act by hand since."""

from collections.abc import Sequence
from dataclasses import dataclass

from cases.models import Event, Release
from reviews.models.samples import Origin

# Acts by hand that change the sample.
BY_HAND = ("case-added", "case-removed", "case-swapped", "case-withdrawn")


@dataclass(frozen=True)
class Retraced:
    """`sample` should stand now, each with its origin; `taken_out` went out, each with the reason.

    `drawn` has the kinds of the draw.
    """

    drawn: dict[str, str]
    size: int
    pool_digest: str
    sample: dict[str, Origin]
    taken_out: dict[str, str]
    acts: list[Event]


def retrace(release: Release) -> Retraced | None:
    """None before the first draw. Reads two kinds of events, however long the ledger is."""
    last = release.events.filter(kind="sample-drawn").order_by("-number").first()
    if last is None:
        return None
    acts = release.events.filter(kind__in=BY_HAND, number__gt=last.number).order_by("number")
    return retraced_from(last, list(acts))


def retraced_from(last: Event, acts: Sequence[Event]) -> Retraced:
    """The same from events at hand: the last draw, and the acts by hand since."""
    drawn: dict[str, str] = dict(last.data["sample"])
    sample, taken_out = dict.fromkeys(drawn, Origin.DRAWN), dict[str, str]()
    for act in acts:
        going, coming = moved(act)
        if going:
            sample.pop(going, None)
            taken_out[going] = act.data["reason"]
        if coming:
            sample[coming] = Origin.NEXT if act.kind == "case-withdrawn" else Origin.HAND
            taken_out.pop(coming, None)
    return Retraced(drawn, last.data["size"], last.data["pool"], sample, taken_out, list(acts))


def moved(act: Event) -> tuple[str | None, str | None]:
    """Which case went out, and which came in."""
    if act.kind == "case-added":
        return None, act.data["case"]
    if act.kind == "case-removed":
        return act.data["case"], None
    if act.kind == "case-swapped":
        return act.data["out"], act.data["in"]
    return act.data["case"], act.data["in"]
