"""A plan as cards, and the texts on them."""

from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cases.facts import build_trip
from cases.itinerary.cards import Cards, StopCard, build_cards, in_order, list_notes
from cases.itinerary.format import Case, Day, Fallback, Item, Plan, PlanBudget, Transport
from cases.itinerary.language import Text, Texts, at
from cases.itinerary.notes import sort_note
from tests.bed import soak
from tests.cases.facts.invented_trips import day, hotel, transfer, trip, visit


def cards(case: Case, reader: str = "en") -> Cards:
    return build_cards(case, Texts(case, reader))


def stops(case: Case) -> list[StopCard]:
    return [stop for found_day in cards(case).days for stop in found_day.stops]


def titles(case: Case) -> list[str]:
    return [stop.title.text if stop.title else "-" for stop in stops(case)]


def words(texts: tuple[Text, ...]) -> list[str]:
    return [text.text for text in texts]


# Texts


def translated(**languages: Any) -> Texts:
    names = {name.replace("_", "-"): value for name, value in languages.items()}
    case = msgspec.structs.replace(trip(locale="de"), translations=names)
    return Texts(case, "zh-hans")


def test_no_text_is_none() -> None:
    texts = Texts(trip(), "en")
    assert [texts.of(text, "/plan/title") for text in (None, "", " \n")] == [None, None, None]


@pytest.mark.parametrize(
    "note",
    ["persona=calm | 带好身份证。", "Bring water.\nrouting_confidence=0.9 | 😀 Queue early."],
)
def test_a_part_of_a_note_knows_where_it_begins_in_what_is_stored(note: str) -> None:
    found = cards(trip(day(visit("Mill", note=note)))).days[0].stops[0].words
    assert found
    for text in found:
        assert note[text.start : text.start + len(text.text)] == text.text


def test_the_same_words_twice_in_a_note_have_a_place_each() -> None:
    note = "Queue early. | routing_confidence=0.9 | Queue early."
    found = cards(trip(day(visit("Mill", note=note)))).days[0].stops[0].words
    assert [text.start for text in found] == [0, note.rindex("Queue")]


def test_a_translation_is_found_where_the_text_stands() -> None:
    texts = translated(en={"request": {"must_visit": ["Mill", "Quay"]}})
    found = texts.of("Kai", "/request/must_visit/1")
    assert found is not None
    expected = Text("Quay", "en", "/translations/en/request/must_visit/1")
    assert found == Text("Kai", "de", "/request/must_visit/1", expected)


def test_the_readers_language_goes_first_and_any_other_is_better_than_none() -> None:
    texts = translated(en={"a": "Mill"}, zh_CN={"a": "磨坊"}, fr={"a": "Moulin", "b": "Quai"})
    first, second = texts.whole("Mühle", "/a"), texts.whole("Kai", "/b")
    assert first.translation is not None
    assert first.translation.text == "磨坊"
    assert second.translation is not None
    assert second.translation.text == "Quai"


def test_a_language_of_its_own_is_passed_over_for_the_next() -> None:
    texts = translated(de_AT={"a": "Mühle"}, de_CH={"a": "Mühli"}, en={"a": "Mill"})
    found = texts.whole("Muehle", "/a").translation
    assert found == Text("Mill", "en", "/translations/en/a")


def test_a_key_with_a_slash_is_no_way_to_another_text() -> None:
    assert translated(en={"a/b": "Mill"}).whole("Mühle", "/a/b").translation is None


class Counted(dict[str, Any]):
    """A translation that counts how often it is read."""

    reads = 0

    def get(self, *given: Any) -> Any:
        Counted.reads += 1
        return super().get(*given)

    def items(self) -> Any:
        Counted.reads += 1
        return super().items()


def test_many_languages_are_not_read_anew_for_each_of_many_texts() -> None:
    languages = {f"x{number}": Counted(b="Mill") for number in range(200)}
    Counted.reads = 0
    texts = translated(**languages)
    assert [texts.whole("Mühle", f"/a/{place}").translation for place in range(200)] == [None] * 200
    assert Counted.reads == 200


@pytest.mark.parametrize("value", [None, "", "  ", 7, ["Mill"], {"a": "Mill"}])
def test_only_words_are_a_translation(value: Any) -> None:
    assert translated(en={"a": value}).whole("Mühle", "/a").translation is None


