"""Pages on which an admin changes the tags of many cases at once, or excludes them."""

from django.contrib import messages
from django.forms import Form
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.formats import localize
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from cases.case.queries import MOST_CHOSEN, list_codes, read_filters
from cases.models import Release
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
    codes = find_codes(request, release)
    if codes and not form.is_valid():
        say_errors(request, form)
    elif codes:
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
    codes = find_codes(request, release)
    if codes and not form.is_valid():
        say_errors(request, form)
    elif codes:
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


def find_codes(request: SignedInRequest, release: Release) -> list[str]:
    """Return the chosen cases, or all that fit the filter of the list.

    None or too many: say so and return an empty list.
    """
    if "all" in request.POST:
        filters = read_filters(QueryDict(request.POST.get("filter", "")))
        codes = list_codes(release, filters)
    else:
        codes = request.POST.getlist("case")
    if not codes:
        messages.error(request, _("Choose at least one case."))
    if len(codes) > MOST_CHOSEN:
        sentence = _("More than %(most)s cases fit the filter. Narrow it and do it in parts.")
        messages.error(request, sentence % {"most": localize(MOST_CHOSEN)})
        return []
    return codes


def say_errors(request: SignedInRequest, form: Form) -> None:
    for sentences in form.errors.values():
        messages.error(request, " ".join(map(str, sentences)))


def find_next(request: SignedInRequest, otherwise: str) -> str:
    """Return the address that the form names, with its filters, if it is on this site."""
    target = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(target, allowed_hosts=None) and target[:1] == "/"
    return target if is_ours else otherwise
