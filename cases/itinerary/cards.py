"""Lay out a plan as cards: days with their stops and the legs between them, fallbacks, notes.

Notes are sorted here, so that no machine text reaches a reviewer.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from cases.facts.fallbacks import find_repeats
from cases.facts.transfers import Leg, list_legs_of_day
from cases.facts.trip import Stop, TripDay, build_trip

from .format import Case, Item
from .language import Text, Texts
from .notes import Badge, Notes, sort_note
from .repeats import Repeat, find_repeated_notes, leave_out


@dataclass(frozen=True, slots=True)
class StopCard:
    pointer: str
    kind: str
    start: str | None
    end: str | None
    is_overnight: bool
    minutes: int | None
    title: Text | None
    place: Text | None
    cost: float | None
    mode: str | None
    way: tuple[Text, ...]
    buffer: float | None
    badges: tuple[Badge, ...]
    words: tuple[Text, ...]
    leg: Leg | None
    # The transfers that the leg sums up, with details that the leg does not show.
    transfers: tuple[StopCard, ...] = ()


@dataclass(frozen=True, slots=True)
class DayCard:
    pointer: str
    number: int
    date: datetime.date | None
    words: tuple[Text, ...]
    badges: tuple[Badge, ...]
    cost: float | None
    stops: tuple[StopCard, ...]


@dataclass(frozen=True, slots=True)
class FallbackCard:
    pointer: str
    day: int | None
    title: Text | None
    reason: Text | None
    words: tuple[Text, ...]
    badges: tuple[Badge, ...]
    # The day on which the plan visits it anyway.
    repeats_day: int | None


@dataclass(frozen=True, slots=True)
class RepeatCard:
    """A note that nearly every visit or stop has, shown once: `words` or a `badge`."""

    words: Text | None
    badge: Badge | None
    is_of_visits: bool
    count: int
    total: int
    # The names of the visits or stops without it.
    others: tuple[Text | str, ...]


@dataclass(frozen=True, slots=True)
class Cards:
    title: Text | None
    summary: tuple[Text, ...]
    repeats: tuple[RepeatCard, ...]
    days: tuple[DayCard, ...]
    # What the plan says about its money.
    warning: tuple[Text, ...]
    fallbacks: tuple[FallbackCard, ...]
    words: tuple[Text, ...]
    # Pointer and text; for admins and managers only.
    machine: tuple[tuple[str, str], ...]


def build_cards(case: Case, texts: Texts) -> Cards:
    plan = case.plan
    title = texts.of(plan.title, "/plan/title") if plan else None
    summary = plan.summary if plan else None
    warning = plan.budget.warning if plan and plan.budget else None
    if title and is_repeated(title.text, summary or ""):
        title = None
    trip = build_trip(case)
    notes = {stop.pointer: sort_note(stop.item.note) for stop in trip.stops}
    repeats = find_repeated_notes(trip.stops, notes)
    own_notes = leave_out(notes, repeats)
    return Cards(
        title=title,
        summary=sorted_words(summary, "/plan/summary", texts),
        repeats=tuple(repeat_card(repeat, notes, texts) for repeat in repeats),
        days=tuple(day_card(day, own_notes, texts) for day in trip.days),
        warning=sorted_words(warning, "/plan/budget/warning", texts),
        fallbacks=tuple(fallback_cards(case, texts)),
        words=tuple(
            text
            for place, note in enumerate((plan.notes if plan else None) or ())
            for text in sorted_words(note, f"/plan/notes/{place}", texts)
        ),
        machine=tuple(machine_text(case)),
    )


def is_repeated(title: str, summary: str) -> bool:
    """Whether the title is only the beginning of the summary."""
    return summary.startswith(title.rstrip("…."))


def repeat_card(repeat: Repeat, notes: Mapping[str, Notes], texts: Texts) -> RepeatCard:
    first = repeat.stops[0]
    pointer = f"{first.pointer}/note"
    words = collect_words(first.item.note, notes[first.pointer], pointer, texts)
    return RepeatCard(
        words=next((text for text in words if text.text.strip() == repeat.piece), None),
        badge=repeat.piece if isinstance(repeat.piece, Badge) else None,
        is_of_visits=repeat.is_of_visits,
        count=len(repeat.stops),
        total=len(repeat.stops) + len(repeat.others),
        others=tuple(
            texts.of(stop.item.title, f"{stop.pointer}/title") or "–" for stop in repeat.others
        ),
    )


def day_card(day: TripDay, own_notes: Mapping[str, Notes], texts: Texts) -> DayCard:
    """Lay out a day. `own_notes` are the notes of each stop without those shown once for all."""
    pointer = f"{day.pointer}/summary"
    notes = sort_note(day.day.summary)
    legs = {leg.after_pointer: leg for leg in list_legs_of_day(day)}
    places = {stop.pointer: place for place, stop in enumerate(day.stops)}
    in_legs = {
        after: tuple(
            list_transfers(day, places[leg.before_pointer], places[after], own_notes, texts)
        )
        for after, leg in legs.items()
        if leg.transfer is not None
    }
    shown_as_legs = {card.pointer for transfers in in_legs.values() for card in transfers}
    return DayCard(
        pointer=day.pointer,
        number=day.number,
        date=day.date,
        words=collect_words(day.day.summary, notes, pointer, texts),
        badges=notes.badges,
        cost=day.day.estimated_cost,
        stops=tuple(
            stop_card(
                stop,
                own_notes[stop.pointer],
                legs.get(stop.pointer),
                in_legs.get(stop.pointer, ()),
                texts,
            )
            for stop in in_order(day.stops)
            if stop.pointer not in shown_as_legs
        ),
    )


def list_transfers(
    day: TripDay, before: int, after: int, own_notes: Mapping[str, Notes], texts: Texts
) -> Iterator[StopCard]:
    """Yield the transfers without times, which the leg between the two stops already shows."""
    ends = [*day.stops[before].texts, *day.stops[after].texts]
    for stop in day.stops[before + 1 : after]:
        if stop.kind == "transport" and not stop.has_time:
            card = stop_card(stop, own_notes[stop.pointer], None, (), texts)
            named = [text for text in (card.title, *card.way) if text]
            more = tuple(text for text in named if not names_only(text.text, ends))
            yield replace(card, title=None, way=more)


def names_only(text: str, ends: Iterable[str]) -> bool:
    """Whether a text only names both ends: "Mill → River wall"."""
    for end in sorted(ends, key=len, reverse=True):
        text = text.replace(end, "")
    return not any(letter.isalnum() for letter in text)


def in_order(stops: Iterable[Stop]) -> list[Stop]:
    """Sort stops by time. A stop without a time stays before the stop that it leads to."""
    groups: list[tuple[int, list[Stop]]] = []
    waiting: list[Stop] = []
    last = 0
    for stop in stops:
        waiting.append(stop)
        start = stop.start if stop.start is not None else stop.end
        if start is not None:
            last = start
            groups.append((start, waiting))
            waiting = []
    groups.append((last, waiting))
    return [stop for _start, group in sorted(groups, key=lambda pair: pair[0]) for stop in group]


def stop_card(
    stop: Stop, notes: Notes, leg: Leg | None, transfers: tuple[StopCard, ...], texts: Texts
) -> StopCard:
    item = stop.item
    title = texts.of(item.title, f"{stop.pointer}/title")
    place = texts.of(item.place, f"{stop.pointer}/place")
    if title and place and place.text in title.text:
        place = None
    is_stated = leg is not None and leg.states_something
    return StopCard(
        pointer=stop.pointer,
        kind=stop.kind,
        start=item.start,
        end=item.end,
        is_overnight=bool(item.start and item.end and item.end < item.start),
        minutes=count_minutes(stop),
        title=title,
        place=place,
        cost=item.cost,
        mode=item.transport.mode if item.transport else None,
        way=tuple(describe_way(item, stop.pointer, title, texts)),
        buffer=None if is_stated else item.buffer_minutes,
        badges=notes.badges,
        words=collect_words(item.note, notes, f"{stop.pointer}/note", texts),
        leg=leg if is_stated or (leg and leg.gap is not None and leg.gap < 0) else None,
        transfers=transfers,
    )


def count_minutes(stop: Stop) -> int | None:
    if stop.window:
        return stop.window[1] - stop.window[0]
    stated = stop.item.transport.minutes if stop.item.transport else None
    return round(stated) if stated is not None else None


def describe_way(item: Item, pointer: str, title: Text | None, texts: Texts) -> Iterator[Text]:
    """Return from and to, unless the title names them."""
    if item.transport is None:
        return
    ends = (("from", item.transport.from_), ("to", item.transport.to))
    if title and all(end in title.text for _name, end in ends if end):
        return
    for name, end in ends:
        text = texts.of(end, f"{pointer}/transport/{name}")
        if text:
            yield text


def sorted_words(text: str | None, pointer: str, texts: Texts) -> tuple[Text, ...]:
    return collect_words(text, sort_note(text), pointer, texts)


def collect_words(whole: str | None, notes: Notes, pointer: str, texts: Texts) -> tuple[Text, ...]:
    """Collect the words of a note. A note of only words is one text and can be translated."""
    if whole and notes.words == (whole.strip(),):
        text = texts.of(whole, pointer)
        return (text,) if text else ()
    return tuple(texts.parts(notes.words, pointer, whole=whole or ""))


def fallback_cards(case: Case, texts: Texts) -> Iterator[FallbackCard]:
    fallbacks = (case.plan.fallbacks if case.plan else None) or ()
    repeats = {repeat.fallback_pointer: repeat.day for repeat in find_repeats(case)}
    for place, fallback in enumerate(fallbacks):
        pointer = f"/plan/fallbacks/{place}"
        notes = sort_note(fallback.note)
        yield FallbackCard(
            pointer=pointer,
            day=fallback.day,
            title=texts.of(fallback.title, f"{pointer}/title"),
            reason=texts.of(fallback.reason, f"{pointer}/reason"),
            words=collect_words(fallback.note, notes, f"{pointer}/note", texts),
            badges=notes.badges,
            repeats_day=repeats.get(pointer),
        )


def machine_text(case: Case) -> Iterator[tuple[str, str]]:
    """Yield the machine text in notes, each with its pointer."""
    for pointer, note in list_notes(case):
        for text in sort_note(note).machine:
            yield pointer, text


def list_notes(case: Case) -> Iterator[tuple[str, str | None]]:
    """Yield every text in which a product may write for machines."""
    if case.plan is None:
        return
    yield "/plan/summary", case.plan.summary
    if case.plan.budget:
        yield "/plan/budget/warning", case.plan.budget.warning
    for place, note in enumerate(case.plan.notes or ()):
        yield f"/plan/notes/{place}", note
    for day in build_trip(case).days:
        yield f"{day.pointer}/summary", day.day.summary
        for stop in day.stops:
            yield f"{stop.pointer}/note", stop.item.note
    for place, fallback in enumerate(case.plan.fallbacks or ()):
        yield f"/plan/fallbacks/{place}/note", fallback.note
