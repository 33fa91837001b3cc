"""Tokens of one's own, and those of others as far as an admin goes: taking them away."""

from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from evalsite.accounts import tokens as accounts_tokens
from evalsite.http import SignedInRequest
from reviews.people import workflow
from reviews.people.forms import TokenForm
from reviews.people.views import find_person


@reauthentication_required  # type: ignore[untyped-decorator]
def token_new(request: SignedInRequest) -> HttpResponse:
    """Whoever sits at an open screen must not get in for good, so the password is asked for.

    The answer itself shows the token: nothing keeps it until another page could.
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
