"""Reconstruct the sample from the ledger: the last draw and every change since."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime

from cases.models import Event, Release
from cases.releases.policy import OLD_RULES
from reviews.models.samples import Origin

# Events that change the sample by hand.
BY_HAND = ("case-added", "case-removed", "case-swapped", "case-withdrawn")
# The event of the next planned look: the sample grew by the draw's next cases.
EXTENDED = "sample-extended"
STARTED = "review-started"


@dataclass
class Retraced:
    """The sample according to the ledger.

    `drawn` has the cases as drawn, or as started, with their kinds, `sample` the cases that should
    be in it now with their origin, `outside` those among them, and among withdrawn ones, that are
    outside the plan. `taken_out` has those that left with the reason, `gone` those that the draw's
    order does not bring back, `came_at` and `went_at` the times. `acts` are the changes since.
    """

    rules: int
    drawn: dict[str, str]
    sample: dict[str, Origin]
    came_at: dict[str, datetime]
    outside: set[str] = field(default_factory=set)
    taken_out: dict[str, str] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    went_at: dict[str, datetime] = field(default_factory=dict)
    acts: list[Event] = field(default_factory=list)
    is_started: bool = False

    @property
    def planned(self) -> set[str]:
        return self.sample.keys() - self.outside

    @property
    def passed(self) -> set[str]:
        """Return the cases that the order of the draw has passed: no look brings them in.

        A case outside the plan is not among them: it joins the plan when its turn comes.
        """
        return self.planned | self.gone

    def replay(self, event: Event) -> None:
        if event.kind == STARTED:
            self.is_started = True
            # The start settles which kinds the cases fill.
            self.drawn |= dict(event.data["sample"])
            return
        self.acts.append(event)
        going, coming = find_moved(event)
        if going:
            self.sample.pop(going, None)
            self.taken_out[going], self.went_at[going] = event.data["reason"], event.at
            self.gone.add(going)
        is_next = event.kind in ("case-withdrawn", EXTENDED)
        is_outside = not is_next and self.is_started and self.rules > OLD_RULES
        for key in coming:
            self.sample[key] = Origin.NEXT if is_next else Origin.HAND
            self.came_at[key] = event.at
            self.taken_out.pop(key, None)
            self.went_at.pop(key, None)
            if is_outside:
                self.outside.add(key)
            else:
                self.outside.discard(key)
                self.gone.discard(key)


def retrace(release: Release) -> Retraced | None:
    """Replay the ledger; None before the first draw. Reads only draws and changes."""
    found = load_acts(release)
    if found is None:
        return None
    retraced, events = found
    for event in events:
        retraced.replay(event)
    return retraced


def load_acts(release: Release) -> tuple[Retraced, list[Event]] | None:
    """Load the sample as it was drawn last, and the events to replay on it."""
    own = Event.objects.filter(release=release)
    last = own.filter(kind="sample-drawn").order_by("-number").first()
    if last is None:
        return None
    kinds = (*BY_HAND, EXTENDED, STARTED)
    events = own.filter(kind__in=kinds, number__gt=last.number).order_by("number")
    return read_draw(release, last), list(events)


def retrace_all(releases: Collection[Release]) -> dict[int, Retraced]:
    """Replay the ledgers of several releases, with one query; those before a draw are left out."""
    known = {release.pk: release for release in releases}
    kinds = ("sample-drawn", *BY_HAND, EXTENDED, STARTED)
    events = Event.objects.filter(release__in=known, kind__in=kinds).order_by("release", "number")
    found: dict[int, Retraced] = {}
    for event in events:
        if event.kind == "sample-drawn":
            found[event.release_id] = read_draw(known[event.release_id], event)
        elif event.release_id in found:
            found[event.release_id].replay(event)
    return found


def read_draw(release: Release, event: Event) -> Retraced:
    """Read the sample as it was drawn."""
    drawn: dict[str, str] = dict(event.data["sample"])
    sample, came_at = dict.fromkeys(drawn, Origin.DRAWN), dict.fromkeys(drawn, event.at)
    return Retraced(release.rules, drawn, sample, came_at)


def find_moved(act: Event) -> tuple[str | None, list[str]]:
    """Return the case that went out and the cases that came in."""
    data = act.data
    if act.kind == EXTENDED:
        return None, [case_key for case_key, _kind in data["cases"]]
    if act.kind == "case-added":
        return None, [data["case"]]
    if act.kind == "case-removed":
        return data["case"], []
    if act.kind == "case-swapped":
        return data["out"], [data["in"]]
    return data["case"], [data["in"]] if data["in"] else []
