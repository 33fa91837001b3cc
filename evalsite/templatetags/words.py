from collections.abc import Iterable

from django import template
from django.utils.translation import pgettext

register = template.Library()


@register.filter
def listing(words: Iterable[object]) -> str:
    """ "Chinese, English" in English, "中文、英文" in Chinese; a dash for nothing."""
    return pgettext("between the items of a list", ", ").join(map(str, words)) or "–"
