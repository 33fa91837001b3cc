"""Facts about meals and rests: when, where, and which visits they overlap."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from cases.itinerary.clock import DAY, format_clock

from .sentences import Fact, _, fact, ngettext, numbers, several
from .topics import Topic
from .trip import Stop, Trip, TripDay

Window = tuple[int, int]

# A title that only says which meal it is names no place.
_PLAIN = re.compile(
    r"(?:用餐|就餐|吃饭|餐饮|[早午晚中]餐|[早午晚中]饭|早点|宵夜|夜宵|时间|休息|"
    r"\b(?:a|an|the|meal|meals|breakfast|brunch|lunch|dinner|supper|snack|snacks|break|time)\b|"
    r"[\s\W\d_])*",
    re.IGNORECASE,
)


def meal_facts(trip: Trip) -> Iterator[Fact]:
    if not trip.stops:
        return
    yield from _windows(trip)
    yield from _over_visits(trip)
    yield from _over_each_other(trip)
    rests = [stop for stop in trip.stops if stop.kind == "rest"]
    yield fact(
        Topic.MEALS,
        "rests",
        _("Rest stops: %(rests)d."),
        [stop.pointer for stop in rests],
        rests=len(rests),
    )


def _windows(trip: Trip) -> Iterator[Fact]:
    meals = [meal for day in trip.days for meal in day.meals]
    if not meals:
        yield fact(Topic.MEALS, "meals", _("The plan names no meal."))
        return
    starts = [meal.start for meal in meals if meal.start is not None]
    ends = [meal.end for meal in meals if meal.end is not None]
    timed = bool(starts and ends)
    yield fact(
        Topic.MEALS,
        "meals",
        _(
            "Meals: %(meals)d on %(having)d of %(days)d days, between %(first)s and %(last)s; "
            "%(named)d name a place to eat."
        )
        if timed
        else _(
            "Meals: %(meals)d on %(having)d of %(days)d days, without times; "
            "%(named)d name a place to eat."
        ),
        meals=len(meals),
        having=sum(bool(day.meals) for day in trip.days),
        days=len(trip.days),
        first=format_clock(min(starts)) if timed else "",
        last=format_clock(max(ends)) if timed else "",
        named=sum(_names_a_place(meal) for meal in meals),
    )
    without = [day for day in trip.days if not day.meals]
    if without:
        yield fact(
            Topic.MEALS,
            "days-without-meal",
            ngettext("No meal on day %(days)s.", "No meal on days %(days)s."),
            [day.pointer for day in without],
            count=len(without),
            days=numbers(day.number for day in without),
        )


def visits_under_meals(day: TripDay) -> Iterator[Stop]:
    """Yield each timed visit that overlaps a meal of the day."""
    meals = _merged([meal.window for meal in day.meals if meal.window])
    ends = [last for first, last in meals]
    for visit in day.visits:
        if visit.window:
            place = bisect_left(ends, visit.window[0] + 1)
            if place < len(meals) and meals[place][0] < visit.window[1]:
                yield visit


def _merged(windows: Sequence[Window]) -> list[Window]:
    """Sort the windows, merge those that overlap and drop empty ones."""
    merged: list[Window] = []
    for first, last in sorted(window for window in windows if window[0] < window[1]):
        if merged and first < merged[-1][1]:
            merged[-1] = merged[-1][0], max(last, merged[-1][1])
        else:
            merged.append((first, last))
    return merged


def _over_visits(trip: Trip) -> Iterator[Fact]:
    visits = [visit for day in trip.days for visit in visits_under_meals(day)]
    if visits:
        yield fact(
            Topic.MEALS,
            "meal-over-visit",
            ngettext(
                "A meal lies over a visit on day %(days)s: %(visits)s.",
                "A meal lies over a visit on days %(days)s: %(visits)s.",
            ),
            [visit.pointer for visit in visits],
            count=len({visit.day for visit in visits}),
            days=numbers(visit.day for visit in visits),
            visits=several(visit.name for visit in visits),
        )


def meals_over_meals(day: TripDay) -> Iterator[Stop]:
    """Yield each meal that begins before an earlier one has ended."""
    reached = -DAY
    timed = ((meal.window, meal) for meal in day.meals if meal.window)
    for (first, last), meal in sorted(timed, key=lambda pair: pair[0]):
        if first < reached and first < last:
            yield meal
        reached = max(reached, last)


def _over_each_other(trip: Trip) -> Iterator[Fact]:
    meals = [meal for day in trip.days for meal in meals_over_meals(day)]
    if meals:
        yield fact(
            Topic.MEALS,
            "meal-over-meal",
            ngettext(
                "Meals overlap each other on day %(days)s.",
                "Meals overlap each other on days %(days)s.",
            ),
            [meal.pointer for meal in meals],
            count=len({meal.day for meal in meals}),
            days=numbers(meal.day for meal in meals),
        )


def _names_a_place(meal: Stop) -> bool:
    return any(not _PLAIN.fullmatch(text[:200]) for text in meal.texts)
