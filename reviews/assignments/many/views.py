"""The page that assigns, moves or takes back many at once, after showing what it would do."""

from collections.abc import Collection
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from cases.models import Release
from cases.releases.queries import find_release
from evalsite.http import SignedInRequest
from reviews.assignments import workflow
from reviews.assignments.inputs import active_reviewers
from reviews.assignments.many.forms import ManyForm
from reviews.assignments.many.queries import Act, ManyPlan, plan_many
from reviews.assignments.queries import list_shown, load_overview
from reviews.assignments.workflow import MOST_AT_ONCE
from reviews.errors import Missing, Refused, require_reviewing
from reviews.models import Review


def many(request: SignedInRequest, name: str) -> HttpResponse:
    """Show the plan, or carry it out (`confirm`) if it is for the person it was shown for."""
    release = find_release(name)
    form = ManyForm(request.POST)
    codes = find_codes(request, release)
    refusal = find_obstacle(release, codes)
    if refusal or "act" in form.errors:
        for sentence in refusal.sentences if refusal else form.errors["act"]:
            messages.error(request, str(sentence))
        return redirect("assignments", release.name)
    status = 200 if form.is_valid() else 422
    if form.is_valid() and is_confirmed(request, form.cleaned_data):
        try:
            messages.success(request, carry_out(request, release, form.cleaned_data))
        except Refused as refused:
            refusal, status = refused, 409
        else:
            return redirect("assignments", release.name)
    return show_plan(request, release, form, codes, refusal=refusal, status=status)


def find_codes(request: SignedInRequest, release: Release) -> list[str]:
    """Return the codes of the chosen cases, or of all that the filter shows."""
    posted = request.POST
    if "all" in posted:
        overview = load_overview(release, now=timezone.now())
        rows = list_shown(overview, posted.get("q", ""), posted.get("show", ""))
        return [row.case.code for row in rows]
    return [code for words in posted.getlist("case") for code in words.split(",") if code.isalnum()]


def find_obstacle(release: Release, codes: Collection[str]) -> Refused | None:
    """Return why nothing can be planned, if so."""
    try:
        require_reviewing(release)
    except Refused as refusal:
        return refusal
    if not codes:
        return Refused(Missing("case", _("Choose at least one case.")))
    if len(codes) > MOST_AT_ONCE:
        return Refused(
            Missing("case", _("Choose at most %(most)d at once.") % {"most": MOST_AT_ONCE})
        )
    return None


def is_confirmed(request: SignedInRequest, sent: dict[str, Any]) -> bool:
    is_for_whom_it_was_shown = sent["act"] == Act.TAKE_BACK or sent["taker"] == sent["seen"] != ""
    return "confirm" in request.POST and bool(sent["going"]) and is_for_whom_it_was_shown


def carry_out(request: SignedInRequest, release: Release, sent: dict[str, Any]) -> str:
    """Carry out what was shown, all of it or none. Return what was done."""
    act, going = sent["act"], sent["going"]
    options: dict[str, Any] = {"user": request.user, "now": timezone.now()}
    if act == Act.GIVE:
        taker = workflow.find_reviewer(sent["taker"])
        codes = [code for code in going if code.isalnum()]
        done = workflow.assign_many(release=release, codes=codes, reviewer=taker, **options)
        words = ngettext(
            "%(count)d case is assigned to %(person)s.",
            "%(count)d cases are assigned to %(person)s.",
            len(done),
        )
        return words % {"count": len(done), "person": taker.get_username()}
    keys = [int(key) for key in going if key.isascii() and key.isdigit() and len(key) < 19]
    reviews = list(Review.objects.of(release).filter(pk__in=keys).values_list("pk", flat=True))
    if act == Act.MOVE:
        taker = workflow.find_reviewer(sent["taker"])
        moved = workflow.move_many(reviews=reviews, taker=taker, **options)
        words = ngettext(
            "%(count)d review is moved to %(person)s.",
            "%(count)d reviews are moved to %(person)s.",
            len(moved),
        )
        return words % {"count": len(moved), "person": taker.get_username()}
    count = workflow.take_back(reviews=reviews, reason=sent["reason"], **options)
    words = ngettext("%(count)d review is taken back.", "%(count)d reviews are taken back.", count)
    return words % {"count": count}


def show_plan(
    request: SignedInRequest,
    release: Release,
    form: ManyForm,
    codes: Collection[str],
    *,
    refusal: Refused | None,
    status: int,
) -> HttpResponse:
    sent = form.cleaned_data
    act, taker = sent["act"], sent.get("taker", "")
    takers = list(active_reviewers().values_list("username", flat=True))
    planned = plan_many(
        release,
        act,
        codes,
        giver=sent.get("giver", ""),
        taker=taker if act != Act.TAKE_BACK and taker in takers else "",
        now=timezone.now(),
    )
    context = {
        "release": release,
        "form": form,
        "act": act,
        "taker": taker if taker in takers else "",
        "takers": takers,
        "giver": sent.get("giver", ""),
        "codes": ",".join(codes),
        "planned": planned,
        "going": ",".join(row.key for row in planned.going),
        "beyond": count_beyond(planned),
        "refusal": refusal,
        "needs_taker": act != Act.TAKE_BACK,
    }
    return render(request, "reviews/assignments/many.html", context, status=status)


def count_beyond(planned: ManyPlan) -> int:
    """Count the reviews for which the taker has no room."""
    return 0 if planned.room is None else max(0, len(planned.going) - planned.room)
