"""A case as calls show it to reviewers: without anything that names it or its release."""

import html

import msgspec
from django.utils.html import strip_tags
from django.utils.safestring import SafeString

from cases.case import display
from cases.case.vocabulary import FIELDS
from cases.itinerary import format as itinerary_format
from cases.itinerary.blind import plan_for_reviewer
from cases.itinerary.format import Plan, Request
from cases.models import Case
from cases.models.rubrics import RubricText
from cases.rubric import Document


class FactShown(msgspec.Struct):
    """`key` is what evidence refers to; `refs` are pointers into the case."""

    key: str
    number: int
    sentence: str
    question: str | None
    refs: list[str]


class BlindCase(msgspec.Struct):
    """`read_from_text`: fields of the request that were read from its text."""

    code: str
    locale: str
    request: Request
    plan: Plan | None
    facts: list[FactShown]
    read_from_text: list[str]


class RubricOfReview(msgspec.Struct):
    number: int
    language: str
    document: Document


def show_blind(case: Case, text: RubricText, language: str | None) -> BlindCase:
    source = case.itinerary.source
    derived = (source.derived if source else None) or ()
    return BlindCase(
        code=case.code,
        locale=case.itinerary.locale or "",
        request=case.itinerary.request,
        plan=plan_for_reviewer(case.itinerary),
        facts=list_facts(case.itinerary, text, language),
        read_from_text=[name for name in FIELDS if display.is_derived(derived, name)],
    )


def list_facts(
    itinerary: itinerary_format.Case, text: RubricText, language: str | None
) -> list[FactShown]:
    shown = display.read(itinerary, text.document, language=language)
    return [
        FactShown(
            key=fact.key,
            number=fact.number,
            sentence=strip_markup(fact.sentence),
            question=group.question.key if group.question else None,
            refs=list(fact.refs),
        )
        for group in shown.groups
        for fact in group.facts
    ]


def strip_markup(sentence: SafeString) -> str:
    """Without the marks of a page, which name the language of the case's own words."""
    return "".join([html.unescape(strip_tags(sentence))])
