"""Template filters for rubrics."""

from django import template
from django.utils.html import format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext

from cases.rubric import PREFIX, RubricProblem

register = template.Library()


@register.filter
def line_problem(problem: RubricProblem) -> str:
    """Show a problem of a document with its line, in the reader's language."""
    sentence = gettext(problem.message) % problem.params
    return gettext(PREFIX) % {"line": problem.line, "sentence": sentence}


@register.filter
def breakable(text: str) -> SafeString:
    """Let a narrow column break "timing/transport/meal/rest" after its slashes."""
    return format_html_join(mark_safe("/<wbr>"), "{}", ((part,) for part in text.split("/")))
