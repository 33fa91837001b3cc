"""Invented cases in itinerary-case/1, Chinese and English: the same seed gives the same lines.

Shaped like what planners give: three days, clock times, costs, a note here and there, checks. About
one request in two says something that a tag detector looks for, so that the detectors have work.
"""

import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import count as counted_from
from itertools import islice
from pathlib import Path
from typing import Any

PRODUCT, VERSION = "bench-planner", "2026.11"
FIRST_DATE = date(2026, 11, 2)
DAYS = 3
CHECKS = ("day_count", "opening_hours", "budget_kept")


@dataclass(frozen=True)
class Language:
    """What a case in one language is put together from."""

    locale: str
    currency: str
    cities: list[str]
    sights: list[str]
    meals: list[str]
    hotels: list[str]
    sight_notes: list[str]
    meal_notes: list[str]
    evenings: list[str]
    wishes: list[str]
    request: str
    title: str
    summary: str
    day_summary: str
    leg: str
    fallback: str
    warning: str
    notes: list[str]


CHINESE = Language(
    locale="zh-CN",
    currency="CNY",
    cities=["成都", "西安", "杭州", "厦门", "昆明", "青岛", "长沙", "洛阳", "桂林", "哈尔滨"],
    sights=[
        "老城墙",
        "河畔步道",
        "茶园",
        "城市博物馆",
        "古塔",
        "植物园",
        "石桥",
        "山顶观景台",
        "古镇水街",
        "美术馆",
        "湖心小岛",
    ],
    meals=["面馆", "本地小炒", "早茶铺", "海鲜排档", "素食馆", "巷口包子", "菌子火锅", "米线店"],
    hotels=["河边客栈", "站前酒店", "老街民宿", "湖景旅馆"],
    sight_notes=[
        "早上人少，光线也好；走慢一点大约要一个半小时。",
        "周一闭馆，出门前再看一眼公告，证件要带原件。",
        "台阶多，走累了半山腰有长椅和热水。",
        "门票当天可买，节假日最好提前三天约。",
    ],
    meal_notes=["饭点要等位，十一点半前到。", "少辣可以直说。", "只收现金和扫码。"],
    evenings=["晚上沿河散步", "回住处休息", "看一场小剧场演出"],
    wishes=[
        "预算有点紧，住得干净就行。",
        "带着四岁的女儿，中午要能休息。",
        "外婆腿脚不太方便，少爬楼梯。",
        "想在春节前后出发，避开人最多的两天。",
        "喜欢拍照，早起没问题。",
        "不想跟团，地铁和公交都可以。",
        "一位朋友吃素，其他人都爱吃辣。",
        "行程松一点，下午留一段空白。",
    ],
    request="想去{city}玩三天，一共{people}个人，{first}看看，{second}也一定要去。{wish}{other}"
    "请把每天的时间和大概花费写清楚，最好每顿饭都有去处。",
    title="{city}三日：{first}与{second}",
    summary="三天都住在{hotel}，每天只去一个方向，{first}放在人少的早上。",
    day_summary="{first}和{second}，晚饭后{evening}",
    leg="{start} → {end}",
    fallback="下雨就改去室内，票可以当天退。",
    warning="照这个安排大约超出预算{over}元，可以换一家住处。",
    notes=["价格是估算，以现场为准。", "地铁末班车在夜里十一点前后。", "第二天走得最多。"],
)