def test_a_translation_into_its_own_language_is_none() -> None:
    assert translated(de_AT={"a": "Mühle"}).whole("Muehle", "/a").translation is None
    assert translated(zh_CN={"a": "磨坊"}).whole("水磨坊", "/a").translation is None


@pytest.mark.parametrize("pointer", ["/a/2", "/a/x", "/a/-1", "/b", "/a/0/0", "/c/d/e", "/a/¹"])
def test_a_pointer_that_leads_nowhere_is_none(pointer: str) -> None:
    assert at({"a": ["x", "y"], "c": 7}, pointer) is None


# Stops


def test_a_stop_says_what_the_item_says() -> None:
    item = Item(
        start="09:30",
        end="11:00",
        kind="sight",
        title="Paper mill",
        place="Quay 4",
        cost=40,
        note="Ask for the wheel. | routing_confidence=0.9 | reservation_required",
        buffer_minutes=10,
        transport=Transport(mode="tram", from_="Hotel", to="Quay"),
    )
    [stop] = stops(trip(day(item)))
    assert (stop.start, stop.end, stop.minutes, stop.is_overnight) == ("09:30", "11:00", 90, False)
    assert stop.title == Text("Paper mill", "en", "/plan/days/0/items/0/title")
    assert stop.place == Text("Quay 4", "en", "/plan/days/0/items/0/place")
    assert (stop.kind, stop.cost, stop.mode, stop.buffer) == ("sight", 40, "tram", 10)
    assert words(stop.way) == ["Hotel", "Quay"]
    assert words(stop.words) == ["Ask for the wheel."]
    assert [badge.code for badge in stop.badges] == ["booking-needed"]


def test_a_place_or_way_that_the_title_says_is_not_said_twice() -> None:
    tram = Transport(from_="Hotel", to="Quay")
    [mill, ride] = stops(
        trip(
            day(visit("Mill at Quay 4", place="Quay 4"), Item(title="Hotel → Quay", transport=tram))
        )
    )
    assert mill.place is None
    assert ride.way == ()


@pytest.mark.parametrize(
    ("start", "end", "overnight", "minutes"),
    [
        ("23:10", "00:40", True, 90),
        ("22:00", "24:00", False, 120),
        ("09:00", "09:00", False, 0),
        ("09:00", None, False, None),
        (None, "09:00", False, None),
        (None, None, False, None),
    ],
)
def test_an_end_before_its_start_is_on_the_next_day(
    start: str | None, end: str | None, overnight: bool, minutes: int | None
) -> None:
    [stop] = stops(trip(day(visit("Boat", start, end))))
    assert (stop.is_overnight, stop.minutes) == (overnight, minutes)


def test_a_transfer_without_times_takes_its_stated_minutes() -> None:
    [stop] = stops(trip(day(transfer(12.6))))
    assert stop.minutes == 13


def test_stops_stand_by_the_clock_and_others_before_what_they_lead_to() -> None:
    case = trip(
        day(
            visit("late", "15:00", "16:00"),
            visit("on the way"),
            visit("early", "09:00", "10:00"),
            visit("between", None, "12:00"),
            visit("at the end"),
        )
    )
    assert titles(case) == ["on the way", "early", "between", "at the end", "late"]


def test_without_any_time_the_order_is_as_delivered() -> None:
    assert titles(trip(day(visit("c"), visit("a"), hotel("b")))) == ["c", "a", "b"]


# Legs


def test_a_transfer_is_told_once_by_the_leg_that_adds_it_up() -> None:
    case = trip(day(visit("A", "09:00", "10:00"), transfer(20), visit("B", "10:30", "11:00")))
    assert titles(case) == ["A", "B"]
    leg = stops(case)[1].leg
    assert leg is not None
    assert (leg.transfer, leg.gap, leg.short_by) == (20, 30, 0)


def test_what_the_leg_does_not_say_of_a_transfer_is_kept_with_it() -> None:
    """Its price, its stations, and what the product noted."""
    between = Item(
        kind="transport",
        title="North gate → Quay",
        cost=3,
        note="Line 2. | persona=x",
        transport=Transport(mode="metro", minutes=20),
    )
    case = trip(day(visit("A", "09:00", "10:00"), between, visit("B", "10:30", "11:00")))
    [told] = stops(case)[1].transfers
    assert told.pointer == "/plan/days/0/items/1"
    assert words(told.way) == ["North gate → Quay"]
    assert told.cost == 3
    assert words(told.words) == ["Line 2."]


