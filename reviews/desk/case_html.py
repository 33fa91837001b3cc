"""What the desk shows to all who read in one language: the case and fixed words, rendered once.

Each of its reviewers opens it, and again to go on, after signing in anew, and to revise.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.conf import settings
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
from reviews.questions.queries import subjects_in

# A sample and more, in two languages; a block is some 30 KB. With DEBUG an edited template is seen.
MOST_BLOCKS, MOST_WORDS = (0, 0) if settings.DEBUG else (256, 16)


@dataclass(frozen=True)
class Block:
    """The facts stand under the key of the question that they inform, the others under None."""

    itinerary: SafeString
    facts: Mapping[str | None, SafeString]


def render_block(case: Case, text: RubricText, *, language: str | None) -> Block:
    """Neither a case nor a rubric text ever changes under its digest."""
    return _block(case.pk, case.digest, text, text.digest, language)


@lru_cache(maxsize=MOST_BLOCKS)
def _block(
    case: int, digest: str, text: RubricText, text_digest: str, language: str | None
) -> Block:
    # Read by itself: what is kept must not hold on to the whole case.
    return render(Case.objects.get(pk=case).itinerary, text.document, language=language)


def words_of_desk() -> SafeString:
    """The dialogs and the words of the scripts."""
    return _words(get_language())


@lru_cache(maxsize=MOST_WORDS)
def _words(language: str | None) -> SafeString:
    return render_to_string("reviews/desk/_words.html")


def render_subjects(text: RubricText) -> SafeString:
    """The inside of the form that asks about the rubric."""
    return _asking(text, text.digest, get_language())


@lru_cache(maxsize=MOST_WORDS)
def _asking(text: RubricText, digest: str, language: str | None) -> SafeString:
    return render_to_string("reviews/desk/_ask.html", {"subjects": subjects_in(text.document)})


def render(case: itinerary_format.Case, rubric: Document, *, language: str | None) -> Block:
    page = case_display.read(case, rubric, language=language)
    return Block(
        render_to_string("cases/case/_itinerary.html", {"page": page}),
        {one.question.key if one.question else None: facts(one.facts) for one in page.groups},
    )


def facts(shown: Sequence[ShownFact]) -> SafeString:
    """Facts beside a question. A link leads to the stop; with scripts it pins the fact."""
    if not shown:
        words = _("Nothing to count here: read the plan.")
        return format_html('<ul class="desk-facts"><li class="fine">{}</li></ul>', words)
    items = format_html_join(
        "",
        '<li><a href="#{}" data-refs="{}" data-fact="{}"><span class="number">F{}</span> '
        "<span data-text>{}</span></a></li>",
        (
            (
                case_display.anchor(one.refs[0] if one.refs else "/plan"),
                " ".join(one.refs),
                one.key,
                one.number,
                one.sentence,
            )
            for one in shown
        ),
    )
    return format_html('<ul class="desk-facts">{}</ul>', items)
