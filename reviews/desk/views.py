"""Pages of a reviewer: desk, queue, practice and mirror. They find only own reviews."""

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
from django.utils.html import format_html
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from cases.rubric import Document
from evalsite.http import SignedInRequest
from reviews.adjudication.visibility import look_into_mirror
from reviews.desk import judgement, page, revision, submission, workflow
from reviews.desk.done import load_done
from reviews.desk.forms import (
    DeclineForm,
    KeepForm,
    read_posted_coherence,
    read_posted_judgement,
    read_version,
)
from reviews.desk.fragments import get_case_html, get_subjects, name_case, render_case
from reviews.desk.judgement import Judgement
from reviews.desk.mirror import build_mirrors, list_closings
from reviews.desk.practice import compare, load_practice
from reviews.desk.queue import (
    Filters,
    count_progress,
    estimate_left,
    find_next,
    find_own_review,
    list_recent_seconds,
    load_queue,
    read_filters,
)
from reviews.desk.workflow import Stale
from reviews.errors import Missing, Refused, hide_release
from reviews.models import Question, Review, Ruling
from reviews.pairings.queries import load_own_pairings
from reviews.questions import workflow as questions_workflow
from reviews.questions.forms import AskForm
from reviews.questions.queries import (
    Rulings,
    Subject,
    find_subject,
    load_rulings,
    load_to_look_again,
)

LENGTH_NAMES = {
    "short": gettext_lazy("up to 2 days"),
    "medium": gettext_lazy("3 to 5 days"),
    "long": gettext_lazy("6 days and more"),
}


def my_reviews(request: SignedInRequest) -> HttpResponse:
    filters = read_filters(request.GET)
    queue = load_queue(request.user, filters)
    names = dict(settings.CASE_LANGUAGES)
    done = load_done(request.user, [*queue.done, *queue.earlier], language=get_language())
    context = {
        "queue": queue,
        "done": [done[review.pk] for review in queue.done],
        "earlier": [done[review.pk] for review in queue.earlier],
        "filters": filters,
        "languages": [(code, names.get(code, code)) for code in queue.languages],
        "lengths": LENGTH_NAMES.items(),
        "next_url": build_address(reverse("review-next"), filters),
        "progress": count_progress(request.user),
        "pairs": load_own_pairings(request.user),
        "minutes_left": estimate_left(queue, list_recent_seconds(queue)),
        "look_again": load_to_look_again(request.user),
        "new_answers": Question.objects.by(request.user).unread().count(),
        # The address that a desk whose session ended gives to its link to sign in.
        "is_back": "back" in request.GET,
    }
    return render(request, "reviews/desk/my_reviews.html", context)


def next_review(request: SignedInRequest) -> HttpResponse:
    """Redirect to the next case, or to the list. `after` is the code of the case just submitted."""
    after = request.GET.get("after", "")
    submitted = Review.objects.by(request.user).submitted()
    done = submitted.only("pk").filter(case__code=after).first() if after else None
    if done:
        words = format_html(
            '{} <a href="{}?revise=1">{}</a>',
            _("You submitted %(code)s.") % {"code": after},
            done.get_absolute_url(),
            _("Revise"),
        )
        messages.success(request, words, extra_tags=PASSING)
    filters = read_filters(request.GET)
    found = find_next(request.user, filters)
    if found is None:
        if not filters.are_set:
            messages.info(request, _("You have no more cases to review."))
        return redirect(build_address(reverse("my-reviews"), filters))
    return redirect(build_address(found.get_absolute_url(), filters))


def build_address(path: str, filters: Filters) -> str:
    return f"{path}?{filters.query}" if filters.are_set else path


# A message with this tag goes away by itself.
PASSING = "passing"
IDEMPOTENCY_KEY = "Idempotency-Key"


def find_review(request: SignedInRequest, pk: int) -> Review:
    """Return the person's own review, or raise Http404."""
    mine = find_own_review(request.user, pk)
    if mine is None:
        raise Http404
    return mine


