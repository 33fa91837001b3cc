"""Pages: the cases of a release, and one case compared with itself in another release."""

import json
from collections.abc import Sequence
from types import GenericAlias
from typing import Any

import msgspec
from django.conf import settings
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from cases.case.queries import (
    MOST_CHOSEN,
    SORTS,
    Days,
    Words,
    count_for_choice,
    matching,
    read_filters,
)
from cases.itinerary import comparison as itinerary_comparison
from cases.models import Case, CaseTag
from cases.models.cases import MOST_COUNTED
from cases.releases.queries import find_release
from cases.rubric import fitted
from cases.tags.forms import TagForm
from evalsite.http import SignedInRequest
from evalsite.paging import beyond
from evalsite.permissions import Role

PAGE_SIZE = 50

SORT_NAMES = {
    "key": _("key, A to Z"),
    "-key": _("key, Z to A"),
    "checks": _("automated checks"),
    "days": _("shortest plan first"),
    "-days": _("longest plan first"),
}


CHECK_NAMES = {
    "eligible": _("can be sampled"),
    "pass": _("passed"),
    "warn": _("passed with a warning"),
    "fail": _("failed"),
    "none": _("not checked"),
    "not-passed": _("not passed"),
    "no-plan": _("passed, without a plan"),
    "excluded": _("excluded from the draw"),
}


def case_list(request: SignedInRequest, name: str) -> HttpResponse:
    release = find_release(name)
    filters = read_filters(request.GET)
    order = SORTS[filters.sort]
    rows = matching(release, filters).without_content().order_by(*order)
    rows = rows.select_related("exclusion")
    place = place_in(request.GET.get("after", ""), order)
    if place:
        rows = rows.filter(beyond(order, place))
    shown = list(rows[: PAGE_SIZE + 1])
    has_next = len(shown) > PAGE_SIZE
    shown = shown[:PAGE_SIZE]
    can_choose = Role.ADMIN in request.roles and release.is_draft
    rubric_text = release.rubric.text_for(get_language())
    kinds = rubric_text.document.sampling.kinds
    tags = CaseTag.objects.names_in(shown)
    tagged = [(case, tags.get(case.pk, [])) for case in shown]
    context = {
        "release": release,
        "rubric_text": rubric_text,
        "filters": filters,
        "rows": [(case, own, fitted(own, kinds)) for case, own in tagged],
        "can_choose": can_choose,
        "all_count": count_for_choice(release, filters) if can_choose else 0,
        "most_chosen": MOST_CHOSEN,
        "is_long": bool(has_next or place),
        "next": json.dumps(build_place(shown[-1], order)) if has_next else None,
        "is_first": not place,
        "counts": Case.objects.counts(release),
        "most_counted": MOST_COUNTED,
        "kinds": kinds,
        "known_tags": sorted({tag for kind in kinds for tag in kind.required_tags}),
        "languages": settings.CASE_LANGUAGES,
        "check_names": CHECK_NAMES.items(),
        "sort_names": SORT_NAMES.items(),
        "tag_form": TagForm(),
    }
    # When the user goes back, htmx asks for the whole page.
    is_part = request.htmx and not request.htmx.history_restore_request
    template = "cases/case/_case_rows.html" if is_part else "cases/case/case_list.html"
    return render(request, template, context)


Place = list[str | int]


def build_place(case: Case, order: Sequence[str]) -> Place:
    return [getattr(case, name.removeprefix("-")) for name in order]


def place_in(text: str, order: Sequence[str]) -> Place:
    """Read where the previous page ended; anything else means the start of the list."""
    kinds = tuple(Days if name.endswith("days") else Words for name in order)
    wanted: Any = GenericAlias(tuple, kinds)
    try:
        return list(msgspec.json.decode(text, type=wanted))
    except (msgspec.MsgspecError, RecursionError):
        return []


def comparison(request: SignedInRequest, code: str, earlier: str) -> HttpResponse:
    """Compare one case in two releases of its product, day by day."""
    cases = Case.objects.select_related("release").filter(code__in=(code, earlier))
    found = {case.code: case for case in cases}
    case, before = found.get(code), found.get(earlier)
    if case is None or before is None:
        raise Http404
    is_same = case.case_key == before.case_key and case.release.product == before.release.product
    if not is_same:
        raise Http404
    context = {
        "case": case,
        "before": before,
        "days": itinerary_comparison.days(before.itinerary, case.itinerary),
        "parts": itinerary_comparison.parts(before.itinerary, case.itinerary),
        "without_days": [side.release for side in (before, case) if not side.days],
    }
    return render(request, "cases/case/comparison.html", context)
