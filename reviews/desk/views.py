"""Pages of a reviewer: the desk, the queue, practice and the mirror. Only own reviews are found."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.forms import Form
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from evalsite.http import SignedInRequest
from reviews.adjudication.visibility import look_into_mirror
from reviews.desk import case_html, judgement, page, revision, submission, workflow
from reviews.desk.case_html import render_block, render_subjects
from reviews.desk.forms import (
    DeclineForm,
    lines_in,
    said_in,
    version_in,
)
from reviews.desk.judgement import Judgement
from reviews.desk.mirror import build_mirrors, list_closings
from reviews.desk.practice import compare, practice_in
from reviews.desk.queue import (
    Filters,
    count_progress,
    filters_from,
    next_for,
    own_review,
    queue_for,
)
from reviews.desk.workflow import Stale
from reviews.errors import Missing, Refused, hide_release
from reviews.models import Review
from reviews.questions import workflow as questions_workflow
from reviews.questions.forms import AskForm
from reviews.questions.queries import rulings_on_desks

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
        "next_url": build_address(reverse("review-next"), filters),
        "progress": count_progress(request.user),
    }
    return render(request, "reviews/desk/my_reviews.html", context)


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
        return redirect(build_address(reverse("my-reviews"), filters))
    return redirect(build_address(found.get_absolute_url(), filters))


def build_address(path: str, filters: Filters) -> str:
    return f"{path}?{filters.query}" if filters.are_set else path


IDEMPOTENCY_KEY = "Idempotency-Key"


def find_review(request: SignedInRequest, pk: int) -> Review:
    """One's own; anybody else's does not exist."""
    mine = own_review(request.user, pk)
    if mine is None:
        raise Http404
    return mine


def review(request: SignedInRequest, pk: int) -> HttpResponse:
    """The page. Without scripts its form comes back here, saved or submitted by its button."""
    mine = find_review(request, pk)
    if request.method == "POST":
        return posted(request, mine)
    said = read_judgement(request, mine)
    return desk_page(request, mine, said, lines=read_coherence_beside(mine, said))


def read_judgement(request: SignedInRequest, mine: Review) -> Judgement:
    """Who only reads a submitted review reads what was submitted, not a revision begun later."""
    if mine.is_being_revised and "revise" not in request.GET:
        return revision.submitted_in(mine)
    return judgement.from_data(mine.draft)


def read_coherence_beside(mine: Review, said: Judgement) -> dict[str, str]:
    """What was answered at submit. Most reviews contradict nothing and were asked nothing."""
    is_at_odds = any(judgement.contradictions(said, workflow.document_for(mine.release)))
    return revision.read_coherence(mine) if mine.is_submitted and is_at_odds else {}


def posted(request: SignedInRequest, mine: Review) -> HttpResponse:
    document = workflow.document_for(mine.release)
    said, lines = said_in(request.POST, document), lines_in(request.POST, document)
    version, now = version_in(request.POST), timezone.now()
    try:
        if request.POST.get("act") == "submit":
            submission.submit(
                review=mine.pk,
                user=request.user,
                key=request.POST.get("key", ""),
                version=version,
                said=said,
                coherence=lines,
                reason=request.POST.get("reason", ""),
                now=now,
            )
            return redirect(build_next_url(request, mine))
        workflow.save_draft(review=mine.pk, user=request.user, version=version, said=said, now=now)
    except Stale as stale:
        mine = find_review(request, mine.pk)
        return desk_page(
            request, mine, said, problems=hide_release(stale).missing, lines=lines, is_stale=True
        )
    except Refused as refusal:
        return desk_page(request, mine, said, problems=hide_release(refusal).missing, lines=lines)
    messages.success(request, _("Your draft is saved."))
    kept = ["revise=1" if mine.is_submitted else "", filters_from(request.GET).query]
    query = "&".join(filter(None, kept))
    return redirect(mine.get_absolute_url() + (f"?{query}" if query else ""))


def build_next_url(request: SignedInRequest, mine: Review) -> str:
    """To the next case, among those that the queue was filtered for."""
    filters = filters_from(request.GET)
    return "&".join(
        filter(None, [reverse("review-next") + f"?after={mine.case.code}", filters.query])
    )


def desk_page(
    request: SignedInRequest,
    mine: Review,
    said: Judgement,
    *,
    problems: Sequence[Missing] = (),
    lines: Mapping[str, str] | None = None,
    is_stale: bool = False,
) -> HttpResponse:
    """`is_stale`: a later version is stored, and stands beside what was sent."""
    release = mine.release
    text = release.rubric.text_for(get_language())
    rulings = rulings_on_desks(release.rubric_id)
    laid = page.build_desk(
        render_block(mine.case, text, language=get_language()),
        text.document,
        said,
        rulings=rulings,
        problems=problems,
        lines=lines,
        language=text.language,
    )
    standing = page.find_state(mine, now=timezone.now())
    is_revising = standing.can_be_revised and ("revise" in request.GET or request.method == "POST")
    stored = judgement.from_data(mine.draft) if is_stale else None
    context = {
        "review": mine,
        "code": mine.case.code,
        "desk": laid,
        "standing": standing,
        "is_open": standing.can_be_written or is_revising,
        "is_revising": is_revising,
        "progress": count_progress(request.user) if release.is_reviewing else None,
        "due_date": release.due_date,
        "saved_words": page.saved_words(mine.saved_at, mine.version),
        "key": secrets.token_urlsafe(18),
        "stored": page.describe_judgement(stored, text.document) if stored else (),
        "asking": render_subjects(text),
        "next_url": build_next_url(request, mine),
    }
    return render(request, "reviews/desk/desk.html", context, status=409 if problems else 200)


# --- Other forms ----------------------------------------------------------------------------------


def discard(request: SignedInRequest, pk: int) -> HttpResponse:
    """Gives up a revision."""
    mine = find_review(request, pk)
    try:
        revision.discard(review=mine.pk, user=request.user, version=version_in(request.POST))
    except Refused as refusal:
        for problem in hide_release(refusal).missing:
            messages.error(request, problem.sentence)
        return redirect(mine.get_absolute_url() + "?revise=1")
    messages.success(request, page.discarded_words())
    return redirect(mine)


def decline(request: SignedInRequest, pk: int) -> HttpResponse:
    mine = find_review(request, pk)
    form = DeclineForm(request.POST if request.method == "POST" else None)
    act = partial(workflow.decline, review=mine.pk, user=request.user, now=timezone.now())
    status = carry_out(request, form, act)
    if status is None:
        messages.success(request, _("%(code)s went back to the admin.") % {"code": mine.case.code})
        return redirect("my-reviews")
    context = {"review": mine, "case": mine.case, "form": form}
    return render(request, "reviews/desk/decline.html", context, status=status)


def ask(request: SignedInRequest, pk: int) -> HttpResponse:
    mine = find_review(request, pk)
    form = AskForm(
        request.POST if request.method == "POST" else None,
        document=workflow.document_for(mine.release),
        initial={"subject": request.GET.get("about", "")},
    )
    act = partial(questions_workflow.ask, review=mine.pk, user=request.user, now=timezone.now())
    status = carry_out(request, form, act)
    if status is None:
        messages.success(request, page.asked_words())
        return redirect(mine)
    context = {"review": mine, "case": mine.case, "form": form}
    return render(request, "reviews/questions/ask.html", context, status=status)


def carry_out(request: SignedInRequest, form: Form, act: Callable[..., object]) -> int | None:
    """The status to answer with, or None when it was done. What was typed stays in the form."""
    if request.method != "POST":
        return 200
    if not form.is_valid():
        return 422
    try:
        act(**form.cleaned_data)
    except Refused as refusal:
        for problem in hide_release(refusal).missing:
            form.add_error(None, problem.sentence)
        return 409
    return None


def practice(request: SignedInRequest) -> HttpResponse:
    language = get_language() or "en"
    found, document = practice_in(language)
    if request.method == "POST":
        lines = compare(said_in(request.POST, document), found, document)
        return render(request, "reviews/desk/practice_done.html", {"lines": lines})
    shown = case_html.render(found.case, document, language=language)
    context = {
        "code": _("Practice"),
        "desk": page.build_desk(shown, document, Judgement(), language=language),
        "standing": page.ReviewState(True, False, False, ""),
        "is_open": True,
        "is_practice": True,
        "saved_words": _("Nothing is stored"),
    }
    return render(request, "reviews/desk/desk.html", context)


CLOSINGS_PER_PAGE = 5


def mirror(request: SignedInRequest) -> HttpResponse:
    page = Paginator(list_closings(request.user), CLOSINGS_PER_PAGE).get_page(
        request.GET.get("page")
    )
    shown = look_into_mirror(user=request.user, closings=list(page), now=timezone.now())
    mirrors = build_mirrors(request.user, shown, language=get_language())
    return render(request, "reviews/desk/mirror.html", {"page": page, "mirrors": mirrors})
