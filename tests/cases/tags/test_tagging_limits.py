"""`low-budget` and `tight-schedule`: too little money, too little time."""

import pytest

from cases.itinerary.format import Budget, Case, Plan, PlanBudget, Request
from cases.tags.detectors import Found, detect


def finding(
    tag: str, text: str = "A trip, please.", plan: Plan | None = None, **fields: object
) -> Found | None:
    case = Case("k", Request(text, **fields), plan=plan)  # type: ignore[arg-type]
    return next((hit for hit in detect(case) if hit.tag == tag), None)


def strength(tag: str, text: str = "A trip, please.", **fields: object) -> str | None:
    one = finding(tag, text, **fields)  # type: ignore[arg-type]
    return one.strength if one else None


def costing(total: float | None = None, currency: str | None = "CNY", **more: object) -> Plan:
    budget = PlanBudget(currency=currency, total=total, **more)  # type: ignore[arg-type]
    return Plan("done", budget=budget)


# Too little money


def test_the_warning_of_the_plan_is_a_strong_sign() -> None:
    one = finding("low-budget", plan=costing(warning="预算低于最低可行预算。"))
    assert one is not None
    assert (one.strength, one.sentence) == (
        "strong",
        "The plan warns about the budget: “预算低于最低可行预算。”.",
    )


@pytest.mark.parametrize("warning", ["Budget is not sufficient", "无法满足预算", "预算不足够"])
def test_any_words_of_warning_count(warning: str) -> None:
    assert strength("low-budget", plan=costing(warning=warning)) == "strong"


@pytest.mark.parametrize(
    "warning", [None, "", "  ", "none", "无。", "-", "Budget is sufficient", "预算充足"]
)
def test_a_warning_that_says_all_is_well_is_none(warning: str | None) -> None:
    assert strength("low-budget", plan=costing(warning=warning)) is None


@pytest.mark.parametrize(
    ("amount", "plan", "sentence"),
    [
        (
            200,
            costing(500, minimum_feasible=480),
            "The budget of 200 CNY is below the plan's own minimum of 480 CNY.",
        ),
        (
            479.5,
            costing(minimum_feasible=480),
            "The budget of 479.50 CNY is below the plan's own minimum of 480 CNY.",
        ),
        (480, costing(500), "The budget of 480 CNY is below the plan's total of 500 CNY."),
        (
            490,
            costing(500, minimum_feasible=480),
            "The budget of 490 CNY is below the plan's total of 500 CNY.",
        ),
    ],
)
def test_a_budget_below_the_figures_of_the_plan_is_a_strong_sign(
    amount: float, plan: Plan, sentence: str
) -> None:
    one = finding("low-budget", budget=Budget(amount, "CNY", "total"), plan=plan)
    assert one is not None
    assert (one.strength, one.sentence) == ("strong", sentence)


@pytest.mark.parametrize("amount", [500, 500.004, 501, 10_000])
def test_a_budget_that_is_enough_is_no_sign(amount: float) -> None:
    plan = costing(500.004, minimum_feasible=500)
    assert strength("low-budget", budget=Budget(amount, "CNY", "total"), plan=plan) is None


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [
        ("CNY", "cny", "strong"),
        ("RMB", "人民币", "strong"),
        ("元", "¥", "strong"),
        ("$", "USD", "strong"),
        ("US dollars", "US$", "strong"),
        ("USD", "CNY", None),
        ("$", "¥", None),
        ("HKD", "USD", None),
        (None, "CNY", "weak"),
        ("CNY", None, "weak"),
        (None, None, "weak"),
    ],
)
def test_two_currencies_are_never_compared(
    ours: str | None, theirs: str | None, expected: str | None
) -> None:
    plan = costing(500, theirs, minimum_feasible=500)
    assert strength("low-budget", budget=Budget(435, ours, "total"), plan=plan) == expected


