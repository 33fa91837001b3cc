"""What the pages of acts share: a form with a reason, one call, and every refusal in words."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import redirect, render

from cases.models import Release
from evalsite.http import SignedInRequest
from reviews.workflow.refusals import Refused


def act_page(
    request: SignedInRequest,
    *,
    release: Release,
    form: Form,
    do: Callable[[dict[str, Any]], str],
    title: str,
    lead: str,
    button: str,
    is_danger: bool = False,
    back: str = "",
    **more: object,
) -> HttpResponse:
    """GET shows the form, POST carries it out. What was typed stays when it is refused.

    `do` returns the sentence that says what was done. `back` is the page it leads back to, if
    that is not the release's.
    """
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                done = do(form.cleaned_data)
            except Refused as refusal:
                status = 409
                for sentence in refusal.sentences:
                    form.add_error(None, sentence)
            else:
                messages.success(request, done)
                return redirect(back or release)
    context = {
        "release": release,
        "form": form,
        "title": title,
        "lead": lead,
        "button": button,
        "is_danger": is_danger,
        "back": back or release.get_absolute_url(),
        **more,
    }
    return render(request, "reviews/releases/act.html", context, status=status)
