"""The report of a release, the cases behind its numbers, and the brief."""

from dataclasses import dataclass

from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from cases.models import Event, Release
from cases.releases.queries import find_release
from cases.rubric import Document
from evalsite.http import SignedInRequest
from reviews.adjudication.first_look import page_before_first_look
from reviews.adjudication.visibility import SEEN
from reviews.models import Closing, Decision, Review
from reviews.models.reviews import OPEN
from reviews.releases.forms import DecisionForm
from reviews.report import (
    brief,
    cases_behind,
    documents,
    first,
    method,
    scores,
    standing,
    standouts,
    summary,
    tiles,
    verdict,
    versus,
)
from reviews.report.figures import said
from reviews.report.links import Links
from reviews.report.sentences import Names, names_in

ROWS_PER_PAGE = 50


@dataclass(frozen=True)
class Opened:
    """A report that may be read. `closing` is None while everything is provisional.

    `is_recomputed`: an older code stored it, so the frozen rows were read again.
    """

    release: Release
    summary: summary.Summary
    verdict: verdict.Verdict
    document: Document
    language: str
    names: Names
    links: Links
    closing: Closing | None
    is_recomputed: bool


def open_report(request: SignedInRequest, name: str) -> Opened | HttpResponse:
    """The report, or why it is not shown (yet)."""
    user = request.user
    own = Review.objects.filter(release=OuterRef("pk"), reviewer=user, status__in=OPEN)
    seen = Event.objects.filter(release=OuterRef("pk"), kind=SEEN, by=user.get_username())
    # With the two questions of the door in the same statement: a report has twelve in all.
    releases = (
        Release.objects.select_related("rubric", "baseline")
        .prefetch_related("rubric__translations")
        .annotate(is_judging=Exists(own), has_looked=Exists(seen))
    )
    release = releases.filter(name=name).first()
    if release is None:
        raise Http404
    may_look = release.has_looked and not release.is_judging  # type: ignore[attr-defined]
    if not release.is_closed and not may_look:
        door = page_before_first_look(request, release, title=_("Report"))
        if door is not None:
            return door
    closing = release.closings.newest().get() if release.is_closed else None
    found, is_recomputed = stored(release, closing)
    text = release.rubric.text_for(get_language())
    return Opened(
        release=release,
        summary=found,
        verdict=verdict.of(found, is_abandoned=bool(closing and closing.is_abandoned)),
        document=text.document,
        language=text.language,
        names=names_in(text.document),
        links=Links(release, release.baseline),
        closing=closing,
        is_recomputed=is_recomputed,
    )


def stored(release: Release, closing: Closing | None) -> tuple[summary.Summary, bool]:
    if closing is None:
        return summary.of(release), False
    try:
        return summary.read(closing.summary), False
    except summary.OtherSchema:
        return summary.of(release), True


def report(request: SignedInRequest, name: str) -> HttpResponse:
    opened = open_report(request, name)
    if isinstance(opened, HttpResponse):
        return opened
    found, document, links = opened.summary, opened.document, opened.links
    compared = found.comparison
    coherence_count, coherence = documents.list_coherence(found, document, links)
    context = first_screen(opened) | {
        "scores": scores.build_scores(found, document, links),
        "checklist": scores.build_checklist(found, document, links),
        "findings": documents.list_findings(found, document, links),
        "differing": documents.list_disagreements(found, document, links),
        "versus": versus.versus(
            compared, document, versus.Behind(compared, links), margin=found.policy["margin"]
        )
        if compared
        else None,
        "changed": versus.case_rows(
            versus.ordered(compared)[: documents.MOST_LISTED], document, links
        )
        if compared
        else [],
        "not_compared": said(found.not_compared),
        "words_on": documents.words_on(found, document, links),
        "comments": documents.list_comments(found, links),
        "coherence": coherence,
        "coherence_count": coherence_count,
        "sample": documents.describe_sample(found, document, links),
        "method": method.build_methods(found, document, links),
        "question_method": method.build_question_methods(found, document, links),
        "criteria": [first.because(one, opened.names, links) for one in opened.verdict.criteria],
        "form": sign_form(opened),
    }
    return render(request, "reviews/report/report.html", context)


