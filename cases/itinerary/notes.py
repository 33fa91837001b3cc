"""A product's notes, sorted: words for the customer, badges, and text that only machines want.

The rule, for notes, day summaries and fallbacks of any row. Where one part of a text, between bars
or line breaks, is of the machine, each part is sorted by itself; otherwise the text stays whole.
A part is of the machine when
  1. it is one of the product's known tokens or log lines;
  2. it begins with a code: a known key, or a key with an underscore, glued to "=" or ":";
  3. every word of it is a code: snake_case, key=value, or lower_case:value without Chinese in it;
  4. it is JSON.
Inside prose, a sentence with such a pair in it ("near (routing_confidence=0.9)") is of the machine,
and its neighbours are words. Everything else is words: "Bring ID = passport" has spaces around its
sign, "tel:010-1234" and a link are meant for people, and a code word without a sign
("游客very_many") does not cost the customer a sentence.

So what is shown to a reviewer is always a piece of the text as it was delivered.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from .format import _


@dataclass(frozen=True, slots=True)
class Badge:
    """A short fact from a note. `label` is a %-template for `text`, which is the product's own."""

    code: str
    label: str
    text: str = ""
    weekdays: frozenset[int] = field(default_factory=frozenset)


class Notes(NamedTuple):
    words: tuple[str, ...] = ()
    badges: tuple[Badge, ...] = ()
    machine: tuple[str, ...] = ()


BOOKING_NEEDED = Badge("booking-needed", _("booking needed"))
AVOID_PEAK_HOURS = Badge("avoid-peak-hours", _("avoid peak hours"))

CLOSED_ON = (
    _("closed Mondays"),
    _("closed Tuesdays"),
    _("closed Wednesdays"),
    _("closed Thursdays"),
    _("closed Fridays"),
    _("closed Saturdays"),
    _("closed Sundays"),
)
CLOSED_ON_AND_MORE = (
    _("closed Mondays: %(text)s"),
    _("closed Tuesdays: %(text)s"),
    _("closed Wednesdays: %(text)s"),
    _("closed Thursdays: %(text)s"),
    _("closed Fridays: %(text)s"),
    _("closed Saturdays: %(text)s"),
    _("closed Sundays: %(text)s"),
)
CLOSED_ON_SEVERAL = _("closed on several weekdays: %(text)s")
OPENING_RULE = _("opening: %(text)s")


def sort_note(text: str | None) -> Notes:
    text = (text or "").strip()
    if not text:
        return Notes()
    if _is_json(text):
        return Notes(machine=(text,))
    parts = [part.strip() for part in _BAR.split(text)]
    found = [piece for part in parts if part for piece in _sorted(part)]
    if all(kind == "words" for kind, text in found):
        return Notes(words=(text,))
    return Notes(
        words=tuple(text for kind, text in found if kind == "words"),
        badges=tuple(_badge(text) for kind, text in found if kind == "badge"),
        machine=tuple(text for kind, text in found if kind == "machine"),
    )


_BAR = re.compile(r"\s\|\s|\n")
_SENTENCE_END = re.compile(r"(?<=[。！？；!?;])\s*|(?<=\.)\s+")

_BADGE = re.compile(r"reservation_required(=true)?|avoid_peak_hours(=true)?|closed_rules=.*\S.*")
_LOG_LINES = re.compile(
    r"day[0-9]+ reduced to <=[0-9]+ geographic clusters"
    r"|Removed .{1,200}? to reduce cost \(cost=[^()]{0,40}\)"
    r"|backup_option|meal_windows"
)
_KEY = r"(?:[a-z][a-z0-9]*(?:_[a-z0-9]+)+|buffer|cluster|cost|crowd|day|persona|poi|repair)"
_BEGINS_WITH_CODE = re.compile(rf"{_KEY}[=:](?=\S)")
_PAIR_INSIDE = re.compile(rf"(?<![\w/?&#.=:-]){_KEY}=\S", re.ASCII)
_CODE = re.compile(
    r"[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+"  # snake_case, OVER_BUDGET
    r"|[A-Za-z_][A-Za-z0-9_.-]*=\S*"  # key=value
    r"|(?!tel:|mailto:|https?:)[a-z][a-z0-9]*:[!-~]+"  # key:value
)


def _sorted(part: str) -> Iterator[tuple[str, str]]:
    """Yield the pieces of one part of a note, each as words, badge or machine text."""
    if _BADGE.fullmatch(part):
        yield "badge", part
    elif _is_machine(part):
        yield "machine", part
    elif _PAIR_INSIDE.search(part):
        for sentence in filter(None, _SENTENCE_END.split(part)):
            yield "machine" if _PAIR_INSIDE.search(sentence) else "words", sentence.strip()
    else:
        yield "words", part


def _is_machine(part: str) -> bool:
    return bool(
        _LOG_LINES.fullmatch(part)
        or _BEGINS_WITH_CODE.match(part)
        or all(_CODE.fullmatch(word.rstrip(",;")) for word in part.split())
        or _is_json(part)
    )


def _is_json(text: str) -> bool:
    if text[0] + text[-1] not in ("{}", "[]"):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _badge(token: str) -> Badge:
    if token.startswith("reservation_required"):
        return BOOKING_NEEDED
    if token.startswith("avoid_peak_hours"):
        return AVOID_PEAK_HOURS
    text = token.partition("=")[2].strip()
    weekdays = closing_weekdays(text)
    if len(weekdays) == 1:
        signs, bare = (*_CHINESE, *_ENGLISH), text.strip("每。. ")
        labels = CLOSED_ON if any(sign.fullmatch(bare) for sign in signs) else CLOSED_ON_AND_MORE
        return Badge("closed", labels[min(weekdays)], text, weekdays)
    return Badge("closed", CLOSED_ON_SEVERAL if weekdays else OPENING_RULE, text, weekdays)