def review(request: SignedInRequest, pk: int) -> HttpResponse:
    """Show the desk. Without scripts its form is posted here, to save or to submit."""
    mine = find_review(request, pk)
    if request.method == "POST":
        return receive_form(request, mine)
    said = read_judgement(request, mine)
    return render_desk(request, mine, said, coherence=read_coherence(mine, said))


def read_judgement(request: SignedInRequest, mine: Review) -> Judgement:
    """Return the submitted review, or the draft of its revision if `revise` is set."""
    if mine.is_being_revised and "revise" not in request.GET:
        return revision.read_submitted(mine)
    return judgement.from_data(mine.draft)


def read_coherence(mine: Review, said: Judgement) -> dict[str, str]:
    """Return the explanations given at submit. Asks the database only if there may be any."""
    contradictions = judgement.find_contradictions(said, workflow.document_for(mine.release))
    return revision.read_coherence(mine) if mine.is_submitted and any(contradictions) else {}


def receive_form(request: SignedInRequest, mine: Review) -> HttpResponse:
    document = workflow.document_for(mine.release)
    said = read_posted_judgement(request.POST, document)
    coherence = read_posted_coherence(request.POST, document)
    version, now = read_version(request.POST), timezone.now()
    try:
        if request.POST.get("act") == "submit":
            submission.submit(
                review=mine.pk,
                user=request.user,
                key=request.POST.get("key", ""),
                version=version,
                said=said,
                coherence=coherence,
                reason=request.POST.get("reason", ""),
                now=now,
            )
            return redirect(build_next_url(request, mine))
        workflow.save_draft(review=mine.pk, user=request.user, version=version, said=said, now=now)
    except Stale as stale:
        mine = find_review(request, mine.pk)
        problems = hide_release(stale).missing
        return render_desk(
            request, mine, said, problems=problems, coherence=coherence, is_stale=True
        )
    except Refused as refusal:
        problems = hide_release(refusal).missing
        return render_desk(request, mine, said, problems=problems, coherence=coherence)
    messages.success(request, _("Your draft is saved."))
    parts = ["revise=1" if mine.is_submitted else "", read_filters(request.GET).query]
    query = "&".join(filter(None, parts))
    return redirect(mine.get_absolute_url() + (f"?{query}" if query else ""))


def build_next_url(request: SignedInRequest, mine: Review) -> str:
    """Return the address of the next case that matches the filters of the queue."""
    filters = read_filters(request.GET)
    return "&".join(
        filter(None, [reverse("review-next") + f"?after={mine.case.code}", filters.query])
    )


def render_desk(
    request: SignedInRequest,
    mine: Review,
    said: Judgement,
    *,
    problems: Sequence[Missing] = (),
    coherence: Mapping[str, str] | None = None,
    is_stale: bool = False,
) -> HttpResponse:
    """Render the desk. `is_stale`: a later version is stored and is shown beside the form."""
    release = mine.release
    progress = count_progress(request.user) if release.is_reviewing else None
    text = release.rubric.text_for(get_language())
    rulings = load_rulings(release.rubric_id)
    desk = page.build_desk(
        get_case_html(mine.case, text, language=get_language()),
        text.document,
        said,
        rulings=rulings.in_force,
        problems=problems,
        coherence=coherence,
        language=text.language,
        case_name=name_case(mine.case, text),
    )
    state = page.find_state(mine, now=timezone.now())
    is_revising = state.can_be_revised and ("revise" in request.GET or request.method == "POST")
    stored = judgement.from_data(mine.draft) if is_stale else None
    context = {
        "review": mine,
        "code": mine.case.code,
        "desk": desk,
        "state": state,
        "is_open": state.can_be_written or is_revising,
        "is_revising": is_revising,
        "newer_rulings": list_newer_rulings(rulings, mine, state, text.document),
        "progress": progress,
        "place": progress.places.get(mine.pk) if progress else None,
        "due_date": release.due_date,
        "saved": page.describe_saved(mine.saved_at, mine.version),
        "key": secrets.token_urlsafe(18),
        "stored": page.describe_judgement(stored, text.document) if stored else (),
        "asking": get_subjects(text),
        "next_url": build_next_url(request, mine),
    }
    return render(request, "reviews/desk/desk.html", context, status=409 if problems else 200)


