"""Pages of disagreements: the list, a case with its reviews side by side, and flags."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.text import capfirst
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from cases.case import display as case_display
from cases.models import Case, Release
from cases.releases.queries import find_release
from cases.rubric import Document, Level, Metric
from evalsite.http import SignedInRequest
from reviews.adjudication import workflow
from reviews.adjudication.disagreements import Disagreement, digest_basis, list_disagreements
from reviews.adjudication.first_look import confirm_first_look
from reviews.adjudication.forms import AGREED, AdjudicationForm, FlagForm
from reviews.adjudication.queries import load_unsettled, select_own_reviews
from reviews.adjudication.side_by_side import compare_metrics, load_reviews
from reviews.adjudication.visibility import open_scores
from reviews.errors import Refused
from reviews.models import Adjudication, Flag
from reviews.models.reviews import FlagOutcome


def adjudication_list(request: SignedInRequest, name: str) -> HttpResponse:
    release = find_release(name)
    page_before = confirm_first_look(request, release)
    if page_before is not None:
        return page_before
    text = release.rubric.text_for(get_language())
    context = {
        "release": release,
        "language": text.language,
        "unsettled": load_unsettled(release, text.document, request.user),
        "waiver": release.waivers.filter(rule="adjudications").first(),
    }
    return render(request, "reviews/adjudication/adjudications.html", context)


def scores_open(request: SignedInRequest, name: str) -> HttpResponse:
    """Record the confirmed first look. From then on the person cannot review in the release."""
    release = find_release(name)
    target = request.POST.get("next", "")
    try:
        open_scores(release=release, user=request.user, now=timezone.now())
    except Refused as refusal:
        context = {
            "release": release,
            "refusal": refusal,
            "title": _("What reviewers differ on"),
        }
        return render(request, "reviews/adjudication/look.html", context, status=409)
    is_ours = url_has_allowed_host_and_scheme(target, allowed_hosts={request.get_host()})
    return redirect(target if is_ours and target.startswith("/") else build_list_url(release))


def build_list_url(release: Release) -> str:
    return reverse("adjudication-list", args=[release.name])


def adjudication(request: SignedInRequest, name: str, code: str) -> HttpResponse:
    """Show the reviews of a case side by side, and settle them where they differ."""
    release = find_release(name)
    cases = Case.objects.of(release).select_related("sampled").filter(sampled__isnull=False)
    case = get_object_or_404(cases, code=code)
    page_before = confirm_first_look(request, release)
    if page_before is not None:
        return page_before
    found, refusal, is_together = find_settleable(request, release, case)
    if isinstance(refusal, workflow.NotAllIn):
        return render_incomplete(request, release, case, refusal)
    text = release.rubric.text_for(get_language())
    known = Adjudication.objects.filter(case=case).first()
    form = AdjudicationForm(
        request.POST if request.method == "POST" else None,
        metrics=[
            metric for metric in text.document.metrics if found and metric.key in found.metrics
        ],
        participants=found.reviewers if found and is_together else (),
        initial=build_initial(known),
    )
    status = 200
    if request.method == "POST":
        status = settle(request, release, case, form) if found else 409
        if status == DONE:
            messages.success(request, _("You settled %(case)s.") % {"case": case.case_key})
            return redirect(build_list_url(release))
    page = case_display.read(case.itinerary, text.document, language=get_language())
    reviews = list(load_reviews(case))
    listed = {row.case_key: row for row in list_disagreements(release)}.get(case.case_key)
    context = {
        "release": release,
        "case": case,
        "page": page,
        "language": text.language,
        "reviews": reviews,
        "metrics": compare_metrics(reviews, text.document, listed.metrics if listed else (), page),
        "known": known,
        "agreed": list_agreed(known, text.document),
        "is_stale": bool(known and not (listed and listed.is_settled_by(known))),
        "refusal": refusal,
        "is_together": is_together,
        "form": form,
        "seen": digest_basis(found.basis) if found else "",
    }
    return render(request, "reviews/adjudication/adjudication.html", context, status=status)


def find_settleable(
    request: SignedInRequest, release: Release, case: Case
) -> tuple[Disagreement | None, Refused | None, bool]:
    """Return the disagreement this person may settle on the case, or why there is none.

    Also whether it is settled together with the other reviewers of the case.
    """
    is_together = workflow.is_own(request.user, case)
    find = workflow.find_listed_together if is_together else workflow.find_listed
    try:
        _case, found = find(release, case.case_key, request.user)
    except Refused as refusal:
        return None, refusal, is_together
    return found, None, is_together


DONE = 302


def settle(request: SignedInRequest, release: Release, case: Case, form: AdjudicationForm) -> int:
    """Store the agreed scores. Returns the status to answer with; refusals go into the form."""
    if not form.is_valid():
        return 422
    try:
        workflow.adjudicate(
            release=release,
            case_key=case.case_key,
            agreed=form.agreed,
            cause=form.cleaned_data["cause"],
            note=form.cleaned_data["note"],
            seen=form.cleaned_data["seen"] or None,
            together=form.cleaned_data.get("together", ()),
            user=request.user,
            now=timezone.now(),
        )
    except Refused as refusal:
        for sentence in refusal.sentences:
            form.add_error(None, sentence)
        return 409
    return DONE


def render_incomplete(
    request: SignedInRequest, release: Release, case: Case, refusal: Refused
) -> HttpResponse:
    """Render the page of a case with a missing review: the others stay hidden."""
    title = _("What reviewers differ on")
    context = {"release": release, "refusal": refusal, "case": case, "title": title}
    return render(request, "reviews/adjudication/look.html", context, status=409)


def build_initial(known: Adjudication | None) -> dict[str, object]:
    """Return the earlier agreement as initial values, for settling a case again."""
    if known is None:
        return {}
    agreed = {AGREED + key: value for key, value in known.agreed.items()}
    return {**agreed, "cause": known.cause, "note": known.note}


def list_agreed(known: Adjudication | None, document: Document) -> list[tuple[Metric, Level]]:
    agreed = known.agreed if known else {}
    return [
        (metric, metric.level(agreed[metric.key]))
        for metric in document.metrics
        if metric.key in agreed
    ]


def flag(request: SignedInRequest, pk: int) -> HttpResponse:
    """Show a flag and let a manager confirm or reject it with a reason."""
    flags = Flag.objects.select_related(
        "release", "review__case__sampled", "review__reviewer", "judged_by"
    )
    found = get_object_or_404(flags.defer("review__case__data", "review__draft"), pk=pk)
    release, case = found.release, found.review.case
    page_before = confirm_first_look(request, release)
    if page_before is not None:
        return page_before
    form = FlagForm(request.POST if request.method == "POST" else None)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                judged = workflow.judge_flag(
                    flag=found.pk, **form.cleaned_data, user=request.user, now=timezone.now()
                )
            except Refused as refusal:
                status = 409
                for sentence in refusal.sentences:
                    form.add_error(None, sentence)
            else:
                words = {"flag": found, "outcome": judged.get_outcome_display()}
                messages.success(request, capfirst(_("%(flag)s: %(outcome)s.") % words))
                return redirect("flag", found.pk)
    context = {
        "flag": found,
        "release": release,
        "case": case,
        "form": form,
        "is_own": select_own_reviews(request.user, release).filter(case=case).exists(),
        "is_open": found.outcome == FlagOutcome.OPEN and release.is_reviewing,
        "leads_to_withdrawing": found.is_confirmed_broken,
    }
    return render(request, "reviews/adjudication/flag.html", context, status=status)
