"""Detect `mobility-limited`: a traveller has trouble walking, climbing or standing."""

from __future__ import annotations

from cases.itinerary.format import Request

from .found import RULED_OUT, SAYS, Found, _
from .wording import LONGEST_QUOTE, Wording, field_wording
from .words import mobility as lexicon

TAG = "mobility-limited"

FIELD = _("The request's mobility needs say “%(words)s”.")
ELDERLY = _("The group type is “elderly”; that walking is hard is not said.")


def find_limited_mobility(request: Request, wording: Wording) -> Found | None:
    in_field = _find_in_field(request.mobility)
    if in_field and in_field.strength == "strong":
        return in_field
    worded = _find_by_words(wording) or _find_in_lodging(request.lodging)
    if worded and worded.strength == "strong":
        return worded
    if in_field or worded:
        return in_field or worded
    return Found(TAG, "weak", ELDERLY, {}) if request.group_type == "elderly" else None


def _find_in_field(needs: list[str] | None) -> Found | None:
    weak = None
    for need in needs or ():
        wording = field_wording(need)
        if not need.strip() or lexicon.NO_NEED.fullmatch(wording.low):
            continue
        params = {"words": need[:LONGEST_QUOTE]}
        mention = lexicon.STRONG.first(wording)
        if mention and not mention.is_denied:
            return Found(TAG, "strong", FIELD, params)
        if not mention and lexicon.IN_FIELD.search(wording.low):
            return Found(TAG, "strong", FIELD, params)
        if not mention:
            weak = weak or Found(TAG, "weak", FIELD, params)
    return weak


def _find_by_words(wording: Wording) -> Found | None:
    strong = lexicon.STRONG.first(wording)
    if strong and not strong.is_denied:
        return Found(TAG, "strong", SAYS, {"words": strong.words})
    weak = lexicon.WEAK.first(wording)
    if weak and not weak.is_denied:
        return Found(TAG, "weak", SAYS, {"words": weak.words})
    return Found(TAG, "weak", RULED_OUT, {"words": strong.words}) if strong else None


def _find_in_lodging(lodging: str | list[str] | None) -> Found | None:
    if not lodging:
        return None
    mention = lexicon.STRONG.first(field_wording(lodging))
    if not mention or mention.is_denied:
        return None
    return Found(TAG, "strong", SAYS, {"words": mention.words})
