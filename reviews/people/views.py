"""Pages of people for admins, and everyone's own account with its absences and tokens."""

from collections.abc import Callable
from typing import Any

from allauth.account.decorators import reauthentication_required
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.auth.views import PasswordResetConfirmView
from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse_lazy
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from evalsite.accounts import tokens as accounts_tokens
from evalsite.http import SignedInRequest, remember_language
from evalsite.models import ApiToken
from evalsite.permissions import GROUP_OF, ROLE_NAMES, ROLE_OF, Role
from reviews.models import Absence, Reviewer
from reviews.people import workflow
from reviews.people.forms import AbsenceForm, InvitationForm, PersonForm, TokenForm
from reviews.people.workflow import invitation_tokens

PAGE_SIZE = 25


def people_list(request: SignedInRequest) -> HttpResponse:
    words = request.GET.get("q", "").strip()
    role = request.GET.get("role", "")
    found = select_people()
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
    # When going back in history, htmx needs the whole page.
    is_part = request.htmx and not request.htmx.history_restore_request
    name = "reviews/people/_people.html" if is_part else "reviews/people/people.html"
    return render(request, name, context)


def select_people() -> QuerySet[User]:
    """Select all people, active ones first, with everything that a row shows."""
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
    return show_link(request, user)


def person(request: SignedInRequest, username: str) -> HttpResponse:
    user = get_object_or_404(select_people(), username=username)
    reviewer = getattr(user, "reviewer", None) or Reviewer(**Reviewer.without_limits())
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
        # Shown once: it is gone when the page is loaded again.
        context |= request.session.pop(build_link_key(user), {})
    return render(
        request, "reviews/people/person.html", context, status=422 if form.errors else 200
    )


def build_link_key(user: User) -> str:
    return f"invitation-{user.pk}"


def new_link(request: SignedInRequest, username: str) -> HttpResponse:
    return show_link(request, find_person(username))


def show_link(request: SignedInRequest, user: User) -> HttpResponse:
    try:
        link = workflow.build_invitation_link(by=request.user, user=user, request=request)
    except workflow.AccountRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("person", user.username)
    mailed = workflow.mail_invitation(user=user, link=link)
    request.session[build_link_key(user)] = {"link": link, "mailed": mailed}
    return redirect("person", user.username)


def deactivate(request: SignedInRequest, username: str) -> HttpResponse:
    done = _("%(username)s can no longer sign in. All their work is kept.")
    return attempt(workflow.deactivate, request, username, done)


def reactivate(request: SignedInRequest, username: str) -> HttpResponse:
    return attempt(workflow.reactivate, request, username, _("%(username)s can sign in again."))


def reset_second_factor(request: SignedInRequest, username: str) -> HttpResponse:
    done = _("%(username)s now signs in with the password only.")
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


# --- Own account ----------------------------------------------------------------------------------


def account(request: SignedInRequest, *, absence: AbsenceForm | None = None) -> HttpResponse:
    context = {
        "absence": absence or AbsenceForm(),
        "reviewer": Reviewer.objects.filter(user=request.user).first(),
        "absences": Absence.objects.filter(reviewer__user=request.user).not_over(
            timezone.localdate()
        ),
        "has_second_factor": is_mfa_enabled(request.user),
        "tokens": ApiToken.objects.of(request.user),
        "can_revoke": True,
    }
    return render(request, "reviews/people/account.html", context, status=422 if absence else 200)


def absence_add(request: SignedInRequest) -> HttpResponse:
    reviewer, _made = Reviewer.objects.get_or_create(
        user=request.user, defaults=Reviewer.without_limits()
    )
    form = AbsenceForm(request.POST, instance=Absence(reviewer=reviewer))
    if not form.is_valid():
        return account(request, absence=form)
    form.save()
    messages.success(request, _("Saved."))
    return redirect("account")


def absence_remove(request: SignedInRequest, pk: int) -> HttpResponse:
    get_object_or_404(Absence, pk=pk, reviewer__user=request.user).delete()
    messages.success(request, _("Removed."))
    return redirect("account")


class Invitation(PasswordResetConfirmView):
    """Set a password with an invitation link. Django's view removes the token from the address."""

    template_name = "reviews/people/invitation.html"
    token_generator = invitation_tokens
    success_url = reverse_lazy("account_login")

    def get_user(self, uidb64: str) -> User | None:
        user: User | None = super().get_user(uidb64)
        return user if user and user.is_active else None

    def form_valid(self, form: Any) -> HttpResponse:
        messages.success(self.request, _("Your password is set. Sign in with it."))
        return super().form_valid(form)


def set_language(request: HttpRequest) -> HttpResponse:
    """Set the interface language for this browser, and for a signed-in person everywhere."""
    language = request.POST.get("language", "")
    next_url = request.POST.get("next", "")
    # Only a path: `redirect` would take a bare word for the name of a route.
    is_ours = url_has_allowed_host_and_scheme(next_url, allowed_hosts={request.get_host()})
    response = HttpResponseRedirect(next_url if is_ours and next_url.startswith("/") else "/")
    if language in dict(settings.LANGUAGES):
        remember_language(response, language)
        if isinstance(request.user, User):
            preference = {"interface_language": language}
            Reviewer.objects.update_or_create(
                user=request.user,
                defaults=preference,
                create_defaults=Reviewer.without_limits() | preference,
            )
    return response


# --- Tokens ---------------------------------------------------------------------------------------


@reauthentication_required  # type: ignore[untyped-decorator]
def token_new(request: SignedInRequest) -> HttpResponse:
    """Create a token and show it once; only its digest is stored.

    Asks for the password again, so that an unlocked screen is not enough.
    """
    form = TokenForm(request.POST if request.method == "POST" else None, roles=request.roles)
    if not form.is_valid():
        status = 422 if form.is_bound else 200
        return render(request, "reviews/people/token_new.html", {"form": form}, status=status)
    token, text = accounts_tokens.make(user=request.user, now=timezone.now(), **form.cleaned_data)
    return render(request, "reviews/people/token_made.html", {"token": token, "text": text})


def token_revoke(request: SignedInRequest, key: str) -> HttpResponse:
    if not accounts_tokens.revoke(user=request.user, key=key):
        raise Http404
    messages.success(request, _("The token is revoked."))
    return redirect("account")


def person_token_revoke(request: SignedInRequest, username: str, key: str) -> HttpResponse:
    person = find_person(username)
    try:
        workflow.check_reach(by=request.user, user=person)
    except workflow.AccountRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("person", username)
    if not accounts_tokens.revoke(user=person, key=key):
        raise Http404
    messages.success(request, _("The token is revoked."))
    return redirect("person", username)
