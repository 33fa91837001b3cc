"""Who reviews what, by hand: give, move, withdraw, hand on, and plan a single case again."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from cases.models import Case, Release
from cases.releases.queries import find_release
from evalsite.http import SignedInRequest
from reviews.assignments import workflow
from reviews.assignments.forms import Options, TakerForm, WithdrawReviewForm
from reviews.assignments.inputs import Candidate, candidates
from reviews.assignments.preview import (
    assigned_in_words,
    build_preview,
    missing_in_words,
    shortened,
)
from reviews.assignments.reasons import listed, together, why
from reviews.assignments.views import tell
from reviews.errors import Refused
from reviews.models import Review
from reviews.releases.act_page import act_page
from reviews.sample.queries import find_case


def give(request: SignedInRequest, name: str, code: str) -> HttpResponse:
    release = find_release(name)
    case = find_sampled(release, code)
    found = candidates(release, case.case_key, now=timezone.now())

    def do(data: dict[str, Any]) -> str:
        taker: User = data["taker"]
        workflow.assign(
            release=release,
            case_key=case.case_key,
            reviewer=taker,
            user=request.user,
            now=timezone.now(),
        )
        return _("%(case)s is assigned to %(person)s.") % {
            "case": case.case_key,
            "person": taker.get_username(),
        }

    return act_page(
        request,
        release=release,
        form=TakerForm(posted(request), options=options(release, found)),
        do=do,
        title=_("Give %(case)s to somebody") % {"case": case.case_key},
        lead=lead_about(release, found),
        button=_("Assign"),
        back=back_to(release),
        case=case,
    )


def move(request: SignedInRequest, name: str, code: str, username: str) -> HttpResponse:
    release = find_release(name)
    review = find_review(release, code, username)
    case, giver = review.case, review.reviewer
    found = candidates(release, case.case_key, now=timezone.now())

    def do(data: dict[str, Any]) -> str:
        taker: User = data["taker"]
        workflow.move(
            release=release,
            case_key=case.case_key,
            giver=giver,
            taker=taker,
            user=request.user,
            now=timezone.now(),
        )
        return _("%(case)s moved from %(giver)s to %(taker)s.") % {
            "case": case.case_key,
            "giver": giver.get_username(),
            "taker": taker.get_username(),
        }

    lead = _("%(person)s no longer sees the case; a draft is kept, but counts for nothing.") % {
        "person": giver.get_username()
    }
    return act_page(
        request,
        release=release,
        form=TakerForm(posted(request), options=options(release, found)),
        do=do,
        title=_("Move %(case)s from %(person)s to somebody else")
        % {"case": case.case_key, "person": giver.get_username()},
        lead=" ".join(filter(None, [lead, lead_about(release, found)])),
        button=_("Move it"),
        back=back_to(release),
        case=case,
    )


def withdraw(request: SignedInRequest, name: str, code: str, username: str) -> HttpResponse:
    release = find_release(name)
    review = find_review(release, code, username)
    words = {"case": review.case.case_key, "person": review.reviewer.get_username()}

    def do(data: dict[str, Any]) -> str:
        workflow.withdraw(
            release=release,
            case_key=review.case.case_key,
            reviewer=review.reviewer,
            reason=data["reason"],
            user=request.user,
            now=timezone.now(),
        )
        return _("%(case)s is taken back from %(person)s.") % words

    return act_page(
        request,
        release=release,
        form=WithdrawReviewForm(posted(request)),
        do=do,
        title=_("Take %(case)s back from %(person)s") % words,
        lead=_(
            "The case lacks a reviewer then, until you plan again or give it to somebody. "
            "A draft is kept, but counts for nothing."
        ),
        button=_("Take it back"),
        is_danger=True,
        back=back_to(release),
        case=review.case,
    )


def hand_on(request: SignedInRequest, name: str, username: str) -> HttpResponse:
    """The open work of one person goes to others, in one act; what nobody can take stays."""
    release = find_release(name)
    person = get_object_or_404(people_with_work(release), username=username)
    words = {"person": person.get_username()}

    def do(data: dict[str, Any]) -> str:
        done = workflow.reassign(
            release=release,
            username=person.get_username(),
            reason=data["reason"],
            seen=request.POST.get("seen"),
            user=request.user,
            now=timezone.now(),
        )
        if done.kept:
            messages.warning(
                request,
                _("Nobody can take %(cases)s: this stays with %(person)s.")
                % {**words, "cases": shortened(done.kept)},
            )
        if done.missing:
            messages.warning(request, missing_in_words(done.missing))
        return assigned_in_words(done.plan)

    return act_page(
        request,
        release=release,
        form=WithdrawReviewForm(posted(request)),
        do=do,
        title=_("Hand on the work of %(person)s") % words,
        lead=_(
            "What others can take is taken back from %(person)s and given to them, in one act. "
            "What is submitted stays and counts."
        )
        % words,
        button=_("Hand it on"),
        back=back_to(release),
        handing=preview_reassignment(release, person.get_username()),
        person=person,
    )


def preview_reassignment(release: Release, username: str) -> dict[str, object] | None:
    """What would be handed on, to be looked at first; None when the act refuses."""
    now = timezone.now()
    try:
        found = workflow.look_at_reassignment(release=release, username=username, now=now)
    except Refused:
        return None
    return {"kept": found.kept, "preview": build_preview(release, found.plan, now=now)}


def again(request: SignedInRequest, name: str, code: str) -> HttpResponse:
    """Somebody else for one case, by plan."""
    release = find_release(name)
    case = find_sampled(release, code)
    try:
        done = workflow.assign_by_plan(
            release=release,
            usernames=None,
            per_case=None,
            only=[case.case_key],
            user=request.user,
            now=timezone.now(),
        )
    except Refused as refusal:
        for sentence in refusal.sentences:
            messages.error(request, sentence)
        return redirect("assignments", release.name)
    taken = listed(assignment.username for assignment in done.assignments)
    if taken:
        words = {"case": case.case_key, "people": taken}
        messages.success(request, _("%(case)s is assigned to %(people)s.") % words)
    if done.missing:
        # The preview says of everybody why not.
        messages.warning(
            request, _("Nobody can take %(case)s; the plan says why.") % {"case": case.case_key}
        )
        return redirect("assignments-plan", release.name)
    if not taken:
        tell(request, done)
    return redirect("assignments", release.name)


# --- What these share -----------------------------------------------------------------------------


def posted(request: SignedInRequest) -> QueryDict | None:
    return request.POST if request.method == "POST" else None


def back_to(release: Release) -> str:
    return reverse("assignments", args=[release.name])


def find_sampled(release: Release, code: str) -> Case:
    """A case that is or was in the sample; the act says what it makes of one that left."""
    case = find_case(release, code)
    if not release.sample.filter(case=case).exists():
        raise Http404
    return case


def find_review(release: Release, code: str, username: str) -> Review:
    rows = Review.objects.of(release).select_related("case", "reviewer")
    return get_object_or_404(
        rows.defer("draft", "comment", "asked", "case__data"),
        case__code=code,
        reviewer__username=username,
    )


def people_with_work(release: Release) -> QuerySet[User]:
    return User.objects.filter(pk__in=Review.objects.of(release).values("reviewer"))


def options(release: Release, found: list[Candidate]) -> Options:
    """Whoever may take the case: first those nothing speaks against."""
    free = [(label(release, candidate), candidate) for candidate in found if not candidate.reasons]
    doubted = [
        (label(release, candidate), candidate)
        for candidate in found
        if candidate.reasons and not candidate.is_barred
    ]
    groups = [(_("Nothing speaks against"), free), (_("Something speaks against"), doubted)]
    return [
        (title, [(candidate.person.username, words) for words, candidate in people])
        for title, people in groups
        if people
    ]


def label(release: Release, candidate: Candidate) -> str:
    person = candidate.person
    words = _("%(person)s, %(open)d of %(capacity)d open") % {
        "person": person.username,
        "open": person.open_reviews,
        "capacity": person.capacity,
    }
    return f"{words} ({reasons(release, candidate)})" if candidate.reasons else words


def lead_about(release: Release, found: list[Candidate]) -> str:
    """Who cannot, and why: they are not in the list."""
    barred = [
        f"{candidate.person.username} ({reasons(release, candidate)})"
        for candidate in found
        if candidate.is_barred
    ]
    return _("Cannot take it: %(people)s.") % {"people": listed(barred)} if barred else ""


def reasons(release: Release, candidate: Candidate) -> str:
    today = timezone.localdate()
    return together(why(reason, due=release.due_date, today=today) for reason in candidate.reasons)