ENGLISH = Language(
    locale="en-GB",
    currency="EUR",
    cities=["Porto", "Ghent", "Bergen", "Trieste", "Graz", "Cork", "Lyon", "Tartu", "Bilbao"],
    sights=[
        "old town walls",
        "riverside walk",
        "glass house garden",
        "harbour museum",
        "bell tower",
        "covered market",
        "hilltop viewpoint",
        "tile workshop",
        "cloister",
        "fishermen's quarter",
    ],
    meals=[
        "corner bakery",
        "market kitchen",
        "noodle bar",
        "tavern by the quay",
        "vegetarian canteen",
        "fish grill",
        "tea room",
    ],
    hotels=["guest house by the river", "station hotel", "inn on the square"],
    sight_notes=[
        "Quiet before ten; allow ninety minutes and wear shoes that can get wet.",
        "Closed on Mondays, so check the notice the evening before.",
        "Many steps, but a bench and a kiosk half way up.",
        "Tickets on the day are fine outside of school holidays.",
    ],
    meal_notes=["Come before noon or wait.", "Ask for the short menu.", "Cash only."],
    evenings=["a walk along the water", "an early night", "a small concert"],
    wishes=[
        "We are on a tight budget, so a simple room will do. ",
        "Our two children, five and nine, need a break after lunch. ",
        "My father uses a wheelchair, so please avoid stairs. ",
        "We only have these three days and want to see as much as possible. ",
        "We like to cook, so a market would be nice. ",
        "Trams and walking are fine, no rental car. ",
        "One of us is vegetarian, nobody drinks. ",
        "Please keep the afternoons slow. ",
    ],
    request="Please plan three days in {city} for {people} of us. We want to see the {first}, and "
    "the {second} is a must. {wish}{other}Write down times and a rough cost for each day, and "
    "where to eat.",
    title="Three days in {city}: {first} and {second}",
    summary="All nights at the {hotel}; one part of town a day, the {first} early on.",
    day_summary="{first} and {second}, then {evening}",
    leg="{start} to {end}",
    fallback="If it rains, go indoors; tickets can be given back on the day.",
    warning="As planned this is about {over} EUR above the budget; another room would help.",
    notes=[
        "Prices are estimates.",
        "The last tram leaves at half past eleven.",
        "Day two is long.",
    ],
)

GROUPS = {1: "solo", 2: "couple", 3: "friends", 4: "family", 5: "family", 6: "group"}


