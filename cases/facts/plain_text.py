"""Facts about a plan that is plain text: what needs structure says so, the rest searches words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from .names import MOST_WISHES, Register
from .sentences import Fact, Words, _, fact, ngettext, quoted, several
from .topics import Topic
from .trip import Trip

# Facts that only need the request, or the words of the plan.
_FROM_WORDS = frozenset(
    {
        "status",
        "languages",
        "budget",
        "wishes-none",
        "constraints-none",
        "goals-none",
        "goals-nowhere",
        "goals-elsewhere",
    }
)
_FROM_WORDS_OF = ("dietary", "mobility")


def plain_text_facts(trip: Trip, found: Iterable[Fact]) -> Iterator[Fact]:
    """Yield what can be said; `found` are the facts as they would be for a plan with stops."""
    yield fact(
        Topic.GENERAL,
        "plain-text",
        ngettext(
            "The plan is plain text, %(count)d paragraph without days and times to compute with.",
            "The plan is plain text, %(count)d paragraphs without days and times to compute with.",
        ),
        count=len(trip.stops),
    )
    yield from _missing()
    yield from _wishes(trip)
    for known in found:
        if known.key == "goals-elsewhere":
            yield replace(known, message=_("Goals named in the plan's words: %(goals)s."))
        elif known.key in _FROM_WORDS or known.key.startswith(_FROM_WORDS_OF):
            yield known


def _missing() -> Iterator[Fact]:
    """Say for each topic that needs structure that there is none."""
    yield fact(
        Topic.BUFFERS,
        "plain-text-buffers",
        _("No times and no transfers to compare: the plan is plain text."),
    )
    yield fact(Topic.MEALS, "plain-text-meals", _("No meals to count: the plan is plain text."))
    yield fact(
        Topic.FALLBACKS,
        "plain-text-fallbacks",
        _("No fallbacks to compare: the plan is plain text."),
    )
    yield fact(Topic.MONEY, "plain-text-money", _("No prices to add up: the plan is plain text."))
    yield fact(Topic.PACE, "plain-text-pace", _("No visits to count: the plan is plain text."))


def _wishes(trip: Trip) -> Iterator[Fact]:
    """Say which wishes the plan's words name. What words about a place to avoid mean is open."""
    by_words = Register([(words, words.text, None) for words in trip.words])
    for name, field, named_message, nowhere_message in (
        (
            "must-visit",
            "must_visit",
            _("Must-visit, named in the plan's words: %(places)s."),
            _("Must-visit, nowhere in the plan's words: %(places)s."),
        ),
        (
            "avoid",
            "avoid",
            _("To avoid, named in the plan's words: %(places)s."),
            _("To avoid, nowhere in the plan's words: %(places)s."),
        ),
    ):
        wishes: list[str] = getattr(trip.request, field) or []
        named: list[tuple[Words, Words]] = []
        nowhere: list[Words] = []
        for place, wish in enumerate(wishes[:MOST_WISHES]):
            shown = quoted(wish, f"/request/{field}/{place}")
            if where := by_words.all(wish):
                named.append((shown, where[0]))
            elif wish.strip():
                nowhere.append(shown)
        if named:
            yield fact(
                Topic.WISHES,
                f"{name}-in-words",
                named_message,
                [where.pointer for wish, where in named],
                places=several(wish for wish, where in named),
            )
        if nowhere:
            yield fact(
                Topic.WISHES, f"{name}-not-in-words", nowhere_message, places=several(nowhere)
            )
