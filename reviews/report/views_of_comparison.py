"""Any two releases of a product beside each other, and a product from release to release."""

from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from cases.models import Release
from cases.models.releases import Status
from cases.releases.queries import find_release
from evalsite.http import SignedInRequest
from reviews.adjudication.first_look import confirm_first_look
from reviews.releases.queries import list_comparable
from reviews.report import standing, summary, trend, versus
from reviews.report.figures import said
from reviews.report.links import Links
from reviews.report.views import open_report

CASES_PER_PAGE = 50
MOST_UNPAIRED = 50


def comparison(request: SignedInRequest, name: str) -> HttpResponse:
    """`with` names the earlier release; another rubric version only where `across` asks for it."""
    opened = open_report(request, name)
    if isinstance(opened, HttpResponse):
        return opened
    release = opened.release
    others = list(list_comparable(release))
    known = [one.name for one in others]
    chosen = request.GET.get("with", "")
    if not chosen and release.baseline and release.baseline.name in known:
        chosen = release.baseline.name
    context: dict[str, object] = {
        "release": release,
        "others": others,
        "chosen": chosen,
        "language": opened.language,
        "provisional": "" if opened.closing else standing.provisional_words(opened.summary),
    }
    if not chosen:
        return render(request, "reviews/report/comparison.html", context)
    if chosen not in known:
        raise Http404
    other = find_release(chosen)
    door = confirm_first_look(request, other, title=_("Comparison"))
    if door is not None:
        return door
    try:
        found = summary.compare(
            opened.summary,
            summary.standing(other),
            across_rubrics=request.GET.get("across") == "1",
        )
    except summary.NotComparable as refusal:
        context |= {"refusal": said(refusal.reason), "can_insist": True}
        return render(request, "reviews/report/comparison.html", context)
    page = Paginator(versus.ordered(found), CASES_PER_PAGE).get_page(request.GET.get("page"))
    links = Links(release, other)
    context |= {
        "other": other,
        "versus": versus.versus(
            found,
            opened.document,
            versus.Behind(found, links, is_named=True),
            margin=opened.summary.policy["margin"],
        ),
        "page": page,
        "rows": versus.case_rows(list(page), opened.document, links),
        "only_before": [links.case(key) for key in found.only_before[:MOST_UNPAIRED]],
        "more_before": max(0, len(found.only_before) - MOST_UNPAIRED),
        "only_after": [links.case(key) for key in found.only_after[:MOST_UNPAIRED]],
        "more_after": max(0, len(found.only_after) - MOST_UNPAIRED),
    }
    return render(request, "reviews/report/comparison.html", context)


def product_trend(request: SignedInRequest) -> HttpResponse:
    """Closed releases only: of an open one nobody knows yet what it will be."""
    products = list(
        Release.objects.exclude(status=Status.DRAFT)
        .order_by("product")
        .values_list("product", flat=True)
        .distinct()
    )
    product = request.GET.get("product", products[0] if products else "")
    if products and product not in products:
        raise Http404
    context = {
        "products": products,
        "product": product,
        "trend": trend.load_trend(product),
        "most": trend.MOST_RELEASES,
    }
    return render(request, "reviews/report/trend.html", context)
