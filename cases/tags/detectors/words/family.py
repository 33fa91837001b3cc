"""Words for `family`: children, families, and the words that speak against them."""

from __future__ import annotations

import re

from cases.tags.detectors.wording import Phrases, latin, word_set

# --- Children in English --------------------------------------------------------------------------

CHILDREN = word_set(
    """child children kid kids baby babies toddler toddlers infant infants newborn newborns
    teen teens teenager teenagers son sons daughter daughters grandchild grandchildren grandkid
    grandkids grandson grandsons granddaughter granddaughters schoolchildren preschooler
    preschoolers"""
)
NUMBER = r"(?: \d{1,2} | one | two | three | four | five | six | both | several )"
OLD = r"\d{1,2} [\s-]? (?: year | yr | month ) s? [\s-] olds?"
BESIDE = rf"""
    (?: (?: a | an | the | my | our | his | her | their | some | and | small | young | tiny | little
        | older | school [\s-] aged? | pre [\s-]? school | {OLD} | {NUMBER} ) \s+ ){{0,5}}"""
BROUGHT = latin(
    rf"""\b (?: with | includ(?:e|es|ing) | plus | and | bring(?:ing)? | tak(?:e|ing) | parents?
        | ha(?:ve|s|ving) | my | our | {NUMBER} | {OLD} ) \s+ {BESIDE} $
    | \b parent - $ | \b the \s+ $ | [带帶和跟陪] [着著上了]? \s* $"""
)
FOR = latin(r"\b for \s+ (?: (?: the | our | my | small | young | little ) \s+ )? $")
# The museum for children, the menu for kids, the wedding of a son.
NO_TRAVELLER = latin(
    r"""(?: 's? | s' ) (?! [a-z] )
    | [\s-]+ (?: friendly | free | clubs? | menus? | areas? | pools? | playgrounds? | zones?
        | polic(?:y|ies) | museums? | parks? | palace | hospitals? | theat(?:er|re)s? | rates?
        | tickets? | fares? | meals? | beds? | activit(?:y|ies) | books? | stay \s free | allowed
        | permitted | welcome | accepted | pandas? | elephants? | animals? | turtles? | seals?
        | shower ) \b"""
)
# --- Families in English --------------------------------------------------------------------------

FAMILIES = Phrases(
    "family families old olds friendly",
    rf"""\b family \s+ (?: of \s+ {NUMBER} | trip | vacation | holidays? | travel | tour | getaway
        | outing | journey | weekend | itinerary | adventure | reunion | break | escape ) \b
    | \b (?: (?: with | as | for | tak(?:e|ing) | bring(?:ing)? ) \s+ (?: a | the | his | her )
        | whole | entire | my | our ) \s+ (?: (?: whole | entire | young | big | little ) \s+ )?
      family \b (?! - | \s+ (?: run | owned | style | mart | rooms? | suites? | restaurants? ) \b )
    | \b (?: family | kids? | child(?:ren)? ) [\s-] friendly \s+
      (?: trip | itinerary | plan | places | activit(?:y|ies) | attractions? | spots? | sights?
        | things | stops? | days? ) \b
    | \b (?: a | an | our | my | with | and ) \s+ {OLD} \b
      (?= \s* (?: [,.;!?)] | $ | (?: and | in | who | boy | girl | with | along | to ) \b ) )""",
    han_keys="亲親娃家",
    han_phrases="""亲子 (?! 酒店 | 房 | 餐 | 套 ) | 親子 (?! 飯店 | 酒店 | 房 | 餐 | 套 )
    | 遛娃 | 溜娃 | 带娃 | 帶娃 | 阖家 | 闔家 | 一家 (?: [三四五六七八] 口 | [子人] )
    | 全家 (?! 便利 | 超市 | 福 )
    | 家庭 (?: 出[游遊] | [游遊] | 旅行 | 旅[游遊] | 行程 | 出行 | 度假 )""",
)
# --- Children in Chinese --------------------------------------------------------------------------

HAN_KEYS = frozenset("孩友娃宝寶婴嬰幼儿兒孙孫学學")
HAN_CHILDREN = re.compile(
    "小?孩子?|小朋友|娃|宝宝|寶寶|宝贝|寶貝|婴儿|嬰兒|幼儿|幼兒|小学生|小學生|儿子|兒子"
    "|儿童(?![医公乐节票床房餐友])|兒童(?![醫公樂節票床房餐友])|女儿(?![国红])|女兒(?![國紅])"
    "|孙[子女](?!兵)|孫[子女](?!兵)"
)
HAN_BROUGHT = re.compile(
    r"(?:[带帶携攜和跟陪同与與领領][^,.;!?。\s]{0,6}"
    r"|(?:\d{1,2}|[一二两兩三四五俩倆])[个個名位]?(?:\d{1,2}[岁歲]半?的?)?"
    r"|\d{1,2}(?:[岁歲]|个月|個月)[半多大]?的?[男女]?"
    r"|(?:我|我们|我們|咱)家?的?|有[个個位名]?|[适適]合)$"
)
HAN_AGED = re.compile(r"(?:才|刚|剛|今年|只有|是)?\d{1,2}(?:[岁歲]|个月|個月)")
HAN_GIRLS = re.compile(r"(?<![岁歲])(?<![岁歲]的)[男女]$")
# --- What speaks against it -----------------------------------------------------------------------

AGE = re.compile(r"(\d{1,2})[\s-]?(?:years?|yrs?|岁|歲)")
EXPLICIT = latin(rf"\b (?: my | our | includ(?:e|es|ing) | {NUMBER} ) \b")
LODGING = latin(
    r"""\b (?: accommodat\w+ | hotels? | lodgings? | rooms? | rentals? | hostels? | house | airbnb
    | propert(?:y|ies) | listings? | stays? | apartments? | polic(?:y|ies) ) \b
    | 酒店 | 住宿 | 民宿 | 宾馆 | 賓館 | 客[栈棧] | 房[间間] | 房源 | 飯店"""
)
TAKES = latin(
    r"""\b (?: allow\w* | permit\w* | accept\w* | accommodat(?:e|es|ing) | suitable | suited
    | welcom\w* | friendly | polic(?:y|ies) | rules? | for \s+ (?: children | kids | infants ) ) \b
    | 允[许許] | 接受 | 接待 | [适適]合 | [欢歡]迎 | 可以?[带帶] | 能[带帶] | 友好 | 政策"""
)
NOR = re.compile(
    "(?:[没沒]有|[无無]|[不没沒][带帶])(?:老人|老年人|长辈|長輩|宠物|寵物|孕妇|孕婦)[或、]?$"
)
VISITED = latin(r"\b (?: visit(?:ing)? | see(?:ing)? | meet(?:ing)? | leav(?:e|ing) ) \s+ $")
# What is worth a hint when it does not clearly travel.
HINTS = Phrases(
    """family families child children kid kids baby babies toddler toddlers infant infants parents
    stroller strollers""",
    r"""\b (?: family (?! [\s-]+ (?: mart | run | owned | style ) ) | families | child(?:ren)?
        | kids? | bab(?:y|ies) (?! \s+ (?: pandas? | elephants? | animals? ) ) | toddlers?
        | infants? | parents | strollers? ) \b""",
    han_keys="亲親孩儿兒友宝寶婴嬰娃父爸",
    han_phrases="""亲子 | 親子 | 孩子 (?<! [男女]孩子 ) | 小孩 | 儿童 | 兒童 | 小朋友 | 宝宝 | 寶寶
    | 婴儿 | 嬰兒 | 娃 | 父母 | 爸[妈媽]""",
)
