"""The first page after signing in: for each role what there is to do next."""

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
from reviews.adjudication.queries import waiting_for
from reviews.desk.queue import Filters, open_for
from reviews.models import Absence, Closing, Question

MOST_RELEASES = 3
MOST_WAITING = 10


def home(request: SignedInRequest) -> HttpResponse:
    newest = Rubric.objects.newest()
    context: dict[str, object] = {
        "newest": newest,
        "document": newest.text_for(get_language()).document if newest else None,
    }
    if Role.REVIEWER in request.roles:
        away = Absence.objects.filter(reviewer__user=request.user)
        context["absences"] = away.not_over(timezone.localdate())
        context |= {"queue": open_for(request.user, Filters()), "next_url": reverse("review-next")}
    if request.roles & {Role.ADMIN, Role.MANAGER}:
        context["team"] = team()
        context["to_settle"] = waiting_for(request.user)
        newest_releases = Release.objects.annotate(case_count=case_count()).newest_first()
        context["releases"] = list(newest_releases[:MOST_RELEASES])
    if Role.ADMIN in request.roles:
        context["questions"] = Question.objects.waiting().count()
    if Role.MANAGER in request.roles:
        # One more than is shown tells that there are more.
        waiting = list(Closing.objects.unsigned().order_by("closed_at")[: MOST_WAITING + 1])
        context["waiting"] = waiting[:MOST_WAITING]
        context["are_more_waiting"] = len(waiting) > MOST_WAITING
    return render(request, "reviews/home/home.html", context)


def team() -> dict[str, int]:
    """How many active people hold each role, and how many have not signed in yet."""
    active = User.objects.filter(is_active=True)
    return active.aggregate(
        reviewers=Count("pk", filter=Q(groups__name=GROUP_OF[Role.REVIEWER]), distinct=True),
        admins=Count("pk", filter=Q(groups__name=GROUP_OF[Role.ADMIN]), distinct=True),
        managers=Count("pk", filter=Q(groups__name=GROUP_OF[Role.MANAGER]), distinct=True),
        waiting=Count("pk", filter=Q(last_login=None), distinct=True),
    )
