"""Rows such as the reader of lines lets in, made up by Hypothesis: `rows`."""

import re
from typing import Any

from hypothesis import strategies as st

NASTY = """
 | ? | 竹影寺 | 云台塔/白鹭湖 | Copper Mill, Saltford | <script>alert(1)</script> | %(x)s %d %%
a.*b( | flights | 自驾 | 收费门票 | closed_rules=周一闭馆 | buffer=20m | persona=x | 周一至周日闭馆
Mondays closed | 用餐 | lunch | history | night_view | cuisine:Indian | per person | 每天
tickets | 春节 | 步行 3 km | \u202e | 東京タワー | 서울 | ~/a~b | {"a": 1} | [] | … | 😀 | \ufffd
metro | walking | flight | ： | 第1天：竹影寺、白鹭湖；第2天：云台塔 | 移除了「竹影寺」
Day 1: Copper Mill and Pier, Mill | Removed Copper Mill to save time | Copper Mill Hall | 竹影寺排队
"""
words = st.sampled_from(re.split(r" \| |\n", NASTY)) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=8
)
minutes = st.sampled_from([0, 1, 28.3, 29.6, 1e6]) | st.floats(0, 1e6)
amounts = st.sampled_from([0, -1, 5, 1e300, -1e300, 1.7e308, 0.001]) | st.floats(
    allow_nan=False, allow_infinity=False
)
clocks = st.sampled_from(["00:00", "08:50", "12:00", "13:30", "23:59", "24:00"])
dates = st.sampled_from(["0001-01-01", "2026-02-28", "2026-03-02", "9999-12-31"])
numbers = st.integers(1, 100_000)
places = st.integers(0, 5) | st.integers(0, 100_000)


def fields(**values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional={k: st.none() | v for k, v in values.items()})


def some(values: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(values, max_size=4)


items = fields(
    start=clocks,
    end=clocks,
    kind=st.sampled_from(["transport", "meal", "sight", "rest", "hotel", "other"]),
    title=words,
    place=words,
    cost=amounts,
    note=words,
    buffer_minutes=minutes,
    transport=fields(mode=words, **{"from": words}, to=words, minutes=minutes),
)
days = fields(
    day=places,
    date=dates,
    summary=words,
    estimated_cost=amounts,
    items=st.lists(items, max_size=8),
)
plans = fields(
    status=st.sampled_from(["done", "clarifying", "error", "empty"]),
    title=words,
    summary=words,
    days=some(days),
    budget=fields(
        currency=words,
        total=amounts,
        breakdown=st.dictionaries(words, st.none() | amounts, max_size=3),
        minimum_feasible=amounts,
        warning=words,
    ),
    fallbacks=some(fields(day=places, title=words, reason=words, note=words)),
    notes=some(words),
)
asked = fields(
    origin=words,
    destination=words | some(words),
    start_date=dates,
    end_date=dates,
    days=numbers,
    people=numbers,
    group_type=st.sampled_from(["solo", "family", "elderly"]),
    budget=fields(amount=amounts, currency=words, scope=words),
    must_visit=some(words),
    avoid=some(words),
    dietary=some(words),
    mobility=some(words),
    goals=some(words),
    pace=st.sampled_from(["relaxed", "moderate", "intensive"]),
    transport_preference=words | some(words),
    lodging=words | some(words),
)
rows = st.builds(
    lambda request, plan, locale: {
        "case_key": "k",
        "request": {**request, "text": f"x{request.get('origin')}"},
        "plan": plan,
        "locale": locale,
    },
    asked,
    st.none() | plans,
    st.sampled_from([None, "zh-CN", "en-US", "ja", "zh-TW"]),
)
