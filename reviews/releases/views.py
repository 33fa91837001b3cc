"""Pages of releases: the list, a release and its ledger; start, close, reopen, waive, sign."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from cases import ledger
from cases.models import Event, Release
from cases.models.cases import case_count
from cases.releases import policy
from cases.releases import workflow as releases_workflow
from cases.releases.queries import find_release
from evalsite.http import SignedInRequest
from reviews.adjudication.visibility import StillJudging, has_opened, is_blind, require_sight
from reviews.errors import Missing, Refused
from reviews.models import Draw, SampledCase
from reviews.models.outcomes import Word
from reviews.releases import lifecycle, queries, verify, waivers
from reviews.releases.decision import sign
from reviews.releases.forms import CloseForm, DecisionForm, ReasonForm
from reviews.releases.history import OF_SCORES
from reviews.releases.pages import show_act, show_release
from reviews.releases.prior import load_prior
from reviews.report.sentences import describe_word
from reviews.report.would_help import describe_outlook
from reviews.sample.looks import count_reachable, describe_dropped, describe_plan, describe_prior
from reviews.sample.rule import describe_rule, kind_texts

PAGE_SIZE = 25


def release_list(request: SignedInRequest) -> HttpResponse:
    words = request.GET.get("q", "").replace("\0", "").strip()
    is_archive = request.GET.get("archived") == "1"
    if words:
        found = Release.objects.containing(words)
    else:
        found = Release.objects.filter(archived_at__isnull=not is_archive)
    found = found.annotate(case_count=case_count()).newest_first()
    page = Paginator(found, PAGE_SIZE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "rows": queries.load_rows(list(page), today=timezone.localdate()),
        "words": words,
        "is_archive": is_archive,
        "archived": Release.objects.filter(archived_at__isnull=False).count(),
        "cases": queries.search_cases(words) if words else None,
    }
    return render(request, "reviews/releases/release_list.html", context)


def release_page(request: SignedInRequest, name: str) -> HttpResponse:
    return show_release(request, find_release(name))


EVENTS_PER_PAGE = 50


def event_list(request: SignedInRequest, name: str) -> HttpResponse:
    """Show the ledger. Verifies the events on the page, and the whole ledger on request."""
    release = find_release(name)
    events = release.events.order_by("-number")
    page = Paginator(events, EVENTS_PER_PAGE).get_page(request.GET.get("page"))
    shown = list(page)
    blind = is_blind(release, request.user)
    context: dict[str, object] = {
        "release": release,
        "owner": release,
        "title": release.name,
        "back": release.get_absolute_url(),
        "page": page,
        "events": shown,
        "wrong": ledger.first_that_does_not_fit(
            shown, release, is_newest=not page.has_previous(), is_oldest=not page.has_next()
        ),
        "is_blind": blind,
        "hidden": set()
        if has_opened(release, request.user)
        else find_hidden_events(release, shown),
        "is_whole": request.GET.get("verify") == "all",
    }
    if context["is_whole"]:
        try:
            verify.verify_ledger(release)
        except ledger.LedgerBroken as broken:
            context["broken"] = str(broken)
    return render(request, "reviews/releases/ledger.html", context)


def find_hidden_events(release: Release, shown: list[Event]) -> set[int]:
    """Find events that depend on scores, which the viewer has not seen.

    Digests are hidden too while the viewer still judges here: scores could be guessed from them.
    """
    numbers = [event.number for event in shown]
    found = release.events.filter(OF_SCORES, number__in=numbers)
    return set(found.values_list("number", flat=True))


# --- Acts -----------------------------------------------------------------------------------------


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
        missing = list(lifecycle.find_missing_for_start(release))
    rows = release.sample.standing().in_order().with_cases()
    texts = kind_texts(release)
    context = {
        "release": release,
        "missing": missing,
        "plan": preview_plan(release) if release.is_draft and rows else [],
        "outlook": describe_outlook(release, Draw.objects.of(release).order_by("-number").first()),
        "sample": [(row, texts.get(row.kind, "")) for row in rows],
    }
    return render(request, "reviews/releases/start.html", context, status=code)


def preview_plan(release: Release) -> list[str]:
    """Describe the looks that a start now would plan, and what the verdict would assume."""
    wished = policy.from_data(release.policy).looks
    size = {
        "drawn": SampledCase.objects.of(release).standing().count(),
        "available": count_reachable(release),
    }
    return [
        describe_plan(policy.plan_looks(wished, **size)),
        *describe_dropped(wished, **size),
        describe_prior(load_prior(release)),
    ]


def close(request: SignedInRequest, name: str) -> HttpResponse:
    """Show everything that closing still needs, and what can be waived; or close (POST)."""
    release = find_release(name)
    missing = list_missing(release, request.user) if release.is_reviewing else []
    form = CloseForm(
        request.POST if request.method == "POST" else None,
        rules=[(reason.rule, reason.sentence) for reason in missing if reason.rule],
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
                # Nothing was waived either, so everything is still missing.
                missing, code = list(dict.fromkeys([*missing, *refusal.missing])), 409
            else:
                messages.success(request, _("%(release)s is closed.") % {"release": release.name})
                return redirect(release)
    context = {"release": release, "missing": missing, "form": form, "is_refused": code == 409}
    return render(request, "reviews/releases/close.html", context, status=code)


def list_missing(release: Release, viewer: User) -> list[Missing]:
    """List what is missing, without disagreements for a viewer who still judges here."""
    missing = list(lifecycle.find_missing_for_close(release, viewer))
    try:
        require_sight(release, viewer)
    except StillJudging as refusal:
        return [
            *refusal.missing,
            *(reason for reason in missing if reason.rule != waivers.ADJUDICATIONS),
        ]
    return missing


def abandon(request: SignedInRequest, name: str) -> HttpResponse:
    release = find_release(name)

    def do(data: dict[str, Any]) -> str:
        lifecycle.abandon(
            release=release, reason=data["reason"], user=request.user, now=timezone.now()
        )
        return _("%(release)s is abandoned.") % {"release": release.name}

    return show_act(
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

    return show_act(
        request,
        release=release,
        form=ReasonForm(request.POST or None),
        do=do,
        title=_("Reopen %(release)s") % {"release": release.name},
        lead=_(
            "The stored report is kept. A decision on it becomes void, and the release has to be "
            "closed again. People who could read the scores, or have opened their mirror, can no "
            "longer revise or be assigned here."
        ),
        button=_("Reopen it"),
        is_danger=True,
    )


def waive(request: SignedInRequest, name: str) -> HttpResponse:
    """Waive the rule named in the query: kind:KEY, cases, reviews or adjudications."""
    release = find_release(name)
    rule = request.GET.get("rule", "")
    words = {"rule": describe_rule(rule, kind_texts(release))}

    chosen = request.POST.getlist("case")

    def do(data: dict[str, Any]) -> str:
        waivers.waive(
            release=release,
            rule=rule,
            reason=data["reason"],
            cases=chosen or None,
            user=request.user,
            now=timezone.now(),
        )
        if chosen:
            sentence = ngettext(
                "%(rule)s is waived for %(count)d case.",
                "%(rule)s is waived for %(count)d cases.",
                len(chosen),
            )
            return sentence % {**words, "count": len(chosen)}
        return _("%(rule)s is waived.") % words

    return show_act(
        request,
        release=release,
        form=ReasonForm(request.POST or None),
        do=do,
        title=_("Waive: %(rule)s") % words,
        lead=_("A waiver covers only what is missing now. The report shows it."),
        button=_("Waive it"),
        chosen=chosen,
        cases_to_waive=list_cases_to_waive(request, release, rule),
    )


def list_cases_to_waive(request: SignedInRequest, release: Release, rule: str) -> list[str]:
    """List the cases to choose from; of disagreements only to people who have opened the scores."""
    if rule == waivers.ADJUDICATIONS and not has_opened(release, request.user):
        return []
    return waivers.list_unwaived(release, rule)[: waivers.MOST_CHOSEN]


def take_waiver_back(request: SignedInRequest, name: str) -> HttpResponse:
    release = find_release(name)
    rule = request.GET.get("rule", "")
    words = {"rule": describe_rule(rule, kind_texts(release))}

    def do(data: dict[str, Any]) -> str:
        waivers.take_back(
            release=release, rule=rule, reason=data["reason"], user=request.user, now=timezone.now()
        )
        return _("%(rule)s applies again.") % words

    return show_act(
        request,
        release=release,
        form=ReasonForm(request.POST or None),
        do=do,
        title=_("Take back the waiver: %(rule)s") % words,
        lead=_("The rule applies again."),
        button=_("Take it back"),
    )


def decision(request: SignedInRequest, name: str) -> HttpResponse:
    """Sign a decision. The form on the report posts here; a refusal shows the input again."""
    release = find_release(name)
    closing = release.closings.standing().defer("summary").first()
    lead = _("Your decision refers to the stored report with the digest %(digest)s.") % {
        "digest": closing.digest[:16] if closing else "–"
    }
    if closing and closing.word:
        said = describe_word(closing.word, closing.conditions, closing.names)
        verdict = _("The verdict is %(verdict)s.") % {"verdict": said}
        against = (
            _("The report will show a decision not to ship as against the verdict.")
            if closing.word == Word.GO
            else _("The report will show a decision to ship as against the verdict.")
        )
        lead = f"{verdict} {against} {lead}"

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

    return show_act(
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
