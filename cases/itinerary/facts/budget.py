"""What was asked to be spent, against what the plan says it costs."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto

from ..document import Budget
from ..topics import Topic
from .amounts import amount, code, money, same
from .sentences import Fact, _, fact, ngettext, quoted
from .trip import Trip


class Scope(Enum):
    TRIP = auto()
    PERSON = auto()
    DAY = auto()
    OTHER = auto()


_SCOPES = {
    **dict.fromkeys(("", "total", "trip", "overall", "总计", "全程", "总预算"), Scope.TRIP),
    **dict.fromkeys(("per_person", "person", "each", "人均", "每人"), Scope.PERSON),
    **dict.fromkeys(("per_day", "day", "daily", "每天", "每日", "日均"), Scope.DAY),
}
_POINTER = "/request/budget/amount"


def budget_facts(trip: Trip) -> Iterator[Fact]:
    asked = trip.request.budget
    has_people = trip.request.people is not None
    if asked is None or asked.amount is None:
        message = (
            _("The request states no budget.")
            if has_people
            else _("The request states no budget and no number of people.")
        )
        yield fact(Topic.MONEY, "budget", message)
        return
    planned = trip.budget.total
    scope = _scope(asked)
    if scope is not Scope.TRIP or planned is None:
        yield _stated(trip, asked, asked.amount, scope)
    whole = _for_the_whole_trip(trip, asked.amount, scope)
    if whole is not None and planned is not None:
        yield _against_total(trip, asked, whole, planned)
    if not has_people:
        yield fact(Topic.MONEY, "people", _("The request states no number of people."))


def _scope(asked: Budget) -> Scope:
    name = (asked.scope or "").strip().lower().replace(" ", "_").replace("-", "_")
    return _SCOPES.get(name, Scope.OTHER)


def _for_the_whole_trip(trip: Trip, asked: float, scope: Scope) -> float | None:
    many = {Scope.TRIP: 1, Scope.PERSON: trip.request.people, Scope.DAY: trip.days_asked}
    times = many.get(scope)
    return None if times is None else asked * times


def _stated(trip: Trip, asked: Budget, each: float, scope: Scope) -> Fact:
    budget = money(each, asked.currency, _POINTER)
    whole = _for_the_whole_trip(trip, each, scope)
    if scope is Scope.TRIP:
        return fact(
            Topic.MONEY, "budget", _("Budget asked: %(asked)s for the whole trip."), asked=budget
        )
    if scope is Scope.PERSON and whole is not None:
        return fact(
            Topic.MONEY,
            "budget",
            ngettext(
                "Budget asked: %(asked)s for one person.",
                "Budget asked: %(asked)s per person, %(whole)s for %(count)d people.",
            ),
            asked=budget,
            whole=amount(whole),
            count=trip.request.people or 0,
        )
    if scope is Scope.DAY and whole is not None:
        return fact(
            Topic.MONEY,
            "budget",
            ngettext(
                "Budget asked: %(asked)s for one day.",
                "Budget asked: %(asked)s per day, %(whole)s for %(count)d days.",
            ),
            asked=budget,
            whole=amount(whole),
            count=trip.days_asked or 0,
        )
    if scope is Scope.PERSON:
        return fact(Topic.MONEY, "budget", _("Budget asked: %(asked)s per person."), asked=budget)
    if scope is Scope.DAY:
        return fact(Topic.MONEY, "budget", _("Budget asked: %(asked)s per day."), asked=budget)
    return fact(
        Topic.MONEY,
        "budget",
        _("Budget asked: %(asked)s (%(scope)s)."),
        asked=budget,
        scope=quoted(asked.scope or "", "/request/budget/scope"),
    )


def _against_total(trip: Trip, asked: Budget, whole: float, planned: float) -> Fact:
    one, other = code(asked.currency), code(trip.budget.currency)
    if one != other and one and other:
        message = _("Budget asked: %(asked)s; stated total: %(total)s; two currencies.")
    elif one != other or not one:
        message = _("Budget asked: %(asked)s; stated total: %(total)s; a currency is not stated.")
    elif same(whole, planned):
        message = _("Budget asked: %(asked)s; stated total: %(total)s, the same.")
    elif planned > whole:
        message = _("Budget asked: %(asked)s; stated total: %(total)s, %(difference)s above.")
    else:
        message = _("Budget asked: %(asked)s; stated total: %(total)s, %(difference)s below.")
    return fact(
        Topic.MONEY,
        "budget-against-total",
        message,
        asked=money(whole, asked.currency, _POINTER),
        total=money(planned, trip.budget.currency, "/plan/budget/total"),
        difference=amount(abs(planned - whole)),
    )
