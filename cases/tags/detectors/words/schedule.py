"""Words for `tight-schedule`: lists of places, numbers of days, and a fast pace."""

from __future__ import annotations

import re

from cases.tags.detectors.wording import Phrases, latin

IN_ONE = re.compile("[、;；\n]")
MUST = latin(
    r"""(?: 必[去看游遊] | 必[须須]去 | 必打卡 | 一定要[去看] )
    [^、,.;!?。\s]{0,12} 、 [^,.;!?。\s]*"""
)
MUST_LATIN = latin(
    r"""\b must [\s-]+ (?: visit | see | go \s+ to | include | do ) s? \b :? \s+
    ( [^.;!?\n]{4,200} )"""
)
HAN_LIST = re.compile("、|(?<![颐頤雍太保中呼永])[和与與及](?!平)")  # 颐和园, 和平饭店
LIST = re.compile(r",\s*(?:and\s+)?|\s+and\s+|\s+&\s+", re.IGNORECASE)
NAME = re.compile(r"(?:the\s+)?[A-Z][\w'.-]*(?:\s+(?:of|the|de|du|[A-Z0-9][\w'.-]*))*$")
DAYS = latin(
    r"""(?<! [第每提月.\d] ) (?P<number> \d{1,2} | [一二两兩三四五六七八九十] ) \s*
      (?: 天 (?! [前后後] ) | 日 (?! [元期本落出子] ) )
    | \b (?P<latin> \d{1,2} | one | two | three | four | five | six | seven | single )
      [\s-]+ days? \b"""
)
VALUES = dict(zip("一二三四五六七八九十", range(1, 11), strict=True)) | {"两": 2, "兩": 2}
LATIN_VALUES = {
    word: value
    for value, word in enumerate(("one", "two", "three", "four", "five", "six", "seven"), 1)
} | {"single": 1}
WORDS = Phrases(
    "tight packed jam busy fast whirlwind many everything short",
    r"""\b (?: tight | packed | jam-packed | action-packed | busy ) (?: ly [\s-]+ packed )? \s+
      (?: schedule | itinerary | timeline | programme | program ) \b | \b jam [\s-] packed \b
    | \b fast [\s-] paced \b | \b whirlwind \b | \b see \s+ everything \b
    | \b short \s+ on \s+ time \b
    | \b as \s+ many \s+ (?: places | sights | attractions | spots ) \s+ as \s+ possible""",
    han_keys="兵暴卡赶趕紧緊蹄花满滿",
    han_phrases="""特[种種]兵 | 暴走 | 打卡 | 赶场 | 趕場 | 紧凑 | 緊湊 | 马不停蹄 | 馬不停蹄
    | 走马观花 | 走馬觀花 | 行程 [很比较較非常]{0,2} [紧緊满滿赶趕] | 时间 [很比较非常]{0,2} 紧
    | 時間 [很比較非常]{0,2} 緊""",
)
