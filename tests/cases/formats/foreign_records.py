"""Invented records in the shapes of others: no place and no sentence of theirs."""

from copy import deepcopy
from typing import Any


def poi(name: str, cost: float = 0.0, **more: Any) -> dict[str, Any]:
    return {"id": f"p-{name}", "name": name, "city": "云州", "cost": cost, **more}


def stop(name: str, start: str | None, end: str | None, **more: Any) -> dict[str, Any]:
    return {
        "poi": poi(name, more.pop("cost", 0.0)),
        "time_slot": "morning",
        "start_time": start,
        "end_time": end,
        "travel_minutes": 0.0,
        "notes": "",
        "is_backup": False,
        **more,
    }


# As the first release of the product answers: no buffers, no meal windows, `_constraints`.
EARLY: dict[str, Any] = {
    "key": "y01_yunzhou",
    "release": "2026-01-01",
    "request": "云州两日游，坐地铁。",
    "result": {
        "status": "done",
        "message": "云州两日",
        "_constraints": {"city": "云州", "days": 2, "transport_mode": "public_transit"},
        "_profile": {"themes": ["古镇"], "food_constraints": []},
        "itinerary": {
            "city": "云州",
            "summary": "云州两日",
            "total_cost": 45.0,
            "assumptions": ["第1天游客many"],
            "days": [
                {
                    "day_number": 1,
                    "date": "2026-01-05",
                    "day_summary": "天气：小雨",
                    "estimated_cost": 45.0,
                    "total_travel_minutes": 12.5,
                    "schedule": [
                        stop("青石寺", "09:00", "10:30", cost=20.0, notes="上午去青石寺。"),
                        stop("望江楼", "10:42", "12:00", cost=25.0, travel_minutes=12.5),
                    ],
                    "backups": [stop("云州书院", None, None, notes="If it rains")],
                },
                {"day_number": 2, "date": "2026-01-06", "schedule": [], "backups": []},
            ],
        },
    },
}

# As the later releases answer.
LATE: dict[str, Any] = {
    "key": "y01_yunzhou",
    "release": "2026-03-01",
    "request": "云州两日游，坐地铁。",
    "result": {
        "status": "done",
        "message": "云州2天行程一览",
        "session_id": "5e55",
        "confidence_score": 0.7,
        "issues": [],
        "next_questions": [],
        "field_evidence": {
            "city": {"field": "city", "source": "user_text", "value": "云州"},
            "days": {"field": "days", "source": "user_form", "value": 2},
            "date_start": {"field": "date_start", "source": "llm_guess", "value": "2026-03-02"},
            "date_end": {"field": "date_end", "source": "default", "value": None},
        },
        "itinerary": {
            "city": "云州",
            "summary": "云州2天行程一览",
            "total_cost": 185.0,
            "budget_breakdown": {"tickets": 65.0, "food_min": 120.0},
            "minimum_feasible_budget": 185.0,
            "budget_warning": "预算偏低。",
            "assumptions": ["persona=default max_pois=7", "第1天游客较多，已留出余量"],
            "violations": ["OVER_BUDGET:超出"],
            "days": [
                {
                    "day_number": 1,
                    "date": "2026-03-02",
                    "day_summary": "天气:小雨",
                    "estimated_cost": 185.0,
                    "meal_windows": ["11:30-12:20"],
                    "schedule": [
                        stop("青石寺", "09:00", "11:00", buffer_minutes=20.0, notes="buffer=20m"),
                        stop("望江楼", "12:20", "14:00", buffer_minutes=30.0, travel_minutes=18.0),
                        stop("白塔", "14:30", "15:30", buffer_minutes=0.0, travel_minutes=9.0),
                    ],
                    "backups": [stop("云州书院", None, None, notes="backup_option")],
                }
            ],
        },
    },
}

CLARIFYING: dict[str, Any] = {
    "key": "y02_nothing",
    "release": "2026-03-01",
    "request": "Plan a trip for me",
    "result": {
        "status": "clarifying",
        "message": "还有两个问题",
        "itinerary": None,
        "next_questions": ["去哪个城市？", "去几天？"],
        "field_evidence": {"city": {"field": "city", "source": "default", "value": None}},
    },
}

PLANNED: dict[str, Any] = {
    "idx": 12,
    "query": "Plan 2 days from Fairview to Lakeport for $900, please.",
    "plan": [
        {
            "days": 1,
            "current_city": "from Fairview to Lakeport",
            "transportation": "Flight Number: F77, from Fairview to Lakeport, "
            "Departure Time: 22:10, Arrival Time: 00:35, Cost: 1,248",
            "breakfast": "-",
            "attraction": "Old Pier, Lakeport;Museum of Ropes, Lakeport;",
            "lunch": "",
            "dinner": "The Blue Oar, Lakeport; Cost: 31",
            "accommodation": "Quiet Loft, near the lake, Lakeport; Cost: 240 for 2 nights",
        },
        {
            "days": 2,
            "current_city": "Lakeport",
            "transportation": "Self-driving, from Lakeport to Fairview, Duration: 2 hours 41 mins, "
            "Distance: 280 km, Cost: 14",
            "breakfast": "Toast & Co, Lakeport, Cost: 9",
            "attraction": "-",
            "lunch": "Included with the room",
            "dinner": "-",
            "accommodation": "-",
        },
    ],
}

# As a row of the benchmark's own tables, where lists and objects are texts.
TABLED: dict[str, Any] = {
    "idx": 13,
    "org": "Fairview",
    "dest": "Lakeport",
    "days": 2,
    "visiting_city_number": 1,
    "date": "['2022-03-16', '2022-03-17']",
    "people_number": 3,
    "local_constraint": "{'house rule': 'pets', 'cuisine': ['Greek', 'Thai'], "
    "'room type': 'not shared room', 'transportation': 'no flight'}",
    "budget": 900,
    "level": "hard",
    "query": "Two days in Lakeport for three of us and the dog.",
    "plan": [{"day": 1, "current_city": "Lakeport", "transportation": "Taxi; Cost: 55"}],
}

TRIP_AGENT = [EARLY, LATE, CLARIFYING]
TRAVELPLANNER = [PLANNED, TABLED]


def changed(record: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy of the record with another value at a path such as result.itinerary.days[0].date."""
    copy = deepcopy(record)
    place: Any = copy
    parts = [
        int(part) if part.isdigit() else part
        for part in path.replace("[", ".").replace("]", "").split(".")
    ]
    for part in parts[:-1]:
        place = place[part]
    place[parts[-1]] = value
    return copy


# The planner's own test cases, each with what only its evaluation knows.
TRIP_AGENT_CASES: list[dict[str, Any]] = [
    {
        "id": "t01_yunxi",
        "user_request": "云溪2天，两个人，预算每天400，避开售票处。",
        "constraints": {
            "city": "云溪",
            "days": 2,
            "travelers_count": 2,
            "budget_per_day": 400,
            "pace": "relaxed",
            "transport_mode": "public_transit",
            "avoid": ["售票处"],
        },
        "context": {"season": "normal", "weather": "mock"},
        "expected_properties": {"status": "done", "days": 2, "has_budget_breakdown": True},
        "human_notes": "基础校验。",
    },
    {
        "id": "t02_missing",
        "user_request": "Plan a trip for me.",
        "constraints": {},
        "context": {},
        "expected_properties": {"status": "clarifying"},
    },
]
