"""My mirror: how a reviewer used the scale, for that reviewer alone."""

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import get_language

from evalsite.http import SignedInRequest
from reviews.mirror import closings_of, mirrors_of
from reviews.workflow import opening

PAGE_SIZE = 5


def mirror(request: SignedInRequest) -> HttpResponse:
    page = Paginator(closings_of(request.user), PAGE_SIZE).get_page(request.GET.get("page"))
    shown = opening.look_into_mirror(user=request.user, closings=list(page), now=timezone.now())
    mirrors = mirrors_of(request.user, shown, language=get_language())
    return render(request, "reviews/mirror.html", {"page": page, "mirrors": mirrors})