def list_newer_rulings(
    rulings: Rulings, mine: Review, state: page.ReviewState, document: Document
) -> list[tuple[Subject, Ruling]]:
    """List the rulings because of which the owner is asked to look at a review again."""
    if not (state.can_be_written or state.can_be_revised):
        return []
    return [(find_subject(document, ruling.subject), ruling) for ruling in rulings.find_newer(mine)]


# --- Other forms ----------------------------------------------------------------------------------


def keep(request: SignedInRequest, pk: int) -> HttpResponse:
    """Keep a review as it is, after looking at it again because of a ruling."""
    mine = find_review(request, pk)
    form = KeepForm(request.POST)
    if not form.is_valid():
        raise Http404
    action = partial(revision.keep, review=mine.pk, user=request.user, now=timezone.now())
    if run_form(request, form, action) is not None:
        for sentence in form.non_field_errors():
            messages.error(request, str(sentence))
        return redirect(mine)
    messages.success(request, _("%(code)s stays as it is.") % {"code": mine.case.code})
    return redirect("my-reviews" if mine.is_submitted else mine)


def discard(request: SignedInRequest, pk: int) -> HttpResponse:
    """Discard a revision."""
    mine = find_review(request, pk)
    try:
        revision.discard(review=mine.pk, user=request.user, version=read_version(request.POST))
    except Refused as refusal:
        for problem in hide_release(refusal).missing:
            messages.error(request, problem.sentence)
        return redirect(mine.get_absolute_url() + "?revise=1")
    messages.success(request, page.confirm_discarded())
    return redirect(mine)


def decline(request: SignedInRequest, pk: int) -> HttpResponse:
    mine = find_review(request, pk)
    form = DeclineForm(request.POST if request.method == "POST" else None)
    action = partial(workflow.decline, review=mine.pk, user=request.user, now=timezone.now())
    status = run_form(request, form, action)
    if status is None:
        messages.success(
            request,
            _(
                "An admin reads what you wrote about %(code)s, and withdraws the case, gives it to "
                "someone else, or gives it back to you with an answer."
            )
            % {"code": mine.case.code},
        )
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
    action = partial(questions_workflow.ask, review=mine.pk, user=request.user, now=timezone.now())
    status = run_form(request, form, action)
    if status is None:
        messages.success(request, page.confirm_question())
        return redirect(mine)
    context = {"review": mine, "case": mine.case, "form": form}
    return render(request, "reviews/questions/ask.html", context, status=status)


def run_form(request: SignedInRequest, form: Form, action: Callable[..., object]) -> int | None:
    """Run the action on a valid form. Returns the status to answer with, or None when done."""
    if request.method != "POST":
        return 200
    if not form.is_valid():
        return 422
    try:
        action(**form.cleaned_data)
    except Refused as refusal:
        for problem in hide_release(refusal).missing:
            form.add_error(None, problem.sentence)
        return 409
    return None


def practice(request: SignedInRequest) -> HttpResponse:
    language = get_language() or "en"
    practice_case, document = load_practice(language)
    if request.method == "POST":
        lines = compare(read_posted_judgement(request.POST, document), practice_case, document)
        return render(request, "reviews/desk/practice_done.html", {"lines": lines})
    case_html = render_case(practice_case.case, document, language=language)
    context = {
        "code": _("Practice"),
        "desk": page.build_desk(case_html, document, Judgement(), language=language),
        "state": page.ReviewState(True, False, False, ""),
        "is_open": True,
        "is_practice": True,
        "saved": _("Nothing is stored"),
    }
    return render(request, "reviews/desk/desk.html", context)


CLOSINGS_PER_PAGE = 5


def mirror(request: SignedInRequest) -> HttpResponse:
    page = Paginator(list_closings(request.user), CLOSINGS_PER_PAGE).get_page(
        request.GET.get("page")
    )
    closings = look_into_mirror(user=request.user, closings=list(page), now=timezone.now())
    mirrors = build_mirrors(request.user, closings, language=get_language())
    return render(request, "reviews/desk/mirror.html", {"page": page, "mirrors": mirrors})
