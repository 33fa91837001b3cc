"""Template filters and tags for an itinerary: its words and its lanes."""

from collections.abc import Iterator

from django import template
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from cases.case import display as case_display
from cases.case.vocabulary import listed
from cases.facts import Leg
from cases.itinerary.cards import RepeatCard
from cases.itinerary.lanes import Bar, Lane, Lanes
from cases.itinerary.language import Text, detect_language
from cases.itinerary.notes import Badge

register = template.Library()

KINDS = {
    "transport": _("transfer"),
    "meal": _("meal"),
    "sight": _("visit"),
    "rest": _("rest"),
    "hotel": _("lodging"),
    "other": _("other"),
}
PLAN_PARTS = {
    "status": _("status"),
    "title": _("title"),
    "summary": _("summary"),
    "budget": _("money"),
    "fallbacks": _("fallbacks"),
    "notes": _("notes"),
}
# Presentation attributes, because print engines ignore CSS variables, which override them.
FILLS = {
    "visit": "#0b6b66",
    "transfer": "#8a9499",
    "buffer": "#ffffff",
    "meal": "#fcf1d8",
    "rest": "#e3f2e6",
    "hotel": "#d9d4ec",
    "other": "#dcdeda",
}
ROW_HEIGHT = 20


register.filter("anchor", case_display.anchor)
register.filter("dated", case_display.dated)
register.filter("short_dated", case_display.short_dated)
register.filter("money", case_display.format_money)
register.filter("mode_words", case_display.translate_mode)
register.filter("part_words", case_display.translate_part)


@register.filter
def case_text(text: Text | str | None) -> SafeString:
    """Mark up words of the case in their own language, with their translation if there is one.

    Not an included template: a plan has dozens of texts, and each include would cost more.
    """
    if not isinstance(text, Text):
        return conditional_escape(text or "")
    start = format_html(' data-start="{}"', text.start) if text.start else ""
    words = format_html(
        '<span lang="{}" dir="auto" data-pointer="{}"{}>{}</span>',
        text.language,
        text.pointer,
        start,
        text.text,
    )
    if text.translation is None:
        return words
    return format_html(
        '{} <span class="unseen">{}</span> '
        '<span class="translation" lang="{}" dir="auto" title="{}">{}</span>',
        words,
        gettext("Translation:"),
        text.translation.language,
        gettext("Translation that came with the case"),
        text.translation.text,
    )


@register.filter
def kind_words(kind: str) -> str:
    return str(KINDS[kind])


@register.filter
def language_in(text: str | None, locale: str | None) -> str:
    """Detect the language of a text of a case."""
    return detect_language(text or "", locale)


@register.filter
def plan_part_words(name: str) -> str:
    return str(PLAN_PARTS[name])


@register.filter
def minutes_words(minutes: float) -> str:
    hours, rest = divmod(round(minutes), 60)
    if not hours:
        return gettext("%(minutes)d min") % {"minutes": rest}
    if not rest:
        return gettext("%(hours)d h") % {"hours": hours}
    return gettext("%(hours)d h %(minutes)d min") % {"hours": hours, "minutes": rest}


@register.filter
def buffer_words(minutes: float) -> str:
    return gettext("%(minutes)d min buffer") % {"minutes": round(minutes)}


@register.filter
def leg_words(leg: Leg, locale: str | None) -> SafeString:
    """Describe a leg: "10 min by metro + 20 min buffer; gap 30: fits", or "...: short by 50"."""
    parts = []
    if leg.transfer is not None and case_display.is_on_foot(leg.mode):
        parts.append(filled(gettext("%(minutes)d min on foot"), minutes=leg.transfer))
    elif leg.transfer is not None and leg.mode:
        mode = case_display.translate_mode(leg.mode, locale)
        parts.append(
            filled(gettext("%(minutes)d min by %(mode)s"), minutes=leg.transfer, mode=mode)
        )
    elif leg.transfer is not None:
        parts.append(filled(gettext("%(minutes)d min transfer"), minutes=leg.transfer))
    if leg.buffer is not None:
        parts.append(filled(gettext("%(minutes)d min buffer"), minutes=leg.buffer))
    if leg.lunch:
        parts.append(filled(gettext("%(minutes)d min meal"), minutes=leg.lunch))
    needed = mark_safe(" + ".join(parts))  # noqa: S308  every part is escaped
    if leg.gap is None:
        return needed
    if leg.gap < 0:
        return filled(gettext("starts %(over)d min before the stop above ends"), over=-leg.gap)
    if leg.short_by:
        template = gettext("%(needed)s; gap %(gap)d: short by %(short)d")
        return filled(template, needed=needed, gap=leg.gap, short=leg.short_by)
    return filled(gettext("%(needed)s; gap %(gap)d: fits"), needed=needed, gap=leg.gap)


