"""Parse TravelPlanner's texts for cities, costs, times and minutes.

The texts were written by agents, so a reading that is not sure is no reading: the words are shown
as they are, and the field stays empty.
"""

from __future__ import annotations

import ast
import json
import re
from typing import Any, NamedTuple

LONGEST_READ = 500  # characters of a leg; a longer text is shown but not parsed further
LONGEST_LITERAL = 10_000


class Stop(NamedTuple):
    words: str
    city: str | None
    cost: float | None
    note: str | None


class Leg(NamedTuple):
    words: str
    mode: str
    start: str | None
    end: str | None
    origin: str | None
    destination: str | None
    minutes: float | None
    cost: float | None


def is_nothing(text: str) -> bool:
    """Whether a text is empty or only a dash."""
    return text.strip(" \t\r\n;,.") in ("", "-", "–", "—")


# "The Blue Oar, Lakeport; Cost: 31" and "A, City;B, City;"


def stop(text: str) -> Stop:
    words, cost, note = _without_cost(text)
    name, comma, city = words.rpartition(",")
    return Stop(words, (city.strip() or None) if comma and name else None, cost, note)


def sights(text: str) -> list[Stop]:
    found: list[str] = []
    for part in text.split(";"):
        if found and _COST.match(part.strip()):
            found[-1] += f";{part}"
        elif not is_nothing(part):
            found.append(part)
    return [stop(text) for text in found]


_COST = re.compile(r"\b(?:estimated\s+)?cost\s*:", re.IGNORECASE)
_ABOUT = r"(?P<about>(?:estimated|approx\w*\.?|about|around)\s+)?"
_AMOUNT = re.compile(
    r"\s*" + _ABOUT + r"\$?\s*(?P<amount>[0-9]{1,3}(?:,[0-9]{3}){1,3}|[0-9]{1,9})"
    r"(?P<cents>\.[0-9]{1,2})?(?![0-9])",
    re.IGNORECASE,
)


def _without_cost(text: str) -> tuple[str, float | None, str | None]:
    """Split off the cost at the end; also return its text if it is more than a number."""
    label = next(reversed(list(_COST.finditer(text))), None)
    read = _AMOUNT.match(text, label.end()) if label else None
    if label is None or read is None:
        return text.strip(" ;,"), None, None
    words = text[: label.start()].strip(" ;,(")
    rest = text[read.end() :].strip(" ;,.)")
    plain = not rest and not read["about"] and label.group().casefold().startswith("cost")
    if not words:
        return text.strip(" ;,"), _amount(read), None
    return words, _amount(read), None if plain else text[label.start() :].strip(" ;,)")


def _amount(read: re.Match[str]) -> float:
    return float(read["amount"].replace(",", "") + (read["cents"] or ""))


# "Flight Number: F1, from A to B, Departure Time: 07:00, Arrival Time: 09:26"
# "Self-driving, from A to B, Duration: 2 hours 41 mins, Distance: 280 km, Cost: 14"

_NEW_LEG = re.compile(
    r"\s*(?:transportation\s*:\s*)?(?:flight\b|self-driving\b|taxi\b|bus\b|train\b|rental\b)"
    r"|.{0,60}\bfrom\s\S.{0,80}?\sto\s",
    re.IGNORECASE,
)


def legs(text: str) -> list[Leg]:
    """Parse the legs in a text; it may have several, and "Taxi; Cost: 55" is one."""
    found: list[str] = []
    for part in text.split(";"):
        if found and not _NEW_LEG.match(part):
            found[-1] += f";{part}"
        elif not is_nothing(part):
            found.append(part)
    return [_leg(leg.strip(" ;")) for leg in found]


_MODES = (
    ("flight", re.compile(r"^flight\b|\bflight number\b", re.IGNORECASE)),
    ("self-driving", re.compile(r"\bself-driving\b", re.IGNORECASE)),
    ("taxi", re.compile(r"\btaxi\b", re.IGNORECASE)),
    ("bus", re.compile(r"\bbus\b", re.IGNORECASE)),
    ("train", re.compile(r"\btrain\b", re.IGNORECASE)),
    ("rental-car", re.compile(r"^rental (?:car|van)\b", re.IGNORECASE)),
)
_FROM_TO = re.compile(r"\bfrom\s+(\S.*?)\s+to\s+([^,;]+)", re.IGNORECASE)
_ONLY_TO = re.compile(r"()(?:taxi|self-driving|bus|train|flight)\s+to\s+([^,;]+)", re.IGNORECASE)
_DURATION = re.compile(
    r"\bduration\s*:\s*" + _ABOUT + r"(?:(?P<days>[0-9]{1,2}) days?\b ?)?"
    r"(?:(?P<hours>[0-9]{1,3}) hours?\b ?)?(?:(?P<mins>[0-9]{1,3}) min(?:ute)?s?\b)?"
    r"\s*(?:\([^()]*\)\s*)?(?=[,;]|$)",
    re.IGNORECASE,
)
_TIME = r"\b{}(?:\s+time)?(?:\s*:|\s+at)\s*([0-9]{{1,2}}):([0-9]{{2}})(?![0-9])\s*(am\b|pm\b)?"
_DEPARTURE = re.compile(_TIME.format("departure"), re.IGNORECASE)
_ARRIVAL = re.compile(_TIME.format("arrival"), re.IGNORECASE)


def _leg(words: str) -> Leg:
    read = words[:LONGEST_READ]
    between = _FROM_TO.search(read) or _ONLY_TO.match(read)
    origin, destination = between.groups() if between else ("", "")
    return Leg(
        words=words,
        mode=next((mode for mode, sign in _MODES if sign.search(read)), "other"),
        start=_clock(_DEPARTURE.search(read)),
        end=_clock(_ARRIVAL.search(read)),
        origin=origin.strip() or None,
        destination=destination.strip() or None,
        minutes=_minutes(read),
        cost=_without_cost(read)[1],
    )


def _clock(read: re.Match[str] | None) -> str | None:
    """Convert to the 24-hour clock. An arrival before the departure is on the next day."""
    if read is None:
        return None
    hour, minute, half = int(read[1]), int(read[2]), (read[3] or "").casefold()
    if half and not 1 <= hour <= 12:
        return None
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0)
    return f"{hour:02}:{minute:02}" if hour < 24 and minute < 60 else None


def _minutes(text: str) -> float | None:
    read = _DURATION.search(text)
    if read is None or not any(read[unit] for unit in ("days", "hours", "mins")):
        return None
    days, hours, mins = (int(read[unit] or 0) for unit in ("days", "hours", "mins"))
    return (days * 24 + hours) * 60 + mins


def literal(value: Any) -> Any:
    """Parse lists and dicts in Python notation, as in the benchmark's tables; keep other texts."""
    if not isinstance(value, str) or len(value) > LONGEST_LITERAL:
        return value
    try:
        found = json.dumps(ast.literal_eval(value.strip()), ensure_ascii=False, allow_nan=False)
        found.encode()  # fails on half a character
    except (ValueError, SyntaxError, TypeError, OverflowError, RecursionError, MemoryError):
        return value
    # A Python text may have a NUL, which a case must not have.
    return value if "\\u0000" in found else json.loads(found)
