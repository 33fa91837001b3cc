"""Template filters for cases, their tags and their problems."""

import json
from collections.abc import Iterable
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from django import template
from django.template.loader import render_to_string
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, ngettext, pgettext
from django.utils.translation import gettext_lazy as _

from cases.case import display as case_display
from cases.imports.checking import Located
from cases.models import CaseTag
from cases.models.cases import MOST_COUNTED_IN_LISTS, TagOrigin, TagStrength

register = template.Library()
# "Chinese" for zh-CN; a tag without a name stays as it is.
register.filter("locale_name", case_display.language_name)


@register.filter
def shown_value(value: Any) -> str:
    """Show a value of stored JSON as text."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@register.filter
def located(found: Located) -> str:
    """Show a problem as "Line 12: request.days: must be ..." in the reader's language."""
    sentence = gettext(found.problem.message) % found.problem.params
    if found.problem.path:
        colon = pgettext("between a field and what is wrong with it", ": ")
        sentence = f"{found.problem.path}{colon}{sentence}"
    if found.cell:
        return gettext("%(cell)s: %(sentence)s") % {"cell": found.cell, "sentence": sentence}
    if not found.line:
        return sentence
    return gettext("Line %(line)d: %(sentence)s") % {"line": found.line, "sentence": sentence}


@register.simple_tag
def sample_case(page: case_display.Page, number: int) -> SafeString:
    """Render a case for reading, one of several on a page: ids, links and labels get its number.

    Text of the case has its quotation marks escaped, so it cannot look like an attribute.
    """
    html: str = render_to_string(
        "cases/imports/_sample.html", {"page": page, "groups": page.groups}
    )
    for attribute in (' id="', ' href="#'):
        html = html.replace(attribute, f"{attribute}case-{number}-")
    html = html.replace(' aria-label="', f' aria-label="{number}: ')
    return mark_safe(html)  # noqa: S308  rendered by Django


@register.filter
def pretty(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


CHECKS = {"pass": _("passed"), "warn": _("warning"), "fail": _("failed")}


@register.filter
def check_words(status: str) -> str:
    return str(CHECKS[status])


@register.filter
def tag_source(tag: CaseTag) -> str:
    """Say where a tag comes from, and whether it counts."""
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
    """Link each tag to the cases that have it."""
    return SafeString(" ".join(map(tag_link, tags)))


@lru_cache(maxsize=1000)
def tag_link(tag: str) -> SafeString:
    """Cached: a list of cases shows hundreds of links to a few dozen tags."""
    return format_html('<a class="tag" href="?tag={}"><bdi>{}</bdi></a>', quote(tag), tag)


@register.filter
def tag_reason(tag: CaseTag) -> SafeString:
    """Show a detector's reason in the reader's language, an admin's as it was written."""
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
def case_words(count: int) -> str:
    """Show the result of `case_count()`, which stops counting at a limit."""
    if count > MOST_COUNTED_IN_LISTS:
        return gettext("more than %(count)d cases") % {"count": MOST_COUNTED_IN_LISTS}
    return ngettext("%(count)d case", "%(count)d cases", count) % {"count": count}


@register.filter
def of(count: int, whole: int) -> str:
    """Show a part of a whole: a filter because lists have dozens, and `blocktranslate` is slow."""
    return gettext("%(count)s of %(all)s") % {"count": count, "all": whole}
