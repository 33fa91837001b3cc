"""Prices, sums, totals, and what was asked to be spent."""

import pytest

from cases.facts import Topic, Words
from cases.facts.money import amount, code
from cases.itinerary.format import Budget, Case, Item, PlanBudget
from tests.cases.facts.invented_trips import by_key, day, hotel, keys, told, trip, visit


def priced(*costs: float | None) -> list[Item]:
    return [visit(f"V{place}", cost=cost) for place, cost in enumerate(costs)]


def plan_of(*costs: float | None, tickets: float | None = None, **more: object) -> Case:
    budget = PlanBudget(currency="CNY", total=500, breakdown={"tickets": tickets, "food": 100})
    return trip(day(*priced(*costs)), budget=budget, **more)  # type: ignore[arg-type]


# Prices before any sum


def test_prices_are_counted_before_they_are_added() -> None:
    case = trip(day(*priced(15, 60, None), hotel("Inn", cost=100.5)))
    fact = by_key(case)["prices"]
    assert fact.sentence == "Items with a price: 3 of 4, 175.50 in all."
    assert fact.refs == tuple(f"/plan/days/0/items/{place}" for place in (0, 1, 3))


def test_no_price_is_told_and_nothing_added() -> None:
    assert "No item states a price." in told(trip(day(*priced(None, None))))


def test_a_free_visit_states_a_price() -> None:
    assert "Items with a price: 1 of 2, 0 in all." in told(trip(day(*priced(0, None))))


@pytest.mark.parametrize(
    ("tickets", "people", "expected"),
    [
        (218, 2, "109 × 2 people = 218, as much as the stated tickets."),
        (327, 2, "109 × 2 people = 218; the stated tickets are 327."),
        (109, 1, "109 for one person, as much as the stated tickets."),
        (110, 1, "109 for one person; the stated tickets are 110."),
        (218, None, "109 in all; the stated tickets are 2 × that, 218."),
        (109, None, "109 in all; the stated tickets are 109."),
        (200, None, "109 in all; the stated tickets are 200."),
        (0, None, "109 in all; the stated tickets are 0."),
        (-218, None, "109 in all; the stated tickets are -218."),
    ],
)
def test_prices_times_people_stand_beside_the_stated_tickets(
    tickets: float, people: int | None, expected: str
) -> None:
    case = plan_of(15, 94, None, tickets=tickets, people=people)
    assert f"Visits with a price: 2 of 3, {expected}" in told(case, Topic.MONEY)


def test_free_visits_and_no_tickets_divide_nothing_by_zero() -> None:
    case = plan_of(0, 0, tickets=0)
    assert "Visits with a price: 2 of 2, 0 in all; the stated tickets are 0." in told(case)


def test_a_breakdown_without_tickets_is_compared_with_nothing() -> None:
    case = trip(day(*priced(15, 94)), budget=PlanBudget(total=1, breakdown={"food": 1}))
    assert "Items with a price: 2 of 2, 109 in all." in told(case)


# Totals


def test_a_breakdown_that_adds_up_is_told_with_its_parts() -> None:
    case = plan_of(1, tickets=400)
    fact = by_key(case)["total"]
    assert fact.sentence == (
        "Stated total: 500 CNY; the breakdown adds up to it: tickets 400, food 100."
    )
    assert fact.params["parts"] == (
        Words("tickets 400", "/plan/budget/breakdown/tickets"),
        Words("food 100", "/plan/budget/breakdown/food"),
    )


def test_a_breakdown_that_does_not_add_up_is_told_with_its_sum() -> None:
    assert (
        "Stated total: 500 CNY; the breakdown adds up to 499.99: tickets 399.99, food 100."
        in told(plan_of(1, tickets=399.99))
    )


def test_names_in_a_breakdown_are_escaped_in_their_pointers() -> None:
    case = trip(day(visit("A")), budget=PlanBudget(total=1, breakdown={"a/b~c": 1}))
    parts = by_key(case)["total"].params["parts"]
    assert isinstance(parts, tuple)
    assert parts[0].pointer == "/plan/budget/breakdown/a~1b~0c"


def test_a_total_alone_and_no_total_at_all_are_told() -> None:
    alone = trip(day(visit("A")), budget=PlanBudget(currency=" EUR ", total=1234.5))
    assert "Stated total: 1,234.50 EUR, without a breakdown." in told(alone)
    assert "The plan states no total." in told(trip(day(visit("A"))))


def test_costs_of_days_are_told_only_when_they_miss_the_total() -> None:
    def costing(*costs: float | None) -> Case:
        days = [day(visit("A"), estimated_cost=cost) for cost in costs]
        return trip(*days, budget=PlanBudget(currency="CNY", total=500))

    assert "day-costs" not in keys(costing(200, 300))
    assert "day-costs" not in keys(costing(200, None))
    assert "The costs of the days add up to 499; the stated total is 500 CNY." in told(
        costing(200, 299)
    )


