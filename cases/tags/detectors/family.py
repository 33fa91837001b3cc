"""Detect `family`: children travel. A house rule that lodging takes children is a weak hint."""

from __future__ import annotations

from collections.abc import Iterator

from cases.itinerary.format import Request

from .found import RULED_OUT, SAYS, Found, _
from .wording import (
    REACH,
    Wording,
    clause_around,
    field_wording,
    is_denied,
    occurrences,
)
from .words import family as lexicon

TAG = "family"

GROUP = _("The group type is “family”.")
HOUSE_RULE = _("The lodging is to take children; that children travel is not said.")
MENTIONED = _("The request mentions “%(words)s”; that children travel is not clear.")

_ADULT_AGE = 18


def find_family(request: Request, wording: Wording, *, is_read: bool = False) -> Found | None:
    """Find the tag. `is_read`: the group type was read from the text, so the text decides."""
    if request.group_type != "family":
        return _find_in_text(request, wording)
    if not is_read:
        return Found(TAG, "strong", GROUP, {})
    found = _find_in_text(request, wording)
    if found and (found.strength == "strong" or found.message == HOUSE_RULE):
        return found
    return Found(TAG, "strong", GROUP, {})


def _find_in_text(request: Request, wording: Wording) -> Found | None:
    doubtful = None
    for start, end in _find_travellers(wording):
        if not _is_ruled_out(wording.low, start, end):
            return Found(TAG, "strong", SAYS, {"words": wording.quote(start, end)})
        doubtful = doubtful or _describe_doubt(wording, start, end)
    if doubtful:
        return doubtful
    if hint := lexicon.HINTS.first(wording):
        return _describe_doubt(wording, hint.start, hint.end)
    return _find_house_rule(request.lodging)


def _find_travellers(wording: Wording) -> Iterator[tuple[int, int]]:
    """Yield where the text names children as people who come along."""
    low = wording.low
    for start, end in occurrences(lexicon.CHILDREN, wording):
        before = low[max(0, start - REACH) : start]
        brought = lexicon.BROUGHT.search(before)
        if not brought and not lexicon.LODGING.search(clause_around(low, start, end)):
            brought = lexicon.FOR.search(before)  # what is to suit children, unless it is lodging
        if not brought or lexicon.NO_TRAVELLER.match(low, end):
            continue
        # "the kids" belong to the group, "the kid" may be Billy
        if brought.group().strip() != "the" or low[start:end].endswith(("s", "ren")):
            yield start - len(brought.group()), end
    yield from (match.span() for match in lexicon.FAMILIES.matches(wording))
    if not lexicon.HAN_KEYS.isdisjoint(wording.han):
        yield from _find_han_travellers(low)


def _find_han_travellers(low: str) -> Iterator[tuple[int, int]]:
    for match in lexicon.HAN_CHILDREN.finditer(low):
        start, end = match.span()
        before = low[max(0, start - 10) : start]
        if lexicon.HAN_GIRLS.search(before):  # 女孩子 are not children
            continue
        if brought := lexicon.HAN_BROUGHT.search(before):
            yield start - len(brought.group()), end
        elif aged := lexicon.HAN_AGED.match(low, end):
            yield start, aged.end()


def _is_ruled_out(low: str, start: int, end: int) -> bool:
    words, before = low[start:end], low[max(0, start - 12) : start]
    ages = [int(age) for age in lexicon.AGE.findall(words)]
    if ages and min(ages) >= _ADULT_AGE:
        return True
    if not lexicon.EXPLICIT.search(words) and _is_house_rule(low, start, end):
        return True
    return bool(lexicon.VISITED.search(before) or lexicon.NOR.search(before)) or is_denied(
        low, start, end
    )


def _is_house_rule(low: str, start: int, end: int) -> bool:
    clause = clause_around(low, start, end)
    return bool(lexicon.LODGING.search(clause) and lexicon.TAKES.search(clause))


def _describe_doubt(wording: Wording, start: int, end: int) -> Found:
    words = {"words": wording.quote(start, end)}
    if is_denied(wording.low, start, end):
        return Found(TAG, "weak", RULED_OUT, words)
    if _is_house_rule(wording.low, start, end):
        return Found(TAG, "weak", HOUSE_RULE, {})
    return Found(TAG, "weak", MENTIONED, words)


def _find_house_rule(lodging: str | list[str] | None) -> Found | None:
    is_rule = lodging and lexicon.HINTS.first(field_wording(lodging))
    return Found(TAG, "weak", HOUSE_RULE, {}) if is_rule else None
