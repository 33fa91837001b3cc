"""Facts about wishes (must-visit, avoid, transport, diet ...) and where the plan meets them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cases.itinerary.clock import whole
from cases.itinerary.notes import sort_note

from .names import MOST_WISHES, Register
from .nearness import NearNames
from .places import find_cities
from .sentences import Fact, Words, _, fact, ngettext, numbers, quoted, several
from .topics import Topic
from .trip import Stop, Trip

# So many get a fact each; the others are listed in one.
MOST_AVOIDED = 5
MOST_NEAR = 5


def _way(called: str, modes: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns for what people call a way of travelling, and for the modes it means."""
    whole = r"(?<![A-Za-z])(?:%s)(?![A-Za-z])"
    return re.compile(whole % called, re.IGNORECASE), re.compile(whole % modes, re.IGNORECASE)


_MODES = (
    _way("flights?|flying|fly|planes?|飞机|航班", "flights?|fly|plane|air|飞机|航班"),
    _way(
        r"self[-_ ]?driv\w*|driv\w*|cars?|自驾|开车|租车", r"(?:self[-_ ]?)?driv\w*|car|自驾|开车"
    ),
    _way("taxis?|cabs?|ride-hailing|打车|出租车|网约车", "taxi|cab|打车|出租车|网约车"),
    _way("trains?|rail|火车|高铁|动车", r"train|high_speed_rail|rail\w*|火车|高铁|动车"),
    _way("bus|buses|coach|大巴|公交|巴士", "bus|coach|大巴|公交|巴士"),
    _way("metro|subway|underground|地铁", "metro|subway|underground|地铁"),
    _way(r"walk\w*|步行(?!街)|走路", r"walk\w*|步行|走路"),
    _way("boats?|ferry|ferries|ships?|轮渡|坐船", "boat|ferry|ship|轮渡|船"),
)
_PAID = re.compile(
    r"收费|付费|门票|花钱|\b(?:paid|ticketed|admission|entrance fees?|entry fees?)\b", re.IGNORECASE
)


def wish_facts(trip: Trip) -> Iterator[Fact]:
    yield from _named_none(trip)
    if trip.stops:
        yield from _must_visit(trip)
        yield from _avoid(trip)
        yield from _transport(trip)
        yield from _lodging(trip)


def _named_none(trip: Trip) -> Iterator[Fact]:
    must, avoid = trip.request.must_visit, trip.request.avoid
    if must is None or avoid is None:
        message = _(
            "Must-visit and avoid are not fully recorded; the request's own words may name some."
        )
    elif not must and not avoid:
        message = _("The request names no must-visit place and nothing to avoid.")
    elif not avoid:
        message = _("The request names nothing to avoid.")
    elif not must:
        message = _("The request names no must-visit place.")
    else:
        return
    yield fact(Topic.WISHES, "wishes-none", message)


def _wanted(wishes: list[str] | None, field: str) -> list[tuple[str, Words]]:
    """Return each wish with its quotation."""
    return [
        (wish, quoted(wish, f"/request/{field}/{place}"))
        for place, wish in enumerate((wishes or ())[:MOST_WISHES])
        if wish.strip()
    ]


def _must_visit(trip: Trip) -> Iterator[Fact]:
    asked = trip.request.destination or ()
    stops = Register(_stops(trip), [asked] if isinstance(asked, str) else asked)
    fallbacks = Register([(pointer, plan_b.title, None) for pointer, plan_b in trip.fallbacks])
    found: list[tuple[Words, Stop]] = []
    spare: list[tuple[Words, str]] = []
    missing: list[tuple[str, Words]] = []
    for wish, shown in _wanted(trip.request.must_visit, "must_visit"):
        if stop := stops.first(wish):
            found.append((shown, stop))
        elif pointer := fallbacks.first(wish):
            spare.append((shown, pointer))
        else:
            missing.append((wish, shown))
    near = _near_must_visits(trip, missing, {stop.pointer for _wish, stop in found})
    if found:
        yield fact(
            Topic.WISHES,
            "must-visit-found",
            ngettext(
                "Must-visit, in the plan: %(places)s (day %(days)s).",
                "Must-visit, in the plan: %(places)s (days %(days)s).",
            ),
            [stop.pointer for wish, stop in found],
            places=several(wish for wish, stop in found),
            count=len({stop.day for wish, stop in found}),
            days=numbers(stop.day for wish, stop in found),
        )
    if spare:
        yield fact(
            Topic.WISHES,
            "must-visit-fallback",
            _("Must-visit, only among the fallbacks: %(places)s."),
            [pointer for wish, pointer in spare],
            places=several(wish for wish, pointer in spare),
        )
    yield from _near_facts(near, "must-visit", _MUST_VISIT_NEAR, _MUST_VISIT_NEAR_MORE)
    if nowhere := [shown for _wish, shown in missing if shown not in near]:
        yield fact(
            Topic.WISHES,
            "must-visit-missing",
            _("Must-visit, no stop of that name: %(places)s."),
            places=several(nowhere),
        )


