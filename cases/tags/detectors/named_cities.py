"""Cities named in the words of a request, and whether the words make them the destination."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from typing import NamedTuple

from .cities import CHINESE, LATIN
from .wording import Wording, is_whole, latin

# Places, dishes and words that begin with the name of a city and are not the city: a road in
# another city, a park or lake in Beijing, an island of Japan, roast duck, a way to tell the time.
_NOT_THE_CITY = r"""
    (?! [东西南北中東]? (?: 路 | 街 | 大街 | 大道 | 巷 ) | 人 (?! [民气少多] ) | 本地人 | 朋友
    | 烤鸭 | 烤鴨 | 菜 | 小吃 | 小面 | 火锅 | 火鍋 | 拉面 | 拉麵 | 牛肉面 | 炒饭 | 炒飯 | 热干面
    | 熱乾麵 | 米粉 | 啤酒 | 味道 | 口味 | 风味 | 風味 | 时间 | 時間 | 话 | 話 | 户口 | 戶口 | 银行
    | 銀行 | 现代 | 現代 | 旅行社 | 石 | 寺 | 由 | 锁 | 鎖 | 小异 | 小異 | 门大街 | 門大街 )"""
_NOT_THIS_CITY = {
    "北海": "(?! [公道] )",
    "昆明": "(?! 湖 )",
    "苏州": "(?! 河 )",
    "蘇州": "(?! 河 )",
    "成都": "(?<! [变變完]成都 )",
}
_NAMES = " | ".join(name + _NOT_THIS_CITY.get(name, "") for name in CHINESE)
CITY = latin(f"(?: {_NAMES} ) {_NOT_THE_CITY}")
_NOT_THE_CITY_LATIN = latin(
    r"""(?: 's )? [\s-]+ (?: duck | roast | time | cuisine | food | dishes | opera | restaurants?
        | style | jeep | hyundai | hot \s? pot | noodles? | beer | airlines? | dialect | visa
        | creek | river | park | lake | museum \s+ in | travel \s agency
        | (?: (?: east | west | north | south | middle ) \s+ )? (?: road | street | avenue ) ) \b"""
)
_FIRST_CHARACTERS = frozenset(name[0] for name in CHINESE)
_BY_FIRST_WORD: dict[str, list[str]] = {}
for _name in sorted(LATIN):
    _BY_FIRST_WORD.setdefault(re.split("[ ']", _name)[0], []).append(_name)
_FIRST_WORDS = frozenset(_BY_FIRST_WORD)

# How far before a name the words that lead to it are looked for.
AHEAD = 24

_TO = latin(
    r"""(?: (?<! [a-z] )
        (?: (?<! back\s ) (?<! return\s ) (?<! returning\s ) (?<! home\s ) (?<! been\s )
            (?<! compared\s ) (?<! similar\s ) (?<! close\s ) (?<! next\s ) to
        | visit | visiting | explor(?:e|ing) | tour(?:ing)? | discover(?:ing)?
        | (?: leav(?:e|ing) | head(?:ing)? | bound ) \s+ for
        | destination (?: \s is )? :? | \d+ [\s-] (?: days? | nights? | weeks? ) (?: \s+ in )?
        | (?: trip | vacation | holiday | itinerary | days | weekend ) \s+ (?: in | for ) )
      \s+ (?: the \s+ )? ["“]?
    | (?<! [不别別没沒] ) (?<! 不想 ) (?<! 不要 ) (?<! 不打算 )
      (?: [去到赴游遊玩飞飛逛来來] | 前往 | 抵[达達] | 目的地 [是为為:]? ) \s* ) $"""
)
_FROM = latin(
    r"""(?: \b (?: from | depart(?:ing)? | leav(?:e|ing) | liv(?:e|ing) \s+ in | based \s+ in
            | start(?:ing)? \s+ (?: in | from ) | back \s+ (?: to | in )
            | home \s+ to | return(?:ing)? \s+ to | not \s+ (?: visit | to ) | unlike | than ) \s+
    | 从 | 從 | 自 | 由 | 回到? | 返回 | 住在 | 人在 | 家在 | 不到 | 除了 | 不像
    | (?: [不别別] | 不想 | 不要 | 不打算 ) 去 ) $"""
)
_THEN = latin(
    r"""\s* (?: (?: 市 | city )? \s*
        (?: \d{1,2} | [一二两兩三四五六七八九十]{1,2} ) \s* [天日] (?! [前后後内內] )
    | 之旅 | 之行 | [游遊] (?! 客 ) | 旅[游遊行] (?! 社 ) | 行程 | 自由行 | 自[驾駕] | 攻略
    | [亲親]子 | 周[边邊] | 玩 | 度假 | 深度 | 只有 \s* \d | 春[节節] | [过過]年
    | ,? \s* (?: trip | tour | itinerary | vacation | holiday (?! \s inn ) | getaway | weekend
        | city \s break | (?: in | for )? \s* \d+ [\s-]? (?: days? | nights? ) ) \b )"""
)
_AWAY = latin(r"\s* (?: 出[发發] | 飞 | 飛 | 到 | 至 | [启啟]程 | -> | → | to \b )")
_JOINED = latin(r"\s* (?: , (?: \s* and )? | 、 | 和 | 与 | 與 | 及 | and | & | \+ | → | -> )? \s*")


class Place(NamedTuple):
    """`words` are the name, or the words that make it the destination."""

    words: str
    is_destination: bool


def named_places(wording: Wording, given: Set[str], origins: Set[str]) -> dict[str, Place]:
    """The cities beside those that are known from the fields, by their tag."""
    found: dict[str, Place] = {}
    together: list[tuple[str, str]] = []  # "Beijing, Xi'an and Chengdu": what holds for one
    joined_to, is_clear = 0, False
    for start, end, tag in sorted(_places(wording)):
        words = "" if tag in given else None if tag in origins else _leading(wording, start, end)
        if not _JOINED.fullmatch(wording.low, joined_to, start):
            together, is_clear = [], False
        joined_to = end
        if words is None:
            continue
        name = wording.text[start:end]
        if tag not in given:
            together.append((tag, name))
            found.setdefault(tag, Place(name, is_destination=False))
        is_clear = is_clear or bool(words) or tag in given
        if is_clear:
            for each, its_name in together:
                if not found[each].is_destination:
                    why = words if each == tag and words else its_name
                    found[each] = Place(why, is_destination=True)
    return found


def _places(wording: Wording) -> Iterator[tuple[int, int, str]]:
    low = wording.low
    if not _FIRST_CHARACTERS.isdisjoint(wording.han):
        for match in CITY.finditer(low):
            yield match.start(), match.end(), CHINESE[match.group()]
    for word in _FIRST_WORDS & wording.words:
        for name in _BY_FIRST_WORD[word]:
            start = low.find(name)
            while start >= 0:
                end = start + len(name)
                if is_whole(low, start, end) and not _NOT_THE_CITY_LATIN.match(low, end):
                    yield start, end, LATIN[name]
                start = low.find(name, end)


def _leading(wording: Wording, start: int, end: int) -> str | None:
    """The words that make a place the destination; "" when none do; None when it is none."""
    low = wording.low
    ahead = low[max(0, start - AHEAD) : start]
    if _FROM.search(ahead):
        return None
    if to := _TO.search(ahead):
        return wording.quote(start - len(to.group()), end)
    if _AWAY.match(low, end):
        return None
    then = _THEN.match(low, end)
    return wording.quote(start, then.end()) if then else ""
