"""The steps of a release: start, close, abandon, reopen, waive, sign, archive."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from cases.models import Release
from cases.releases import workflow as releases_workflow
from cases.releases.queries import find_release
from evalsite.http import SignedInRequest
from reviews.adjudication.visibility import StillJudging, require_sight
from reviews.errors import Missing, Refused
from reviews.models.outcomes import Word
from reviews.releases import lifecycle, waivers
from reviews.releases.act_page import act_page
from reviews.releases.decision import sign
from reviews.releases.forms import CloseForm, DecisionForm, ReasonForm
from reviews.sample.rule import describe_rule, kind_texts


def start(request: SignedInRequest, name: str) -> HttpResponse:
    release = find_release(name)
    missing: list[Missing] = []
    code = 200
    if request.method == "POST":
        try:
            lifecycle.start(release=release, user=request.user, now=timezone.now())
        except Refused as refusal:
            missing, code = refusal.missing, 409
        else:
            messages.success(
                request, _("The review of %(release)s has started.") % {"release": release.name}
            )
            return redirect(release)
    elif release.is_draft:
        missing = list(lifecycle.missing_for_start(release))
    rows = release.sample.standing().in_order().with_cases()
    texts = kind_texts(release)
    context = {
        "release": release,
        "missing": missing,
        "sample": [(row, texts.get(row.kind, "")) for row in rows],
    }
    return render(request, "reviews/releases/start.html", context, status=code)


def close(request: SignedInRequest, name: str) -> HttpResponse:
    """Everything that is still missing, on one page, with what of it can be waived."""
    release = find_release(name)
    missing = missing_for(release, request.user) if release.is_reviewing else []
    form = CloseForm(
        request.POST if request.method == "POST" else None,
        rules=[(one.rule, one.sentence) for one in missing if one.rule],
    )
    code = 200
    if request.method == "POST":
        code = 422
        if form.is_valid():
            try:
                lifecycle.close(
                    release=release,
                    waived=form.cleaned_data["waive"],
                    reason=form.cleaned_data["reason"],
                    user=request.user,
                    now=timezone.now(),
                )
            except Refused as refusal:
                # Nothing was waived either, so all that was missing still is.
                missing, code = list(dict.fromkeys([*missing, *refusal.missing])), 409
            else:
                messages.success(request, _("%(release)s is closed.") % {"release": release.name})
                return redirect(release)
    context = {"release": release, "missing": missing, "form": form, "is_refused": code == 409}
    return render(request, "reviews/releases/close.html", context, status=code)


def missing_for(release: Release, viewer: User) -> list[Missing]:
    """Whether others differ is nothing for somebody who still judges here."""
    missing = list(lifecycle.missing_for_close(release, viewer))
    try:
        require_sight(release, viewer)
    except StillJudging as refusal:
        return [*refusal.missing, *(one for one in missing if one.rule != waivers.ADJUDICATIONS)]
    return missing


def abandon(request: SignedInRequest, name: str) -> HttpResponse:
    release = find_release(name)

    def do(data: dict[str, Any]) -> str:
        lifecycle.abandon(
            release=release, reason=data["reason"], user=request.user, now=timezone.now()
        )
        return _("%(release)s is abandoned.") % {"release": release.name}

    return act_page(
        request,
        release=release,
        form=ReasonForm(request.POST or None),
        do=do,
        title=_("Abandon %(release)s") % {"release": release.name},
        lead=_(
            "The release ends without a verdict and stays out of trends. Everything in it is kept."
        ),
        button=_("Abandon it"),
        is_danger=True,
    )


def reopen(request: SignedInRequest, name: str) -> HttpResponse:
    release = find_release(name)

    def do(data: dict[str, Any]) -> str:
        lifecycle.reopen(
            release=release, reason=data["reason"], user=request.user, now=timezone.now()
        )
        return _("%(release)s is open again.") % {"release": release.name}

    return act_page(
        request,
        release=release,
        form=ReasonForm(request.POST or None),
        do=do,
        title=_("Reopen %(release)s") % {"release": release.name},
        lead=_(
            "The stored report is kept. A decision on it becomes void, visibly, and the release "
            "has to be closed again. Whoever could read the scores in the meantime, or has looked "
            "into their mirror of it, can neither revise nor be assigned here any more."
        ),
        button=_("Reopen it"),
        is_danger=True,
    )


def waive(request: SignedInRequest, name: str) -> HttpResponse:
    """A rule by its name, in the address: kind:KEY, cases, reviews or adjudications."""
    release = find_release(name)
    rule = request.GET.get("rule", "")
    words = {"rule": describe_rule(rule, kind_texts(release))}

    def do(data: dict[str, Any]) -> str:
        waivers.waive(
            release=release, rule=rule, reason=data["reason"], user=request.user, now=timezone.now()
        )
        return _("%(rule)s is waived.") % words

    return act_page(
        request,
        release=release,
        form=ReasonForm(request.POST or None),
        do=do,
        title=_("Waive: %(rule)s") % words,
        lead=_("A waiver covers what is missing now, not more. The report prints it."),
        button=_("Waive it"),
    )


def take_waiver_back(request: SignedInRequest, name: str) -> HttpResponse:
    release = find_release(name)
    rule = request.GET.get("rule", "")
    words = {"rule": describe_rule(rule, kind_texts(release))}

    def do(data: dict[str, Any]) -> str:
        waivers.take_back(
            release=release, rule=rule, reason=data["reason"], user=request.user, now=timezone.now()
        )
        return _("%(rule)s holds again.") % words

    return act_page(
        request,
        release=release,
        form=ReasonForm(request.POST or None),
        do=do,
        title=_("Take back the waiver: %(rule)s") % words,
        lead=_("The rule holds again from then on."),
        button=_("Take it back"),
    )


def decision(request: SignedInRequest, name: str) -> HttpResponse:
    """Also where the form of the report leads; a refusal is shown here with what was typed."""
    release = find_release(name)
    closing = release.closings.standing().defer("summary").first()
    word = closing.verdict if closing else None
    lead = _("Your decision names the stored report by its digest: %(digest)s") % {
        "digest": closing.digest[:16] if closing else "–"
    }
    if word:
        told = _("The verdict is %(verdict)s.") % {"verdict": word.label}
        against = (
            _("Not to ship would be against it, and is printed as such.")
            if word == Word.GO
            else _("To ship would be against it, and is printed as such.")
        )
        lead = f"{told} {against} {lead}"

    def do(data: dict[str, Any]) -> str:
        signed = sign(
            release=release,
            decision=data["decision"],
            reason=data["reason"],
            digest=data["digest"],
            user=request.user,
            now=timezone.now(),
        )
        if signed.is_against:
            return _("%(release)s is signed, against the verdict.") % {"release": release.name}
        return _("%(release)s is signed.") % {"release": release.name}

    return act_page(
        request,
        release=release,
        form=DecisionForm(
            request.POST or None, initial={"digest": closing.digest if closing else ""}
        ),
        do=do,
        title=_("Decide on %(release)s") % {"release": release.name},
        lead=lead,
        button=_("Sign"),
        back=reverse("report", args=[release.name]),
    )


def archive(request: SignedInRequest, name: str) -> HttpResponse:
    release = find_release(name)
    is_archived = request.POST.get("archived") == "1"
    releases_workflow.archive(
        release=release, is_archived=is_archived, user=request.user, now=timezone.now()
    )
    sentence = (
        _("%(release)s is in the archive.")
        if is_archived
        else _("%(release)s is out of the archive.")
    )
    messages.success(request, sentence % {"release": release.name})
    return redirect(release)
