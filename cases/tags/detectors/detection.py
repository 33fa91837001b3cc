"""Run all detectors on one case."""

from __future__ import annotations

from cases.itinerary.format import Case

from .budget import find_low_budget
from .destination import find_destinations
from .family import find_family
from .festival import DEFAULT, Window, find_festival
from .found import Found
from .mobility import find_limited_mobility
from .schedule import find_tight_schedule
from .wording import read_wording


def detect(case: Case, *, festival_window: Window = DEFAULT) -> tuple[Found, ...]:
    """Find tags in the request and the plan; at most one finding for each tag."""
    request, plan = case.request, case.plan
    wording = read_wording(request)
    findings = (
        find_festival(request, plan, wording, festival_window),
        find_low_budget(request, plan, wording),
        find_family(request, wording, is_read=is_read(case, "group_type")),
        find_limited_mobility(request, wording),
        find_tight_schedule(request, wording),
    )
    return (*find_destinations(request, wording), *filter(None, findings))


def is_read(case: Case, name: str) -> bool:
    """Whether the source of the case says that this field of the request was read from its text."""
    derived = (case.source.derived if case.source else None) or ()
    return any(field.startswith(("request.*", f"request.{name}")) for field in derived)
