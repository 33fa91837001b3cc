"""Say in words which results of the automated checks a release accepts."""

from django.utils.translation import gettext, ngettext

from cases.models import Release


def describe_warned(release: Release, *, warned: int, total: int) -> str:
    """Say how many cases passed with a warning and whether the release takes them.

    Empty if there are none.
    """
    if not warned:
        return ""
    if release.accepts_warnings:
        sentence = ngettext(
            "%(warned)d of %(total)d cases passed with a warning; this release takes it as well.",
            "%(warned)d of %(total)d cases passed with a warning; this release takes them as well.",
            warned,
        )
    else:
        sentence = ngettext(
            "%(warned)d of %(total)d cases passed with a warning; this release takes only passed "
            "cases.",
            "%(warned)d of %(total)d cases passed with a warning; this release takes only passed "
            "cases.",
            warned,
        )
    return sentence % {"warned": warned, "total": total}


def suggest_settings(release: Release) -> str:
    """Say where to change what is accepted; empty if it cannot change any more."""
    return gettext("Change this in its settings.") if release.is_draft else ""


def describe_more_with_warnings(count: int) -> str:
    """Say how many cases more would fit if warnings were accepted; empty if none would."""
    if not count:
        return ""
    return ngettext(
        "%(count)d more case fits if warnings are accepted.",
        "%(count)d more cases fit if warnings are accepted.",
        count,
    ) % {"count": count}
