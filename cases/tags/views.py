"""Pages on which an admin changes the tags of many cases at once, or excludes them."""

from django.contrib import messages
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from cases.releases.queries import find_release
from cases.tags import workflow
from cases.tags.forms import ExclusionForm, TagForm
from cases.tags.workflow import DraftOnly
from evalsite.http import SignedInRequest

ACTS = {
    "add": workflow.give,
    "remove": workflow.take_away,
    "reset": workflow.leave_to_detectors,
}


def tag_cases(request: SignedInRequest, name: str) -> HttpResponse:
    release = find_release(name)
    form = TagForm(request.POST)
    codes = request.POST.getlist("case")
    if not codes:
        messages.error(request, _("Choose at least one case."))
    elif not form.is_valid():
        say_errors(request, form)
    else:
        try:
            count = ACTS[form.cleaned_data["act"]](
                release=release,
                codes=codes,
                tag=form.cleaned_data["tag"],
                reason=form.cleaned_data["reason"],
                user=request.user,
                now=timezone.now(),
            )
        except DraftOnly as refusal:
            messages.error(request, str(refusal))
        else:
            messages.success(request, describe_tagged(count, form.cleaned_data["tag"]))
    return redirect(find_next(request, release.get_absolute_url() + "cases/"))


def describe_tagged(count: int, tag: str) -> str:
    if not count:
        return _("Nothing changed: the cases are already as you want them for %(tag)s.") % {
            "tag": tag
        }
    return ngettext(
        "%(tag)s: %(count)d case changed.", "%(tag)s: %(count)d cases changed.", count
    ) % {"tag": tag, "count": count}


def exclude_cases(request: SignedInRequest, name: str) -> HttpResponse:
    """Exclude the chosen cases from the draw, or let them in again."""
    release = find_release(name)
    form = ExclusionForm(request.POST)
    codes = request.POST.getlist("case")
    if not codes:
        messages.error(request, _("Choose at least one case."))
    elif not form.is_valid():
        say_errors(request, form)
    else:
        is_out = form.cleaned_data["exclusion"] == "exclude"
        try:
            count = (workflow.exclude if is_out else workflow.let_in)(
                release=release,
                codes=codes,
                reason=form.cleaned_data["exclusion_reason"],
                user=request.user,
                now=timezone.now(),
            )
        except DraftOnly as refusal:
            messages.error(request, str(refusal))
        else:
            messages.success(request, describe_excluded(count, is_out))
    return redirect(find_next(request, release.get_absolute_url() + "cases/"))


def describe_excluded(count: int, is_out: bool) -> str:
    if not count:
        return _("Nothing changed: the cases are already as you want them.")
    if is_out:
        sentence = ngettext(
            "%(count)d case is excluded from the draw.",
            "%(count)d cases are excluded from the draw.",
            count,
        )
    else:
        sentence = ngettext(
            "%(count)d case can be drawn again.", "%(count)d cases can be drawn again.", count
        )
    return sentence % {"count": count}


def say_errors(request: SignedInRequest, form: Form) -> None:
    for sentences in form.errors.values():
        messages.error(request, " ".join(map(str, sentences)))


def find_next(request: SignedInRequest, otherwise: str) -> str:
    """Return the address that the form names, with its filters, if it is on this site."""
    target = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(target, allowed_hosts=None) and target[:1] == "/"
    return target if is_ours else otherwise
