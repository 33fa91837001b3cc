"""The desk of a reviewer: read, answer, score, submit. Nobody else's review is ever found."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from django.contrib import messages
from django.forms import Form
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from evalsite.http import SignedInRequest
from reviews import desk, judgement
from reviews.block import asking_of, block_of
from reviews.errors import Missing, Refused, hide_release
from reviews.forms.desk import (
    AskBody,
    AskForm,
    DeclineForm,
    DiscardBody,
    DraftBody,
    SubmitBody,
    lines_in,
    said_in,
    version_in,
)
from reviews.judgement import Judgement
from reviews.models import Review
from reviews.queue import filters_from, own_review, progress_of
from reviews.rulings import rulings_on_desks
from reviews.views.refusing import body_of, refused
from reviews.workflow import asking, reviewing, revising, submitting
from reviews.workflow.reviewing import Stale

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
    said = what_stands(request, mine)
    return desk_page(request, mine, said, lines=lines_beside(mine, said))


def what_stands(request: SignedInRequest, mine: Review) -> Judgement:
    """Who only reads a submitted review reads what was submitted, not a revision begun later."""
    if mine.is_being_revised and "revise" not in request.GET:
        return revising.submitted_in(mine)
    return judgement.from_data(mine.draft)


def lines_beside(mine: Review, said: Judgement) -> dict[str, str]:
    """What was answered at submit. Most reviews contradict nothing and were asked nothing."""
    is_at_odds = any(judgement.contradictions(said, reviewing.document_for(mine.release)))
    return revising.lines_of(mine) if mine.is_submitted and is_at_odds else {}


def posted(request: SignedInRequest, mine: Review) -> HttpResponse:
    document = reviewing.document_for(mine.release)
    said, lines = said_in(request.POST, document), lines_in(request.POST, document)
    version, now = version_in(request.POST), timezone.now()
    try:
        if request.POST.get("act") == "submit":
            submitting.submit(
                review=mine.pk,
                user=request.user,
                key=request.POST.get("key", ""),
                version=version,
                said=said,
                coherence=lines,
                reason=request.POST.get("reason", ""),
                now=now,
            )
            return redirect(way_on(request, mine))
        reviewing.save_draft(review=mine.pk, user=request.user, version=version, said=said, now=now)
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


def way_on(request: SignedInRequest, mine: Review) -> str:
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
    laid = desk.lay(
        block_of(mine.case, text, language=get_language()),
        text.document,
        said,
        rulings=rulings,
        problems=problems,
        lines=lines,
        language=text.language,
    )
    standing = desk.standing_of(mine, now=timezone.now())
    is_revising = standing.can_be_revised and ("revise" in request.GET or request.method == "POST")
    stored = judgement.from_data(mine.draft) if is_stale else None
    context = {
        "review": mine,
        "code": mine.case.code,
        "desk": laid,
        "standing": standing,
        "is_open": standing.can_be_written or is_revising,
        "is_revising": is_revising,
        "progress": progress_of(request.user) if release.is_reviewing else None,
        "due_date": release.due_date,
        "saved_words": desk.saved_words(mine.saved_at, mine.version),
        "key": secrets.token_urlsafe(18),
        "stored": desk.in_words(stored, text.document) if stored else (),
        "asking": asking_of(text),
        "next_url": way_on(request, mine),
    }
    return render(request, "reviews/desk.html", context, status=409 if problems else 200)


# --- What the scripts of the desk send ------------------------------------------------------------


def draft(request: SignedInRequest, pk: int) -> JsonResponse:
    """Autosave. 409 with both versions when a later one is stored."""
    try:
        body = body_of(request, DraftBody)
        saved = reviewing.save_draft(
            review=pk,
            user=request.user,
            version=body.version,
            said=body.said,
            now=timezone.now(),
        )
    except Refused as refusal:
        return refused(refusal)
    words = desk.saved_words(saved.saved_at, saved.version)
    return JsonResponse({"version": saved.version, "saved_at": saved.saved_at, "detail": words})


def submit(request: SignedInRequest, pk: int) -> JsonResponse:
    """Once for each Idempotency-Key, however often it is sent."""
    try:
        body = body_of(request, SubmitBody)
        done = submitting.submit(
            review=pk,
            user=request.user,
            key=request.headers.get(IDEMPOTENCY_KEY, ""),
            version=body.version,
            said=body.said,
            coherence=body.coherence,
            reason=body.reason,
            now=timezone.now(),
        )
    except Refused as refusal:
        return refused(refusal)
    return JsonResponse({"version": done.version, "next": reverse("review-next")})


def discard(request: SignedInRequest, pk: int) -> HttpResponse:
    """Gives up a revision. A form of its own; the desk sends the same as JSON."""
    is_script = request.content_type == "application/json"
    mine = find_review(request, pk)
    try:
        version = body_of(request, DiscardBody).version if is_script else version_in(request.POST)
        done = revising.discard(review=mine.pk, user=request.user, version=version)
    except Refused as refusal:
        if is_script:
            return refused(refusal)
        for problem in hide_release(refusal).missing:
            messages.error(request, problem.sentence)
        return redirect(mine.get_absolute_url() + "?revise=1")
    messages.success(request, _("Your revision is discarded. What you submitted stands."))
    return JsonResponse({"version": done.version}) if is_script else redirect(mine)


def decline(request: SignedInRequest, pk: int) -> HttpResponse:
    mine = find_review(request, pk)
    form = DeclineForm(request.POST if request.method == "POST" else None)
    act = partial(reviewing.decline, review=mine.pk, user=request.user, now=timezone.now())
    status = carry_out(request, form, act)
    if status is None:
        messages.success(request, _("%(code)s went back to the admin.") % {"code": mine.case.code})
        return redirect("my-reviews")
    context = {"review": mine, "case": mine.case, "form": form}
    return render(request, "reviews/decline.html", context, status=status)


def ask(request: SignedInRequest, pk: int) -> HttpResponse:
    """A form of its own; the desk sends the same as JSON and stays where it is."""
    if request.content_type == "application/json":
        return ask_by_script(request, pk)
    mine = find_review(request, pk)
    form = AskForm(
        request.POST if request.method == "POST" else None,
        document=reviewing.document_for(mine.release),
        initial={"subject": request.GET.get("about", "")},
    )
    act = partial(asking.ask, review=mine.pk, user=request.user, now=timezone.now())
    status = carry_out(request, form, act)
    if status is None:
        messages.success(request, asked_words())
        return redirect(mine)
    context = {"review": mine, "case": mine.case, "form": form}
    return render(request, "reviews/ask.html", context, status=status)


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


def ask_by_script(request: SignedInRequest, pk: int) -> JsonResponse:
    try:
        body = body_of(request, AskBody)
        asking.ask(
            review=pk,
            user=request.user,
            subject=body.subject,
            text=body.text,
            now=timezone.now(),
        )
    except Refused as refusal:
        return refused(refusal)
    return JsonResponse({"detail": asked_words()})


def asked_words() -> str:
    return _("Your question is asked. The answer will stand under it for everybody.")