@pytest.mark.parametrize("title", ["A → B", "A - B", "B", None])
def test_a_transfer_that_only_names_its_two_ends_says_nothing_more(title: str | None) -> None:
    ride = transfer(20, title=title, from_="A", to="B")
    case = trip(day(visit("A", "09:00", "10:00"), ride, visit("B", "10:30", "11:00")))
    [told] = stops(case)[1].transfers
    assert told.way == ()


def test_a_transfer_with_times_or_without_minutes_is_a_stop_of_its_own() -> None:
    timed = transfer(20, start="10:00", end="10:20", title="T")
    unknown = transfer(None, title="U")
    for ride in (timed, unknown):
        case = trip(day(visit("A", "09:00", "10:00"), ride, visit("B", "10:30", "11:00")))
        assert titles(case) == ["A", ride.title, "B"]


def test_a_buffer_is_shown_once() -> None:
    first = visit("A", "09:00", "10:00", buffer_minutes=15)
    second = visit("B", "10:30", "11:00", buffer_minutes=20)
    alone, after = stops(trip(day(first, second)))
    assert (alone.leg, alone.buffer) == (None, 15)
    assert after.leg is not None
    assert (after.leg.buffer, after.buffer) == (20, None)


def test_stops_that_overlap_have_a_leg_although_nothing_is_stated() -> None:
    case = trip(day(visit("A", "09:00", "10:00"), visit("B", "09:45", "11:00")))
    leg = stops(case)[1].leg
    assert leg is not None
    assert leg.gap == -15
    apart = trip(day(visit("A", "09:00", "10:00"), visit("B", "10:45", "11:00")))
    assert stops(apart)[1].leg is None


# The plan around the days


def test_a_title_that_is_the_start_of_the_summary_is_left_out() -> None:
    def title(title: str, summary: str | None) -> str | None:
        found = cards(trip(plan={"title": title, "summary": summary})).title
        return found.text if found else None

    summary = "云溪两日：第一天看纸坊，第二天走河堤。"
    assert title("云溪两日：第一天…", summary) is None
    assert title(summary, summary) is None
    assert title("云溪三日", summary) == "云溪三日"
    assert title("云溪两日", None) == "云溪两日"
    long = "x" * 70
    assert title(f"{long} for two", f"{long} for three") == f"{long} for two"


def test_notes_are_sorted_wherever_they_stand() -> None:
    note = "Bring water. | persona=x"
    case = trip(
        day(visit("A", note=note), summary=note),
        fallbacks=[Fallback(title="Tea", note=note)],
        budget=PlanBudget(warning=note),
        plan={"summary": note, "notes": [note, "Trams stop at 22:00."]},
    )
    found = cards(case)
    assert words(found.summary) == ["Bring water."]
    assert words(found.warning) == ["Bring water."]
    assert words(found.days[0].words) == ["Bring water."]
    assert words(found.days[0].stops[0].words) == ["Bring water."]
    assert words(found.fallbacks[0].words) == ["Bring water."]
    assert words(found.words) == ["Bring water.", "Trams stop at 22:00."]
    assert found.machine == tuple(
        (pointer, "persona=x")
        for pointer in (
            *("/plan/summary", "/plan/budget/warning", "/plan/notes/0", "/plan/days/0/summary"),
            *("/plan/days/0/items/0/note", "/plan/fallbacks/0/note"),
        )
    )


def test_a_note_of_words_keeps_its_translation_and_a_part_of_a_note_has_none() -> None:
    translations = {"zh": {"plan": {"notes": ["带水。", "带水。 | persona=x"]}}}
    case = trip(plan={"notes": [" Bring water. ", "Bring water. | persona=x"]})
    case = msgspec.structs.replace(case, translations=translations)
    whole, part = cards(case, "zh-hans").words
    assert whole.translation is not None
    assert whole.translation.text == "带水。"
    assert part.translation is None


def test_a_fallback_says_on_which_day_the_plan_has_it_anyway() -> None:
    case = trip(
        day(visit("Mill")),
        day(visit("Quay")),
        fallbacks=[Fallback(day=1, title="quay"), Fallback(title="Tea", reason="rain")],
    )
    first, second = cards(case).fallbacks
    assert (first.day, first.repeats_day, first.reason) == (1, 2, None)
    assert (second.day, second.repeats_day) == (None, None)
    assert second.reason is not None
    assert second.reason.text == "rain"


