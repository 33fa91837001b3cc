"""My reviews: what waits, what is begun, what is done; and the way to the next one."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from evalsite.http import SignedInRequest
from reviews.models import Review
from reviews.queue import Filters, filters_from, next_for, progress_of, queue_for

LENGTH_NAMES = {
    "short": gettext_lazy("up to 2 days"),
    "medium": gettext_lazy("3 to 5 days"),
    "long": gettext_lazy("6 days and more"),
}


def my_reviews(request: SignedInRequest) -> HttpResponse:
    filters = filters_from(request.GET)
    queue = queue_for(request.user, filters)
    names = dict(settings.CASE_LANGUAGES)
    context = {
        "queue": queue,
        "filters": filters,
        "languages": [(one, names.get(one, one)) for one in queue.languages],
        "lengths": LENGTH_NAMES.items(),
        "next_url": address_of(reverse("review-next"), filters),
        "progress": progress_of(request.user),
    }
    return render(request, "reviews/my_reviews.html", context)


def next_review(request: SignedInRequest) -> HttpResponse:
    """To the next case, or to the list. `after` is the code of the one that was just submitted."""
    after = request.GET.get("after", "")
    submitted = Review.objects.by(request.user).submitted()
    if after and submitted.filter(case__code=after).exists():
        messages.success(request, _("%(code)s is submitted.") % {"code": after})
    filters = filters_from(request.GET)
    found = next_for(request.user, filters)
    if found is None:
        if not filters.are_set:
            messages.info(request, _("Nothing more is waiting for you."))
        return redirect(address_of(reverse("my-reviews"), filters))
    return redirect(address_of(found.get_absolute_url(), filters))


def address_of(path: str, filters: Filters) -> str:
    return f"{path}?{filters.query}" if filters.are_set else path
