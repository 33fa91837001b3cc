"""The page of a case, with its part in the sample."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render

from cases.case.views import case_context
from cases.models import Case
from evalsite.http import SignedInRequest
from reviews.explaining import standing_of


def case_page(request: SignedInRequest, code: str) -> HttpResponse:
    cases = Case.objects.select_related("release__rubric", "batch", "sampled", "exclusion")
    case = get_object_or_404(cases.prefetch_related("release__rubric__translations"), code=code)
    context = case_context(case) | {"standing": standing_of(case)}
    return render(request, "reviews/case.html", context)
