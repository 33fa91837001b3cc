"""My mirror: how a reviewer used the scale, for that reviewer alone."""

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language

from evalsite.http import SignedInRequest
from reviews.mirror import closings_of, mirrors_of

PAGE_SIZE = 5


def mirror(request: SignedInRequest) -> HttpResponse:
    page = Paginator(closings_of(request.user), PAGE_SIZE).get_page(request.GET.get("page"))
    mirrors = mirrors_of(request.user, list(page), language=get_language())
    return render(request, "reviews/mirror.html", {"page": page, "mirrors": mirrors})
