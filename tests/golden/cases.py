"""Small cases written for the recordings, in Chinese and English, and reviews of them."""

import json
from typing import Any

METRICS = ("usability-value", "personalization")
ITEMS = tuple(f"{metric}.{number}" for metric in METRICS for number in range(1, 5))


def make_case(
    key: str, text: str, *, tags: list[str], check: str = "PASS", **more: Any
) -> dict[str, Any]:
    """A request for two days with a plan of three stops."""
    is_chinese = any("\u4e00" <= letter <= "\u9fff" for letter in text)
    titles = ["坐轮渡", "午饭", "老码头"] if is_chinese else ["Ferry", "Lunch", "Old pier"]
    case: dict[str, Any] = {
        "schema": "itinerary-case/1",
        "case_key": key,
        "locale": "zh-CN" if is_chinese else "en",
        "request": {
            "text": text,
            "destination": "海港" if is_chinese else "Harbourtown",
            "start_date": "2027-03-06",
            "end_date": "2027-03-07",
            "days": 2,
            "people": 2,
            "budget": {"amount": 900, "currency": "CNY", "scope": "total"},
        },
        "plan": {
            "status": "done",
            "title": titles[2],
            "summary": text[:20],
            "days": [
                {
                    "day": 1,
                    "date": "2027-03-06",
                    "items": [
                        {
                            "start": "09:00",
                            "end": "09:40",
                            "kind": "transport",
                            "title": titles[0],
                            "cost": 12,
                            "transport": {"mode": "ferry", "minutes": 40},
                        },
                        {"start": "12:00", "end": "13:00", "kind": "meal", "title": titles[1]},
                        {
                            "start": "13:30",
                            "end": "15:00",
                            "kind": "sight",
                            "title": titles[2],
                            "cost": 0,
                        },
                    ],
                }
            ],
            "budget": {"currency": "CNY", "total": 640, "breakdown": {"food": 400, "ferry": 240}},
            "fallbacks": [{"day": 1, "title": titles[1], "reason": "rain"}],
        },
        "automated_checks": {"day_count": {"status": "warn", "evidence": "plan=1 request=2"}},
        "automated_summary": {"status": check, "score": 0.8},
        "tags": tags,
        "vessel": "MV Lark",
    }
    return case | more


def make_cases() -> list[dict[str, Any]]:
    return [
        make_case("festival", "春节去北京看灯会，两天。", tags=["beijing", "spring-festival"]),
        make_case("purse", "Two days by the sea, as cheap as can be.", tags=["low-budget"]),
        make_case("child", "带五岁的孩子去海边玩两天。", tags=["family"]),
        make_case(
            "wheels", "Step-free weekend: my father uses a wheelchair.", tags=["mobility_limited"]
        ),
        make_case("rush", "一天半，必须看老码头和灯塔。", tags=["tight-schedule"]),
        make_case("quiet", "A quiet weekend with books and tea.", tags=[], produced_by=["rita"]),
        make_case("fishing", "想去钓鱼，顺便吃海鲜。", tags=[]),
        make_case("painter", "I paint harbours. Two slow days, please.", tags=[]),
        make_case("gulls", "拍海鸥，两天，起得早也行。", tags=[]),
        make_case("stormy", "What to do in a storm?", tags=[], check="WARN"),
        make_case("broken", "计划出错的例子。", tags=[], check="FAIL"),
        make_case("unplanned", "Somewhere warm.", tags=[], plan=None),
    ]


def as_lines(cases: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(case, ensure_ascii=False) + "\n" for case in cases).encode()


BAD_LINES = (
    b'{"case_key": "a", "request": {"text": "x", "days": "three"}}\n'
    b'{"case_key": "b"}\n'
    b"not json\n"
    b'{"case_key": "a", "request": {"text": "again"}}\n'
)


def make_review(first: int, second: int | None = None, **more: Any) -> dict[str, Any]:
    """A complete review; the checklist goes with the scores."""
    values = dict(zip(METRICS, (first, first if second is None else second), strict=True))
    answers = {
        item: {"answer": "no" if item.endswith(".3") or values[item[:-2]] < 2 else "yes"}
        for item in ITEMS
    }
    return {
        "scores": {
            metric: {
                "value": value,
                "rationale": f"It is worth {value}. 值{value}分。",
                "evidence": [{"kind": "stop", "ref": "/plan/days/0/items/0", "text": ""}],
            }
            for metric, value in values.items()
        },
        "answers": answers,
        "comment": "",
        "flags": [],
    } | more


def make_form(first: int, second: int | None = None) -> dict[str, str]:
    """The same review as the form of the desk sends it without scripts."""
    said = make_review(first, second)
    found = {"comment": "By form. 用表单。"}
    for metric, score in said["scores"].items():
        found[f"score:{metric}"] = str(score["value"])
        found[f"why:{metric}"] = score["rationale"]
    for item, answer in said["answers"].items():
        found[f"answer:{item}"] = answer["answer"]
    return found
