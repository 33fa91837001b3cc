"""Detect `low-budget`: too little money for the trip, by the plan's figures or by words."""

from __future__ import annotations

import re
from typing import NamedTuple

from cases.itinerary.format import Budget, Plan, PlanBudget, Request

from .found import SAYS, Found, Strength, _
from .trip import asked_days
from .wording import (
    LONGEST_QUOTE,
    Wording,
    field_wording,
    is_denied,
    occurrences,
)
from .words import budget as lexicon

TAG = "low-budget"

WARNED = _("The plan warns about the budget: “%(warning)s”.")
BELOW_MINIMUM = _("The budget of %(budget)s is below the plan's own minimum of %(figure)s.")
BELOW_TOTAL = _("The budget of %(budget)s is below the plan's total of %(figure)s.")
UNSURE_MINIMUM = _(
    "The budget of %(budget)s may be below the plan's own minimum of %(figure)s; "
    "its scope or its currency is not certain."
)
UNSURE_TOTAL = _(
    "The budget of %(budget)s may be below the plan's total of %(figure)s; "
    "its scope or its currency is not certain."
)
AVOIDS_PAYING = _("The request avoids “%(words)s”.")

LONGEST_WARNING = 200
# Sums are compared in cents.
_CENT = 0.005


def find_low_budget(request: Request, plan: Plan | None, wording: Wording) -> Found | None:
    planned = plan.budget if plan else None
    return (_find_by_figures(request, planned) if planned else None) or _find_by_words(
        request, wording
    )


def _find_by_figures(request: Request, planned: PlanBudget) -> Found | None:
    warning = " ".join((planned.warning or "").split())
    if warning and not lexicon.ALL_IS_WELL.search(warning.lower()):
        return Found(TAG, "strong", WARNED, {"warning": warning[:LONGEST_WARNING]})
    limit = _compute_limit(request, request.budget, planned.currency) if request.budget else None
    if not limit:
        return None
    for figure, sure, unsure in (
        (planned.minimum_feasible, BELOW_MINIMUM, UNSURE_MINIMUM),
        (planned.total, BELOW_TOTAL, UNSURE_TOTAL),
    ):
        if figure is not None and figure - limit.amount > _CENT:
            strength: Strength = "strong" if limit.is_certain else "weak"
            params = {
                "budget": _format_money(limit.amount, limit.currency),
                "figure": _format_money(figure, planned.currency),
            }
            return Found(TAG, strength, sure if limit.is_certain else unsure, params)
    return None


class Limit(NamedTuple):
    """The most that the whole trip may cost, as far as it can be known."""

    amount: float
    currency: str | None
    is_certain: bool


def _compute_limit(request: Request, budget: Budget, plan_currency: str | None) -> Limit | None:
    """Compute the limit; None if it cannot be compared: no amount, or two currencies."""
    if budget.amount is None or budget.amount < 0:
        return None
    ours, theirs = _normalise_currency(budget.currency), _normalise_currency(plan_currency)
    if ours and theirs and ours != theirs:
        return None
    is_certain = bool(ours and theirs and budget.amount)  # 0 often means "not stated"
    amount = budget.amount
    scope = "-".join(re.split(r"[\s_-]+", (budget.scope or "total").strip().lower()))
    if scope not in lexicon.TOTAL:
        is_person, is_day = lexicon.PERSON.search(scope), lexicon.DAY.search(scope)
        days = asked_days(request)
        is_known = (request.people or not is_person) and (days or not is_day)
        is_certain = is_certain and bool(is_known and (is_person or is_day))
        amount *= (request.people or 1) if is_person else 1
        amount *= (days or 1) if is_day else 1
    return Limit(amount, budget.currency, is_certain)


def _normalise_currency(currency: str | None) -> str:
    name = "-".join((currency or "").upper().split())
    return lexicon.CURRENCY.get(name, name)


def _format_money(amount: float, currency: str | None) -> str:
    number = f"{amount:,.2f}".removesuffix(".00")
    return f"{number} {currency}" if currency else number


# --- Words: only a weak hint ----------------------------------------------------------------------


def _find_by_words(request: Request, wording: Wording) -> Found | None:
    if words := _find_small_budget(wording):
        return Found(TAG, "weak", SAYS, {"words": words})
    mention = lexicon.WORDS.first(wording)
    if mention and not mention.is_denied:
        return Found(TAG, "weak", SAYS, {"words": mention.words})
    for avoided in request.avoid or ():
        if lexicon.PAID.search(field_wording(avoided).low):
            return Found(TAG, "weak", AVOIDS_PAYING, {"words": avoided[:LONGEST_QUOTE]})
    return None


def _find_small_budget(wording: Wording) -> str:
    low = wording.low
    for start, end in occurrences(lexicon.BUDGET, wording):
        small = lexicon.SMALL.search(low[max(0, start - 24) : start])
        if small and "on" in small.group().split() and lexicon.OF.match(low, end):
            small = None  # "on a budget of 2,000"
        then = lexicon.IS_SMALL.match(low, end)
        left = start - len(small.group()) if small else start
        if (small or then) and not is_denied(low, left, end):
            return wording.quote(left, then.end() if then else end)
    return ""
