"""People, for admins."""

from collections.abc import Callable

from allauth.mfa.models import Authenticator
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from evalsite.http import SignedInRequest
from evalsite.models import ApiToken
from evalsite.permissions import GROUP_OF, ROLE_NAMES, ROLE_OF, Role
from reviews.models import Absence, Reviewer
from reviews.people import workflow
from reviews.people.forms import InvitationForm, PersonForm

PAGE_SIZE = 25


def people_list(request: SignedInRequest) -> HttpResponse:
    words = request.GET.get("q", "").strip()
    role = request.GET.get("role", "")
    found = everybody()
    if words:
        found = found.filter(
            Q(username__icontains=words)
            | Q(first_name__icontains=words)
            | Q(email__icontains=words)
        )
    if role in ROLE_OF.values():
        found = found.filter(groups__name=GROUP_OF[Role(role)])
    context = {
        "page": Paginator(found, PAGE_SIZE).get_page(request.GET.get("page")),
        "words": words,
        "role": role,
        "role_choices": ROLE_NAMES.items(),
    }
    # Going back, htmx asks for the whole page.
    is_part = request.htmx and not request.htmx.history_restore_request
    name = "reviews/people/_people.html" if is_part else "reviews/people/people.html"
    return render(request, name, context)


def everybody() -> QuerySet[User]:
    """Active people first. Whoever shows them in rows needs no further query for a row."""
    away = Absence.objects.not_over(timezone.localdate())
    return (
        User.objects.select_related("reviewer")
        .prefetch_related("groups", Prefetch("reviewer__absences", queryset=away))
        .annotate(has_second_factor=Exists(Authenticator.objects.filter(user=OuterRef("pk"))))
        .order_by("-is_active", "username")
    )


def invite(request: SignedInRequest) -> HttpResponse:
    form = InvitationForm(
        request.POST if request.method == "POST" else None,
        initial={"roles": [Role.REVIEWER], "languages": ["zh", "en"]},
    )
    if not form.is_valid():
        status = 422 if form.is_bound else 200
        return render(request, "reviews/people/invite.html", {"form": form}, status=status)
    try:
        user = workflow.invite(**form.cleaned_data)
    except workflow.AccountRefused as refusal:
        form.add_error("username", str(refusal))
        return render(request, "reviews/people/invite.html", {"form": form}, status=422)
    return hand_out_link(request, user)


def person(request: SignedInRequest, username: str) -> HttpResponse:
    user = get_object_or_404(everybody(), username=username)
    reviewer = getattr(user, "reviewer", None) or Reviewer()
    form = PersonForm(
        request.POST if request.method == "POST" else None,
        initial={
            "name": user.first_name,
            "email": user.email,
            "roles": [ROLE_OF[group.name] for group in user.groups.all() if group.name in ROLE_OF],
            "capacity": reviewer.capacity,
            "languages": reviewer.languages,
        },
    )
    if form.is_valid():
        try:
            workflow.change(by=request.user, user=user, **form.cleaned_data)
        except workflow.AccountRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, _("Saved."))
            return redirect("person", username)
    is_out_of_reach = user.is_superuser and not request.user.is_superuser
    context = {
        "person": user,
        "form": form,
        "link_days": workflow.LINK_DAYS,
        "is_out_of_reach": is_out_of_reach,
        "tokens": ApiToken.objects.of(user),
        "can_revoke": not is_out_of_reach,
    }
    if request.method == "GET":
        # Shown once: whoever comes back to this page does not find it again.
        context |= request.session.pop(link_key(user), {})
    return render(
        request, "reviews/people/person.html", context, status=422 if form.errors else 200
    )


def link_key(user: User) -> str:
    return f"invitation-{user.pk}"


def new_link(request: SignedInRequest, username: str) -> HttpResponse:
    return hand_out_link(request, find_person(username))


def hand_out_link(request: SignedInRequest, user: User) -> HttpResponse:
    try:
        link = workflow.invitation_link(by=request.user, user=user, request=request)
    except workflow.AccountRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("person", user.username)
    mailed = workflow.mail_invitation(user=user, link=link)
    request.session[link_key(user)] = {"link": link, "mailed": mailed}
    return redirect("person", user.username)


def deactivate(request: SignedInRequest, username: str) -> HttpResponse:
    done = _("%(username)s can no longer sign in. All work is kept.")
    return attempt(workflow.deactivate, request, username, done)


def reactivate(request: SignedInRequest, username: str) -> HttpResponse:
    return attempt(workflow.reactivate, request, username, _("%(username)s can sign in again."))


def reset_second_factor(request: SignedInRequest, username: str) -> HttpResponse:
    done = _("%(username)s signs in with the password alone now.")
    return attempt(workflow.reset_second_factor, request, username, done)


def attempt(
    change: Callable[..., None], request: SignedInRequest, username: str, done: str
) -> HttpResponse:
    try:
        change(by=request.user, user=find_person(username))
    except workflow.AccountRefused as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, done % {"username": username})
    return redirect("person", username)


def find_person(username: str) -> User:
    return get_object_or_404(User, username=username)
