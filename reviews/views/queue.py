"""My reviews: what waits, what is begun, what is done; and the way to the next one."""

from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from evalsite.http import SignedInRequest
from reviews.models import Review
from reviews.queue import filters_from, next_for, progress_of, queue_for

LENGTH_NAMES = {
    "short": gettext_lazy("up to 2 days"),
    "medium": gettext_lazy("3 to 5 days"),
    "long": gettext_lazy("6 days and more"),
}


def my_reviews(request: SignedInRequest) -> HttpResponse:
    filters = filters_from(request.GET)
    queue = queue_for(request.user, filters)
    names = dict(settings.CASE_LANGUAGES)
    chosen = {
        name: value
        for name, value in (("language", filters.language), ("length", filters.length))
        if value
    }
    context = {
        "queue": queue,
        "filters": filters,
        "languages": [(one, names.get(one, one)) for one in queue.languages],
        "lengths": LENGTH_NAMES.items(),
        "next_url": reverse("review-next") + ("?" + urlencode(chosen) if chosen else ""),
        "progress": progress_of(request.user),
    }
    return render(request, "reviews/my_reviews.html", context)


def next_review(request: SignedInRequest) -> HttpResponse:
    """To the next case, or to the list. `after` is the code of the one that was just submitted."""
    after = request.GET.get("after", "")
    submitted = Review.objects.by(request.user).submitted()
    if after and submitted.filter(case__code=after).exists():
        messages.success(request, _("%(code)s is submitted.") % {"code": after})
    found = next_for(request.user, filters_from(request.GET))
    if found is None:
        messages.info(request, _("Nothing more is waiting for you."))
        return redirect("my-reviews")
    return redirect(found)