# Closing days. A place that closes for half a day, in some weeks or at an hour of the day is not
# closed on that weekday; "open Tuesday to Sunday" does not state a closing day either.


LONGEST_RULE = 500  # characters; longer texts are not searched


def closing_weekdays(text: str) -> frozenset[int]:
    """Find the weekdays (Monday is 0) on which a Chinese or English text says a place is closed."""
    text = text[:LONGEST_RULE]
    chinese = (days for sign in _CHINESE for days in sign.findall(text))
    found = {day for days in chinese for day in _chinese_days(days)}
    for sign in _ENGLISH:
        for match in sign.finditer(text):
            days = _english_days(match["days"])
            found.update(days[:-1] if _THEN_OPEN.match(text, match.end()) else days)
    return frozenset(found)


_WEEK = r"(?:周|星期|礼拜)"
_DAY = "[一二三四五六日天1-7]"
_TO = r"(?:至|到|[-–—~～])"
_AND = r"[、,，和及与/]"
_CLOSED = r"(?:[闭休关][馆园店业门闭息]|歇业|停业|停止开放|停开|不开放|不营业|不对外开放)"
# "周一、二": a numeral alone is a weekday only where nothing else can follow it.
_NUMERAL = rf"[一二三四五六日](?=\s*(?:{_AND}|{_CLOSED}|[全均都为是（(]|$))"
_DAYS = (
    rf"(?<![个周隔单双])(?:{_WEEK}{_DAY}(?:{_TO}{_WEEK}?{_DAY})?|周末)"
    rf"(?:{_AND}\s*每?(?:{_WEEK}{_DAY}(?:{_TO}{_WEEK}?{_DAY})?|{_NUMERAL}|周末))*"
)
_CHINESE = (
    re.compile(
        rf"({_DAYS})\s*(?:全天|均|都|也|为|是|固定|例行|定期)?\s*{_CLOSED}(?!时间|[前后]|至|到)"
    ),
    re.compile(rf"[闭休][馆园息]日\s*(?:为|是|在|[:：])?\s*每?({_DAYS})"),
    re.compile(rf"除了?每?({_DAYS})(?:以|之)?外[^。；;]{{0,20}}(?:开放|营业)"),
    re.compile(rf"(?:开放|营业|每[天日])[^。；;闭休]{{0,20}}?({_DAYS})除外"),
)
_CHINESE_DAY = re.compile(rf"({_TO})?{_WEEK}?({_DAY}|末)")


def _chinese_days(text: str) -> list[int]:
    days: list[int] = []
    for to, name in _CHINESE_DAY.findall(text):
        number = "一二三四五六日".find(name.replace("天", "日"))
        if name == "末":
            days += [5, 6]
        elif to and days:
            days += _range(days[-1], number if number >= 0 else int(name) - 1)
        else:
            days.append(number if number >= 0 else int(name) - 1)
    return days


_NAME = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:days?)?\b\.?|weekends?\b"
_THROUGH = r"(?:\s*[-–—]\s*|\s+(?:to|through|thru)\s+)"
_NAMES = rf"\b(?:{_NAME})(?:{_THROUGH}(?:{_NAME}))?"
_HALF = r"(?!\s*(?:morning|afternoon|evening|night|at\b|until\b|before\b|from\b|after\b))"
_ENGLISH = (
    re.compile(
        r"(?<!not )(?<!never )\b(?:closed|closing days?|shut)\b:?(?:\s+(?:on|every|all|each))*\s+"
        rf"(?P<days>{_NAMES}(?:(?:\s*[,&/]\s*|,?\s+(?:and|or)\s+){_NAMES})*){_HALF}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?P<days>{_NAMES}(?:(?:\s*[&/]\s*|\s+and\s+){_NAMES})*)"
        r"(?:\s*:\s*|\s+(?:is\s+|are\s+)?)closed\b(?!\s+(?:at|from|until|before|after)\b)",
        re.IGNORECASE,
    ),
    re.compile(
        r"\bopen\b(?:(?!closed)[^.;]){0,40}?\bexcept\s+(?:on\s+)?"
        rf"(?P<days>{_NAMES}(?:(?:\s*[,&/]\s*|,?\s+(?:and|or)\s+){_NAMES})*)",
        re.IGNORECASE,
    ),
)
_THEN_OPEN = re.compile(r"\s*:?\s*(?:is\s+|are\s+)?open\b", re.IGNORECASE)
_ENGLISH_DAY = re.compile(
    rf"({_THROUGH})?\b(mon|tue|wed|thu|fri|sat|sun|weekend)[a-z]*", re.IGNORECASE
)
_ABBREVIATIONS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def _english_days(text: str) -> list[int]:
    days: list[int] = []
    for to, name in _ENGLISH_DAY.findall(text):
        if name.lower() == "weekend":
            days += [5, 6]
            continue
        number = _ABBREVIATIONS.index(name.lower())
        days += _range(days[-1], number) if to and days else [number]
    return days


def _range(first: int, last: int) -> list[int]:
    """List the days after the first up to the last, across the end of the week if needed."""
    return [(first + step) % 7 for step in range(1, (last - first) % 7 + 1)]
