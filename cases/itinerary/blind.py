"""A case as a reviewer may see it: request and plan, without a word that is for machines."""

from __future__ import annotations

from msgspec.structs import replace

from .format import Case, Day, Plan
from .notes import sort_note


def plan_for_reviewer(case: Case) -> Plan | None:
    """Known fields only, in their places: a pointer into the stored case leads to the same."""
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
            replace(one, note=without_machine_text(one.note)) for one in plan.fallbacks or ()
        ],
        notes=[without_machine_text(one) or "" for one in plan.notes or ()],
    )


def day_for_reviewer(day: Day) -> Day:
    return replace(
        day,
        summary=without_machine_text(day.summary),
        items=[replace(one, note=without_machine_text(one.note)) for one in day.items or ()],
    )


def without_machine_text(text: str | None) -> str | None:
    """Spaces stand in its place: a quotation is found where it stands in the stored text."""
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
