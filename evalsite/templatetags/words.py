import re

from django import template
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from evalsite.lists import join_list

register = template.Library()
register.filter("listing", join_list)

# A shorter name fits wherever a name is shown.
LONG = 16
# Pieces of a name, each with the signs after it.
PIECE = re.compile(r"[^-_./:@+~]*[-_./:@+~]*")


@register.filter
def breakable(name: object) -> str:
    """Let a long name, such as the key of a case, break after its signs: `c01_beijing_|peak`."""
    text = str(name)
    if len(text) <= LONG:
        return text
    pieces = [(piece,) for piece in PIECE.findall(text) if piece]
    return format_html_join(SafeString("<wbr>"), "{}", pieces)
