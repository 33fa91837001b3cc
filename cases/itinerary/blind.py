"""Reduce a case to what a reviewer may see: request and plan, without machine text."""

from __future__ import annotations

from msgspec.structs import replace

from .format import Case, Day, Plan
from .notes import sort_note


def plan_for_reviewer(case: Case) -> Plan | None:
    """Keep only known fields, in place, so that pointers into the stored case still work."""
    plan = case.plan
    if plan is None:
        return None
    budget = plan.budget
    return replace(
        plan,
        summary=without_machine_text(plan.summary),
        days=[day_for_reviewer(day) for day in plan.days] if plan.days else plan.days,
        budget=replace(budget, warning=without_machine_text(budget.warning)) if budget else None,
        fallbacks=[
            replace(fallback, note=without_machine_text(fallback.note))
            for fallback in plan.fallbacks or ()
        ],
        notes=[without_machine_text(note) or "" for note in plan.notes or ()],
    )


def day_for_reviewer(day: Day) -> Day:
    return replace(
        day,
        summary=without_machine_text(day.summary),
        items=[replace(item, note=without_machine_text(item.note)) for item in day.items or ()],
    )


def without_dates(case: Case) -> Case:
    """Remove the dates of a plan whose request states none.

    The product then chose them itself, mostly from the day of the release: beside another plan
    they would tell which one is newer.
    """
    request, plan = case.request, case.plan
    if plan is None or not plan.days or request.start_date or request.end_date:
        return case
    return replace(case, plan=replace(plan, days=[replace(day, date=None) for day in plan.days]))


def without_machine_text(text: str | None) -> str | None:
    """Replace machine text by spaces, so that quotations keep their positions in the text."""
    found = sort_note(text)
    if not text or not (found.machine or found.badges):
        return text
    laid = [" "] * len(text)
    at = 0
    for words in found.words:
        start = text.index(words, at)
        at = start + len(words)
        laid[start:at] = words
    return "".join(laid).rstrip()
