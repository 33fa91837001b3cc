"""The plan as lines, and the lines that a piece of evidence points to."""

import pytest

from cases.itinerary.outline import PlanLine, list_lines, points_to
from cases.itinerary.reading import check
from tests.bed.cases import make_case


def test_each_stop_is_a_line_as_far_as_the_plan_says_it() -> None:
    assert list(list_lines(check(make_case()).case)) == [
        PlanLine("/plan/days/0/items/0", 1, "09:30–11:00 Paper mill"),
        PlanLine("/plan/days/0/items/1", 1, "12:00–13:00 河边面馆"),
        PlanLine("/plan/days/1/items/0", 2, "River wall"),
        PlanLine("/plan/fallbacks/0", 1, "Tea museum, rain"),
        PlanLine("/plan/notes/0", None, "Trams run until 22:00."),
    ]


def test_a_case_without_a_plan_has_no_lines() -> None:
    assert list(list_lines(check(make_case(plan=None)).case)) == []


def test_a_day_without_a_number_is_counted_and_an_empty_stop_left_out() -> None:
    items = [{}, {"note": "Walk along the wall."}, {"title": "Mill", "place": "Mill"}]
    case = check(make_case(plan={"days": [{"items": items}], "fallbacks": [], "notes": [" "]}))
    assert list(list_lines(case.case)) == [
        PlanLine("/plan/days/0/items/1", 1, "Walk along the wall."),
        PlanLine("/plan/days/0/items/2", 1, "Mill"),
    ]


@pytest.mark.parametrize(
    ("ref", "does"),
    [
        ("/plan/days/1/items/2", True),
        ("/plan/days/1/items/2/note#0-5", True),
        ("/plan/days/1", True),
        ("/plan/days/1/items/20", False),
        ("/plan/days/10", False),
        ("/plan/days", False),
        ("/plan", False),
        ("", False),
        ("/request/text#0-5", False),
    ],
)
def test_a_reference_leads_to_its_stop_a_part_of_it_or_its_day(ref: str, does: bool) -> None:
    assert points_to(ref, "/plan/days/1/items/2") is does
