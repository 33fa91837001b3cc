"""The first page after signing in: what to do next, for each role."""

from django.contrib.auth.models import User
from django.db.models import Count, Q
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language

from cases.models import Release, Rubric
from cases.models.cases import case_count
from evalsite.http import SignedInRequest
from evalsite.permissions import GROUP_OF, Role
from reviews.adjudication.queries import count_unsettled
from reviews.desk.queue import Filters, estimate_left, load_open_queue, load_recent_seconds
from reviews.models import Absence, Closing, Question
from reviews.questions.queries import select_to_look_again

MOST_RELEASES = 3
MOST_WAITING = 10
# The scale is folded for people who have submitted so many reviews.
SCALE_KNOWN_AFTER = 3


def home(request: SignedInRequest) -> HttpResponse:
    newest = Rubric.objects.newest()
    context: dict[str, object] = {
        "newest": newest,
        "document": newest.text_for(get_language()).document if newest else None,
    }
    if Role.REVIEWER in request.roles:
        away = Absence.objects.filter(reviewer__user=request.user)
        context["absences"] = away.not_over(timezone.localdate())
        queue = load_open_queue(request.user, Filters())
        recent_seconds = load_recent_seconds(request.user)
        context |= {
            "queue": queue,
            "minutes_left": estimate_left(queue, recent_seconds),
            "next_url": reverse("review-next"),
            "knows_scale": len(recent_seconds) >= SCALE_KNOWN_AFTER,
            "look_again": select_to_look_again(request.user).for_lists(),
            "new_answers": Question.objects.by(request.user).unread().count(),
        }
    if request.roles & {Role.ADMIN, Role.MANAGER}:
        context["team"] = count_team()
        context["to_settle"] = count_unsettled(request.user)
        newest_releases = Release.objects.annotate(case_count=case_count()).newest_first()
        context["releases"] = list(newest_releases[:MOST_RELEASES])
    if Role.ADMIN in request.roles:
        context["questions"] = Question.objects.waiting().count()
    if Role.MANAGER in request.roles:
        # Read one more than is shown, to know whether there are more.
        waiting = list(Closing.objects.unsigned().order_by("closed_at")[: MOST_WAITING + 1])
        context["waiting"] = waiting[:MOST_WAITING]
        context["are_more_waiting"] = len(waiting) > MOST_WAITING
    return render(request, "reviews/home/home.html", context)


def count_team() -> dict[str, int]:
    """Count the active people in each role, and those who have never signed in."""
    active = User.objects.filter(is_active=True)
    return active.aggregate(
        reviewers=Count("pk", filter=Q(groups__name=GROUP_OF[Role.REVIEWER]), distinct=True),
        admins=Count("pk", filter=Q(groups__name=GROUP_OF[Role.ADMIN]), distinct=True),
        managers=Count("pk", filter=Q(groups__name=GROUP_OF[Role.MANAGER]), distinct=True),
        waiting=Count("pk", filter=Q(last_login=None), distinct=True),
    )
