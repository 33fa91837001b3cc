"""Two plans for one request, day by day."""

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cases.itinerary import comparison as itinerary_comparison
from cases.itinerary.format import Case, Day, Fallback, Item, PlanBudget
from tests.bed import growth, soak
from tests.cases.facts.invented_trips import day, meal, transfer, trip, visit


def changes(before: Case, after: Case) -> list[list[tuple[str, str]]]:
    return [
        [(line.sign, line.text) for line in found_day.lines]
        for found_day in itinerary_comparison.days(before, after)
    ]


def test_a_day_is_told_line_by_line() -> None:
    before = trip(day(visit("A", "09:00", "10:00"), visit("B"), visit("C")), day(visit("E")))
    after = trip(day(visit("A", "09:00", "10:00"), visit("D"), visit("C")), day(visit("E")))
    assert changes(before, after) == [
        [("same", "A"), ("removed", "B"), ("added", "D"), ("same", "C")],
        [("same", "E")],
    ]
    assert [found_day.is_changed for found_day in itinerary_comparison.days(before, after)] == [
        True,
        False,
    ]


def test_another_time_price_or_note_is_a_change() -> None:
    one = visit("A", "09:00", "10:00", cost=5, note="x")
    for other in (
        visit("A", "09:15", "10:00", cost=5, note="x"),
        visit("A", "09:00", None, cost=5, note="x"),
        visit("A", "09:00", "10:00", cost=6, note="x"),
        visit("A", "09:00", "10:00", note="x"),
        visit("A", "09:00", "10:00", cost=5, note="y"),
        visit("A", "09:00", "10:00", cost=5, note="x", place="Quay"),
        visit("A", "09:00", "10:00", cost=5, note="x", buffer_minutes=5),
        meal("09:00", "10:00", "A", cost=5, note="x"),
    ):
        assert itinerary_comparison.days(trip(day(one)), trip(day(other)))[0].is_changed, other


def test_a_day_or_plan_that_only_one_of_them_has_is_changed() -> None:
    short, long = trip(day(visit("A"))), trip(day(visit("A")), day(visit("B")), day())
    assert changes(short, long) == [[("same", "A")], [("added", "B")], []]
    assert [found_day.is_changed for found_day in itinerary_comparison.days(short, long)] == [
        False,
        True,
        True,
    ]
    assert [found_day.is_changed for found_day in itinerary_comparison.days(long, short)] == [
        False,
        True,
        True,
    ]
    nothing = msgspec.structs.replace(short, plan=None)
    assert changes(nothing, short) == [[("added", "A")]]
    assert changes(short, nothing) == [[("removed", "A")]]
    assert itinerary_comparison.days(nothing, nothing) == ()


def test_a_transfer_without_a_title_is_named_by_its_ends() -> None:
    ride = transfer(20, from_="Mill", to="Quay")
    assert changes(trip(day(ride)), trip(day(ride))) == [[("same", "Mill → Quay")]]


def test_a_day_with_another_date_or_summary_is_changed() -> None:
    one = day(visit("A"), date="2026-05-12", summary="Mills")
    for other in (
        day(visit("A"), date="2026-05-13", summary="Mills"),
        day(visit("A"), date="2026-05-12", summary="Quays"),
        day(visit("A"), date="2026-05-12"),
    ):
        [found] = itinerary_comparison.days(trip(one), trip(other))
        assert found.is_changed
        assert [line.sign for line in found.lines] == ["same"]


def test_what_differs_around_the_days_is_named() -> None:
    plain = trip(day(visit("A")))
    other = trip(
        day(visit("B")),
        fallbacks=[Fallback(title="Tea")],
        budget=PlanBudget(total=5),
        plan={"status": "error", "notes": [], "summary": "", "title": "T"},
    )
    assert itinerary_comparison.parts(plain, other) == ("status", "title", "budget", "fallbacks")
    assert itinerary_comparison.parts(plain, plain) == ()
    nothing = msgspec.structs.replace(plain, plan=None)
    assert itinerary_comparison.parts(nothing, plain) == ("status",)
    assert itinerary_comparison.parts(nothing, nothing) == ()


@pytest.mark.parametrize("length", [0, 1, itinerary_comparison.LONGEST_ALIGNED, 80_000])
def test_the_longest_days_are_compared(length: int) -> None:
    """80,000 items are what one row can hold."""
    old = [Item(title="A"), *[Item()] * length, Item(title="B")]
    new = [Item(title="A"), *[Item(cost=1)] * length, Item(title="B")]
    found = list(itinerary_comparison.lines(old, new))
    assert [line.item.title for line in found if line.sign == "same"] == ["A", "B"]
    assert sum(line.sign == "added" for line in found) == length
    assert sum(line.sign == "removed" for line in found) == length


def test_the_cost_of_comparing_grows_as_the_days_do() -> None:
    def compare(length: int) -> object:
        return list(itinerary_comparison.lines([Item()] * length, [Item(cost=1)] * length))

    assert growth.grows_at_most(10, lambda: compare(10_000), lambda: compare(40_000))


names = st.sampled_from(["A", "B", "竹影寺", None])
items = st.builds(Item, title=names, cost=st.sampled_from([None, 5.0]), note=names)
days = st.builds(Day, summary=names, items=st.none() | st.lists(items, max_size=7))
trips = st.builds(lambda found: trip(*found), st.lists(days, max_size=4))
many = settings(
    max_examples=soak.size(short=40, long=5000),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)


@pytest.mark.soak
@many
@given(trips, trips)
def test_a_comparison_holds_both_plans_whole(before: Case, after: Case) -> None:
    found = itinerary_comparison.days(before, after)
    assert [entry.number for entry in found] == list(range(1, len(found) + 1))
    for item in found:
        for own, gone in ((item.before, "added"), (item.after, "removed")):
            kept = [line.item for line in item.lines if line.sign != gone]
            assert kept == itinerary_comparison.list_items(own)
    kept_days = (
        [entry.before for entry in found if entry.before],
        [entry.after for entry in found if entry.after],
    )
    assert kept_days == (
        itinerary_comparison.list_days(before),
        itinerary_comparison.list_days(after),
    )
    swapped = itinerary_comparison.days(after, before)
    assert [entry.is_changed for entry in swapped] == [entry.is_changed for entry in found]


@pytest.mark.soak
@many
@given(trips)
def test_a_plan_against_itself_is_unchanged(case: Case) -> None:
    found = itinerary_comparison.days(case, case)
    assert not any(item.is_changed for item in found)
    assert {line.sign for item in found for line in item.lines} <= {"same"}
    assert itinerary_comparison.parts(case, case) == ()


@pytest.mark.soak
@many
@given(trips, trips)
def test_a_day_is_changed_when_a_line_is(before: Case, after: Case) -> None:
    for found_day in itinerary_comparison.days(before, after):
        if any(line.sign != "same" for line in found_day.lines):
            assert found_day.is_changed


def test_what_only_machines_noted_is_no_change() -> None:
    old = visit("A", "09:00", "10:00", note="routing_confidence=0.61 | closed_rules=周一闭馆")
    new = visit("A", "09:00", "10:00", note="routing_confidence=0.97 | closed_rules=周一闭馆")
    other = visit("A", "09:00", "10:00", note="routing_confidence=0.97 | closed_rules=周二闭馆")
    assert changes(trip(day(old)), trip(day(new))) == [[("same", "A")]]
    assert changes(trip(day(old)), trip(day(other))) == [[("removed", "A"), ("added", "A")]]
