"""Pages that open and change a release. The page of a release itself is in reviews/releases."""

from copy import copy

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from cases.models import Release, Rubric
from cases.releases import workdays, workflow
from cases.releases.forms import DueDateForm, ReleaseEditForm, ReleaseForm
from cases.releases.queries import find_release
from cases.releases.workdays import warn_about_due_date
from evalsite.http import SignedInRequest


def release_new(request: SignedInRequest) -> HttpResponse:
    newest = Release.objects.newest_first().first()
    product = request.GET.get("product", newest.product if newest else "")
    form = ReleaseForm(
        request.POST if request.method == "POST" else None,
        initial={"product": product, "baseline": Release.objects.closed_of(product).first()},
    )
    context = {"form": form, "has_rubric": Rubric.objects.exists()}
    if form.is_valid():
        try:
            release = workflow.create(**form.cleaned_data, user=request.user, now=timezone.now())
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(
                request, _("%(release)s is open as a draft.") % {"release": release.name}
            )
            warn_about_due_date(request, release)
            return redirect(release)
    return render(
        request, "cases/releases/release_new.html", context, status=422 if form.errors else 200
    )


def release_edit(request: SignedInRequest, name: str) -> HttpResponse:
    """Change a release: everything but the name in a draft, only the due date afterwards."""
    release = find_release(name)
    # A form that was opened before the start has more than a due date, and must be refused.
    is_whole = release.is_draft or "product" in request.POST
    form_class = ReleaseEditForm if is_whole else DueDateForm
    # The form writes into its instance even if the change is refused, so give it a copy.
    form = form_class(
        request.POST if request.method == "POST" else None,
        instance=copy(release),
        initial={"product": request.GET.get("product", release.product)},
    )
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                changed = workflow.change(
                    release=release, user=request.user, now=timezone.now(), **form.cleaned_data
                )
            except ValidationError as error:
                form.add_error(None, error)
            except workflow.ReleaseFrozen as refusal:
                form.add_error(None, str(refusal))
                status = 409
            else:
                messages.success(request, _("Saved."))
                warn_about_due_date(request, changed)
                return redirect(release)
    context = {
        "release": release,
        "form": form,
        "due_warning": workdays.warning_about(release.due_date),
    }
    return render(request, "cases/releases/release_edit.html", context, status=status)