@pytest.mark.parametrize("plan", [None, Plan(), Plan(status="error", days=[])])
def test_without_a_plan_there_are_no_cards(plan: Plan | None) -> None:
    found = cards(msgspec.structs.replace(trip(), plan=plan))
    assert found == Cards(None, (), (), (), (), (), (), ())


# Whatever the plan

clocks = st.none() | st.sampled_from(["00:00", "09:00", "10:30", "12:00", "23:30", "24:00"])
short = st.none() | st.sampled_from(
    ["A", "B", "竹影寺", "", " ", "A → B", "persona=x", "x | cost=5"]
)
items = st.builds(
    Item,
    start=clocks,
    end=clocks,
    kind=st.none() | st.sampled_from(["transport", "meal", "sight", "rest", "hotel", "other"]),
    title=short,
    place=short,
    cost=st.none() | st.sampled_from([0.0, 5.0]),
    note=short,
    buffer_minutes=st.none() | st.sampled_from([0.0, 20.0]),
    transport=st.none()
    | st.builds(
        Transport,
        mode=short,
        from_=short,
        to=short,
        minutes=st.none() | st.sampled_from([0.0, 15.0, 400.0]),
    ),
)
alike = st.builds(lambda item, others: [item] * 5 + others, items, st.lists(items, max_size=2))
plans = st.builds(
    Plan,
    status=st.just("done"),
    title=short,
    summary=short,
    days=st.none()
    | st.lists(
        st.builds(Day, summary=short, items=st.none() | st.lists(items, max_size=7) | alike),
        max_size=4,
    ),
    budget=st.none() | st.builds(PlanBudget, warning=short),
    fallbacks=st.none() | st.lists(st.builds(Fallback, title=short, note=short), max_size=2),
    notes=st.none() | st.lists(short.map(lambda text: text or ""), max_size=3),
)
trips = st.builds(lambda plan: msgspec.structs.replace(trip(), plan=plan), st.none() | plans)
many = settings(
    max_examples=soak.size(short=40, long=5000),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)


@pytest.mark.soak
@many
@given(trips)
def test_every_stop_is_on_a_card_once(case: Case) -> None:
    shown = [
        card.pointer
        for found_day in cards(case).days
        for stop in found_day.stops
        for card in (stop, *stop.transfers)
    ]
    assert sorted(shown) == sorted(stop.pointer for stop in build_trip(case).stops)


@pytest.mark.soak
@many
@given(trips)
def test_nothing_but_machine_text_and_repetitions_is_left_out(case: Case) -> None:
    """Each price, and each title that is more than the names around it."""
    found = cards(case)
    prices = [
        card.cost
        for entry in found.days
        for stop in entry.stops
        for card in (stop, *stop.transfers)
    ]
    assert sorted(map(str, prices)) == sorted(
        str(stop.item.cost) for stop in build_trip(case).stops
    )
    expected = [
        (pointer, text) for pointer, note in list_notes(case) for text in sort_note(note)[2]
    ]
    assert list(found.machine) == expected
    once = {card.words.text for card in found.repeats if card.words}
    for found_day in found.days:
        for stop in found_day.stops:
            item = next(s.item for s in build_trip(case).stops if s.pointer == stop.pointer)
            assert (stop.title.text if stop.title else "") == (item.title or "").strip(" ")
            noted = sort_note(item.note).words
            is_shown = [text for text in noted if stop.kind == "transport" or text not in once]
            assert words(stop.words) == is_shown
    for card in found.repeats:
        assert card.count + len(card.others) == card.total
        assert (card.words is None) != (card.badge is None)


@pytest.mark.soak
@many
@given(trips)
def test_timed_stops_are_in_order_and_nobody_gets_lost(case: Case) -> None:
    for found_day in build_trip(case).days:
        ordered = in_order(found_day.stops)
        starts = [stop.start if stop.start is not None else stop.end for stop in ordered]
        timed = [start for start in starts if start is not None]
        assert timed == sorted(timed)
        assert sorted(stop.pointer for stop in ordered) == sorted(
            s.pointer for s in found_day.stops
        )
        assert in_order(ordered)[: len(ordered)] == ordered or len(timed) < len(ordered)
