"""Figures of a summary as its pages print them."""

from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from reviews.models import Closing
from reviews.report import brief, numbers, sentences
from reviews.report.verdict.limits import format_level

register = template.Library()

# With a second argument, points have as many decimals as show on which side of it they are.
register.filter("points", lambda value, beside=None: numbers.format_points(value, beside=beside))
register.filter("change", lambda value, beside=None: numbers.format_change(value, beside=beside))
register.filter("interval", lambda mean, beside=None: numbers.format_interval(mean, beside=beside))
register.filter(
    "span", lambda paired, beside=None: numbers.format_change_interval(paired, beside=beside)
)
register.filter("percent", numbers.round_percent)
register.filter("share", numbers.format_share)
register.filter("rate_interval", numbers.format_rate_interval)
register.filter("coefficient", numbers.format_coefficient)
register.filter("chance", numbers.format_chance)
register.filter("level", format_level)
register.filter("cases_in_words", numbers.format_cases)
register.filter("reviews_in_words", numbers.format_reviews)
register.filter("reviewers_in_words", numbers.format_reviewers)
register.filter("reason", sentences.translate_reason)
register.filter("shorten", brief.shorten)


@register.filter
def named(names: sentences.Names, key: str) -> str:
    """Return the name of a key of the rubric."""
    return names.get(key, key)


@register.filter
def word(verdict: Any, names: sentences.Names) -> str:
    """Return the word of a verdict, or of a closing, with its conditions."""
    return sentences.describe_word(verdict.word, verdict.conditions, names)


@register.filter
def worded(closing: Closing | None, names: sentences.Names | None = None) -> SafeString:
    """Render the word of a closed release with its conditions; a dash where there is none.

    Without `names` metrics have the names that were stored: lists read no rubric.

    Lists have one in each row; rendering it here takes a third of the time of a template.
    """
    if closing is None or closing.word is None:
        return SafeString("–")
    known = closing.names if names is None else names
    return format_html(
        '<span class="worded"><span class="badge {}">{}</span>{}</span>',
        closing.word.name.lower(),
        closing.word.label,
        format_html_join(
            "",
            ' <span class="fine condition">{}</span>',
            ((sentences.translate_reason(found, known),) for found in closing.conditions),
        ),
    )


@register.simple_tag
def rows(links: Any, **asked: str | int) -> str:
    """Return the address of the cases behind a number."""
    return str(links.rows(**asked))


@register.simple_tag
def rows_before(links: Any, **asked: str | int) -> str:
    """Return the same for the release it is compared with."""
    return str(links.rows_before(**asked))
