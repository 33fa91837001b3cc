"""`tight-schedule`: more places that must be seen than the days have room for."""

from __future__ import annotations

import re

from cases.itinerary.format import Request

from .found import SAYS, Found, Strength, _, ngettext
from .trip import asked_days
from .wording import Phrases, Wording, latin

TAG = "tight-schedule"

# Must-visit places a day. Three leave no room for meals, queues and ways; two do when the pace is
# anything but intensive.
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
    found = _by_places(request, wording, is_intensive=is_intensive)
    if found and found.strength == "strong":
        return found
    if is_intensive:
        return found or Found(TAG, "weak", PACE, {})
    return found or _by_words(wording)


def _by_places(request: Request, wording: Wording, *, is_intensive: bool) -> Found | None:
    sentence = PLACES_AT_PACE if is_intensive else PLACES
    if places := _count(request.must_visit):
        days = (asked_days(request) or _days_said(wording)) if places >= BUSY else None
    elif places := _count_listed(wording):
        days = asked_days(request) or _days_said(wording)
        sentence = LISTED
    else:
        return None
    if not days or places < BUSY * days:
        return None
    is_tight = is_intensive or places >= TIGHT * days
    strength: Strength = "strong" if is_tight else "weak"
    return Found(TAG, strength, sentence[0], {"places": places, "count": days}, sentence[1])


# --- Places that must be seen ---------------------------------------------------------------------

_IN_ONE = re.compile("[、;；\n]")


def _count(must_visit: list[str] | None) -> int:
    if not must_visit:
        return 0
    places = (place for entry in must_visit for place in _IN_ONE.split(entry))
    return len({name for place in places if (name := " ".join(place.lower().split()))})


_MUST = latin(
    r"""(?: 必[去看游遊] | 必[须須]去 | 必打卡 | 一定要[去看] )
    [^、,.;!?。\s]{0,12} 、 [^,.;!?。\s]*"""
)
_MUST_LATIN = latin(
    r"""\b must [\s-]+ (?: visit | see | go \s+ to | include | do ) s? \b :? \s+
    ( [^.;!?\n]{4,200} )"""
)
_HAN_LIST = re.compile("、|(?<![颐頤雍太保中呼永])[和与與及](?!平)")  # 颐和园, 和平饭店
_LIST = re.compile(r",\s*(?:and\s+)?|\s+and\s+|\s+&\s+", re.IGNORECASE)
_NAME = re.compile(r"(?:the\s+)?[A-Z][\w'.-]*(?:\s+(?:of|the|de|du|[A-Z0-9][\w'.-]*))*$")


def _count_listed(wording: Wording) -> int:
    """Places that stand in one list behind a "must": between 、, or each with a capital."""
    if "必" in wording.han or "定" in wording.han:
        listed = _MUST.search(wording.low)
        if listed:
            return len(set(filter(None, _HAN_LIST.split(listed.group()))))
    if "must" in wording.words and (listed := _MUST_LATIN.search(wording.low)):
        names = _LIST.split(wording.text[listed.start(1) : listed.end(1)])
        count = 0
        for name in names:
            if not _NAME.match(name.strip()):
                break
            count += 1
        return count
    return 0


_DAYS_SAID = latin(
    r"""(?<! [第每提月.\d] ) (?P<number> \d{1,2} | [一二两兩三四五六七八九十] ) \s*
      (?: 天 (?! [前后後] ) | 日 (?! [元期本落出子] ) )
    | \b (?P<latin> \d{1,2} | one | two | three | four | five | six | seven | single )
      [\s-]+ days? \b"""
)
_VALUES = dict(zip("一二三四五六七八九十", range(1, 11), strict=True)) | {"两": 2, "兩": 2}
_LATIN_VALUES = {
    word: value
    for value, word in enumerate(("one", "two", "three", "four", "five", "six", "seven"), 1)
} | {"single": 1}


def _days_said(wording: Wording) -> int | None:
    match = _DAYS_SAID.search(wording.low)
    if not match:
        return None
    word = match["number"] or match["latin"]
    if word.isdecimal():
        return int(word) or None
    return _VALUES.get(word) or _LATIN_VALUES.get(word)


# --- Words: a hint, never more --------------------------------------------------------------------

_WORDS = Phrases(
    "tight packed jam busy fast whirlwind many everything short",
    r"""\b (?: tight | packed | jam-packed | action-packed | busy ) (?: ly [\s-]+ packed )? \s+
      (?: schedule | itinerary | timeline | programme | program ) \b | \b jam [\s-] packed \b
    | \b fast [\s-] paced \b | \b whirlwind \b | \b see \s+ everything \b
    | \b short \s+ on \s+ time \b
    | \b as \s+ many \s+ (?: places | sights | attractions | spots ) \s+ as \s+ possible""",
    han_keys="兵暴卡赶趕紧緊蹄花满滿",
    han_phrases="""特[种種]兵 | 暴走 | 打卡 | 赶场 | 趕場 | 紧凑 | 緊湊 | 马不停蹄 | 馬不停蹄
    | 走马观花 | 走馬觀花 | 行程 [很比较較非常]{0,2} [紧緊满滿赶趕] | 时间 [很比较非常]{0,2} 紧
    | 時間 [很比較非常]{0,2} 緊""",
)


def _by_words(wording: Wording) -> Found | None:
    mention = _WORDS.first(wording)
    if not mention or mention.is_denied:
        return None
    return Found(TAG, "weak", SAYS, {"words": mention.words})
