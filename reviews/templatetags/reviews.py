"""Words for what became of a release, and for what a review rests on."""

from collections.abc import Sequence

import msgspec
from django import template
from django.utils.translation import gettext

from cases.models import Event
from reviews import history
from reviews.judgement import Evidence

register = template.Library()

register.filter("story", history.story_of)


@register.filter
def reason_of(event: Event) -> str:
    return str(event.data.get("reason") or "")


@register.filter
def sentence(words: str) -> str:
    """With the full stop of the reader's language; nothing stays nothing."""
    return gettext("%(words)s.") % {"words": words} if words else ""


@register.filter
def as_json(evidence: Sequence[Evidence]) -> str:
    """As the page keeps it beside an answer or a score."""
    return msgspec.json.encode(evidence).decode()
