"""The pages of a report: the report, the cases behind a number, the brief, comparison, trend."""

from functools import cached_property

from django.core.paginator import Paginator
from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from cases.models import Event, Release
from cases.models.releases import Status
from cases.releases.queries import find_release
from evalsite.http import SignedInRequest
from reviews.adjudication.first_look import confirm_first_look
from reviews.models import Decision
from reviews.models.reviews import SEEN, is_judging
from reviews.releases.forms import DecisionForm
from reviews.releases.queries import list_comparable
from reviews.report import (
    brief,
    cases_behind,
    comparison,
    side_by_side,
    summary,
    trend,
    verdict,
    would_help,
)
from reviews.report.findings import build_findings, list_weakest
from reviews.report.first_screen import build_first_screen
from reviews.report.links import Links
from reviews.report.sentences import describe_word, names_in, translate_reason
from reviews.report.statistics import build_statistics
from reviews.report.summary import Summary
from reviews.report.summary.cache import get_or_make, name_version
from reviews.report.verdict import Verdict
from reviews.report.verdict.sides import find_lowest

ROWS_PER_PAGE = 50


class OpenReport:
    """A report that the user may read. `closing` is None while the release is open.

    Figures are computed only if the page is not in the cache.
    """

    def __init__(self, release: Release) -> None:
        self.release = release
        # The text of the summary may be long.
        closings = release.closings.newest().defer("summary")
        self.closing = closings.get() if release.is_closed else None
        text = release.rubric.text_for(get_language())
        self.document, self.language = text.document, text.language
        self.names = names_in(self.document)
        self.links = Links(release, release.baseline)

    @cached_property
    def version(self) -> list[str]:
        return name_version(self.release)

    @property
    def summary(self) -> Summary:
        return self._read[0]

    @property
    def is_recomputed(self) -> bool:
        """Return whether an older version stored it, so that it was computed again."""
        return self._read[1]

    @cached_property
    def _read(self) -> tuple[Summary, bool]:
        if self.closing is None:
            return summary.load(self.release, self.version), False
        try:
            return summary.read(self.closing.summary), False
        except summary.OtherSchema:
            return summary.compute(self.release), True

    @cached_property
    def verdict(self) -> Verdict:
        is_abandoned = bool(self.closing and self.closing.is_abandoned)
        return verdict.decide(self.summary, is_abandoned=is_abandoned)

    @cached_property
    def decisions(self) -> list[Decision]:
        """Return all decisions, also void ones, the newest first."""
        found = self.release.decisions.order_by("-pk").select_related("closing")
        return list(found.defer("closing__summary"))

    @property
    def decision(self) -> Decision | None:
        return next((decision for decision in self.decisions if decision.voided_at is None), None)

    @property
    def voided(self) -> list[Decision]:
        return [decision for decision in self.decisions if decision.voided_at]


def open_report(request: SignedInRequest, name: str) -> OpenReport | HttpResponse:
    """Return the report, or the page that says why it is not shown yet."""
    user = request.user
    seen = Event.objects.filter(release=OuterRef("pk"), kind=SEEN, by=user.get_username())
    # One statement also answers whether the user may look: a report may use twenty in all.
    releases = Release.objects.select_related("rubric", "baseline").annotate(
        is_judging=ExpressionWrapper(is_judging(user), BooleanField()), has_looked=Exists(seen)
    )
    release = releases.filter(name=name).first()
    if release is None:
        raise Http404
    may_look = release.has_looked and not release.is_judging  # type: ignore[attr-defined]
    if not release.is_closed and not may_look:
        door = confirm_first_look(request, release, title=_("Report"))
        if door is not None:
            return door
    return OpenReport(release)


def report(request: SignedInRequest, name: str) -> HttpResponse:
    opened = open_report(request, name)
    if isinstance(opened, HttpResponse):
        return opened
    context = {
        "release": opened.release,
        "closing": opened.closing,
        "rendered": get_or_make(
            opened.release, "report", lambda: render_report(opened), opened.version
        ),
        "decision": opened.decision,
        "voided": opened.voided,
        "form": build_sign_form(opened),
    }
    return render(request, "reviews/report/report.html", context)


def render_report(opened: OpenReport) -> dict[str, str]:
    """Render the parts that are the same for every reader: above and below the buttons, and the
    word of the verdict with its conditions."""
    found, document, links = opened.summary, opened.document, opened.links
    # Build all parts before rendering: then all links share one query.
    context = (
        build_context(opened)
        | build_findings(found, document, links)
        | build_statistics(found, document, links)
    )
    if found.comparison and not found.comparison.why:
        context |= comparison.build_comparison(found.comparison, links)
    if found.read_side_by_side:
        context |= side_by_side.build_pairs(found.read_side_by_side, links)
    return {
        "first": render_to_string("reviews/report/_first_screen.html", context),
        "rest": render_to_string("reviews/report/_rest.html", context),
        "word": describe_word(opened.verdict.word, opened.verdict.conditions, opened.names),
    }