# A stop with a name near a wish, and what is shown of it.
Near = tuple[Stop, tuple[Words, ...]]

_MUST_VISIT_NEAR = ngettext(
    "Must-visit %(wish)s: no stop of that name; near: %(stops)s (day %(days)s).",
    "Must-visit %(wish)s: no stop of that name; near: %(stops)s (days %(days)s).",
)
_MUST_VISIT_NEAR_MORE = _("Must-visit, near the name of a stop as well: %(wishes)s.")
_AVOID_NEAR = ngettext(
    "To avoid: %(wish)s; found in no stop; near: %(stops)s (day %(days)s).",
    "To avoid: %(wish)s; found in no stop; near: %(stops)s (days %(days)s).",
)
_AVOID_NEAR_MORE = _("To avoid, near a stop as well: %(wishes)s.")


def _near_must_visits(
    trip: Trip, missing: list[tuple[str, Words]], taken: set[str]
) -> dict[Words, list[Near]]:
    """Find stops with a name near a wish. A stop that another wish names is that one's."""
    if not missing:
        return {}
    names = NearNames(
        [
            (stop, text)
            for stop in trip.stops
            if stop.kind not in ("transport", "hotel") and stop.pointer not in taken
            for text in dict.fromkeys(stop.texts)
        ],
        _cities(trip),
    )
    found = {shown: names.all(wish) for wish, shown in missing}
    return {
        shown: [(stop, (stop.name,)) for stop in stops] for shown, stops in found.items() if stops
    }


def _cities(trip: Trip) -> list[str]:
    asked = trip.request.destination or ()
    return sorted({*([asked] if isinstance(asked, str) else asked), *find_cities(trip)})


def _near_facts(
    near: dict[Words, list[Near]], name: str, message: tuple[str, str], more: str
) -> Iterator[Fact]:
    shown = list(near.items())
    for wish, stops in shown[:MOST_NEAR]:
        yield fact(
            Topic.WISHES,
            f"{name}-near:{wish.pointer}",
            message,
            [stop.pointer for stop, _words in stops],
            wish=wish,
            count=len({stop.day for stop, _words in stops}),
            days=numbers(stop.day for stop, _words in stops),
            stops=several(text for _stop, words in stops for text in words),
        )
    if others := [wish for wish, _stops in shown[MOST_NEAR:]]:
        yield fact(Topic.WISHES, f"{name}-near-more", more, wishes=several(others))


def _stops(trip: Trip) -> list[tuple[Stop, str | None, str | None]]:
    """Return the stops that can be visited; transfers only repeat the names of both ends."""
    return [(s, s.item.title, s.item.place) for s in trip.stops if s.kind != "transport"]


def _avoid(trip: Trip) -> Iterator[Fact]:
    register = Register(_stops(trip)) if trip.request.avoid else None
    missing: list[tuple[str, Words]] = []
    more: list[Words] = []
    count = 0
    for wish, shown in _wanted(trip.request.avoid, "avoid"):
        if _PAID.search(wish):
            yield _paid(trip, shown)
            continue
        stops = [*(register.all(wish) if register else ()), *_travelling(trip, wish)]
        if not stops:
            missing.append((wish, shown))
        elif count == MOST_AVOIDED:
            more.append(shown)
        else:
            count += 1
            yield _found(shown, stops)
    if more:
        yield fact(
            Topic.WISHES,
            "avoid-more",
            _("To avoid, found in the plan as well: %(wishes)s."),
            wishes=several(more),
        )
    near = _near_avoided(trip, missing)
    yield from _near_facts(near, "avoid", _AVOID_NEAR, _AVOID_NEAR_MORE)
    if nowhere := [shown for _wish, shown in missing if shown not in near]:
        yield fact(
            Topic.WISHES,
            "avoid-nowhere",
            _("To avoid, found in no stop: %(wishes)s."),
            wishes=several(nowhere),
        )


