"""Pages of a reader: the next pair, a pair, declining it, and a pair to practise on."""

import secrets
from collections.abc import Sequence

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from evalsite.http import SignedInRequest
from reviews.desk.forms import read_version
from reviews.desk.page import describe_saved
from reviews.desk.workflow import document_for
from reviews.errors import Missing, Refused, hide_release
from reviews.models import Pairing
from reviews.pairings import judgement, page, reading
from reviews.pairings.forms import DeclinePairForm, read_posted_judgement
from reviews.pairings.judgement import PairJudgement
from reviews.pairings.practice import load_practice
from reviews.pairings.queries import count_progress, find_next_pairing, find_own_pairing


def next_pairing(request: SignedInRequest) -> HttpResponse:
    """Redirect to the next pair, or to the list when none is left."""
    found = find_next_pairing(request.user)
    if found is None:
        messages.info(request, _("You have no more pairs to read."))
        return redirect("my-reviews")
    return redirect(found)


def find_pairing(request: SignedInRequest, pk: int) -> Pairing:
    """Return the person's own pairing, or raise Http404."""
    mine = find_own_pairing(request.user, pk)
    if mine is None:
        raise Http404
    return mine


def pairing(request: SignedInRequest, pk: int) -> HttpResponse:
    """Show two plans. Without scripts the form is posted here, to save or to submit."""
    mine = find_pairing(request, pk)
    if request.method == "POST":
        return receive_form(request, mine)
    return render_pair(request, mine, judgement.from_data(mine.draft))


def receive_form(request: SignedInRequest, mine: Pairing) -> HttpResponse:
    said = read_posted_judgement(request.POST, document_for(mine.release))
    version, now = read_version(request.POST), timezone.now()
    try:
        if request.POST.get("act") == "submit":
            reading.submit(
                pairing=mine.pk,
                user=request.user,
                key=request.POST.get("key", ""),
                version=version,
                said=said,
                now=now,
            )
            messages.success(request, _("You submitted the pair."))
            return redirect("pairing-next")
        reading.save_draft(pairing=mine.pk, user=request.user, version=version, said=said, now=now)
    except reading.StalePairing as stale:
        mine = find_pairing(request, mine.pk)
        problems = stale.missing
        return render_pair(request, mine, said, problems=problems, is_stale=True)
    except Refused as refusal:
        return render_pair(request, mine, said, problems=hide_release(refusal).missing)
    messages.success(request, _("Your draft is saved."))
    return redirect(mine)


def render_pair(
    request: SignedInRequest,
    mine: Pairing,
    said: PairJudgement,
    *,
    problems: Sequence[Missing] = (),
    is_stale: bool = False,
) -> HttpResponse:
    """Render a pair. `is_stale`: a later version is stored and is shown beside the form."""
    text = mine.release.rubric.text_for(get_language())
    html = page.get_plans_html(mine, text)
    stored = judgement.from_data(mine.draft) if is_stale else None
    explanation = explain(mine)
    context = {
        "pairing": mine,
        "plans": html.plans,
        "form": page.build_form(text, html, reading.list_questions(mine), said, problems=problems),
        "is_open": not explanation,
        "sentence": explanation or describe_submitted(mine),
        "progress": count_progress(request.user, mine),
        "due_date": mine.release.due_date,
        "saved": describe_saved(mine.saved_at, mine.version),
        "key": secrets.token_urlsafe(18),
        "stored": page.describe_judgement(stored, text.document) if stored else (),
        "next_url": reverse("pairing-next"),
    }
    return render(
        request, "reviews/pairings/pairing.html", context, status=409 if problems else 200
    )


def explain(mine: Pairing) -> str:
    """Return why the pair can only be read; empty while it can be written."""
    if not mine.release.is_reviewing:
        return _("This pair is closed. You can read it but not change it.")
    return reading.explain_not_open(mine)


def describe_submitted(mine: Pairing) -> str:
    if not mine.is_submitted:
        return ""
    return _("You have submitted this pair. You can change it until the release is closed.")


def decline(request: SignedInRequest, pk: int) -> HttpResponse:
    mine = find_pairing(request, pk)
    form = DeclinePairForm(request.POST if request.method == "POST" else None)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                reading.decline(
                    pairing=mine.pk,
                    user=request.user,
                    reason=form.cleaned_data["reason"],
                    now=timezone.now(),
                )
            except Refused as refusal:
                status = 409
                for problem in hide_release(refusal).missing:
                    form.add_error(None, problem.sentence)
            else:
                messages.success(request, _("An admin reads what you wrote."))
                return redirect("my-reviews")
    context = {"pairing": mine, "form": form}
    return render(request, "reviews/pairings/decline.html", context, status=status)


def practice(request: SignedInRequest) -> HttpResponse:
    """A pair to practise on. Nothing is stored, and nothing is sent."""
    language = get_language() or "en"
    practice_pair, document = load_practice(language)
    html = page.render_plans(practice_pair.left, practice_pair.right, document, language=language)
    said = PairJudgement()
    form = page.build_form_of(document, html, list(html.facts), said, language=language)
    context = {
        "plans": html.plans,
        "form": form,
        "is_open": True,
        "is_practice": True,
        "saved": _("Nothing is stored"),
    }
    return render(request, "reviews/pairings/pairing.html", context)