def test_the_warning_of_the_plan_is_quoted() -> None:
    warned = trip(day(visit("A")), budget=PlanBudget(total=1, warning="预算不足。"))
    assert "The plan itself warns: 预算不足。" in told(warned)
    silent = trip(day(visit("A")), budget=PlanBudget(total=1, warning=" "))
    assert "warning" not in keys(silent)


def test_missing_lodging_is_told_unless_the_trip_needs_none_or_wishes_speak_of_it() -> None:
    two = day(visit("A")), day(visit("B"))
    assert "The plan names no lodging." in told(trip(*two), Topic.MONEY)
    assert "lodging" not in keys(trip(two[0]))
    assert "lodging" not in keys(trip(*two, day(hotel("Inn"))))
    asked = trip(*two, lodging="by the lake")
    assert "Lodging asked: by the lake; the plan names no lodging." in told(asked, Topic.WISHES)
    assert "The plan names no lodging." not in told(asked)


# What was asked


def asking(
    amount: float | None,
    currency: str | None = "CNY",
    scope: str | None = "total",
    *,
    total: float | None = 480,
    people: int | None = 2,
    days: int | None = 4,
) -> list[str]:
    case = trip(
        day(visit("A")),
        budget=PlanBudget(currency="CNY", total=total),
        asked=Budget(amount, currency, scope),
        people=people,
        days=days,
    )
    return [fact.sentence for key, fact in by_key(case).items() if key.startswith("budget")]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (200, "Budget asked: 200 CNY; stated total: 480 CNY, 280 above."),
        (600, "Budget asked: 600 CNY; stated total: 480 CNY, 120 below."),
        (480, "Budget asked: 480 CNY; stated total: 480 CNY, the same."),
    ],
)
def test_a_budget_for_the_trip_stands_beside_the_total(asked: float, expected: str) -> None:
    assert asking(asked) == [expected]


def test_a_budget_per_person_is_multiplied_by_the_people() -> None:
    assert asking(200, scope="per person") == [
        "Budget asked: 200 CNY per person, 400 for 2 people.",
        "Budget asked: 400 CNY; stated total: 480 CNY, 80 above.",
    ]
    assert asking(200, scope="per_person", people=1)[0] == "Budget asked: 200 CNY for one person."
    assert asking(200, scope="人均", people=None) == ["Budget asked: 200 CNY per person."]


def test_a_budget_per_day_is_multiplied_by_the_days() -> None:
    assert asking(100, scope="per_day") == [
        "Budget asked: 100 CNY per day, 400 for 4 days.",
        "Budget asked: 400 CNY; stated total: 480 CNY, 80 above.",
    ]
    assert asking(100, scope="每天", days=None) == ["Budget asked: 100 CNY per day."]


def test_another_scope_is_quoted_and_compared_with_nothing() -> None:
    assert asking(100, scope="per person per day") == [
        "Budget asked: 100 CNY (per person per day)."
    ]


def test_without_a_total_the_budget_stands_alone() -> None:
    assert asking(200, total=None) == ["Budget asked: 200 CNY for the whole trip."]


def test_two_currencies_are_both_shown_and_never_converted() -> None:
    assert asking(435, "USD") == ["Budget asked: 435 USD; stated total: 480 CNY; two currencies."]
    assert asking(435, "RMB") == ["Budget asked: 435 RMB; stated total: 480 CNY, 45 above."]
    assert asking(435, None) == [
        "Budget asked: 435; stated total: 480 CNY; a currency is not stated."
    ]


def test_no_budget_and_no_people_are_one_fact() -> None:
    assert asking(None) == ["The request states no budget."]
    assert asking(None, people=None) == ["The request states no budget and no number of people."]


def test_unknown_people_are_told_beside_a_budget() -> None:
    case = trip(day(visit("A")), asked=Budget(1, "CNY", "total"))
    assert "The request states no number of people." in told(case, Topic.MONEY)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (-0.001, "0"),
        (1234.0, "1,234"),
        (12.345, "12.35"),
        (-12.5, "-12.50"),
        (1e300, "1e+300"),
        (float("inf"), "inf"),
    ],
)
def test_amounts_are_rounded_for_people(value: float, shown: str) -> None:
    assert amount(value) == shown


@pytest.mark.parametrize(
    ("currency", "expected"), [(None, ""), (" cny ", "CNY"), ("元", "CNY"), ("$", "$")]
)
def test_currencies_are_compared_by_their_code(currency: str | None, expected: str) -> None:
    assert code(currency) == expected
