"""Two pages that views of several rooms show: a release, and a form for one act on it."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language

from cases import imports
from cases.models import Case, Release
from cases.models.cases import MOST_COUNTED
from cases.releases.acceptance import describe_warned
from evalsite.http import SignedInRequest
from evalsite.permissions import Role, roles_on
from reviews.assignments.queries import count_late
from reviews.errors import Refused
from reviews.releases import news
from reviews.releases.overview import load_overview
from reviews.releases.queries import load_typical_time
from reviews.report.sentences import names_for
from reviews.report.would_help import load_for_page


def show_release(
    request: SignedInRequest,
    release: Release,
    *,
    refusal: Refused | None = None,
    wished: str = "",
    status: int = 200,
) -> HttpResponse:
    """Show the page of a release, also as the answer to a refused act."""
    batches = list(release.batches.order_by("-number"))
    batch_counts = imports.count_batches(release) if batches else {}
    standing = [batch for batch in batches if not batch.undone_at]
    counts = Case.objects.counts(release)
    roles = roles_on(request)
    overview = load_overview(release, counts["total"], request.user, roles)
    context = {
        "release": release,
        "rubric_text": release.rubric.text_for(get_language()),
        "overview": overview,
        "late": count_late([release], timezone.localdate()).get(release.pk, 0),
        "names": names_for(release.rubric),
        # Between looks nothing is known.
        "acts": load_for_page(release, request.user) if overview.is_settling else None,
        "news": news.look(user=request.user, release=release, now=timezone.now()),
        "batches": [(batch, batch_counts.get(batch.number)) for batch in batches],
        "newest_batch": standing[0] if standing else None,
        "counts": counts,
        "most_counted": MOST_COUNTED,
        "warned": describe_warned(release, warned=counts["warned"], total=counts["total"]),
        "typical": load_typical_time(release) if Role.ADMIN in roles else None,
        "refusal": refusal,
        "wished": wished,
    }
    return render(request, "reviews/releases/release.html", context, status=status)


def show_act(
    request: SignedInRequest,
    *,
    release: Release,
    form: Form,
    do: Callable[[dict[str, Any]], str],
    title: str,
    lead: str,
    button: str,
    is_danger: bool = False,
    back: str = "",
    **more: object,
) -> HttpResponse:
    """Show a form (GET) or carry it out (POST). If refused, the input stays in the form.

    `do` returns the success message. `back` is the page to return to, by default the release.
    """
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                done = do(form.cleaned_data)
            except Refused as refusal:
                status = 409
                for sentence in refusal.sentences:
                    form.add_error(None, sentence)
            else:
                messages.success(request, done)
                return redirect(back or release)
    context = {
        "release": release,
        "form": form,
        "title": title,
        "lead": lead,
        "button": button,
        "is_danger": is_danger,
        "back": back or release.get_absolute_url(),
        **more,
    }
    return render(request, "reviews/releases/act.html", context, status=status)
