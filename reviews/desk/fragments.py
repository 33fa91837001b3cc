"""Render and cache the parts of a desk that look the same to every reviewer of a case.

A case is opened by each of its reviewers, again to continue, after signing in again and to revise.
Each process has its own cache (`CACHES["desks"]`). Cases and rubric texts never change under their
digest, so an entry is never out of date.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

from django.core.cache import caches
from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from cases.case import display as case_display
from cases.case.display import ShownFact
from cases.itinerary import format as itinerary_format
from cases.models import Case
from cases.models.rubrics import RubricText
from cases.rubric import Document
from reviews.questions.queries import list_choices

T = TypeVar("T")


@dataclass(frozen=True)
class CaseHtml:
    """A rendered case. `facts` are by the key of the question they inform, the others by None."""

    itinerary: SafeString
    facts: Mapping[str | None, SafeString]


def get_case_html(case: Case, text: RubricText, *, language: str | None) -> CaseHtml:
    return get_or_render(
        f"case:{name_case(case, text)}:{language}",
        lambda: render_case(case.itinerary, text.document, language=language),
    )


def name_case(case: Case, text: RubricText) -> str:
    """Name a case beside a rubric text, for keys of the cache."""
    return f"{case.pk}:{case.digest}:{text.digest}"


def get_words() -> SafeString:
    """Return the dialogs, and the words that the scripts use."""
    return get_or_render(
        f"words:{get_language()}", lambda: render_to_string("reviews/desk/_words.html")
    )


def get_subjects(text: RubricText) -> SafeString:
    """Return the fields of the form in which a reviewer asks about the rubric."""

    def render() -> SafeString:
        return render_to_string("reviews/desk/_ask.html", {"subjects": list_choices(text.document)})

    return get_or_render(f"subjects:{get_language()}:{text.digest}", render)


def get_or_render(key: str, render: Callable[[], T]) -> T:
    return cast(T, caches["desks"].get_or_set(key, render))


def render_case(case: itinerary_format.Case, rubric: Document, *, language: str | None) -> CaseHtml:
    page = case_display.read(case, rubric, language=language)
    return CaseHtml(
        render_to_string("cases/case/_itinerary.html", {"page": page}),
        {
            group.question.key if group.question else None: render_facts(group.facts)
            for group in page.groups
        },
    )


def render_facts(facts: Sequence[ShownFact]) -> SafeString:
    """Render the facts of a question. A link leads to the stop; with scripts it pins the fact."""
    if not facts:
        words = _("No facts to show here. Read the plan.")
        return format_html('<ul class="desk-facts"><li class="fine">{}</li></ul>', words)
    items = format_html_join(
        "",
        '<li><a href="#{}" data-refs="{}" data-fact="{}"><span class="number">F{}</span> '
        "<span data-text>{}</span></a></li>",
        (
            (
                case_display.anchor(fact.refs[0] if fact.refs else "/plan"),
                " ".join(fact.refs),
                fact.key,
                fact.number,
                fact.sentence,
            )
            for fact in facts
        ),
    )
    return format_html('<ul class="desk-facts">{}</ul>', items)
