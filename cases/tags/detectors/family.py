"""`family`: children travel. A house rule that lodging takes children is only a hint."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cases.itinerary.format import Request

from .found import RULED_OUT, SAYS, Found, _
from .wording import (
    REACH,
    Phrases,
    Wording,
    clause_around,
    field_wording,
    is_denied,
    latin,
    occurrences,
    word_set,
)

TAG = "family"

GROUP = _("The group type is “family”.")
HOUSE_RULE = _("The lodging is to take children; that children travel is not said.")
MENTIONED = _("The request mentions “%(words)s”; that children travel is not clear.")

# --- Children in English --------------------------------------------------------------------------

_CHILDREN = word_set(
    """child children kid kids baby babies toddler toddlers infant infants newborn newborns
    teen teens teenager teenagers son sons daughter daughters grandchild grandchildren grandkid
    grandkids grandson grandsons granddaughter granddaughters schoolchildren preschooler
    preschoolers"""
)
_NUMBER = r"(?: \d{1,2} | one | two | three | four | five | six | both | several )"
_OLD = r"\d{1,2} [\s-]? (?: year | yr | month ) s? [\s-] olds?"
_BESIDE = rf"""
    (?: (?: a | an | the | my | our | his | her | their | some | and | small | young | tiny | little
        | older | school [\s-] aged? | pre [\s-]? school | {_OLD} | {_NUMBER} ) \s+ ){{0,5}}"""
_BROUGHT = latin(
    rf"""\b (?: with | includ(?:e|es|ing) | plus | and | bring(?:ing)? | tak(?:e|ing) | parents?
        | ha(?:ve|s|ving) | my | our | {_NUMBER} | {_OLD} ) \s+ {_BESIDE} $
    | \b parent - $ | \b the \s+ $ | [带帶和跟陪] [着著上了]? \s* $"""
)
_FOR = latin(r"\b for \s+ (?: (?: the | our | my | small | young | little ) \s+ )? $")
# The museum for children, the menu for kids, the wedding of a son.
_NO_TRAVELLER = latin(
    r"""(?: 's? | s' ) (?! [a-z] )
    | [\s-]+ (?: friendly | free | clubs? | menus? | areas? | pools? | playgrounds? | zones?
        | polic(?:y|ies) | museums? | parks? | palace | hospitals? | theat(?:er|re)s? | rates?
        | tickets? | fares? | meals? | beds? | activit(?:y|ies) | books? | stay \s free | allowed
        | permitted | welcome | accepted | pandas? | elephants? | animals? | turtles? | seals?
        | shower ) \b"""
)

# --- Families in English --------------------------------------------------------------------------

_FAMILIES = Phrases(
    "family families old olds friendly",
    rf"""\b family \s+ (?: of \s+ {_NUMBER} | trip | vacation | holidays? | travel | tour | getaway
        | outing | journey | weekend | itinerary | adventure | reunion | break | escape ) \b
    | \b (?: (?: with | as | for | tak(?:e|ing) | bring(?:ing)? ) \s+ (?: a | the | his | her )
        | whole | entire | my | our ) \s+ (?: (?: whole | entire | young | big | little ) \s+ )?
      family \b (?! - | \s+ (?: run | owned | style | mart | rooms? | suites? | restaurants? ) \b )
    | \b (?: family | kids? | child(?:ren)? ) [\s-] friendly \s+
      (?: trip | itinerary | plan | places | activit(?:y|ies) | attractions? | spots? | sights?
        | things | stops? | days? ) \b
    | \b (?: a | an | our | my | with | and ) \s+ {_OLD} \b
      (?= \s* (?: [,.;!?)] | $ | (?: and | in | who | boy | girl | with | along | to ) \b ) )""",
    han_keys="亲親娃家",
    han_phrases="""亲子 (?! 酒店 | 房 | 餐 | 套 ) | 親子 (?! 飯店 | 酒店 | 房 | 餐 | 套 )
    | 遛娃 | 溜娃 | 带娃 | 帶娃 | 阖家 | 闔家 | 一家 (?: [三四五六七八] 口 | [子人] )
    | 全家 (?! 便利 | 超市 | 福 )
    | 家庭 (?: 出[游遊] | [游遊] | 旅行 | 旅[游遊] | 行程 | 出行 | 度假 )""",
)

# --- Children in Chinese --------------------------------------------------------------------------

_HAN_KEYS = frozenset("孩友娃宝寶婴嬰幼儿兒孙孫学學")
_HAN_CHILDREN = re.compile(
    "小?孩子?|小朋友|娃|宝宝|寶寶|宝贝|寶貝|婴儿|嬰兒|幼儿|幼兒|小学生|小學生|儿子|兒子"
    "|儿童(?![医公乐节票床房餐友])|兒童(?![醫公樂節票床房餐友])|女儿(?![国红])|女兒(?![國紅])"
    "|孙[子女](?!兵)|孫[子女](?!兵)"
)
_HAN_BROUGHT = re.compile(
    r"(?:[带帶携攜和跟陪同与與领領][^,.;!?。\s]{0,6}"
    r"|(?:\d{1,2}|[一二两兩三四五俩倆])[个個名位]?(?:\d{1,2}[岁歲]半?的?)?"
    r"|\d{1,2}(?:[岁歲]|个月|個月)[半多大]?的?[男女]?"
    r"|(?:我|我们|我們|咱)家?的?|有[个個位名]?|[适適]合)$"
)
_HAN_AGED = re.compile(r"(?:才|刚|剛|今年|只有|是)?\d{1,2}(?:[岁歲]|个月|個月)")
_HAN_GIRLS = re.compile(r"(?<![岁歲])(?<![岁歲]的)[男女]$")

# --- What speaks against it -----------------------------------------------------------------------

_AGE = re.compile(r"(\d{1,2})[\s-]?(?:years?|yrs?|岁|歲)")
_GROWN = 18
_EXPLICIT = latin(rf"\b (?: my | our | includ(?:e|es|ing) | {_NUMBER} ) \b")
_LODGING = latin(
    r"""\b (?: accommodat\w+ | hotels? | lodgings? | rooms? | rentals? | hostels? | house | airbnb
    | propert(?:y|ies) | listings? | stays? | apartments? | polic(?:y|ies) ) \b
    | 酒店 | 住宿 | 民宿 | 宾馆 | 賓館 | 客[栈棧] | 房[间間] | 房源 | 飯店"""
)
_TAKES = latin(
    r"""\b (?: allow\w* | permit\w* | accept\w* | accommodat(?:e|es|ing) | suitable | suited
    | welcom\w* | friendly | polic(?:y|ies) | rules? | for \s+ (?: children | kids | infants ) ) \b
    | 允[许許] | 接受 | 接待 | [适適]合 | [欢歡]迎 | 可以?[带帶] | 能[带帶] | 友好 | 政策"""
)
_NOR = re.compile(
    "(?:[没沒]有|[无無]|[不没沒][带帶])(?:老人|老年人|长辈|長輩|宠物|寵物|孕妇|孕婦)[或、]?$"
)
_VISITED = latin(r"\b (?: visit(?:ing)? | see(?:ing)? | meet(?:ing)? | leav(?:e|ing) ) \s+ $")

# What is worth a hint when it does not clearly travel.
_HINTS = Phrases(
    """family families child children kid kids baby babies toddler toddlers infant infants parents
    stroller strollers""",
    r"""\b (?: family (?! [\s-]+ (?: mart | run | owned | style ) ) | families | child(?:ren)?
        | kids? | bab(?:y|ies) (?! \s+ (?: pandas? | elephants? | animals? ) ) | toddlers?
        | infants? | parents | strollers? ) \b""",
    han_keys="亲親孩儿兒友宝寶婴嬰娃父爸",
    han_phrases="""亲子 | 親子 | 孩子 (?<! [男女]孩子 ) | 小孩 | 儿童 | 兒童 | 小朋友 | 宝宝 | 寶寶
    | 婴儿 | 嬰兒 | 娃 | 父母 | 爸[妈媽]""",
)


def find_family(request: Request, wording: Wording, *, is_read: bool = False) -> Found | None:
    """`is_read`: the group type was read from the text, so the text itself decides."""
    if request.group_type != "family":
        return _in_words(request, wording)
    if not is_read:
        return Found(TAG, "strong", GROUP, {})
    found = _in_words(request, wording)
    if found and (found.strength == "strong" or found.message == HOUSE_RULE):
        return found
    return Found(TAG, "strong", GROUP, {})


def _in_words(request: Request, wording: Wording) -> Found | None:
    doubtful = None
    for start, end in _travellers(wording):
        if not _speaks_against(wording.low, start, end):
            return Found(TAG, "strong", SAYS, {"words": wording.quote(start, end)})
        doubtful = doubtful or _doubtful(wording, start, end)
    if doubtful:
        return doubtful
    if hint := _HINTS.first(wording):
        return _doubtful(wording, hint.start, hint.end)
    return _house_rule(request.lodging)


def _travellers(wording: Wording) -> Iterator[tuple[int, int]]:
    """Where children are named in a way that people name who comes along."""
    low = wording.low
    for start, end in occurrences(_CHILDREN, wording):
        before = low[max(0, start - REACH) : start]
        brought = _BROUGHT.search(before)
        if not brought and not _LODGING.search(clause_around(low, start, end)):
            brought = _FOR.search(before)  # what is to suit children, unless it is lodging
        if not brought or _NO_TRAVELLER.match(low, end):
            continue
        # "the kids" are somebody's, "the kid" may be Billy
        if brought.group().strip() != "the" or low[start:end].endswith(("s", "ren")):
            yield start - len(brought.group()), end
    yield from (match.span() for match in _FAMILIES.matches(wording))
    if not _HAN_KEYS.isdisjoint(wording.han):
        yield from _han_travellers(low)


def _han_travellers(low: str) -> Iterator[tuple[int, int]]:
    for match in _HAN_CHILDREN.finditer(low):
        start, end = match.span()
        before = low[max(0, start - 10) : start]
        if _HAN_GIRLS.search(before):  # 女孩子 are not children
            continue
        if brought := _HAN_BROUGHT.search(before):
            yield start - len(brought.group()), end
        elif aged := _HAN_AGED.match(low, end):
            yield start, aged.end()


def _speaks_against(low: str, start: int, end: int) -> bool:
    words, before = low[start:end], low[max(0, start - 12) : start]
    ages = [int(age) for age in _AGE.findall(words)]
    if ages and min(ages) >= _GROWN:
        return True
    if not _EXPLICIT.search(words) and _is_house_rule(low, start, end):
        return True
    return bool(_VISITED.search(before) or _NOR.search(before)) or is_denied(low, start, end)


def _is_house_rule(low: str, start: int, end: int) -> bool:
    clause = clause_around(low, start, end)
    return bool(_LODGING.search(clause) and _TAKES.search(clause))


def _doubtful(wording: Wording, start: int, end: int) -> Found:
    words = {"words": wording.quote(start, end)}
    if is_denied(wording.low, start, end):
        return Found(TAG, "weak", RULED_OUT, words)
    if _is_house_rule(wording.low, start, end):
        return Found(TAG, "weak", HOUSE_RULE, {})
    return Found(TAG, "weak", MENTIONED, words)


def _house_rule(lodging: str | list[str] | None) -> Found | None:
    is_rule = lodging and _HINTS.first(field_wording(lodging))
    return Found(TAG, "weak", HOUSE_RULE, {}) if is_rule else None
