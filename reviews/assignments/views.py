"""Who reviews what: the grid, and the plan before it is written."""

from copy import copy

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from cases.models import Release
from cases.releases import workdays
from cases.releases import workflow as releases_workflow
from cases.releases.forms import DueDateForm
from cases.releases.queries import find_release
from cases.releases.workdays import warn_about_due_date
from evalsite.http import SignedInRequest
from reviews.assignments import workflow
from reviews.assignments.forms import PlanForm
from reviews.assignments.plan import Plan
from reviews.assignments.preview import build_preview, outcome_in_words
from reviews.assignments.queries import CaseRow, Overview, load_overview
from reviews.assignments.reminder import messages_for
from reviews.errors import Refused, WrongStatus

CASES_PER_PAGE = 50
# More columns than these are mostly empty: each case then lists its own people.
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
    """Also the answer to a due date that cannot be."""
    now = timezone.now()
    overview = load_overview(release, now=now)
    words = request.GET.get("q", "").strip()
    shown = request.GET.get("show", "")
    rows = [row for row in overview.cases if fits(row, words.lower(), shown)]
    page = Paginator(rows, CASES_PER_PAGE).get_page(request.GET.get("page"))
    present = {person for row in page for person in row.cells}
    columns = [person for person in overview.people if person.user.pk in present]
    told = messages_by_person(request, release, overview)
    context = {
        "release": release,
        "overview": overview,
        "rubric_text": release.rubric.text_for(get_language()),
        "page": page,
        "columns": columns,
        "is_crowd": len(columns) > MOST_COLUMNS,
        "rows": [(row, row.across(columns)) for row in page],
        "people": [(person, told.get(person.user.pk)) for person in overview.people],
        "late": [(person, told.get(person.user.pk)) for person in overview.late],
        "words": words,
        "shown": shown if shown in SHOWN else "",
        "due_form": due_form or DueDateForm(instance=release),
        "due_warning": workdays.warning_about(release.due_date),
        "today": timezone.localdate(now),
    }
    return render(request, "reviews/assignments/assignments.html", context, status=status)


def fits(row: CaseRow, words: str, shown: str) -> bool:
    """Words are looked for in the key and the code of the case, and in the names of its people."""
    named = [row.case.case_key, row.case.code]
    named += [cell.review.reviewer.get_username() for cell in row.cells.values()]
    if words and not any(words in text.lower() for text in named):
        return False
    if shown == "lacking":
        return bool(row.missing)
    if shown == "late":
        return row.is_late
    return shown != "open" or any(cell.is_open for cell in row.cells.values())


def messages_by_person(
    request: SignedInRequest, release: Release, overview: Overview
) -> dict[int, list[object]]:
    link, today = request.build_absolute_uri(reverse("my-reviews")), timezone.localdate()
    return {
        person.user.pk: [*messages_for(person, due=release.due_date, today=today, link=link)]
        for person in overview.people
        if person.open and person.can_review and release.is_reviewing
    }


def due_date(request: SignedInRequest, name: str) -> HttpResponse:
    release = find_release(name)
    form = DueDateForm(request.POST, instance=copy(release))
    if not form.is_valid():
        return show_assignments(request, release, due_form=form, status=422)
    try:
        changed = releases_workflow.change(
            release=release, user=request.user, now=timezone.now(), **form.cleaned_data
        )
    except (ValidationError, releases_workflow.ReleaseFrozen) as refusal:
        form.add_error(None, str(refusal))
        return show_assignments(request, release, due_form=form, status=409)
    messages.success(request, _("Saved."))
    warn_about_due_date(request, changed)
    return redirect("assignments", release.name)


def plan(request: SignedInRequest, name: str) -> HttpResponse:
    """GET shows what would be assigned; POST assigns it, if it is still what was looked at."""
    release = find_release(name)
    asked = request.POST if request.method == "POST" else request.GET
    usernames, now = chosen_people(asked), timezone.now()
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
            tell(request, done)
            return redirect("assignments", release.name)
    try:
        planned = workflow.look_at_plan(release=release, now=now, **wishes)
    except Refused as refused:
        status = 409 if isinstance(refused, WrongStatus) else 422
        return show_plan(request, release, usernames, form, None, refusal=refused, status=status)
    if refusal and not planned.assignments:
        # Sent twice, or somebody else was quicker: there is nothing left to look at.
        tell(request, planned)
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
    """Without a plan, still with everybody to choose from and what was typed."""
    now = timezone.now()
    shown = planned or Plan((), (), (), ())
    preview = build_preview(release, shown, now=now)
    context = {
        "release": release,
        "rubric_text": release.rubric.text_for(get_language()),
        "form": form,
        "usernames": usernames,
        "is_everybody": usernames is None,
        "per_case": form["per_case"].value() or release.reviews_per_case,
        "is_planned": planned is not None,
        "preview": preview,
        "refusal": refusal,
    }
    return render(request, "reviews/assignments/plan.html", context, status=status)


def chosen_people(asked: QueryDict) -> list[str] | None:
    """Ticked one by one, or in one word with commas. None: nobody said anything of people."""
    names = [name.strip() for words in asked.getlist("reviewers") for name in words.split(",")]
    found = list(dict.fromkeys(name for name in names if name))
    return found if found or "chosen" in asked else None


def tell(request: SignedInRequest, done: Plan) -> None:
    """What was assigned; a place that stays nobody's is no success."""
    successes, gaps = outcome_in_words(done)
    for sentence in successes:
        messages.success(request, sentence)
    for sentence in gaps:
        messages.warning(request, sentence)
