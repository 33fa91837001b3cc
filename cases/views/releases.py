"""Releases: the list, a new one, one of them, its ledger."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from cases import importing, releases
from cases.forms import ReleaseForm
from cases.models import Case, CaseTag, Release, Rubric
from cases.models.cases import MOST_COUNTED, case_count
from evalsite.http import SignedInRequest

PAGE_SIZE = 25
EVENTS_PER_PAGE = 50


def release_list(request: SignedInRequest) -> HttpResponse:
    words = request.GET.get("q", "").strip()
    found = Release.objects.select_related("rubric", "baseline").defer(
        "rubric__text", "rubric__data"
    )
    if words:
        found = found.filter(name__icontains=words) | found.filter(product__icontains=words)
    found = found.annotate(case_count=case_count()).newest_first()
    page = Paginator(found, PAGE_SIZE).get_page(request.GET.get("page"))
    return render(request, "cases/release_list.html", {"page": page, "words": words})


def release_new(request: SignedInRequest) -> HttpResponse:
    newest = Release.objects.newest_first().first()
    form = ReleaseForm(
        request.POST if request.method == "POST" else None,
        initial={"product": newest.product, "baseline": newest} if newest else {},
    )
    context = {"form": form, "has_rubric": Rubric.objects.exists()}
    if form.is_valid():
        try:
            release = releases.create(**form.cleaned_data, user=request.user, now=timezone.now())
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(
                request, _("%(release)s is open as a draft.") % {"release": release.name}
            )
            return redirect(release)
    return render(request, "cases/release_new.html", context, status=422 if form.errors else 200)


def release_page(request: SignedInRequest, name: str) -> HttpResponse:
    release = find_release(name)
    counts = importing.counts_of(release)
    batches = list(release.batches.order_by("-number"))
    standing = [batch for batch in batches if not batch.undone_at]
    tags = (
        CaseTag.objects.standing()
        .filter(case__release=release)
        .values("tag")
        .annotate(count=Count("case", distinct=True))
        .order_by("-count", "tag")
    )
    rubric_text = release.rubric.text_for(get_language())
    kinds = rubric_text.document.sampling.kinds
    fitting = Case.objects.of(release).counts_of_kinds(kinds)
    context = {
        "release": release,
        "rubric_text": rubric_text,
        "batches": [(batch, counts.get(batch.pk)) for batch in batches],
        "newest_batch": standing[0] if standing else None,
        "tags": tags,
        "kinds": [(kind, fitting[kind.key]) for kind in kinds],
        "counts": Case.objects.of(release).counts(),
        "most_counted": MOST_COUNTED,
    }
    return render(request, "cases/release.html", context)


def event_list(request: SignedInRequest, name: str) -> HttpResponse:
    release = find_release(name)
    events = release.events.order_by("-number")
    page = Paginator(events, EVENTS_PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "cases/event_list.html", {"release": release, "page": page})


def find_release(name: str) -> Release:
    releases = Release.objects.select_related("rubric", "baseline")
    return get_object_or_404(releases.prefetch_related("rubric__translations"), name=name)
