"""Words for `low-budget`: currencies, scopes of a budget, and cheap travel."""

from __future__ import annotations

import re

from cases.tags.detectors.wording import Phrases, latin, word_set

CURRENCIES = {
    "CNY": "CNY RMB CNH YUAN 元 人民币 人民幣 ¥ ￥ CN¥ RMB¥ 块 圆 圓",
    "USD": "USD $ US$ DOLLAR DOLLARS 美元 美金 US-DOLLAR US-DOLLARS",
    "EUR": "EUR € EURO EUROS 欧元 歐元",
    "GBP": "GBP £ POUND POUNDS 英镑 英鎊",
    "JPY": "JPY YEN 日元 日圆 日圓 円 JP¥",
    "HKD": "HKD HK$ 港币 港幣 港元",
    "TWD": "TWD NT$ NTD 新台币 新臺幣 台币 臺幣",
}
CURRENCY = {name: code for code, names in CURRENCIES.items() for name in names.split()}
TOTAL = word_set(
    """total overall all whole trip whole-trip entire group party collective sum budget for-all
    total-budget 总 总计 总共 总额 总预算 全部 全程 一共 合计 總 總計 總共 總額 總預算"""
)
PERSON = re.compile(r"person|head|capita|pax|traveller|traveler|adult|each|\bpp\b|人")
DAY = re.compile("day|daily|天|日")
ALL_IS_WELL = latin(
    r"""^ [\s.。,!-]* (?: none | no | n/?a | null | ok | nil | false | 无 | 無 | [没沒]有 | 暂无
        | 暫無 | 正常 )? [\s.。,!-]* $
    | (?<! not\s ) \b (?: sufficient | enough | no \s+ warnings? | within \s+ (?:the\s+)? budget )
    | (?<! 不 ) (?: 充足 | 充裕 | 足够 | 足夠 ) | 在预算之?内 | 在預算之?內 | 未超"""
)
WORDS = Phrases(
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
# "Budget" alone means nothing: almost every request has one.
BUDGET = word_set("budget budgets")
SMALL = latin(
    r"""(?: \b (?: tight | low | limited | small | shoestring | minimal | strict | modest | tiny )
        (?: er | est )?
    | \b on \s+ (?: a | an | my | our ) (?: \s+ [a-z]+ )? ) [\s-]+ $"""
)
OF = re.compile(r"\s+(?:of|for|around|that)\b|\s*[:=]?\s*[$¥€£]?\s*\d")
IS_SMALL = latin(
    r"""\s+ (?: is | are ) \s+ (?: (?: very | quite | rather | pretty | so | a \s+ bit ) \s+ )?
      (?: tight | limited | low | small | modest ) \b
    | [\s-]+ (?: travel | trip | travell?ers? | friendly | conscious | hotels? | hostels? | stays?
        | accommodations? | options? | airlines? | holiday | vacation | backpack\w* ) \b"""
)
PAID = latin(r"\b paid \b | \b tickets? \b | entrance \s+ fee | 收[费費] | 付[费費] | 门票 | 門票")