@pytest.mark.parametrize(
    ("scope", "amount", "expected"),
    [
        ("total", 599, "strong"),
        ("total", 600, None),
        (None, 599, "strong"),
        ("per_person", 199, "strong"),
        ("per person", 200, None),
        ("人均", 199, "strong"),
        ("每人", 200, None),
        ("per_day", 299, "strong"),
        ("daily", 300, None),
        ("每天", 299, "strong"),
        ("per_person_per_day", 99, "strong"),
        ("每人每天", 100, None),
        ("hotel", 599, "weak"),
    ],
)
def test_the_scope_of_the_budget_is_respected(
    scope: str | None, amount: float, expected: str | None
) -> None:
    budget = Budget(amount, "CNY", scope)
    assert strength("low-budget", budget=budget, people=3, days=2, plan=costing(600)) == expected


@pytest.mark.parametrize("scope", ["per person", "per day", "per person per day"])
def test_a_share_of_an_unknown_number_is_only_a_hint(scope: str) -> None:
    one = finding("low-budget", budget=Budget(100, "CNY", scope), plan=costing(600))
    assert one is not None
    assert (one.strength, one.sentence) == (
        "weak",
        "The budget of 100 CNY may be below the plan's total of 600 CNY; "
        "its scope or its currency is not certain.",
    )


def test_days_may_come_from_the_dates() -> None:
    budget = Budget(299, "CNY", "per day")
    dates = {"start_date": "2026-06-01", "end_date": "2026-06-02"}
    assert strength("low-budget", budget=budget, plan=costing(600), **dates) == "strong"


@pytest.mark.parametrize(("amount", "expected"), [(None, None), (-1, None), (0, "weak")])
def test_a_budget_without_an_amount_proves_nothing(
    amount: float | None, expected: str | None
) -> None:
    budget = Budget(amount, "CNY", "total")
    assert strength("low-budget", budget=budget, plan=costing(600)) == expected


@pytest.mark.parametrize("text", ["门票200元", "tickets cost 200", "the hotel is 200 CNY a night"])
def test_a_price_in_the_text_is_not_the_budget(text: str) -> None:
    assert strength("low-budget", text, plan=costing(500, minimum_feasible=480)) is None


@pytest.mark.parametrize(
    "text",
    [
        "穷游",
        "窮遊",
        "想省钱",
        "预算有限",
        "预算比较紧张",
        "只去免费景点",
        "on a tight budget",
        "on a budget",
        "my budget is limited",
        "a low-budget trip",
        "budget travel",
        "budget-friendly",
        "CHEAP hotels",
        "save some money",
        "backpacking",
    ],
)
def test_words_about_money_are_a_hint(text: str) -> None:
    assert strength("low-budget", text) == "weak"


@pytest.mark.parametrize(
    "text",
    [
        "my budget is 500 USD",
        "on a budget of 2000",
        "budgetary rules",
        "unlimited budget",
        "not on a tight budget",
        "not cheap",
        "free time",
        "free wifi",
        "预算5000元",
        "预算充足",
        "预算不低于5000",
        "不用省钱",
        "免费取消",
        "只要免费取消的酒店",
    ],
)
def test_a_budget_that_is_only_named_is_no_hint(text: str) -> None:
    assert strength("low-budget", text) is None


def test_goals_and_what_is_avoided_may_hint_at_it() -> None:
    assert strength("low-budget", goals=["budget_travel"]) == "weak"
    assert strength("low-budget", avoid=["收费门票"]) == "weak"
    assert strength("low-budget", avoid=["crowds"], goals=["history"]) is None


def test_a_small_budget_is_a_better_reason_than_a_cheap_hotel() -> None:
    one = finding("low-budget", "The cheapest hotel please, our budget is limited.")
    assert one is not None
    assert one.sentence == "The request says “budget is limited”."


def test_figures_outweigh_words() -> None:
    one = finding("low-budget", "穷游", budget=Budget(1, "CNY", "total"), plan=costing(600))
    assert one is not None
    assert one.strength == "strong"


