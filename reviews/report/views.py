"""The report of a release, the cases behind its numbers, and the brief."""

from functools import cached_property

from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from cases.models import Event, Release
from cases.releases.queries import find_release
from evalsite.http import SignedInRequest
from reviews.adjudication.first_look import page_before_first_look
from reviews.models import Decision, Review
from reviews.models.reviews import OPEN, SEEN
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
from reviews.report.sentences import names_in
from reviews.report.summary import Summary
from reviews.report.summary.cache import keep, version_of
from reviews.report.verdict import Verdict

ROWS_PER_PAGE = 50


class Opened:
    """A report that may be read. `closing` is None while everything is provisional.

    What the page does not need, because it was rendered before, is not computed.
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
        return version_of(self.release)

    @property
    def summary(self) -> Summary:
        return self._read[0]

    @property
    def is_recomputed(self) -> bool:
        """Whether an older code stored it, so that the frozen rows were read again."""
        return self._read[1]

    @cached_property
    def _read(self) -> tuple[Summary, bool]:
        if self.closing is None:
            return summary.standing(self.release, self.version), False
        try:
            return summary.read(self.closing.summary), False
        except summary.OtherSchema:
            return summary.of(self.release), True

    @cached_property
    def verdict(self) -> Verdict:
        is_abandoned = bool(self.closing and self.closing.is_abandoned)
        return verdict.of(self.summary, is_abandoned=is_abandoned)

    @cached_property
    def decisions(self) -> list[Decision]:
        """The newest first, with those that are void."""
        found = self.release.decisions.order_by("-pk").select_related("closing")
        return list(found.defer("closing__summary"))

    @property
    def decision(self) -> Decision | None:
        return next((one for one in self.decisions if one.voided_at is None), None)

    @property
    def voided(self) -> list[Decision]:
        return [one for one in self.decisions if one.voided_at]


def open_report(request: SignedInRequest, name: str) -> Opened | HttpResponse:
    """The report, or why it is not shown (yet)."""
    user = request.user
    own = Review.objects.filter(release=OuterRef("pk"), reviewer=user, status__in=OPEN)
    seen = Event.objects.filter(release=OuterRef("pk"), kind=SEEN, by=user.get_username())
    # With the two questions of the door in the same statement: a report has twenty in all.
    releases = Release.objects.select_related("rubric", "baseline").annotate(
        is_judging=Exists(own), has_looked=Exists(seen)
    )
    release = releases.filter(name=name).first()
    if release is None:
        raise Http404
    may_look = release.has_looked and not release.is_judging  # type: ignore[attr-defined]
    if not release.is_closed and not may_look:
        door = page_before_first_look(request, release, title=_("Report"))
        if door is not None:
            return door
    return Opened(release)


def report(request: SignedInRequest, name: str) -> HttpResponse:
    opened = open_report(request, name)
    if isinstance(opened, HttpResponse):
        return opened
    context = {
        "release": opened.release,
        "closing": opened.closing,
        "rendered": keep(opened.release, "report", lambda: render_report(opened), opened.version),
        "decision": opened.decision,
        "voided": opened.voided,
        "form": sign_form(opened),
    }
    return render(request, "reviews/report/report.html", context)


def render_report(opened: Opened) -> dict[str, str]:
    """What is the same for everybody who may read it: what is above the buttons, what is below,
    and the word of the verdict."""
    # Both before either is rendered: then the links know all their cases.
    context = first_screen(opened) | other_parts(opened)
    word = opened.verdict.word
    return {
        "first": render_to_string("reviews/report/_first.html", context),
        "rest": render_to_string("reviews/report/_rest.html", context),
        "word": str(word.label) if word else "",
    }


def other_parts(opened: Opened) -> dict[str, object]:
    found, document, links = opened.summary, opened.document, opened.links
    compared = found.comparison
    coherence_count, coherence = documents.list_coherence(found, document, links)
    return {
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
    }


def first_screen(opened: Opened) -> dict[str, object]:
    """What report and brief begin with."""
    found, judged = opened.summary, opened.verdict
    document, links = opened.document, opened.links
    because, more = first.list_reasons(judged, opened.names, links)
    to_open = standouts.cases_to_open(found, judged, document, links)
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
        "decision": opened.decision,
        "voided": opened.voided,
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
    text = brief.brief_text(
        opened.summary,
        opened.verdict,
        opened.document,
        opened.links,
        brief.Signed(opened.closing, opened.decision),
    )
    context |= {
        "text": text,
        "word_count": brief.count_words(text),
        "is_slide": request.GET.get("shape") == "slide",
    }
    return render(request, "reviews/report/brief.html", context)