def build_context(opened: OpenReport) -> dict[str, object]:
    """Build the first screen of report and brief."""
    found, judged = opened.summary, opened.verdict
    return {
        **build_first_screen(found, judged, opened.document, opened.links),
        "release": opened.release,
        "summary": found,
        "verdict": judged,
        "names": opened.names,
        "links": opened.links,
        "language": opened.language,
        "acts": would_help.describe_acts(
            would_help.load_acts(opened.release, found, judged, opened.version)
        ),
        "closing": opened.closing,
        "is_recomputed": opened.is_recomputed,
        "decision": opened.decision,
        "voided": opened.voided,
    }


def build_sign_form(opened: OpenReport) -> DecisionForm | None:
    """Return the form, if there is something to sign."""
    closing = opened.closing
    if closing is None or closing.is_abandoned:
        return None
    return DecisionForm(initial={"digest": closing.digest})


def report_cases(request: SignedInRequest, name: str) -> HttpResponse:
    """Show the cases behind a number, with the remarks on them."""
    opened = open_report(request, name)
    if isinstance(opened, HttpResponse):
        return opened
    asked = cases_behind.AskedCases.read(request.GET)
    compared = load_comparison(request, opened)
    if isinstance(compared, HttpResponse):
        return compared
    try:
        found = cases_behind.find(opened.summary, opened.verdict, opened.document, asked, compared)
    except cases_behind.NoSuchRows as missing:
        raise Http404 from missing
    page = Paginator(found.cases, ROWS_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "release": opened.release,
        "language": opened.language,
        "provisional": None if opened.closing else opened.summary,
        "title": found.title,
        "count": len(found.cases),
        "page": page,
        "metrics": opened.document.metrics,
        "rows": cases_behind.build_rows(
            opened.summary, opened.document, asked, list(page), opened.links, compared
        ),
        "is_on_question": bool(asked.question),
        "names": opened.names,
    }
    return render(request, "reviews/report/report_cases.html", context)


def load_comparison(
    request: SignedInRequest, opened: OpenReport
) -> summary.Comparison | HttpResponse | None:
    """Return the comparison with the release in the address, else that of the report."""
    name = request.GET.get("with", "")
    if not name:
        return opened.summary.comparison
    other = find_release(name)
    door = confirm_first_look(request, other, title=_("Comparison"))
    if door is not None:
        return door
    is_across = request.GET.get("across") == "1"
    try:
        return summary.compare(opened.summary, summary.load(other), across_rubrics=is_across)
    except summary.NotComparable as refusal:
        raise Http404 from refusal


def report_brief(request: SignedInRequest, name: str) -> HttpResponse:
    """Show the brief: one page to print or present, and the same as text."""
    opened = open_report(request, name)
    if isinstance(opened, HttpResponse):
        return opened
    context = build_context(opened) | {
        "weakest": list_weakest(opened.summary),
        "by_pairs": find_lowest(opened.summary, opened.verdict.criteria),
    }
    text = brief.write_brief(render_to_string("reviews/report/brief.txt", context))
    context |= {
        "text": text,
        "word_count": brief.count_words(text),
        "is_slide": request.GET.get("shape") == "slide",
    }
    return render(request, "reviews/report/brief.html", context)


CASES_PER_PAGE = 50
MOST_UNPAIRED = 50


def compare(request: SignedInRequest, name: str) -> HttpResponse:
    """Compare with the release in `with`; across rubric versions only with `across`."""
    opened = open_report(request, name)
    if isinstance(opened, HttpResponse):
        return opened
    release = opened.release
    others = list(list_comparable(release))
    known = [other.name for other in others]
    chosen = request.GET.get("with", "")
    if not chosen and release.baseline and release.baseline.name in known:
        chosen = release.baseline.name
    context: dict[str, object] = {
        "release": release,
        "others": others,
        "chosen": chosen,
        "language": opened.language,
        "provisional": None if opened.closing else opened.summary,
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
            summary.load(other),
            across_rubrics=request.GET.get("across") == "1",
        )
    except summary.NotComparable as refusal:
        context |= {"refusal": translate_reason(refusal.reason), "can_insist": True}
        return render(request, "reviews/report/comparison.html", context)
    page = Paginator(comparison.sort_cases(found), CASES_PER_PAGE).get_page(request.GET.get("page"))
    links = Links(release, other, is_named=True, is_across=bool(found.caution))
    context |= comparison.build_comparison(found, links) | {
        "other": other,
        "names": opened.names,
        "summary": opened.summary,
        "minus_margin": -float(opened.summary.policy["margin"]),
        "zero": 0.0,
        "is_open": True,
        "page": page,
        "rows": comparison.build_case_rows(found, list(page), links),
        "only_before": [links.case(key) for key in found.only_before[:MOST_UNPAIRED]],
        "more_before": max(0, len(found.only_before) - MOST_UNPAIRED),
        "only_after": [links.case(key) for key in found.only_after[:MOST_UNPAIRED]],
        "more_after": max(0, len(found.only_after) - MOST_UNPAIRED),
    }
    return render(request, "reviews/report/comparison.html", context)


def product_trend(request: SignedInRequest) -> HttpResponse:
    """Show the trend of a product over its closed releases."""
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