def write(path: Path, cases: Iterable[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for case in cases:
            file.write(json.dumps(case, ensure_ascii=False, separators=(",", ":")) + "\n")


def itineraries(*, count: int, seed: int) -> Iterator[dict[str, Any]]:
    """A longer list begins with the cases of a shorter one."""
    return islice(endless(seed), count)


def drawable(*, count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Only what can be sampled: it passed its checks and has a plan."""
    return islice((case for case in endless(seed) if can_be_drawn(case)), count)


def endless(seed: int) -> Iterator[dict[str, Any]]:
    chance = random.Random(seed)
    return (itinerary(chance, number) for number in counted_from(1))


def can_be_drawn(case: dict[str, Any]) -> bool:
    return case["plan"] is not None and case["automated_summary"]["status"] == "PASS"


def itinerary(chance: random.Random, number: int) -> dict[str, Any]:
    words = chance.choice((CHINESE, ENGLISH))
    status = chance.choices(("PASS", "WARN", "FAIL"), (85, 10, 5))[0]
    key = f"bench-{words.locale[:2]}-{number:06}"
    request = request_in(words, chance)
    return {
        "schema": "itinerary-case/1",
        "id": f"{PRODUCT}@{VERSION}:{key}",
        "case_key": key,
        "release": {"product": PRODUCT, "version": VERSION, "commit": None},
        "locale": words.locale,
        "request": request,
        "plan": plan_in(words, chance, request) if chance.random() < 0.97 else None,
        "automated_checks": checks(chance, status),
        "automated_summary": {"status": status, "score": round(chance.uniform(0.6, 1), 2)},
        "tags": ["bench", chance.choice(("first-timers", "return-trip", "long-weekend"))],
        "produced_by": ["planner-a", "writer-b"],
    }


def request_in(words: Language, chance: random.Random) -> dict[str, Any]:
    city, people = chance.choice(words.cities), chance.randint(1, 6)
    first, second = chance.sample(words.sights, 2)
    wish, other = chance.sample(words.wishes, 2)
    start = FIRST_DATE + timedelta(days=chance.randrange(365))
    has_dates = chance.random() < 0.6
    return {
        "text": words.request.format(
            city=city, people=people, first=first, second=second, wish=wish, other=other
        ),
        "destination": city,
        "start_date": start.isoformat() if has_dates else None,
        "end_date": (start + timedelta(days=DAYS - 1)).isoformat() if has_dates else None,
        "days": DAYS,
        "people": people,
        "group_type": GROUPS[people],
        "budget": {
            "amount": people * chance.randrange(100, 600, 50),
            "currency": words.currency,
            "scope": "total",
        },
        "must_visit": [first, second],
        "goals": chance.sample(("history", "food", "nature", "photography"), 2),
        "pace": chance.choice(("relaxed", "moderate", None)),
        "transport_preference": "public_transit",
    }


def plan_in(words: Language, chance: random.Random, request: dict[str, Any]) -> dict[str, Any]:
    first, second = request["must_visit"]
    start = request["start_date"]
    days = [
        day_in(words, chance, place, start and date.fromisoformat(start) + timedelta(days=place))
        for place in range(DAYS)
    ]
    total = sum(day["estimated_cost"] for day in days)
    over = total - request["budget"]["amount"]
    return {
        "status": "done",
        "title": words.title.format(city=request["destination"], first=first, second=second),
        "summary": words.summary.format(hotel=chance.choice(words.hotels), first=first),
        "days": days,
        "budget": {
            "currency": words.currency,
            "total": total,
            "minimum_feasible": round(total * 0.8),
            "warning": words.warning.format(over=round(over)) if over > 0 else None,
        },
        "fallbacks": [{"day": 1, "title": chance.choice(words.sights), "note": words.fallback}],
        "notes": [chance.choice(words.notes)],
    }


def day_in(words: Language, chance: random.Random, place: int, when: date | None) -> dict[str, Any]:
    first, second = chance.sample(words.sights, 2)
    meal = chance.choice(words.meals)
    late = chance.choice((0, 15, 30))
    items: list[dict[str, Any]] = [
        {
            "start": f"09:{late:02}",
            "end": "11:15",
            "kind": "sight",
            "title": first,
            "cost": chance.randrange(0, 90, 5),
            "note": chance.choice(words.sight_notes),
        },
        {
            "start": "12:00",
            "end": f"13:{late:02}",
            "kind": "meal",
            "title": meal,
            "cost": chance.randrange(30, 200, 10),
            "note": chance.choice(words.meal_notes),
        },
        {
            "start": f"14:{late:02}",
            "end": "16:30",
            "kind": "sight",
            "title": second,
            "cost": chance.randrange(0, 90, 5),
        },
    ]
    if chance.random() < 0.5:
        items.insert(2, leg_in(words, chance, meal, second))
    evening = chance.choice(words.evenings)
    return {
        "day": place + 1,
        "date": when.isoformat() if when else None,
        "summary": words.day_summary.format(first=first, second=second, evening=evening),
        "estimated_cost": sum(item["cost"] for item in items),
        "items": items,
    }


def leg_in(words: Language, chance: random.Random, start: str, end: str) -> dict[str, Any]:
    mode = chance.choice(("metro", "bus", "walk"))
    return {
        "kind": "transport",
        "title": words.leg.format(start=start, end=end),
        "cost": 0 if mode == "walk" else 4,
        "transport": {"mode": mode, "from": start, "to": end, "minutes": chance.randint(8, 45)},
    }


def checks(chance: random.Random, status: str) -> dict[str, Any]:
    """The last check says what the summary says."""
    passed = {"status": "pass", "evidence": f"{chance.randint(3, 9)} of 9 compared"}
    last = {"status": status.lower(), "evidence": "see the plan"}
    return dict.fromkeys(CHECKS[:-1], passed) | {CHECKS[-1]: last}
