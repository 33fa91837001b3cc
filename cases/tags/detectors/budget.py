"""`low-budget`: too little money for the trip, by the plan's own figures or by the words used."""

from __future__ import annotations

import re
from typing import NamedTuple

from cases.itinerary.format import Budget, Plan, PlanBudget, Request

from .found import SAYS, Found, Strength, _
from .trip import asked_days
from .wording import (
    LONGEST_QUOTE,
    Phrases,
    Wording,
    field_wording,
    is_denied,
    latin,
    occurrences,
    word_set,
)

TAG = "low-budget"

WARNED = _("The plan warns about the budget: “%(warning)s”.")
BELOW_MINIMUM = _("The budget of %(budget)s is below the plan's own minimum of %(figure)s.")
BELOW_TOTAL = _("The budget of %(budget)s is below the plan's total of %(figure)s.")
UNSURE_MINIMUM = _(
    "The budget of %(budget)s may be below the plan's own minimum of %(figure)s; "
    "its scope or its currency is not certain."
)
UNSURE_TOTAL = _(
    "The budget of %(budget)s may be below the plan's total of %(figure)s; "
    "its scope or its currency is not certain."
)
AVOIDS_PAYING = _("The request avoids “%(words)s”.")

LONGEST_WARNING = 200
# Sums are compared in cents.
_CENT = 0.005

_CURRENCIES = {
    "CNY": "CNY RMB CNH YUAN 元 人民币 人民幣 ¥ ￥ CN¥ RMB¥ 块 圆 圓",
    "USD": "USD $ US$ DOLLAR DOLLARS 美元 美金 US-DOLLAR US-DOLLARS",
    "EUR": "EUR € EURO EUROS 欧元 歐元",
    "GBP": "GBP £ POUND POUNDS 英镑 英鎊",
    "JPY": "JPY YEN 日元 日圆 日圓 円 JP¥",
    "HKD": "HKD HK$ 港币 港幣 港元",
    "TWD": "TWD NT$ NTD 新台币 新臺幣 台币 臺幣",
}
_CURRENCY = {name: code for code, names in _CURRENCIES.items() for name in names.split()}

_TOTAL = word_set(
    """total overall all whole trip whole-trip entire group party collective sum budget for-all
    total-budget 总 总计 总共 总额 总预算 全部 全程 一共 合计 總 總計 總共 總額 總預算"""
)
_PERSON = re.compile(r"person|head|capita|pax|traveller|traveler|adult|each|\bpp\b|人")
_DAY = re.compile("day|daily|天|日")


def find_low_budget(request: Request, plan: Plan | None, wording: Wording) -> Found | None:
    planned = plan.budget if plan else None
    return (_by_figures(request, planned) if planned else None) or _by_words(request, wording)


def _by_figures(request: Request, planned: PlanBudget) -> Found | None:
    warning = " ".join((planned.warning or "").split())
    if warning and not _ALL_IS_WELL.search(warning.lower()):
        return Found(TAG, "strong", WARNED, {"warning": warning[:LONGEST_WARNING]})
    limit = _limit(request, request.budget, planned.currency) if request.budget else None
    if not limit:
        return None
    for figure, sure, unsure in (
        (planned.minimum_feasible, BELOW_MINIMUM, UNSURE_MINIMUM),
        (planned.total, BELOW_TOTAL, UNSURE_TOTAL),
    ):
        if figure is not None and figure - limit.amount > _CENT:
            strength: Strength = "strong" if limit.is_certain else "weak"
            params = {
                "budget": _money(limit.amount, limit.currency),
                "figure": _money(figure, planned.currency),
            }
            return Found(TAG, strength, sure if limit.is_certain else unsure, params)
    return None


_ALL_IS_WELL = latin(
    r"""^ [\s.。,!-]* (?: none | no | n/?a | null | ok | nil | false | 无 | 無 | [没沒]有 | 暂无
        | 暫無 | 正常 )? [\s.。,!-]* $
    | (?<! not\s ) \b (?: sufficient | enough | no \s+ warnings? | within \s+ (?:the\s+)? budget )
    | (?<! 不 ) (?: 充足 | 充裕 | 足够 | 足夠 ) | 在预算之?内 | 在預算之?內 | 未超"""
)


class Limit(NamedTuple):
    """What may be spent in all, as far as it can be known."""

    amount: float
    currency: str | None
    is_certain: bool


def _limit(request: Request, budget: Budget, plan_currency: str | None) -> Limit | None:
    """None when there is nothing to compare: no amount, or two currencies."""
    if budget.amount is None or budget.amount < 0:
        return None
    ours, theirs = _code(budget.currency), _code(plan_currency)
    if ours and theirs and ours != theirs:
        return None
    is_certain = bool(ours and theirs and budget.amount)  # 0 often stands for "not said"
    amount = budget.amount
    scope = "-".join(re.split(r"[\s_-]+", (budget.scope or "total").strip().lower()))
    if scope not in _TOTAL:
        is_person, is_day = _PERSON.search(scope), _DAY.search(scope)
        days = asked_days(request)
        is_known = (request.people or not is_person) and (days or not is_day)
        is_certain = is_certain and bool(is_known and (is_person or is_day))
        amount *= (request.people or 1) if is_person else 1
        amount *= (days or 1) if is_day else 1
    return Limit(amount, budget.currency, is_certain)