def first_screen(opened: Opened) -> dict[str, object]:
    """What report and brief begin with."""
    found, judged = opened.summary, opened.verdict
    document, links = opened.document, opened.links
    because, more = first.list_reasons(judged, opened.names, links)
    to_open = standouts.cases_to_open(found, judged, document, links)
    decisions = list(
        opened.release.decisions.order_by("-pk").select_related("closing").defer("closing__summary")
    )
    return {
        "release": opened.release,
        "summary": found,
        "verdict": judged,
        "sentence": said(judged.sentence, opened.names),
        "evidence": first.evidence_line(found),
        "small": first.small_sample(found),
        "language": opened.language,
        "provisional": "" if opened.closing else standing.provisional_words(found),
        "tiles": tiles.build_tiles(found, document, links),
        "because": because,
        "more_because": more,
        "to_open": to_open,
        "is_long": is_longer(because, to_open),
        "weakest": first.weakest_question(found, document, links),
        "open_lines": standing.open_lines(found, document, links),
        "amendments": standing.amendment_lines(found, links),
        "waivers": standing.waiver_lines(found, document, links),
        "closing": opened.closing,
        "is_recomputed": opened.is_recomputed,
        "decision": next((one for one in decisions if one.voided_at is None), None),
        "voided": [one for one in decisions if one.voided_at],
    }


def is_longer(because: list[first.Because], to_open: list[standouts.ToOpen]) -> bool:
    """Beside which of the two columns there is room for a third card."""
    left = sum(len(one.sentence) + len(one.would_change) for one in because)
    right = sum(len(str(one.case)) + len(one.reason) + len(one.words[:110]) for one in to_open)
    return left > right


def sign_form(opened: Opened) -> DecisionForm | None:
    """Where there is something to sign."""
    closing = opened.closing
    if closing is None or closing.is_abandoned:
        return None
    return DecisionForm(initial={"digest": closing.digest})


def report_cases(request: SignedInRequest, name: str) -> HttpResponse:
    """The cases behind a number, with what was said of them."""
    opened = open_report(request, name)
    if isinstance(opened, HttpResponse):
        return opened
    asked = cases_behind.AskedCases.read(request.GET)
    compared = comparison_asked(request, opened)
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
        "provisional": "" if opened.closing else standing.provisional_words(opened.summary),
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


def comparison_asked(
    request: SignedInRequest, opened: Opened
) -> summary.Comparison | HttpResponse | None:
    """With the release that the address names, else that of the report itself."""
    name = request.GET.get("with", "")
    if not name:
        return opened.summary.comparison
    other = find_release(name)
    door = page_before_first_look(request, other, title=_("Comparison"))
    if door is not None:
        return door
    is_across = request.GET.get("across") == "1"
    try:
        return summary.compare(opened.summary, summary.standing(other), across_rubrics=is_across)
    except summary.NotComparable as refusal:
        raise Http404 from refusal


def report_brief(request: SignedInRequest, name: str) -> HttpResponse:
    """One page to print or to show, and the same as text."""
    opened = open_report(request, name)
    if isinstance(opened, HttpResponse):
        return opened
    context = first_screen(opened)
    decision = context["decision"]
    assert decision is None or isinstance(decision, Decision)
    text = brief.brief_text(
        opened.summary,
        opened.verdict,
        opened.document,
        opened.links,
        brief.Signed(opened.closing, decision),
    )
    context |= {
        "text": text,
        "word_count": brief.count_words(text),
        "is_slide": request.GET.get("shape") == "slide",
    }
    return render(request, "reviews/report/brief.html", context)
