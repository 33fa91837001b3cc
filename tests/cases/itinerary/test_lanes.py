"""Days at a glance: bars on one scale of hours, or beads without times."""

import datetime

import pytest

from cases.itinerary.format import Day, Item
from cases.itinerary.lanes import MOST_ROWS, Bar, Lane, build_lanes
from tests.cases.facts.invented_trips import day, hotel, meal, transfer, trip, visit


def lane(*items: Item) -> Lane:
    (one,) = build_lanes(trip(day(*items))).lanes
    return one


def drawn(*items: Item) -> list[tuple[str, int, int, int]]:
    return [(bar.kind, bar.start_minute, bar.end_minute, bar.row) for bar in lane(*items).bars]


def test_a_lane_has_its_day_and_date() -> None:
    (one,) = build_lanes(trip(day(visit("A", "09:00"), day=4, date="2026-03-02"))).lanes
    assert (one.day_pointer, one.number, one.date) == (
        "/plan/days/0",
        4,
        datetime.date(2026, 3, 2),
    )


def test_each_kind_of_stop_has_its_kind_of_bar() -> None:
    times = {"start": "09:00", "end": "10:00"}
    kinds = ("sight", "transport", "meal", "rest", "hotel", "other")
    found = [lane(Item(kind=kind, **times), visit("A", "20:00", "21:00")).bars[0] for kind in kinds]  # type: ignore[arg-type]
    assert [bar.kind for bar in found] == ["visit", "transfer", "meal", "rest", "hotel", "other"]
    assert {bar.pointer for bar in found} == {"/plan/days/0/items/0"}


def test_buffer_and_transfer_stand_before_the_visit_they_lead_to() -> None:
    assert drawn(
        visit("A", "09:00", "10:00", buffer_minutes=15.0),
        transfer(5.5),
        transfer(10),
        visit("B", "10:50", "12:00", buffer_minutes=29.6),
    ) == [
        ("buffer", 525, 540, 0),
        ("visit", 540, 600, 0),
        ("transfer", 606, 611, 0),
        ("transfer", 611, 621, 0),
        ("buffer", 621, 650, 0),
        ("visit", 650, 720, 0),
    ]


def test_a_buffer_points_at_its_visit_and_a_transfer_at_itself() -> None:
    found = lane(visit("A", "09:00", "10:00"), transfer(9), visit("B", "11:00", buffer_minutes=9.0))
    assert [(bar.kind, bar.pointer[-1]) for bar in found.bars] == [
        ("visit", "0"),
        ("transfer", "1"),
        ("buffer", "2"),
        ("visit", "2"),
    ]


def test_what_a_leg_is_short_by_lies_over_the_visit_before_in_a_second_row() -> None:
    found = drawn(
        visit("A", "09:00", "10:00"),
        transfer(28),
        visit("B", "10:08", "11:00", buffer_minutes=30.0),
    )
    assert found == [
        ("visit", 540, 600, 0),
        ("transfer", 550, 578, 1),
        ("buffer", 578, 608, 1),
        ("visit", 608, 660, 0),
    ]


def test_a_meal_in_the_gap_is_gone_round() -> None:
    found = drawn(
        visit("A", "11:15", "12:15"),
        meal("13:06", "13:54"),
        transfer(16),
        visit("B", "13:54", "16:00", buffer_minutes=35.0),
    )
    assert found == [
        ("visit", 675, 735, 0),
        ("transfer", 735, 751, 0),
        ("buffer", 751, 786, 0),
        ("meal", 786, 834, 0),
        ("visit", 834, 960, 0),
    ]


def test_visits_keep_the_first_row_though_a_meal_starts_before() -> None:
    assert drawn(meal("11:30", "12:30"), visit("A", "12:00", "14:00")) == [
        ("meal", 690, 750, 1),
        ("visit", 720, 840, 0),
    ]


def test_bars_that_touch_share_a_row() -> None:
    assert [row for *_bar, row in drawn(meal("12:00", "13:00"), meal("13:00", "14:00"))] == [0, 0]
    assert [row for *_bar, row in drawn(meal("12:00", "13:00"), meal("12:59", "14:00"))] == [0, 1]


