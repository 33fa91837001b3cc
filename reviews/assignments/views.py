"""Pages of assignments: the overview, the plan, and changes by hand."""

from copy import copy
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from cases.models import Case, Release
from cases.releases import workdays
from cases.releases import workflow as releases_workflow
from cases.releases.forms import DueDateForm
from cases.releases.queries import find_release
from cases.releases.workdays import warn_about_due_date
from evalsite.http import SignedInRequest
from evalsite.mail import Mailed, can_be_mailed
from reviews.assignments import reminder, workflow
from reviews.assignments.candidates import build_options, describe_barred, load_candidates
from reviews.assignments.forms import GiveBackForm, PlanForm, TakerForm, WithdrawReviewForm
from reviews.assignments.inputs import active_reviewers
from reviews.assignments.many.queries import Act
from reviews.assignments.plan import Plan
from reviews.assignments.preview import (
    build_preview,
    describe_assigned,
    describe_missing,
    describe_outcome,
    shorten,
)
from reviews.assignments.queries import list_shown, load_overview
from reviews.assignments.reasons import join_names
from reviews.errors import LONGEST_REASON, Refused, WrongStatus
from reviews.models import Review
from reviews.releases.pages import show_act
from reviews.sample.queries import find_case

CASES_PER_PAGE = 50
# More columns would be mostly empty: then each case lists its own people.
MOST_COLUMNS = 10
SHOWN = ("", "lacking", "late", "open")


def assignments(request: SignedInRequest, name: str) -> HttpResponse:
    return show_assignments(request, find_release(name))


def show_assignments(
    request: SignedInRequest,
    release: Release,
    *,
    due_form: DueDateForm | None = None,
    status: int = 200,
) -> HttpResponse:
    """Show the assignments, also as the answer to an invalid due date."""
    now = timezone.now()
    overview = load_overview(release, now=now)
    words = request.GET.get("q", "").strip()
    shown = request.GET.get("show", "")
    rows = list_shown(overview, words, shown)
    page = Paginator(rows, CASES_PER_PAGE).get_page(request.GET.get("page"))
    present = {person for row in page for person in row.cells}
    columns = [person for person in overview.people if person.user.pk in present]
    context = {
        "release": release,
        "overview": overview,
        "rubric_text": release.rubric.text_for(get_language()),
        "page": page,
        "columns": columns,
        "is_crowd": len(columns) > MOST_COLUMNS,
        "rows": [(row, row.across(columns)) for row in page],
        "people": overview.people,
        "late": overview.late,
        "has_open_pairs": any(person.open_pairs for person in overview.people),
        "acts": Act.choices,
        "takers": active_reviewers().values_list("username", flat=True),
        "words": words,
        "shown": shown if shown in SHOWN else "",
        "due_form": due_form or DueDateForm(instance=release),
        "due_warning": workdays.warning_about(release.due_date),
        "today": timezone.localdate(now),
    }
    return render(request, "reviews/assignments/assignments.html", context, status=status)


def due_date(request: SignedInRequest, name: str) -> HttpResponse:
    release = find_release(name)
    form = DueDateForm(request.POST, instance=copy(release))
    if not form.is_valid():
        return show_assignments(request, release, due_form=form, status=422)
    try:
        changed = releases_workflow.change(
            release=release, user=request.user, now=timezone.now(), **form.cleaned_data
        )
    except ValidationError as refusal:
        form.add_error(None, refusal)
        return show_assignments(request, release, due_form=form, status=422)
    except releases_workflow.ReleaseFrozen as refusal:
        form.add_error(None, str(refusal))
        return show_assignments(request, release, due_form=form, status=409)
    messages.success(request, _("Saved."))
    warn_about_due_date(request, changed)
    return redirect("assignments", release.name)


def plan(request: SignedInRequest, name: str) -> HttpResponse:
    """Show the plan (GET) or assign it (POST), if it is still the plan that was shown."""
    release = find_release(name)
    asked = request.POST if request.method == "POST" else request.GET
    usernames, now = read_chosen_people(asked), timezone.now()
    form = PlanForm(asked if "per_case" in asked else {})
    if not form.is_valid():
        return show_plan(request, release, usernames, form, None, status=422)
    wishes = {"usernames": usernames, "per_case": form.cleaned_data["per_case"]}
    refusal: Refused | None = None
    status = 200
    if request.method == "POST":
        seen = request.POST.get("seen", "")
        try:
            done = workflow.assign_by_plan(
                release=release, seen=seen, user=request.user, now=now, **wishes
            )
        except workflow.PlanChanged as changed:
            refusal, status = changed, 409
        except Refused as refused:
            return show_plan(request, release, usernames, form, None, refusal=refused, status=409)
        else:
            show_outcome(request, done)
            return redirect("assignments", release.name)
    try:
        planned = workflow.preview_plan(release=release, now=now, **wishes)
    except Refused as refused:
        status = 409 if isinstance(refused, WrongStatus) else 422
        return show_plan(request, release, usernames, form, None, refusal=refused, status=status)
    if refusal and not planned.assignments:
        # Sent twice, or another admin was quicker: there is nothing left to assign.
        show_outcome(request, planned)
        return redirect("assignments", release.name)
    return show_plan(request, release, usernames, form, planned, refusal=refusal, status=status)