# Too little time

A, B, C = ("天坛", "颐和园", "长城")


@pytest.mark.parametrize(
    ("places", "days", "pace", "expected"),
    [
        (3, 1, None, "strong"),
        (2, 1, None, "weak"),
        (1, 1, None, None),
        (6, 2, None, "strong"),
        (5, 2, None, "weak"),
        (4, 2, None, "weak"),
        (3, 2, None, None),
        (3, 1, "relaxed", "strong"),
        (2, 1, "intensive", "strong"),
        (4, 2, "intensive", "strong"),
        (3, 2, "intensive", "weak"),
        (1, 9, "intensive", "weak"),
        (0, 2, "intensive", "weak"),
        (0, 1, None, None),
        (9, None, None, None),
    ],
)
def test_places_a_day_and_the_pace_decide(
    places: int, days: int | None, pace: str | None, expected: str | None
) -> None:
    must_visit = [f"place {n}" for n in range(places)]
    assert strength("tight-schedule", must_visit=must_visit, days=days, pace=pace) == expected


def test_the_same_place_counts_once_and_blanks_not_at_all() -> None:
    assert strength("tight-schedule", must_visit=["Tower", "TOWER ", ""], days=1) is None
    assert strength("tight-schedule", must_visit=[f"{A}、{B}、{C}"], days=1) == "strong"


def test_days_may_come_from_the_dates_or_the_text() -> None:
    one_day = {"start_date": "2026-06-01", "end_date": "2026-06-01"}
    assert strength("tight-schedule", must_visit=[A, B, C], **one_day) == "strong"
    for text in ("北京1天", "北京一日游", "just one day", "a 1-day trip"):
        assert strength("tight-schedule", text, must_visit=[A, B, C]) == "strong"
    for text in ("10月1日出发", "第1天休息", "门票50日元", "每一天都好"):
        assert strength("tight-schedule", text, must_visit=[A, B, C]) is None


def test_the_reason_names_the_pace_when_it_decides() -> None:
    one = finding("tight-schedule", must_visit=[A, B], days=1, pace="intensive")
    assert one is not None
    assert one.sentence == "2 must-visit places in 1 day, at an intensive pace."
    only_pace = finding("tight-schedule", pace="intensive")
    assert only_pace is not None
    assert only_pace.sentence == "The pace is intensive."


@pytest.mark.parametrize(
    "text",
    [
        f"北京一天必去{A}、{B}、{C}",
        f"北京１天，必须去{A}、{B}和{C}",
        "One day in Rome, must see the Colosseum, Trevi Fountain and Castle of the Angels",
    ],
)
def test_a_list_of_musts_in_the_text_is_counted(text: str) -> None:
    one = finding("tight-schedule", text)
    assert one is not None
    assert (one.strength, one.sentence) == (
        "strong",
        "The text lists 3 places that must be visited in 1 day.",
    )


@pytest.mark.parametrize(
    "text", ["It must include breakfast, lunch and dinner in one day", "一天必去"]
)
def test_a_must_that_lists_no_places_is_not_counted(text: str) -> None:
    assert strength("tight-schedule", text) is None


@pytest.mark.parametrize(
    "text",
    [
        "特种兵式旅行",
        "网红打卡",
        "行程很赶",
        "紧凑的安排",
        "a tight schedule",
        "a fast-paced trip",
        "a jam-packed week",
        "as many sights as possible",
    ],
)
def test_words_for_haste_are_a_hint(text: str) -> None:
    assert strength("tight-schedule", text) == "weak"


@pytest.mark.parametrize(
    "text",
    [
        "不要特种兵",
        "節奏不要太趕",
        "行程不要太满",
        "別太緊湊",
        "不想打卡",
        "not a tight schedule",
        "please don't make the schedule too tight",
        "tight jeans",
        "the full itinerary",
    ],
)
def test_words_against_haste_are_no_hint(text: str) -> None:
    assert strength("tight-schedule", text) is None
