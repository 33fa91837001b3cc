"""Filters for release events and for the desk.

The desk has dozens of answer buttons; rendering them here takes half the time of a template.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from django import template
from django.template.defaultfilters import floatformat
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from cases.models import Event
from reviews.desk.judgement import Evidence
from reviews.desk.page import DeskQuestion
from reviews.desk.queue import Progress
from reviews.models import Review
from reviews.releases import history as releases_history

register = template.Library()

CHECKED = SafeString(" checked")

register.filter("story", releases_history.describe_event)


@register.filter
def is_late(review: Review) -> bool:
    """Return whether a review is late today. Needs `release` and `case__sampled` selected."""
    return review.is_late(timezone.localdate())


@register.filter
def reason_of(event: Event) -> str:
    return str(event.data.get("reason") or "")


@register.filter
def answer_buttons(desk_question: DeskQuestion) -> SafeString:
    """Render the buttons yes, no and not applicable, each with its keyboard key."""
    return format_html_join(
        "",
        '<label class="answer {}"><input type="radio" name="answer:{}" value="{}"{}>'
        "<span>{}<kbd>{}</kbd></span></label>",
        (
            (
                choice.value,
                desk_question.question.key,
                choice.value,
                CHECKED if choice.is_chosen else "",
                choice.label,
                choice.key,
            )
            for choice in desk_question.choices
        ),
    )


@register.filter
def short_means(means: Sequence[Mapping[str, Any]]) -> SafeString:
    """Show the mean of each metric; the tooltip has their names."""
    texts = [(metric["name"], floatformat(metric["mean"], 1)) for metric in means]
    return format_html(
        '<span class="fine number" title="{}">{}</span>',
        ", ".join(f"{name}: {text}" for name, text in texts),
        " · ".join(text for _, text in texts),
    )


@register.filter
def place_of(progress: Progress, review: Review) -> int | None:
    """Return the number of a review among the person's own, if it counts in an open release."""
    return progress.places.get(review.pk)


@register.filter
def sentence(words: str) -> str:
    """Add the full stop of the reader's language; an empty text stays empty."""
    return gettext("%(words)s.") % {"words": words} if words else ""


@register.filter
def as_json(evidence: Sequence[Evidence]) -> str:
    """Encode evidence for the page."""
    return msgspec.json.encode(evidence).decode()