def show_plan(
    request: SignedInRequest,
    release: Release,
    usernames: list[str] | None,
    form: PlanForm,
    planned: Plan | None,
    *,
    refusal: Refused | None = None,
    status: int,
) -> HttpResponse:
    """Show the plan; without one, still the people to choose from and what was typed."""
    now = timezone.now()
    shown = planned or Plan((), (), (), ())
    preview = build_preview(release, shown, now=now)
    context = {
        "release": release,
        "rubric_text": release.rubric.text_for(get_language()),
        "form": form,
        "usernames": usernames,
        "is_everyone": usernames is None,
        "per_case": form["per_case"].value() or release.reviews_per_case,
        "is_planned": planned is not None,
        "preview": preview,
        "refusal": refusal,
    }
    return render(request, "reviews/assignments/plan.html", context, status=status)


def read_chosen_people(asked: QueryDict) -> list[str] | None:
    """Read ticked names or names separated by commas. None: the request names no people."""
    names = [name.strip() for words in asked.getlist("reviewers") for name in words.split(",")]
    found = list(dict.fromkeys(name for name in names if name))
    return found if found or "chosen" in asked else None


def show_outcome(request: SignedInRequest, done: Plan) -> None:
    """Show what was assigned, and warn about what is missing."""
    successes, gaps = describe_outcome(done)
    for sentence in successes:
        messages.success(request, sentence)
    for sentence in gaps:
        messages.warning(request, sentence)


# --- One case or one person by hand ---------------------------------------------------------------


def give(request: SignedInRequest, name: str, code: str) -> HttpResponse:
    release = find_release(name)
    case = find_sampled(release, code)
    found = load_candidates(release, case.case_key, now=timezone.now())

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

    return show_act(
        request,
        release=release,
        form=TakerForm(read_post(request), options=build_options(release, found)),
        do=do,
        title=_("Assign %(case)s") % {"case": case.case_key},
        lead=describe_barred(release, found),
        button=_("Assign"),
        back=reverse_assignments(release),
        case=case,
    )


def move(request: SignedInRequest, name: str, code: str, username: str) -> HttpResponse:
    release = find_release(name)
    review = find_review(release, code, username)
    case, giver = review.case, review.reviewer
    found = load_candidates(release, case.case_key, now=timezone.now())

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

    lead = _("%(person)s will no longer see the case. A draft is kept but does not count.") % {
        "person": giver.get_username()
    }
    return show_act(
        request,
        release=release,
        form=TakerForm(read_post(request), options=build_options(release, found)),
        do=do,
        title=_("Move %(case)s from %(person)s to another reviewer")
        % {"case": case.case_key, "person": giver.get_username()},
        lead=" ".join(filter(None, [lead, describe_barred(release, found)])),
        button=_("Move it"),
        back=reverse_assignments(release),
        case=case,
    )


def give_back(request: SignedInRequest, name: str, code: str, username: str) -> HttpResponse:
    """Give a case back to the reviewer who said that it cannot be judged, with an answer."""
    release = find_release(name)
    review = find_review(release, code, username)
    words = {"case": review.case.case_key, "person": review.reviewer.get_username()}

    def do(data: dict[str, Any]) -> str:
        workflow.give_back(
            release=release,
            case_key=review.case.case_key,
            reviewer=review.reviewer,
            answer=data["answer"],
            user=request.user,
            now=timezone.now(),
        )
        return _("%(case)s is given back to %(person)s.") % words

    return show_act(
        request,
        release=release,
        form=GiveBackForm(read_post(request)),
        do=do,
        title=_("Give %(case)s back to %(person)s") % words,
        lead=review.decline_reason,
        button=_("Give it back"),
        back=reverse_assignments(release),
        case=review.case,
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

    return show_act(
        request,
        release=release,
        form=WithdrawReviewForm(read_post(request)),
        do=do,
        title=_("Take %(case)s back from %(person)s") % words,
        lead=_(
            "The case then lacks a reviewer until you plan again or assign it by hand. "
            "A draft is kept but does not count."
        ),
        button=_("Take it back"),
        is_danger=True,
        back=reverse_assignments(release),
        case=review.case,
    )


def reassign(request: SignedInRequest, name: str, username: str) -> HttpResponse:
    """Reassign one person's open reviews to others; cases that no one else can take stay."""
    release = find_release(name)
    person = get_object_or_404(select_people_with_work(release), username=username)
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
                _("No one else can take %(cases)s, so these stay with %(person)s.")
                % {**words, "cases": shorten(done.kept)},
            )
        if done.missing:
            messages.warning(request, describe_missing(done.missing))
        return describe_assigned(len(done.plan.assignments))

    return show_act(
        request,
        release=release,
        form=WithdrawReviewForm(read_post(request), initial={"reason": read_reason(request)}),
        do=do,
        title=_("Reassign %(person)s's reviews") % words,
        lead=_(
            "Open reviews that others can take are moved from %(person)s to them. "
            "Submitted reviews stay and count."
        )
        % words,
        button=_("Reassign"),
        back=reverse_assignments(release),
        reassignment=build_reassignment(release, person.get_username()),
        person=person,
    )


