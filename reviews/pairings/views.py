"""Pages of a reader, who compares two plans, and of an admin, who plans the pairs of a release."""

import secrets
from collections.abc import Sequence
from datetime import date
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from cases.releases import policy
from cases.releases.queries import find_release
from evalsite.http import SignedInRequest
from evalsite.permissions import Role
from reviews.adjudication.visibility import has_opened, is_blind
from reviews.assignments.plan import Refusal
from reviews.assignments.reasons import describe_reason, join_reasons
from reviews.assignments.workflow import digest_plan
from reviews.desk.forms import read_version
from reviews.desk.page import describe_saved
from reviews.desk.workflow import document_for
from reviews.errors import Missing, Refused, hide_release
from reviews.models import Pairing
from reviews.pairings import judgement, page, reading, workflow
from reviews.pairings.forms import DeclinePairForm, TakeBackForm, read_posted_judgement
from reviews.pairings.judgement import PairJudgement
from reviews.pairings.practice import load_practice
from reviews.pairings.queries import (
    count_progress,
    find_next_pairing,
    find_own_pairing,
    load_release_pairs,
)
from reviews.pairings.workflow import find_obstacles
from reviews.report.sentences import names_in


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


# --- Pairs of a release ---------------------------------------------------------------------------


def release_pairings(request: SignedInRequest, name: str) -> HttpResponse:
    """Show which pairs there are, who reads them, what is missing; and what was said to those who
    may see scores."""
    release = find_release(name)
    may_see = has_opened(release, request.user) and not is_blind(release, request.user)
    obstacles = find_obstacles(release) if release.is_reviewing else []
    context = {
        "release": release,
        "pairs": load_release_pairs(release, with_words=may_see, today=timezone.localdate()),
        "zero": 0.0,
        "names": names_in(release.rubric.text_for(get_language()).document),
        "obstacles": obstacles,
        "can_plan": release.is_reviewing and not obstacles and Role.ADMIN in request.roles,
        "can_take_back": release.is_reviewing and Role.ADMIN in request.roles,
        "decides": policy.from_data(release.policy).regression_by == policy.BY_SIDE,
    }
    return render(request, "reviews/pairings/release.html", context)


def plan(request: SignedInRequest, name: str) -> HttpResponse:
    """Show the plan; confirm it with its digest, so that what is assigned is what was shown."""
    release = find_release(name)
    planned: dict[str, Any] = {
        "release": release,
        "usernames": None,
        "per_case": None,
        "now": timezone.now(),
    }
    try:
        if request.method == "POST":
            done = workflow.plan_pairings(
                **planned, seen=request.POST.get("seen", ""), user=request.user
            )
            added = len(done.assignments)
            messages.success(
                request,
                ngettext(
                    "%(count)d reading was assigned.", "%(count)d readings were assigned.", added
                )
                % {"count": added},
            )
            return redirect("pairings", release.name)
        _pairs, shown = workflow.preview_plan(**planned)
    except Refused as refusal:
        for sentence in refusal.sentences:
            messages.error(request, sentence)
        return redirect("pairings", release.name)
    today = timezone.localdate()
    shortfalls = [
        (
            case.case_key,
            case.missing,
            [describe_refusal(each, release.due_date, today) for each in case.refusals],
        )
        for case in shown.shortfalls
    ]
    context = {
        "release": release,
        "plan": shown,
        "added": len(shown.assignments),
        "shortfalls": shortfalls,
        "seen": digest_plan(shown),
    }
    return render(request, "reviews/pairings/plan.html", context)


def describe_refusal(refusal: Refusal, due: date | None, today: date) -> str:
    reasons = [describe_reason(reason, due=due, today=today) for reason in refusal.reasons]
    return _("%(person)s: %(reasons)s") % {
        "person": refusal.username,
        "reasons": join_reasons(reasons),
    }


def take_back(request: SignedInRequest, name: str) -> HttpResponse:
    """Take back every reading that is not submitted, of everyone or of one person."""
    release = find_release(name)
    asked = request.POST if request.method == "POST" else request.GET
    person = asked.get("person", "")
    form = TakeBackForm(
        request.POST if request.method == "POST" else None, initial={"person": person}
    )
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                taken = workflow.take_back(
                    release=release,
                    usernames=[person] if person else None,
                    reason=form.cleaned_data["reason"],
                    user=request.user,
                    now=timezone.now(),
                )
            except Refused as refusal:
                status = 409
                for sentence in refusal.sentences:
                    form.add_error(None, sentence)
            else:
                messages.success(
                    request,
                    ngettext(
                        "%(count)d reading was taken back.",
                        "%(count)d readings were taken back.",
                        taken,
                    )
                    % {"count": taken},
                )
                return redirect("pairings", release.name)
    context = {"release": release, "form": form, "person": person}
    return render(request, "reviews/pairings/take_back.html", context, status=status)
