"""Build the context of the page of a case."""

from django.utils.translation import get_language

from cases.case import display
from cases.itinerary import extra_fields
from cases.models import Case


def build_case_context(case: Case) -> dict[str, object]:
    """Return what the page of a case shows, apart from its place in the sample."""
    rubric_text = case.release.rubric.text_for(get_language())
    others = (
        Case.objects.filter(case_key=case.case_key, release__product=case.release.product)
        .exclude(pk=case.pk)
        .without_content()
        .select_related("release")
        .order_by("-release__created_at", "-release__pk")
    )
    return {
        "case": case,
        "release": case.release,
        "language": rubric_text.language,
        "page": display.read(case.itinerary, rubric_text.document, language=get_language()),
        "checks": (case.itinerary.automated_checks or {}).items(),
        "tags": case.tags.order_by("tag", "origin"),
        "other_fields": extra_fields.other_fields(case.content),
        "others": others[:MOST_OTHERS],
    }


MOST_OTHERS = 50