def remind(request: SignedInRequest, name: str, username: str) -> HttpResponse:
    """Show a person's open reviews and the reminder (GET), or send or record it (POST)."""
    release, now = find_release(name), timezone.now()
    link = request.build_absolute_uri(reverse("my-reviews"))
    status = 200
    if request.method == "POST":
        try:
            done = reminder.remind(
                release=release, username=username, link=link, user=request.user, now=now
            )
        except Refused as refusal:
            status = 409
            for sentence in refusal.sentences:
                messages.error(request, sentence)
        else:
            show_reminded(request, done)
            return redirect("assignments-remind", release.name, username)
    overview = load_overview(release, now=now)
    person = next((row for row in overview.people if row.user.username == username), None)
    if person is None:
        raise Http404
    today = timezone.localdate(now)
    context = {
        "release": release,
        "person": person,
        "is_wanted": release.is_reviewing and person.can_be_reminded,
        "by_mail": can_be_mailed(person.user),
        "is_of_today": person.reminder is not None and person.reminder.sent_date == today,
        "reminders": reminder.build_messages(
            person.user,
            reminder.OpenCount(person.open, person.open_pairs),
            due=release.due_date,
            today=today,
            link=link,
        ),
    }
    return render(request, "reviews/assignments/reminder.html", context, status=status)


def show_reminded(request: SignedInRequest, done: reminder.Reminded) -> None:
    words = {"person": done.reminder.reviewer.get_username()}
    if done.mailed == Mailed.YES:
        messages.success(request, _("%(person)s is reminded by mail.") % words)
    elif done.mailed == Mailed.FAILED:
        sentence = _("The mail to %(person)s could not be sent. Copy the message and send it.")
        messages.warning(request, sentence % words)
    else:
        messages.success(request, _("The reminder of %(person)s is recorded.") % words)


def build_reassignment(release: Release, username: str) -> dict[str, object] | None:
    """Preview the reassignment; None if the workflow refuses it."""
    now = timezone.now()
    try:
        found = workflow.preview_reassignment(release=release, username=username, now=now)
    except Refused:
        return None
    return {"kept": found.kept, "preview": build_preview(release, found.plan, now=now)}


def replan_case(request: SignedInRequest, name: str, code: str) -> HttpResponse:
    """Find the missing reviewers of one case by plan."""
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
    taken = join_names(assignment.username for assignment in done.assignments)
    if taken:
        words = {"case": case.case_key, "people": taken}
        messages.success(request, _("%(case)s is assigned to %(people)s.") % words)
    if done.missing:
        # The plan gives the reason for each person.
        messages.warning(
            request,
            _("No one can take %(case)s. The plan gives the reasons.") % {"case": case.case_key},
        )
        return redirect("assignments-plan", release.name)
    if not taken:
        show_outcome(request, done)
    return redirect("assignments", release.name)


# --- Shared helpers -----------------------------------------------------------------------------


def read_reason(request: SignedInRequest) -> str:
    """Read the reason that a link suggests; the form shows it, to be changed or sent."""
    return request.GET.get("reason", "").replace("\0", "")[:LONGEST_REASON]


def read_post(request: SignedInRequest) -> QueryDict | None:
    return request.POST if request.method == "POST" else None


def reverse_assignments(release: Release) -> str:
    return reverse("assignments", args=[release.name])


def find_sampled(release: Release, code: str) -> Case:
    """Find a case that is or was in the sample; the workflow refuses one that left."""
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


def select_people_with_work(release: Release) -> QuerySet[User]:
    return User.objects.filter(pk__in=Review.objects.of(release).values("reviewer"))
