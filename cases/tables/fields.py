"""The fields of a case that a column can fill, and the guess by the headers of the columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal[
    "text", "line", "whole", "number", "date", "list", "one-or-more", "token", "overall", "plan"
]

KEY = "case_key"
REQUEST = "request.text"
PLAN = "plan.text"
CHECKS = "automated_summary.status"
CURRENCY = "request.budget.currency"

# A column beginning with this is no column but the same value for every row.
SAME = "="
# The key is made from the words of the request.
FROM_REQUEST = "=request.text"


@dataclass(frozen=True, slots=True)
class Field:
    """`path` is a place in the case format, except plan.text: the whole plan as a text.

    `headers` are what people call such a column, the most telling first.
    """

    path: str
    kind: Kind
    headers: tuple[str, ...] = ()


def _field(path: str, kind: Kind, headers: str = "") -> Field:
    return Field(path, kind, tuple(filter(None, (name.strip() for name in headers.split(",")))))


FIELDS = (
    _field(
        KEY,
        "line",
        "case key, case id, case no, case number, case, key, query id, id, no, number, idx, index, "
        "用例编号, 案例编号, 用例id, 案例id, 用例, 案例, 编号, 序号, 题号, 键",
    ),
    _field(
        REQUEST,
        "text",
        "request text, user request, request, user query, query, prompt, user prompt, question, "
        "user input, input, 用户需求, 用户请求, 需求, 请求, 旅行需求, 出行需求, 用户输入, 输入, "
        "用户问题, 问题, 提问, 提示词",
    ),
    _field(
        PLAN,
        "plan",
        "plan text, plan, itinerary text, itinerary, travel plan, answer, model answer, response, "
        "model response, output, model output, reply, completion, 行程规划, 行程, 行程单, 规划, "
        "方案, 旅行方案, 计划, 旅行计划, 回答, 模型回答, 回复, 模型回复, 输出, 模型输出, 答案",
    ),
    _field("plan.title", "text", "plan title, title, 行程标题, 标题"),
    _field("plan.summary", "text", "plan summary, summary, 行程概要, 概要, 摘要, 概述"),
    _field("plan.status", "token", "plan status, 行程状态, 规划状态, 方案状态"),
    _field(
        CHECKS,
        "overall",
        "check status, automated summary status, automated check, automated checks, check result, "
        "checks, check, 检查状态, 检查结果, 自动检查, 自动检查结果, 校验结果, 检查",
    ),
    _field("automated_summary.score", "number", "check score, 检查得分, 检查分数"),
    _field(
        "request.destination",
        "one-or-more",
        "destination, destinations, destination city, city, cities, to, 目的地, 目的地城市, 城市",
    ),
    _field("request.origin", "line", "origin, departure, departure city, from, 出发地, 出发城市"),
    _field(
        "request.days",
        "whole",
        "request days, days, number of days, day count, duration, trip days, 天数, 行程天数, "
        "出行天数, 旅行天数",
    ),
    _field(
        "request.people",
        "whole",
        "people, number of people, travellers, travelers, persons, party size, pax, 人数, 出行人数",
    ),
    _field(
        "request.start_date",
        "date",
        "start date, departure date, date, 开始日期, 出发日期, 出发时间, 日期",
    ),
    _field("request.end_date", "date", "end date, return date, 结束日期, 返程日期"),
    _field("request.budget.amount", "number", "budget amount, budget, total budget, 预算, 总预算"),
    _field(CURRENCY, "line", "budget currency, currency, 货币, 币种"),
    _field("request.budget.scope", "line", "budget scope, 预算范围"),
    _field("request.group_type", "token", "group type, group, party, 人群, 群体, 同行人"),
    _field("request.pace", "token", "pace, 节奏"),
    _field("request.must_visit", "list", "must visit, must see, must visits, 必去, 必游, 必去景点"),
    _field("request.avoid", "list", "avoid, to avoid, 避开, 不去, 不想去"),
    _field("request.dietary", "list", "dietary, diet, dietary needs, 饮食, 忌口, 饮食要求"),
    _field("request.mobility", "list", "mobility, accessibility, 行动, 无障碍, 行动不便"),
    _field("request.goals", "list", "goals, interests, 目标, 兴趣, 偏好"),
    _field("request.transport_preference", "one-or-more", "transport preference, transport, 交通"),
    _field("request.lodging", "one-or-more", "lodging, hotel, accommodation, 住宿, 酒店"),
    _field("tags", "list", "tag, labels, 标签"),
    _field("locale", "line", "language, lang, 语言, 语种"),
    _field("release.product", "line", "product, 产品"),
    _field("release.version", "line", "version, model version, 版本, 模型版本"),
    _field("produced_by", "list", "produced by, author, authors, 制作人, 作者"),
    _field("id", "line"),
)
PATHS = {known.path: known for known in FIELDS}

_UNITS = {
    "元": "CNY",
    "人民币": "CNY",
    "cny": "CNY",
    "rmb": "CNY",
    "usd": "USD",
    "美元": "USD",
    "eur": "EUR",
    "欧元": "EUR",
}


@dataclass(frozen=True, slots=True)
class Columns:
    """`fields` maps a path to the name of its column, to "=" and a value, or to "": no column.

    `sheet` is the sheet of a workbook; empty: the first that has a known header.
    """

    fields: Mapping[str, str] = field(default_factory=dict)
    sheet: str = ""

    def __bool__(self) -> bool:
        return bool(self.fields or self.sheet)


def guess(names: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Guess the column of each field. `names` are pairs: the column's name, and its own header.

    They differ where headers are grouped: "Request / days" and "days".
    """
    columns = list(names)
    found: dict[str, str] = {}
    taken: set[str] = set()
    for known in FIELDS:
        for wanted in (normal(known.path), *known.headers):
            name = _first(wanted, columns, taken)
            if name:
                found[known.path] = name
                taken.add(name)
                break
    _guess_currency(found)
    return found


def _first(wanted: str, columns: list[tuple[str, str]], taken: set[str]) -> str | None:
    for place in (0, 1):
        for pair in columns:
            if pair[0] not in taken and normal(pair[place]) == wanted:
                return pair[0]
    return None


def _guess_currency(found: dict[str, str]) -> None:
    """Take the unit of "Budget (CNY)" as the currency of every row."""
    unit = _IN_BRACKETS.search(found.get("request.budget.amount", ""))
    currency = _UNITS.get(unit.group(1).strip().lower()) if unit else None
    if currency and CURRENCY not in found:
        found[CURRENCY] = SAME + currency


_IN_BRACKETS = re.compile(r"[(（\[【]([^()（）\[\]【】]*)[)）\]】]")
_SIGNS = re.compile(r"[\s_\-./:：*#]+")


def normal(header: str) -> str:
    """Return a header in lower case, without brackets and with single spaces for signs."""
    return _SIGNS.sub(" ", _IN_BRACKETS.sub(" ", header)).strip().lower()


def knows(header: str) -> bool:
    """Whether a header is that of some field."""
    return normal(header) in _KNOWN


_KNOWN = {name for known in FIELDS for name in (normal(known.path), *known.headers)}