@register.simple_tag
def badge_of(badge: Badge, locale: str | None) -> SafeString:
    words = filled(gettext(badge.label), text=case_display.quoted(badge.text, locale))
    return format_html('<span class="badge">{}</span>', words)


@register.simple_tag
def repeat_words(repeat: RepeatCard) -> SafeString:
    """Say which stops a note is on: "On 7 of 8 visits, not on Mill:"."""
    if not repeat.others:
        template = (
            gettext("On all %(count)d visits:")
            if repeat.is_of_visits
            else gettext("On all %(count)d stops:")
        )
        return filled(template, count=repeat.count)
    template = (
        gettext("On %(count)d of %(total)d visits, not on %(others)s:")
        if repeat.is_of_visits
        else gettext("On %(count)d of %(total)d stops, not on %(others)s:")
    )
    others = mark_safe(listed(case_text(text) for text in repeat.others))  # noqa: S308
    return filled(template, count=repeat.count, total=repeat.total, others=others)


def filled(template: str, **parts: SafeString | int) -> SafeString:
    """Fill a translated %-template with markup."""
    return mark_safe(conditional_escape(template) % parts)  # noqa: S308  every part is escaped


@register.filter
def no_plan_words(page: case_display.Page) -> str:
    status = page.case.plan.status if page.case.plan else None
    if status == "clarifying":
        return gettext("There is no plan: the product asked the customer for more.")
    if status == "error":
        return gettext("There is no plan: the product reported an error.")
    return gettext("There is no plan.")


@register.filter
def every_hour(lanes: Lanes) -> range:
    return range(lanes.first_hour, lanes.last_hour)


@register.filter
def lane_name(lane: Lane) -> str:
    number = gettext("Day %(number)s") % {"number": lane.number}
    return f"{number} {case_display.short_dated(lane.date)}" if lane.date else number


@register.simple_tag
def lane_picture(lane: Lane, lanes: Lanes) -> SafeString:
    """Draw one day on the common scale, one unit of width per minute."""
    start = lanes.first_hour * 60
    width = lanes.last_hour * 60 - start
    rows = max((bar.row for bar in lane.bars), default=0) + 1
    marks = format_html_join(
        "",
        '<path class="hour" d="M{} 0V{}" stroke="#dcdeda"/>',
        ((hour * 60 - start, rows * ROW_HEIGHT) for hour in every_hour(lanes)[::2]),
    )
    bars = format_html_join(
        "",
        '<rect class="{}" x="{}" y="{}" width="{}" height="{}" fill="{}" stroke="#555f66"'
        ' data-stop="{}"><title>{}</title></rect>',
        (
            (
                bar.kind,
                bar.start_minute - start,
                bar.row * ROW_HEIGHT + 2,
                max(bar.end_minute - bar.start_minute, 3),
                ROW_HEIGHT - 4,
                FILLS[bar.kind],
                bar.pointer,
                title,
            )
            for bar, title in titled(lane.bars)
        ),
    )
    return format_html(
        '<svg class="lane" viewBox="0 0 {} {}" preserveAspectRatio="none" role="img"'
        ' aria-label="{}">{}{}</svg>',
        width,
        rows * ROW_HEIGHT,
        lane_words(lane),
        marks,
        bars,
    )


def titled(bars: tuple[Bar, ...]) -> Iterator[tuple[Bar, str]]:
    for bar in bars:
        yield bar, f"{bar.start_minute // 60:02}:{bar.start_minute % 60:02}"


def lane_words(lane: Lane) -> str:
    visits = sum(bar.kind == "visit" for bar in lane.bars)
    return ngettext("%(count)d visit", "%(count)d visits", visits) % {"count": visits}