def _near_avoided(trip: Trip, missing: list[tuple[str, Words]]) -> dict[Words, list[Near]]:
    """Find stops with a name near what is avoided, or with its words in their note."""
    if not missing:
        return {}
    notes = [
        (stop, quoted(words, f"{stop.pointer}/note"), words)
        for stop in trip.stops
        for words in sort_note(stop.item.note).words
    ]
    first_notes = {stop.pointer: shown for stop, shown, _words in reversed(notes)}
    named = [(stop, text) for stop, *texts in _stops(trip) for text in dict.fromkeys(texts)]
    names = NearNames(named, _cities(trip))
    in_notes = Register([((stop, shown), words, None) for stop, shown, words in notes])
    near: dict[Words, list[Near]] = {}
    for wish, shown in missing:
        if any(called.search(wish) for called, _modes in _MODES):
            continue
        by_name = [
            (s, (s.name, *filter(None, [first_notes.get(s.pointer)]))) for s in names.all_like(wish)
        ]
        by_note = [(stop, (stop.name, note)) for stop, note in in_notes.all(wish)]
        if stops := by_name + by_note:
            near[shown] = stops
    return near


def _found(wish: Words, stops: list[Stop]) -> Fact:
    return fact(
        Topic.WISHES,
        f"avoid-found:{wish.pointer}",
        ngettext(
            "To avoid: %(wish)s; found on day %(days)s: %(stops)s.",
            "To avoid: %(wish)s; found on days %(days)s: %(stops)s.",
        ),
        [stop.pointer for stop in stops],
        wish=wish,
        count=len({stop.day for stop in stops}),
        days=numbers(stop.day for stop in stops),
        stops=several(_mode(stop) or stop.name for stop in stops),
    )


def _paid(trip: Trip, wish: Words) -> Fact:
    paid = [visit for visit in trip.visits if (visit.item.cost or 0) > 0]
    stated = sum(visit.item.cost is not None for visit in trip.visits)
    return fact(
        Topic.WISHES,
        f"avoid-paid:{wish.pointer}",
        _("To avoid: %(wish)s; visits that cost more than 0: %(paid)d of %(stated)d with a price."),
        [visit.pointer for visit in paid],
        wish=wish,
        paid=len(paid),
        stated=stated,
    )


def _travelling(trip: Trip, wish: str) -> list[Stop]:
    """Return the transfers by a way of travelling that the wish names."""
    for called, modes in _MODES:
        if called.search(wish):
            shown = [(stop, _mode(stop)) for stop in trip.transfers]
            return [stop for stop, mode in shown if mode and modes.search(mode.text)]
    return []


def _mode(stop: Stop) -> Words | None:
    mode = stop.item.transport.mode if stop.kind == "transport" and stop.item.transport else None
    return quoted(mode, f"{stop.pointer}/transport/mode") if mode and mode.strip() else None


def _transport(trip: Trip) -> Iterator[Fact]:
    asked = _as_words(trip.request.transport_preference, "/request/transport_preference")
    if not asked:
        return
    modes = several(mode for stop in trip.transfers if (mode := _mode(stop)))
    if modes:
        yield fact(
            Topic.WISHES,
            "transport",
            _("Transport asked: %(asked)s; in the plan: %(modes)s."),
            asked=asked,
            modes=modes,
        )
    else:
        yield fact(
            Topic.WISHES,
            "transport",
            _("Transport asked: %(asked)s; the plan names no way of travelling."),
            asked=asked,
        )


def _lodging(trip: Trip) -> Iterator[Fact]:
    asked = _as_words(trip.request.lodging, "/request/lodging")
    if not asked:
        return
    hotels = [stop for stop in trip.stops if stop.kind == "hotel"]
    if hotels:
        yield fact(
            Topic.WISHES,
            "lodging",
            _("Lodging asked: %(asked)s; in the plan: %(hotels)s."),
            [stop.pointer for stop in hotels],
            asked=asked,
            hotels=several(stop.name for stop in hotels),
        )
    else:
        yield fact(
            Topic.WISHES,
            "lodging",
            _("Lodging asked: %(asked)s; the plan names no lodging."),
            asked=asked,
        )