def _code(currency: str | None) -> str:
    name = "-".join((currency or "").upper().split())
    return _CURRENCY.get(name, name)


def _money(amount: float, currency: str | None) -> str:
    number = f"{amount:,.2f}".removesuffix(".00")
    return f"{number} {currency}" if currency else number


# --- Words: a hint, never more --------------------------------------------------------------------

_WORDS = Phrases(
    """cheap cheaper cheapest cheaply inexpensive cost frugal affordable save saves saving thrifty
    backpacker backpackers backpacking free""",
    r"""\b cheap (?: er | est | ly )? \b | \b inexpensive \b | \b low [\s-]+ cost \b | \b frugal \b
    | \b affordable \b | \b thrifty \b | \b backpack(?:ers?|ing) \b
    | \b sav(?:e|es|ing) \s+ (?: some \s+ | as \s+ much \s+ | us \s+ )? money \b
    | \b (?: only | just ) \s+ free \s+ (?! time | days? ) [a-z]+ | \b free [\s-]+ only \b
    | \b free \s+ (?: attractions? | sights? | museums? | admission | activities ) \s+ only \b""",
    han_keys="穷窮省便宜算低平学學特免经經花",
    han_phrases="""穷游 | 窮遊 | 省钱 | 省錢 | 便宜 | 经济实惠 | 經濟實惠 | 少花[钱錢] | 花[钱錢]少
    | 低[价價] | 低消[费費] | 平[价價] | 特[价價] | 学生党 | 學生黨 | 低[预預]算 | 小[预預]算
    | 预算 (?: 很 | 比较 | 非常 | 有点 | 较 | 十分 | 特别 )?
      (?: 紧 | 有限 | 不多 | 低(?!于) | 少(?!于) | 不足 | 不高 )
    | 預算 (?: 很 | 比較 | 非常 | 有點 | 較 | 十分 | 特別 )?
      (?: 緊 | 有限 | 不多 | 低(?!於) | 少(?!於) | 不足 | 不高 )
    | 只 [^,.;!?。]{0,4} 免[费費] (?! 取消 | 早餐 | 停[车車] | wifi | 接送 | 寄存 )
    | 免[费費]的? (?: 景[点點区區] | 公[园園] | 博物[馆館] | 项目 | 地方 )""",
)

# "Budget" alone says nothing: almost every request names one.
_BUDGET = word_set("budget budgets")
_SMALL = latin(
    r"""(?: \b (?: tight | low | limited | small | shoestring | minimal | strict | modest | tiny )
        (?: er | est )?
    | \b on \s+ (?: a | an | my | our ) (?: \s+ [a-z]+ )? ) [\s-]+ $"""
)
_OF = re.compile(r"\s+(?:of|for|around|that)\b|\s*[:=]?\s*[$¥€£]?\s*\d")
_IS_SMALL = latin(
    r"""\s+ (?: is | are ) \s+ (?: (?: very | quite | rather | pretty | so | a \s+ bit ) \s+ )?
      (?: tight | limited | low | small | modest ) \b
    | [\s-]+ (?: travel | trip | travell?ers? | friendly | conscious | hotels? | hostels? | stays?
        | accommodations? | options? | airlines? | holiday | vacation | backpack\w* ) \b"""
)
_PAID = latin(r"\b paid \b | \b tickets? \b | entrance \s+ fee | 收[费費] | 付[费費] | 门票 | 門票")


def _by_words(request: Request, wording: Wording) -> Found | None:
    if words := _small_budget(wording):
        return Found(TAG, "weak", SAYS, {"words": words})
    mention = _WORDS.first(wording)
    if mention and not mention.is_denied:
        return Found(TAG, "weak", SAYS, {"words": mention.words})
    for avoided in request.avoid or ():
        if _PAID.search(field_wording(avoided).low):
            return Found(TAG, "weak", AVOIDS_PAYING, {"words": avoided[:LONGEST_QUOTE]})
    return None


def _small_budget(wording: Wording) -> str:
    low = wording.low
    for start, end in occurrences(_BUDGET, wording):
        small = _SMALL.search(low[max(0, start - 24) : start])
        if small and "on" in small.group().split() and _OF.match(low, end):
            small = None  # "on a budget of 2,000"
        then = _IS_SMALL.match(low, end)
        left = start - len(small.group()) if small else start
        if (small or then) and not is_denied(low, left, end):
            return wording.quote(left, then.end() if then else end)
    return ""
