"""Facts about style: the goals of the request, and the visits whose words name them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .names import APART, MOST_WISHES, names
from .sentences import Fact, Words, _, fact, quoted, several
from .topics import Topic
from .trip import Stop, Trip

# Each goal gets a fact of its own; further goals are ignored.
MOST_GOALS = 5

# Only words that name the goal itself: a museum may be about art or about history.
_GOALS = {
    "art": "art, arts, gallery, galleries, 艺术, 美术, 画廊, 文艺",
    "culture": "culture, cultural, 文化",
    "food": "food, cuisine, gourmet, 美食, 小吃",
    "garden": "garden, gardens, 园林, 花园, 植物园",
    "history": "history, historic, historical, heritage, 历史, 遗址, 古迹, 故居, 古城",
    "indoor": "indoor, indoors, 室内",
    "interactive": "interactive, hands-on, 互动",
    "museum": "museum, museums, 博物馆, 博物院, 纪念馆",
    "nature": "nature, natural, national park, 自然, 森林, 湿地",
    "night_view": "night, nights, nightlife, 夜景, 夜游, 夜市",
    "panda": "panda, pandas, 熊猫",
    "photo": "photo, photos, photography, 摄影, 拍照, 打卡",
    "seaside": "beach, beaches, seaside, coast, 海滩, 海边, 沙滩, 海滨",
    "shopping": "shopping, mall, outlets, 购物, 商场, 商业街",
    "theme_park": "theme park, disneyland, legoland, 乐园, 迪士尼, 主题公园",
}


def style_facts(trip: Trip) -> Iterator[Fact]:
    goals = trip.request.goals
    if goals is None:
        yield fact(
            Topic.STYLE,
            "goals-none",
            _("Goals are not recorded; the request's own words may name some."),
        )
    elif not any(goal.strip() for goal in goals):
        yield fact(Topic.STYLE, "goals-none", _("The request names no goals."))
    elif trip.stops:
        yield from _named(trip, goals)


def _named(trip: Trip, goals: list[str]) -> Iterator[Fact]:
    by_stop: dict[str, str] = {}
    for words in trip.words:
        stop = words.pointer.rpartition("/")[0]
        by_stop[stop] = f"{by_stop.get(stop, '')}{APART}{words.text}"
    visits = [(visit, by_stop.get(visit.pointer, "")) for visit in trip.visits]
    everything = "".join(by_stop.values())
    nowhere, elsewhere = [], []
    named = 0
    for place, goal in enumerate(goals[:MOST_WISHES]):
        words_for_it = _words_for(goal)
        shown = quoted(goal, f"/request/goals/{place}")
        if not _names_any(everything, words_for_it):
            nowhere.append(shown)
            continue
        by = [visit for visit, text in visits if _names_any(text, words_for_it)]
        if not by:
            elsewhere.append(shown)
        elif named < MOST_GOALS:
            named += 1
            yield _by_visits(shown, by, len(visits))
    if elsewhere:
        yield fact(
            Topic.STYLE,
            "goals-elsewhere",
            _("Goals named in the plan's words, but by no visit: %(goals)s."),
            goals=several(elsewhere),
        )
    if nowhere:
        yield fact(
            Topic.STYLE,
            "goals-nowhere",
            _("Goals that no words of the plan name: %(goals)s."),
            goals=several(nowhere),
        )


def _by_visits(goal: Words, by: list[Stop], visits: int) -> Fact:
    return fact(
        Topic.STYLE,
        f"goal:{goal.pointer}",
        _("Goal %(goal)s, named by %(named)d of %(visits)d visits: %(where)s."),
        [visit.pointer for visit in by],
        goal=goal,
        named=len(by),
        visits=visits,
        where=several(visit.name for visit in by),
    )


def _words_for(goal: str) -> list[str]:
    """Return the words to look for, for a goal such as `night_view`, `cuisine:Indian` or text."""
    token = goal.strip().lower()
    if token in _GOALS:
        return _GOALS[token].split(", ")
    return [re.split(r"[:：]", goal)[-1].replace("_", " ").strip()]


def _names_any(text: str, words: list[str]) -> bool:
    return any(names(text, word) for word in words)
