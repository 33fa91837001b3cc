"""Words for what cases and their ledger hold."""

import json
from collections.abc import Iterable
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from django import template
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, ngettext, pgettext
from django.utils.translation import gettext_lazy as _

from cases.case import display as case_display
from cases.imports.checking import Located
from cases.models import CaseTag, Event
from cases.models.cases import MOST_COUNTED_IN_LISTS, TagOrigin, TagStrength

register = template.Library()

ACTS = {
    "release-created": _("Release opened"),
    "cases-imported": _("Cases imported"),
    "import-undone": _("Import undone"),
    "tag-given": _("Tag given"),
    "tag-taken-away": _("Tag taken away"),
    "tag-left-to-detectors": _("Tag left to file and detectors"),
}


@register.filter
def event_words(event: Event) -> str:
    return str(ACTS.get(event.kind, event.kind))


@register.filter
def shown_value(value: Any) -> str:
    """A value of stored JSON, as text."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@register.filter
def located(one: Located) -> str:
    """ "Line 12: request.days: must be ..." in the reader's language."""
    sentence = gettext(one.problem.message) % one.problem.params
    if one.problem.path:
        colon = pgettext("between a field and what is wrong with it", ": ")
        sentence = f"{one.problem.path}{colon}{sentence}"
    if not one.line:
        return sentence
    return gettext("Line %(line)d: %(sentence)s") % {"line": one.line, "sentence": sentence}


@register.filter
def pretty(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


CHECKS = {"pass": _("passed"), "warn": _("warning"), "fail": _("failed")}


@register.filter
def check_words(status: str) -> str:
    return str(CHECKS[status])


@register.filter
def tag_source(tag: CaseTag) -> str:
    """Who says so, and how surely."""
    if tag.removed:
        return gettext("taken away by an admin.")
    if tag.origin == TagOrigin.ADMIN:
        return gettext("given by an admin.")
    if tag.origin == TagOrigin.DECLARED:
        return gettext("declared in the file.")
    if tag.strength == TagStrength.WEAK:
        return gettext("weak hint, does not count.")
    return gettext("detected.")


@register.filter
def tag_links(tags: Iterable[str]) -> SafeString:
    """Each leads to the cases that have it."""
    return SafeString(" ".join(map(tag_link, tags)))


@lru_cache(maxsize=1000)
def tag_link(tag: str) -> SafeString:
    """A list of cases shows hundreds, of a few dozen that there are."""
    return format_html('<a class="tag" href="?tag={}"><bdi>{}</bdi></a>', quote(tag), tag)


@register.filter
def tag_reason(tag: CaseTag) -> SafeString:
    """A detector's reason in the reader's language, an admin's as it was written."""
    wording = tag.wording
    if not wording:
        return format_html("<bdi>{}</bdi>", tag.reason) if tag.reason else SafeString()
    if wording["plural"]:
        message = ngettext(wording["message"], wording["plural"], wording["params"]["count"])
    else:
        message = gettext(wording["message"])
    # Words of the case keep their own direction.
    params = {
        name: format_html("<bdi>{}</bdi>", value) if isinstance(value, str) else value
        for name, value in wording["params"].items()
    }
    return mark_safe(conditional_escape(message) % params)  # noqa: S308  every part is escaped


@register.filter
def locale_name(locale: str) -> str:
    """ "Chinese" for zh-CN; a tag that has no name here stays as it is."""
    return case_display.language_name(locale)


@register.filter
def case_words(count: int) -> str:
    """How many cases, of `case_count()`; what was not counted to its end says so."""
    if count > MOST_COUNTED_IN_LISTS:
        return gettext("more than %(count)d cases") % {"count": MOST_COUNTED_IN_LISTS}
    return ngettext("%(count)d case", "%(count)d cases", count) % {"count": count}
