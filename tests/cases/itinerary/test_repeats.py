"""Notes on nearly every stop, shown once."""

from cases.facts import build_trip
from cases.itinerary.cards import Cards, build_cards
from cases.itinerary.format import Case, Item
from cases.itinerary.language import Texts
from cases.itinerary.notes import AVOID_PEAK_HOURS, sort_note
from cases.itinerary.repeats import Repeat, find_repeated_notes
from tests.cases.facts.invented_trips import day, meal, transfer, trip, visit

NOTE = "Bring water."
BADGE = "avoid_peak_hours=true"


def cards(case: Case) -> Cards:
    return build_cards(case, Texts(case, "en"))


def visits(with_note: int, without: int = 0, note: str = NOTE) -> list[Item]:
    noted = [visit(f"A{number}", note=note) for number in range(with_note)]
    return [*noted, *(visit(f"B{number}") for number in range(without))]


def repeats(*items: Item) -> list[Repeat]:
    stops = build_trip(trip(day(*items))).stops
    return find_repeated_notes(stops, {stop.pointer: sort_note(stop.item.note) for stop in stops})


def test_a_note_on_every_visit_is_shown_once() -> None:
    found = cards(trip(day(*visits(2)), day(*visits(2), meal())))
    (card,) = found.repeats
    assert card.words
    assert (card.words.text, card.words.pointer) == (NOTE, "/plan/days/0/items/0/note")
    assert (card.is_of_visits, card.count, card.total, card.others) == (True, 4, 4, ())
    assert not [stop.words for found_day in found.days for stop in found_day.stops if stop.words]


def test_a_badge_on_every_visit_is_shown_once_beside_words_of_their_own() -> None:
    notes = [f"Word {number}. | {BADGE}" for number in range(4)]
    found = cards(trip(day(*(visit("A", note=note) for note in notes))))
    assert [card.badge for card in found.repeats] == [AVOID_PEAK_HOURS]
    shown = [(stop.words[0].text, stop.badges) for stop in found.days[0].stops]
    assert shown == [(f"Word {number}.", ()) for number in range(4)]


def test_three_times_are_not_enough() -> None:
    assert len(repeats(*visits(4))) == 1
    assert repeats(*visits(3)) == []


def test_four_of_five_are_nearly_every_visit_and_the_other_is_named() -> None:
    (found,) = repeats(*visits(4, without=1))
    assert [stop.item.title for stop in found.others] == ["B0"]
    assert repeats(*visits(7, without=2)) == []


def test_no_more_than_three_others_are_left_out() -> None:
    assert len(repeats(*visits(40, without=3))) == 1
    assert repeats(*visits(40, without=4)) == []


def test_a_note_on_visits_and_meals_counts_among_all_stops() -> None:
    meals = [meal(note=NOTE), meal(note=NOTE)]
    (found,) = repeats(*visits(3), *meals)
    assert not found.is_of_visits
    assert len(found.stops) == 5
    assert repeats(*visits(3), *meals, *(meal() for _number in range(3))) == []


def test_a_note_on_meals_alone_is_a_note_of_few_stops() -> None:
    assert repeats(*visits(0, without=2), *(meal(note=NOTE) for _number in range(4))) == []


def test_a_transfer_keeps_its_note() -> None:
    ride = transfer(5, start="09:00", end="09:05", note=NOTE)
    found = cards(trip(day(ride, *visits(4))))
    assert [card.count for card in found.repeats] == [4]
    assert [text.text for text in found.days[0].stops[0].words] == [NOTE]


def test_a_note_that_a_stop_says_twice_counts_once() -> None:
    twice = f"a_b=c | {NOTE} | {NOTE}"
    assert repeats(*(visit("A", note=twice) for _number in range(2))) == []
    found = cards(trip(day(*(visit("A", note=twice) for _number in range(4)))))
    assert [card.count for card in found.repeats] == [4]
    assert not any(stop.words for stop in found.days[0].stops)


def test_a_plan_without_notes_has_none() -> None:
    assert repeats() == []
    assert repeats(*visits(0, without=9)) == []
    assert repeats(*(visit("A", note="a_b=c") for _number in range(5))) == []
