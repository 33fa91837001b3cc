"""The first page after signing in: what waits, most urgent first, for each role."""

from django.contrib.auth.models import User
from django.db.models import Count, Q
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language

from cases.models import Release, Rubric
from evalsite.http import SignedInRequest
from evalsite.permissions import GROUP_OF, Role
from evalsite.statements import Statement
from reviews.desk.queue import Filters, estimate_left, load_open_queue, load_recent_seconds
from reviews.home.queries import load_waiting
from reviews.home.tasks import list_tasks, list_under_way
from reviews.models import Absence, Question
from reviews.pairings.queries import load_own_pairings
from reviews.questions.queries import load_to_look_again
from reviews.rules.register import load_doubtful

MOST_TASKS = 12
MOST_UNDER_WAY = 5
# Usually two people review each case.
FEWEST_REVIEWERS = 2
# The scale is folded for people who have submitted so many reviews.
SCALE_KNOWN_AFTER = 3


def home(request: SignedInRequest) -> HttpResponse:
    newest = Rubric.objects.newest()
    context: dict[str, object] = {
        "newest": newest,
        "document": newest.text_for(get_language()).document if newest else None,
        "today": timezone.localdate(),
    }
    if Role.REVIEWER in request.roles:
        context |= load_own(request.user)
    if request.roles & {Role.ADMIN, Role.MANAGER}:
        context |= load_of_team(request, has_rubric=newest is not None)
    return render(request, "reviews/home/home.html", context)


def load_own(user: User) -> dict[str, object]:
    """Load what a reviewer sees: nothing that depends on others."""
    away = Absence.objects.filter(reviewer__user=user)
    queue, recent_seconds = load_open_queue(user, Filters()), load_recent_seconds(user)
    return {
        "absences": away.not_over(timezone.localdate()),
        "queue": queue,
        "pairs": load_own_pairings(user),
        "minutes_left": estimate_left(queue, recent_seconds),
        "next_url": reverse("review-next"),
        "knows_scale": len(recent_seconds) >= SCALE_KNOWN_AFTER,
        "look_again": load_to_look_again(user),
        "new_answers": Question.objects.by(user).unread().count(),
    }


def load_of_team(request: SignedInRequest, *, has_rubric: bool) -> dict[str, object]:
    """Load what admins and managers see: their tasks, and releases under way."""
    today = timezone.localdate()
    waiting = load_waiting(request.user, request.roles, today)
    tasks = list_tasks(waiting, roles=request.roles, today=today)
    team = count_team() if Role.ADMIN in request.roles else None
    is_manager = Role.MANAGER in request.roles
    has_release = bool(waiting.releases) or Release.objects.exists()
    has_people = team is None or team["reviewers"] >= FEWEST_REVIEWERS
    return {
        "tasks": tasks[:MOST_TASKS],
        "doubtful": load_doubtful() if is_manager else [],
        "further": max(0, len(tasks) - MOST_TASKS),
        "under_way": list_under_way(waiting, today=today)[:MOST_UNDER_WAY],
        "team": team,
        "has_release": has_release,
        "is_set_up": has_rubric and has_people and has_release,
    }


def count_team() -> dict[str, int]:
    """Count the active people in each role, and those who have never signed in."""
    counts = _team.rows() or [(0, 0, 0, 0)]
    return dict(zip(("reviewers", "admins", "managers", "waiting"), *counts, strict=True))


def count_role(role: Role) -> Count:
    return Count("pk", filter=Q(groups__name=GROUP_OF[role]), distinct=True)


_team = Statement(
    lambda: (
        User.objects.filter(is_active=True)
        .order_by()
        .values_list("is_active")
        .annotate(
            reviewers=count_role(Role.REVIEWER),
            admins=count_role(Role.ADMIN),
            managers=count_role(Role.MANAGER),
            waiting=Count("pk", filter=Q(last_login=None), distinct=True),
        )
        .values_list("reviewers", "admins", "managers", "waiting")
    )
)
