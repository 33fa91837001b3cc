"""Words for Spring Festival, and words for other times of the year."""

from __future__ import annotations

import datetime
import functools
import re
from typing import Literal, NamedTuple

import holidays

from cases.itinerary.format import Plan, Request

from .found import RULED_OUT, SAYS, Found, Strength, _, ngettext
from .trip import Stay, asked_stay, dates_in, planned_stay
from .wording import REACH, Mention, Phrases, Wording, is_denied, latin

_FESTIVAL = Phrases(
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
_AVOIDED = latin(
    r"""\b (?: avoid(?:ing|s)? | except | outside | other \s+ than | instead \s+ of | skip(?:ping)?
        | rather \s+ than | after | before | since | until | last | previous | past ) \s+
      (?: (?: the | of | during | in | this | next | any | busy | year's | \d{4} ) \s+ ){0,3} $
    | (?: 避[开開] | [错錯][开開] | 避免 | 不在 | 不是 | (?<! 除 ) 非 | 除了? | 不[选選] | 不[想要]
        | 不打算 | [别別] | 去年 | 前年 | 上[个個] | 上次 | 往年 | 以前 | [过過][完了] )
      (?: 的 | 在 | 到 | 于 | 是 | 选择 | 赶 | 这个 | 今年 | 期间 | 去 | 挤 | 凑 ){0,3} $"""
)
_OVER = re.compile(
    "之?(?:以|过|過)?(?:后|後|前(?![后後夕一])|结束|結束|完|除外|不考虑|不考慮)"
    "|不去(?![\u3400-\u9fff])"
    "| (?:is |are )?(?:excluded|not an option)"
)

_OTHER_TIMES = Phrases(
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


def festival_mention(wording: Wording) -> Mention | None:
    """Denied when the festival is a time to avoid, or over."""
    return _FESTIVAL.first(wording, _is_avoided)


def names_another_time(wording: Wording) -> bool:
    return any(_OTHER_TIMES.matches(wording))


def _is_avoided(low: str, start: int, end: int) -> bool:
    is_over = "完" in low[start:end] or _OVER.match(low, end)
    if is_over or _AVOIDED.search(low[max(0, start - REACH) : start]):
        return True
    return is_denied(low, start, end)


TAG = "spring-festival"
Source = Literal["request", "text", "plan"]


class Window(NamedTuple):
    """The days around the first day of Spring Festival that count as its time."""

    days_before: int = 7
    days_after: int = 15


DEFAULT = Window()

BEFORE = {
    "request": ngettext(
        "The trip starts on %(date)s, %(count)d day before Spring Festival (%(festival)s).",
        "The trip starts on %(date)s, %(count)d days before Spring Festival (%(festival)s).",
    ),
    "text": ngettext(
        "The text names %(date)s, %(count)d day before Spring Festival (%(festival)s).",
        "The text names %(date)s, %(count)d days before Spring Festival (%(festival)s).",
    ),
    "plan": ngettext(
        "The request names no date; the plan starts on %(date)s, "
        "%(count)d day before Spring Festival (%(festival)s).",
        "The request names no date; the plan starts on %(date)s, "
        "%(count)d days before Spring Festival (%(festival)s).",
    ),
}
AFTER = {
    "request": ngettext(
        "The trip starts on %(date)s, %(count)d day after Spring Festival began (%(festival)s).",
        "The trip starts on %(date)s, %(count)d days after Spring Festival began (%(festival)s).",
    ),
    "text": ngettext(
        "The text names %(date)s, %(count)d day after Spring Festival began (%(festival)s).",
        "The text names %(date)s, %(count)d days after Spring Festival began (%(festival)s).",
    ),
    "plan": ngettext(
        "The request names no date; the plan starts on %(date)s, "
        "%(count)d day after Spring Festival began (%(festival)s).",
        "The request names no date; the plan starts on %(date)s, "
        "%(count)d days after Spring Festival began (%(festival)s).",
    ),
}
ON = {
    "request": _("The trip starts on %(date)s, the first day of Spring Festival."),
    "text": _("The text names %(date)s, the first day of Spring Festival."),
    "plan": _(
        "The request names no date; the plan starts on %(date)s, the first day of Spring Festival."
    ),
}
INTO = {
    "request": _(
        "The trip from %(date)s to %(end)s reaches the days around Spring Festival (%(festival)s)."
    ),
    "text": _("The text names %(date)s, in the days around Spring Festival (%(festival)s)."),
    "plan": _(
        "The request names no date; the plan from %(date)s to %(end)s reaches the days around "
        "Spring Festival (%(festival)s)."
    ),
}
OTHER_DATES = _("The request says “%(words)s”, but the trip starts on %(date)s.")


def find_festival(
    request: Request, plan: Plan | None, wording: Wording, window: Window
) -> Found | None:
    stay = asked_stay(request)
    if stay and (dated := _dated(stay, window, "strong", "request")):
        return dated
    if said := _said(wording):
        if stay and said.strength == "strong" and _is_known(stay):
            words = said.params["words"]
            return Found(TAG, "weak", OTHER_DATES, {"words": words, "date": stay.start.isoformat()})
        return said
    if stay:
        return None
    named = list(dates_in(wording.low))
    if named:
        found = (_dated(Stay(date, date), window, "weak", "text") for date in named)
        return next(filter(None, found), None)
    planned = planned_stay(plan)
    # A product that is told no date may simply plan from today on.
    if planned and (dated := _dated(planned, window, "weak", "plan")):
        return None if names_another_time(wording) else dated
    return None


def _said(wording: Wording) -> Found | None:
    mention = festival_mention(wording)
    if not mention:
        return None
    strength: Strength = "weak" if mention.is_denied else "strong"
    message = RULED_OUT if mention.is_denied else SAYS
    return Found(TAG, strength, message, {"words": mention.words})


def _dated(stay: Stay, window: Window, strength: Strength, source: Source) -> Found | None:
    before = datetime.timedelta(days=window.days_before)
    after = datetime.timedelta(days=window.days_after)
    # However long the trip is: the first festival that it meets comes within two years.
    for year in range(stay.start.year, min(stay.end.year, stay.start.year + 1) + 2):
        festival = first_day(year)
        if festival and stay.start <= festival + after and stay.end >= festival - before:
            return _placed(stay, festival, strength, source, window)
    return None


def _placed(
    stay: Stay, festival: datetime.date, strength: Strength, source: Source, window: Window
) -> Found:
    date = {"date": stay.start.isoformat()}
    around = {**date, "festival": festival.isoformat()}
    ahead = (festival - stay.start).days
    if ahead == 0:
        return Found(TAG, strength, ON[source], date)
    if ahead > window.days_before:
        return Found(TAG, strength, INTO[source], {**around, "end": stay.end.isoformat()})
    message, plural = (BEFORE if ahead > 0 else AFTER)[source]
    return Found(TAG, strength, message, {**around, "count": abs(ahead)}, plural)


def _is_known(stay: Stay) -> bool:
    return first_day(stay.start.year) is not None


@functools.lru_cache(maxsize=512)
def first_day(year: int) -> datetime.date | None:
    """Of Spring Festival; None for a year that is not known (the package knows 1950 to 2100)."""
    if not datetime.MINYEAR <= year <= datetime.MAXYEAR:
        return None
    days = holidays.country_holidays("CN", years=year, observed=False, language="en_US")
    # New Year's Eve is a holiday of its own in many years.
    names = ((day, name) for day, name in days.items() if "Spring Festival" in name)
    return min((day for day, name in names if day.year == year), default=None)
