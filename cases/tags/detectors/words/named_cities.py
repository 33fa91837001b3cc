"""Words around the name of a city that make it the destination, or that rule it out."""

from __future__ import annotations

from cases.tags.detectors.wording import latin

# Words that begin with the name of a city but are not the city: a road in another city, a park or
# lake in Beijing, an island of Japan, roast duck, a time zone.
NOT_THE_CITY = r"""
    (?! [东西南北中東]? (?: 路 | 街 | 大街 | 大道 | 巷 ) | 人 (?! [民气少多] ) | 本地人 | 朋友
    | 烤鸭 | 烤鴨 | 菜 | 小吃 | 小面 | 火锅 | 火鍋 | 拉面 | 拉麵 | 牛肉面 | 炒饭 | 炒飯 | 热干面
    | 熱乾麵 | 米粉 | 啤酒 | 味道 | 口味 | 风味 | 風味 | 时间 | 時間 | 话 | 話 | 户口 | 戶口 | 银行
    | 銀行 | 现代 | 現代 | 旅行社 | 石 | 寺 | 由 | 锁 | 鎖 | 小异 | 小異 | 门大街 | 門大街 )"""
NOT_THIS_CITY = {
    "北海": "(?! [公道] )",
    "昆明": "(?! 湖 )",
    "苏州": "(?! 河 )",
    "蘇州": "(?! 河 )",
    "成都": "(?<! [变變完]成都 )",
}
NOT_THE_CITY_LATIN = latin(
    r"""(?: 's )? [\s-]+ (?: duck | roast | time | cuisine | food | dishes | opera | restaurants?
        | style | jeep | hyundai | hot \s? pot | noodles? | beer | airlines? | dialect | visa
        | creek | river | park | lake | museum \s+ in | travel \s agency
        | (?: (?: east | west | north | south | middle ) \s+ )? (?: road | street | avenue ) ) \b"""
)
TO = latin(
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
FROM = latin(
    r"""(?: \b (?: from | depart(?:ing)? | leav(?:e|ing) | liv(?:e|ing) \s+ in | based \s+ in
            | start(?:ing)? \s+ (?: in | from ) | back \s+ (?: to | in )
            | home \s+ to | return(?:ing)? \s+ to | not \s+ (?: visit | to ) | unlike | than ) \s+
    | 从 | 從 | 自 | 由 | 回到? | 返回 | 住在 | 人在 | 家在 | 不到 | 除了 | 不像
    | (?: [不别別] | 不想 | 不要 | 不打算 ) 去 ) $"""
)
THEN = latin(
    r"""\s* (?: (?: 市 | city )? \s*
        (?: \d{1,2} | [一二两兩三四五六七八九十]{1,2} ) \s* [天日] (?! [前后後内內] )
    | 之旅 | 之行 | [游遊] (?! 客 ) | 旅[游遊行] (?! 社 ) | 行程 | 自由行 | 自[驾駕] | 攻略
    | [亲親]子 | 周[边邊] | 玩 | 度假 | 深度 | 只有 \s* \d | 春[节節] | [过過]年
    | ,? \s* (?: trip | tour | itinerary | vacation | holiday (?! \s inn ) | getaway | weekend
        | city \s break | (?: in | for )? \s* \d+ [\s-]? (?: days? | nights? ) ) \b )"""
)
AWAY = latin(r"\s* (?: 出[发發] | 飞 | 飛 | 到 | 至 | [启啟]程 | -> | → | to \b )")
JOINED = latin(r"\s* (?: , (?: \s* and )? | 、 | 和 | 与 | 與 | 及 | and | & | \+ | → | -> )? \s*")
