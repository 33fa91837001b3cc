"""Joins words to a list as the reader's language writes it."""

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext, pgettext


def listing(words: Iterable[object]) -> str:
    """ "Chinese, English" in English, "中文、英文" in Chinese; a dash for nothing."""
    return pgettext("between the items of a list", ", ").join(map(str, words)) or "–"


def listing_all(words: Sequence[str]) -> str:
    """ "Chinese, English and French": in the middle of a sentence about all of them."""
    *most, last = words
    if not most:
        return last
    return gettext("%(first)s and %(last)s") % {"first": listing(most), "last": last}
