"""Words for what became of a release."""

from django import template

from cases.models import Event
from reviews import history

register = template.Library()

register.filter("story", history.story_of)


@register.filter
def reason_of(event: Event) -> str:
    return str(event.data.get("reason") or "")
