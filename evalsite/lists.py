"""Join words to a list in the reader's language."""

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext, pgettext


def join_list(words: Iterable[object]) -> str:
    """Return "Chinese, English" or "中文、英文", and a dash for an empty list."""
    return pgettext("between the items of a list", ", ").join(map(str, words)) or "–"


def join_with_and(words: Sequence[str]) -> str:
    """Return "Chinese, English and French", for use inside a sentence."""
    *most, last = words
    if not most:
        return last
    return gettext("%(first)s and %(last)s") % {"first": join_list(most), "last": last}
