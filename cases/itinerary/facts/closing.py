"""A visit on a weekday on which its own note says that the place is closed."""

from __future__ import annotations

from collections.abc import Iterator

from ..notes import closing_weekdays, sort_note
from ..topics import Topic
from .sentences import Fact, Words, _, fact, ngettext, numbers, quoted
from .trip import Stop, Trip

MOST_CLOSED = 5


def closed_facts(trip: Trip) -> Iterator[Fact]:
    closed = [
        (day, visit, rule)
        for day in trip.days
        if day.date
        for visit in day.visits
        if (rule := _rule(visit, day.date.weekday()))
    ]
    for day, visit, rule in closed[:MOST_CLOSED]:
        yield fact(
            Topic.GENERAL,
            f"closed:{visit.pointer}",
            _("Day %(day)d is %(date)s; the note on %(visit)s says: %(rule)s."),
            (visit.pointer,),
            day=day.number,
            date=day.date or "",
            visit=visit.name,
            rule=rule,
        )
    others = closed[MOST_CLOSED:]
    if others:
        yield fact(
            Topic.GENERAL,
            "closed-more",
            ngettext(
                "More visits on a weekday that their notes call closed: %(more)d (day %(days)s).",
                "More visits on a weekday that their notes call closed: %(more)d (days %(days)s).",
            ),
            [visit.pointer for day, visit, rule in others],
            more=len(others),
            count=len({day.number for day, visit, rule in others}),
            days=numbers(day.number for day, visit, rule in others),
        )


def _rule(visit: Stop, weekday: int) -> Words | None:
    """The words of the rule that names this weekday, with whatever they except."""
    notes = sort_note(visit.item.note)
    pointer = f"{visit.pointer}/note"
    for badge in notes.badges:
        if weekday in badge.weekdays:
            return quoted(badge.text, pointer)
    for words in notes.words:
        if weekday in closing_weekdays(words):
            return quoted(words, pointer)
    return None
