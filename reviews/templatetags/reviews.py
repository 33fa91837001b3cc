"""Words for what became of a release, and for what a review rests on.

The desk has dozens of buttons, which take half the time this way.
"""

from collections.abc import Sequence

import msgspec
from django import template
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from cases.models import Event
from reviews.desk.judgement import Evidence
from reviews.desk.page import DeskQuestion
from reviews.releases import history as releases_history

register = template.Library()

CHECKED = SafeString(" checked")

register.filter("story", releases_history.describe_event)


@register.filter
def reason_of(event: Event) -> str:
    return str(event.data.get("reason") or "")


@register.filter
def answer_buttons(question: DeskQuestion) -> SafeString:
    """Yes, no, not applicable, each with its key."""
    return format_html_join(
        "",
        '<label class="answer {}"><input type="radio" name="answer:{}" value="{}"{}>'
        "<span>{}<kbd>{}</kbd></span></label>",
        (
            (
                choice.value,
                question.question.key,
                choice.value,
                CHECKED if choice.is_chosen else "",
                choice.label,
                choice.key,
            )
            for choice in question.choices
        ),
    )


@register.filter
def sentence(words: str) -> str:
    """With the full stop of the reader's language; nothing stays nothing."""
    return gettext("%(words)s.") % {"words": words} if words else ""


@register.filter
def as_json(evidence: Sequence[Evidence]) -> str:
    """As the page keeps it beside an answer or a score."""
    return msgspec.json.encode(evidence).decode()