def _as_words(value: str | list[str] | None, pointer: str) -> tuple[Words, ...]:
    if isinstance(value, str):
        return (quoted(value, pointer),) if value.strip() else ()
    wishes = enumerate(value or ())
    return several(quoted(wish, f"{pointer}/{place}") for place, wish in wishes if wish.strip())


_WALKING = re.compile(
    r"(?:步行|徒步|走路|\bwalk\w*)[^。.;；|\n]{0,15}\d|\d[\d.]*\s*(?:公里|千米|米|步|km\b|steps\b)",
    re.IGNORECASE,
)

# So many get a fact each; the others are listed in one.
MOST_CONSTRAINTS = 3

_MESSAGES = {
    "dietary": (
        _("Dietary need %(asked)s: the plan's words name it (%(where)s)."),
        _("Dietary needs that the plan's words name as well: %(asked)s."),
        _("Dietary need, nowhere in the plan's words: %(asked)s."),
    ),
    "mobility": (
        _("Mobility need %(asked)s: the plan's words name it (%(where)s)."),
        _("Mobility needs that the plan's words name as well: %(asked)s."),
        _("Mobility need, nowhere in the plan's words: %(asked)s."),
    ),
}


def constraint_facts(trip: Trip) -> Iterator[Fact]:
    yield from _no_constraints(trip)
    if trip.stops:
        yield from _constraints_found(trip.request.dietary, "dietary", trip.words)
        yield from _constraints_found(trip.request.mobility, "mobility", trip.words)
        if trip.request.mobility:
            yield from _walking(trip)


def _no_constraints(trip: Trip) -> Iterator[Fact]:
    dietary, mobility = trip.request.dietary, trip.request.mobility
    if dietary is None or mobility is None:
        message = _(
            "Dietary and mobility needs are not fully recorded; "
            "the request's own words may name some."
        )
    elif not dietary and not mobility:
        message = _("The request names no dietary and no mobility need.")
    elif not dietary:
        message = _("The request names no dietary need.")
    elif not mobility:
        message = _("The request names no mobility need.")
    else:
        return
    yield fact(Topic.CONSTRAINTS, "constraints-none", message)


def _constraints_found(
    asked: list[str] | None, field: str, texts: tuple[Words, ...]
) -> Iterator[Fact]:
    if not asked:
        return
    by_need = Register([(words, words.text, None) for words in texts])
    found_message, more_message, nowhere_message = _MESSAGES[field]
    nowhere: list[Words] = []
    more: list[Words] = []
    count = 0
    for place, need in enumerate(asked[:MOST_WISHES]):
        wish = quoted(need, f"/request/{field}/{place}")
        where = by_need.all(need)
        if not where:
            nowhere += [wish] if need.strip() else []
        elif count == MOST_CONSTRAINTS:
            more.append(wish)
        else:
            count += 1
            yield fact(
                Topic.CONSTRAINTS,
                f"{field}-found:{wish.pointer}",
                found_message,
                [words.pointer for words in where],
                asked=wish,
                where=several(quoted(words.text, words.pointer) for words in where),
            )
    if more:
        yield fact(Topic.CONSTRAINTS, f"{field}-more", more_message, asked=several(more))
    if nowhere:
        yield fact(Topic.CONSTRAINTS, f"{field}-nowhere", nowhere_message, asked=several(nowhere))


def _walking(trip: Trip) -> Iterator[Fact]:
    walks = [
        (stop, stop.item.transport.minutes)
        for stop in trip.transfers
        if stop.item.transport
        and stop.item.transport.minutes is not None
        and "walk" in (stop.item.transport.mode or "").lower()
    ]
    if walks:
        yield fact(
            Topic.CONSTRAINTS,
            "walking",
            ngettext(
                "%(count)d transfer on foot, %(minutes)d min.",
                "%(count)d transfers on foot, %(minutes)d min in all.",
            ),
            [stop.pointer for stop, minutes in walks],
            count=len(walks),
            minutes=whole(sum(minutes for stop, minutes in walks)),
        )
    elif not any(_WALKING.search(words.text) for words in trip.words):
        yield fact(
            Topic.CONSTRAINTS,
            "walking",
            _("The plan states no walking distance and no time on foot."),
        )