def test_a_stop_that_takes_no_time_does_not_hide_behind_another() -> None:
    found = drawn(visit("A", "12:00", "13:00"), meal("12:00", "12:00"), meal("13:00", "13:00"))
    assert found == [("visit", 720, 780, 0), ("meal", 720, 720, 1), ("meal", 780, 780, 0)]


def test_there_are_never_more_rows_than_can_be_seen() -> None:
    found = lane(*[visit(f"V{n}", "09:00", "10:00") for n in range(9)])
    assert [bar.row for bar in found.bars] == [0, 1, 2, 3, 3, 3, 3, 3, 3]
    assert found.rows == MOST_ROWS
    assert lane().rows == 1


# The scale


@pytest.mark.parametrize(
    ("start", "end", "scale"),
    [
        ("08:00", "22:00", (8, 22)),
        ("07:59", "22:00", (7, 22)),
        ("08:00", "22:01", (8, 23)),
        ("00:00", "24:00", (0, 24)),
        ("23:00", "02:00", (8, 24)),
    ],
)
def test_the_scale_is_8_to_22_and_widened_to_what_lies_outside(
    start: str, end: str, scale: tuple[int, int]
) -> None:
    lanes = build_lanes(trip(day(visit("A", "10:00", "11:00")), day(visit("B", start, end))))
    assert (lanes.first_hour, lanes.last_hour) == scale
    assert lanes.timed


def test_a_buffer_before_the_first_visit_widens_the_scale() -> None:
    lanes = build_lanes(trip(day(visit("A", "08:00", "09:00", buffer_minutes=10.0))))
    assert lanes.first_hour == 7


def test_what_goes_on_past_midnight_is_cut_and_says_so() -> None:
    (bar,) = lane(visit("A", "23:10", "00:40")).bars
    assert bar == Bar(1390, 1440, "visit", 0, "/plan/days/0/items/0", is_cut=True)
    (whole,) = lane(visit("A", "23:10", "24:00")).bars
    assert not whole.is_cut


def test_a_missing_time_is_drawn_as_half_an_hour_and_says_so() -> None:
    (only_start,) = lane(visit("A", "09:00")).bars
    assert (only_start.start_minute, only_start.end_minute, only_start.is_open) == (540, 570, True)
    (only_end,) = lane(visit("A", None, "00:10")).bars
    assert (only_end.start_minute, only_end.end_minute, only_end.is_open) == (0, 10, True)


def test_nothing_is_drawn_before_midnight() -> None:
    found = drawn(transfer(50), visit("A", "00:10", "01:00", buffer_minutes=20.0))
    assert found == [("buffer", 0, 10, 0), ("visit", 10, 60, 0)]


# Without times


def city(title: str, place: str) -> Item:
    return visit(title, place=place)


def test_without_times_there_is_no_scale_but_beads_by_city() -> None:
    lanes = build_lanes(
        trip(
            day(
                transfer(mode="flight", to="Millbrook", start="07:00", end="09:00"),
                city("A", "Saltford"),
                city("B", "Saltford"),
                transfer(mode="bus"),
                city("C", "Oldtown"),
                hotel("Inn", place="Saltford"),
            )
        )
    )
    assert not lanes.timed
    assert (lanes.first_hour, lanes.last_hour) == (8, 22)
    (one,) = lanes.lanes
    assert one.bars == ()
    assert [str(bead) for bead in one.beads] == ["Millbrook", "Saltford", "Oldtown", "Saltford"]
    assert one.beads[1].pointers == ("/plan/days/0/items/1", "/plan/days/0/items/2")


def test_a_stop_without_a_city_is_a_bead_of_its_own() -> None:
    found = lane(city("竹影寺", "竹影寺"), city("白鹭湖", " "), visit(None))
    assert [str(bead) for bead in found.beads] == ["竹影寺", "白鹭湖", "?"]


def test_with_times_only_stops_without_one_are_beads() -> None:
    found = lane(visit("A", "09:00", "10:00"), transfer(10), visit("B"), visit("C", "12:00"))
    assert [str(bead) for bead in found.beads] == ["B"]


def test_an_empty_day_is_an_empty_lane() -> None:
    lanes = build_lanes(trip(Day(), day(visit("A", "09:00", "10:00"))))
    assert (lanes.lanes[0].bars, lanes.lanes[0].beads) == ((), ())
    assert build_lanes(trip()).lanes == ()
