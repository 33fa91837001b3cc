"""Detect `tight-schedule`: more must-visit places than the days have room for."""

from __future__ import annotations

from cases.itinerary.format import Request

from .found import SAYS, Found, Strength, _, ngettext
from .trip import asked_days
from .wording import Wording
from .words import schedule as lexicon

TAG = "tight-schedule"

# Must-visit places per day. Three leave no room for meals, queues and transfers; two are tight at
# an intensive pace.
TIGHT = 3
BUSY = 2

PLACES = ngettext(
    "%(places)d must-visit places in %(count)d day.",
    "%(places)d must-visit places in %(count)d days.",
)
PLACES_AT_PACE = ngettext(
    "%(places)d must-visit places in %(count)d day, at an intensive pace.",
    "%(places)d must-visit places in %(count)d days, at an intensive pace.",
)
LISTED = ngettext(
    "The text lists %(places)d places that must be visited in %(count)d day.",
    "The text lists %(places)d places that must be visited in %(count)d days.",
)
PACE = _("The pace is intensive.")


def find_tight_schedule(request: Request, wording: Wording) -> Found | None:
    is_intensive = request.pace == "intensive"
    found = _find_by_places(request, wording, is_intensive=is_intensive)
    if found and found.strength == "strong":
        return found
    if is_intensive:
        return found or Found(TAG, "weak", PACE, {})
    return found or _find_by_words(wording)


def _find_by_places(request: Request, wording: Wording, *, is_intensive: bool) -> Found | None:
    sentence = PLACES_AT_PACE if is_intensive else PLACES
    if places := _count_places(request.must_visit):
        days = (asked_days(request) or _count_days(wording)) if places >= BUSY else None
    elif places := _count_listed(wording):
        days = asked_days(request) or _count_days(wording)
        sentence = LISTED
    else:
        return None
    if not days or places < BUSY * days:
        return None
    is_tight = is_intensive or places >= TIGHT * days
    strength: Strength = "strong" if is_tight else "weak"
    return Found(TAG, strength, sentence[0], {"places": places, "count": days}, sentence[1])


# --- Places that must be seen ---------------------------------------------------------------------


def _count_places(must_visit: list[str] | None) -> int:
    if not must_visit:
        return 0
    places = (place for entry in must_visit for place in lexicon.IN_ONE.split(entry))
    return len({name for place in places if (name := " ".join(place.lower().split()))})


def _count_listed(wording: Wording) -> int:
    """Count the places listed after a "must": separated by 、, or each with a capital letter."""
    if "必" in wording.han or "定" in wording.han:
        listed = lexicon.MUST.search(wording.low)
        if listed:
            return len(set(filter(None, lexicon.HAN_LIST.split(listed.group()))))
    if "must" in wording.words and (listed := lexicon.MUST_LATIN.search(wording.low)):
        names = lexicon.LIST.split(wording.text[listed.start(1) : listed.end(1)])
        count = 0
        for name in names:
            if not lexicon.NAME.match(name.strip()):
                break
            count += 1
        return count
    return 0


def _count_days(wording: Wording) -> int | None:
    match = lexicon.DAYS.search(wording.low)
    if not match:
        return None
    word = match["number"] or match["latin"]
    if word.isdecimal():
        return int(word) or None
    return lexicon.VALUES.get(word) or lexicon.LATIN_VALUES.get(word)


# --- Words: only a weak hint ----------------------------------------------------------------------


def _find_by_words(wording: Wording) -> Found | None:
    mention = lexicon.WORDS.first(wording)
    if not mention or mention.is_denied:
        return None
    return Found(TAG, "weak", SAYS, {"words": mention.words})
