"""Words for Spring Festival, and for other times of the year."""

from __future__ import annotations

import re

from cases.tags.detectors.wording import Phrases, latin

FESTIVAL = Phrases(
    "festival year years chunjie chunyun cny",
    r"""(?<! prague\s ) (?<! budapest\s ) (?<! music\s ) (?<! flower\s ) (?<! blossom\s )
      \b spring [\s-]+ festival \b
    | \b (?: chinese | lunar | china's ) \s+ (?: lunar \s+ )? new [\s-]+ years? \b
    | \b chunjie \b | \b chunyun \b
    | \b cny \s+ (?: holidays? | peak | week | period | break | rush ) \b""",
    han_keys="春除年正",
    han_phrases="""春[节節] | 新春 (?! 路 ) | 除夕 | 正月 | 年三十 | 年夜[饭飯] | 春[运運]
    | 中[国國]新年 | 农历新?年 | 農曆新?年 | 大年 (?: 三十 | 初[一二三四五六七八九十] )
    | 过 (?<! [超通经见越不]过 ) 年 (?! [龄度份代检限费轻级纪租薪票卡底假] ) | 过完年
    | 過 (?<! [超通經見越不]過 ) 年 (?! [齡度份代檢限費輕級紀租薪票卡底假] ) | 過完年""",
)
AVOIDED = latin(
    r"""\b (?: avoid(?:ing|s)? | except | outside | other \s+ than | instead \s+ of | skip(?:ping)?
        | rather \s+ than | after | before | since | until | last | previous | past ) \s+
      (?: (?: the | of | during | in | this | next | any | busy | year's | \d{4} ) \s+ ){0,3} $
    | (?: 避[开開] | [错錯][开開] | 避免 | 不在 | 不是 | (?<! 除 ) 非 | 除了? | 不[选選] | 不[想要]
        | 不打算 | [别別] | 去年 | 前年 | 上[个個] | 上次 | 往年 | 以前 | [过過][完了] )
      (?: 的 | 在 | 到 | 于 | 是 | 选择 | 赶 | 这个 | 今年 | 期间 | 去 | 挤 | 凑 ){0,3} $"""
)
OVER = re.compile(
    "之?(?:以|过|過)?(?:后|後|前(?![后後夕一])|结束|結束|完|除外|不考虑|不考慮)"
    "|不去(?![\u3400-\u9fff])"
    "| (?:is |are )?(?:excluded|not an option)"
)
OTHER_TIMES = Phrases(
    """may march april june july august september october november december summer autumn christmas
    easter season""",
    r"""\b (?: april | june | july | august | september | october | november | december | summer
        | (?: in | of | next | this | early | mid | late ) [\s-]+ (?: may | march )
        | autumn | christmas | easter | off [\s-]? season ) \b""",
    han_keys="月国國五十暑中端清元圣聖淡夏秋",
    han_phrases="""国庆 | 國慶 | 五一 | 十一 | 暑假 | 中秋 | 端午 | 清明 | 元旦 | 圣诞 | 聖誕 | 淡季
    | 夏[天季] | 秋[天季]
    | 月 (?: (?<= [4-9四五六七八九十]月 ) | (?<= 1[012]月 ) | (?<= 十[一二]月 ) )""",
)
