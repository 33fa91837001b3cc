"""One's own account, and the invitation that begins it."""

from typing import Any

from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.auth.views import PasswordResetConfirmView
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse_lazy
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from evalsite.http import SignedInRequest, remember_language
from evalsite.models import ApiToken
from reviews.models import Absence, Reviewer
from reviews.people.forms import AbsenceForm
from reviews.people.workflow import invitation_tokens


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
    reviewer, _made = Reviewer.objects.get_or_create(user=request.user)
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
    """Django's view: it takes the token out of the address before the page is shown."""

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
    """Choose the interface language: in this browser, and for a signed-in person everywhere."""
    language = request.POST.get("language", "")
    next_url = request.POST.get("next", "")
    # Only a path: a bare word would be taken for the name of a route.
    is_ours = url_has_allowed_host_and_scheme(next_url, allowed_hosts={request.get_host()})
    response = HttpResponseRedirect(next_url if is_ours and next_url.startswith("/") else "/")
    if language in dict(settings.LANGUAGES):
        remember_language(response, language)
        if isinstance(request.user, User):
            preference = {"interface_language": language}
            Reviewer.objects.update_or_create(user=request.user, defaults=preference)
    return response
