"""Pages that draw the sample, change it by hand, and show a draw or a case in it."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from cases.case.page import build_case_context
from cases.models import Case, Release
from cases.releases.queries import find_release
from cases.tags.forms import TagForm
from evalsite.http import SignedInRequest
from reviews.assignments.preview import describe_assigned, describe_missing
from reviews.errors import Refused
from reviews.models import Draw
from reviews.releases.forms import ReasonForm
from reviews.releases.pages import show_act, show_release
from reviews.report.would_help import describe_outlook
from reviews.sample import amendments, workflow
from reviews.sample.amendments import list_spellings
from reviews.sample.extension import Extension, extend, preview_extension
from reviews.sample.forms import AddForm, WithdrawForm
from reviews.sample.queries import find_case
from reviews.sample.reasons import explain_draw, explain_not_in_pool, explain_place
from reviews.sample.rule import kind_texts

MOST_IN_LINE = 20
LONGEST_SIZE = 9
PLACES_PER_PAGE = 50


def draw(request: SignedInRequest, name: str) -> HttpResponse:
    release = find_release(name)
    wished = request.POST.get("size", "").strip()
    if wished and not (wished.isascii() and wished.isdigit() and len(wished) <= LONGEST_SIZE):
        refusal = Refused(_("The size of a sample is a whole number of at most 9 digits."))
        return show_release(request, release, refusal=refusal, wished=wished, status=422)
    try:
        drawn = workflow.draw(
            release=release,
            size=int(wished) if wished else None,
            user=request.user,
            now=timezone.now(),
        )
    except Refused as refusal:
        return show_release(request, release, refusal=refusal, wished=wished, status=409)
    messages.success(
        request,
        _("Draw %(number)d: %(size)d of %(pool)d cases.")
        % {"number": drawn.number, "size": drawn.size, "pool": drawn.pool_size},
    )
    return redirect(release)


def draw_page(request: SignedInRequest, name: str, number: int) -> HttpResponse:
    """Show the whole order of a draw, with the reason for each place."""
    release = find_release(name)
    drawn = get_object_or_404(Draw, release=release, number=number)
    texts = kind_texts(release)
    order = drawn.order
    words = request.GET.get("case", "").strip()
    case = find_case_by_words(release, words) if words else None
    # A case whose import was undone after the draw still has its place.
    found = order.find(case.case_key if case else words) if words else None
    wanted_page = request.GET.get("page")
    if found and not wanted_page:
        wanted_page = str((found.place - 1) // PLACES_PER_PAGE + 1)
    page = Paginator(range(1, len(order) + 1), PLACES_PER_PAGE).get_page(wanted_page)
    entries = [order.at(place) for place in page]
    codes = dict(
        release.cases.filter(case_key__in=[entry.case_key for entry in entries]).values_list(
            "case_key", "code"
        )
    )
    rows = [
        (
            entry,
            codes.get(entry.case_key),
            texts.get(entry.kind, entry.kind),
            explain_draw(entry, texts),
        )
        for entry in entries
    ]
    context = {
        "release": release,
        "draw": drawn,
        "page": page,
        "rows": rows,
        "words": words,
        "found": found,
        "is_unknown": not found and not case,
        "why_not": explain_not_in_pool(case) if case and not found else "",
        "kinds": [(texts.get(key, key), drawn.fitting.get(key)) for key, _tags in drawn.kinds],
        "waived": [texts.get(key, key) for key in drawn.waived],
        "outlook": describe_outlook(release, drawn),
    }
    return render(request, "reviews/sample/draw.html", context)


def find_case_by_words(release: Release, words: str) -> Case | None:
    """Find a case by its key or its neutral code."""
    is_it = Q(case_key__in=list_spellings(words)) | Q(code=words.upper().replace("\0", ""))
    own = Case.objects.of(release).filter(is_it)
    rows = own.without_content().select_related("exclusion", "release")
    return min(rows, key=lambda case: case.case_key not in list_spellings(words), default=None)


def sample_add(request: SignedInRequest, name: str) -> HttpResponse:
    release = find_release(name)

    def do(data: dict[str, Any]) -> str:
        key = data["into"]
        amendments.add(
            release=release,
            case_key=key,
            reason=data["reason"],
            user=request.user,
            now=timezone.now(),
        )
        if amendments.is_plan_fixed(release):
            return _("%(case)s is read outside the plan.") % {"case": key}
        return _("%(case)s is in the sample.") % {"case": key}

    return show_act(
        request,
        release=release,
        form=AddForm(request.POST or None, initial={"into": request.GET.get("case", "")}),
        do=do,
        title=_("Add a case by hand"),
        lead=_(
            "Nobody chooses after the start which cases count. The case is read and shown, marked "
            "as outside the plan, and enters no figure that decides. The report lists it with your "
            "reason."
        )
        if amendments.is_plan_fixed(release)
        else _("The report lists it as chosen by hand, with your reason."),
        button=_("Add it"),
        in_line=list_next_keys(release),
    )


def sample_swap(request: SignedInRequest, name: str, code: str) -> HttpResponse:
    release = find_release(name)
    case = find_case(release, code)

    def do(data: dict[str, Any]) -> str:
        amendments.swap(
            release=release,
            out=case.case_key,
            into=data["into"],
            reason=data["reason"],
            user=request.user,
            now=timezone.now(),
        )
        return _("%(out)s is swapped for %(into)s.") % {
            "out": case.case_key,
            "into": data["into"],
        }

    return show_act(
        request,
        release=release,
        form=AddForm(request.POST or None),
        do=do,
        title=_("Swap %(case)s") % {"case": case.case_key},
        lead=_("Another case replaces it. The report lists the swap, with your reason."),
        button=_("Swap"),
        case=case,
        in_line=list_next_keys(release),
    )


def sample_remove(request: SignedInRequest, name: str, code: str) -> HttpResponse:
    release = find_release(name)
    case = find_case(release, code)

    def do(data: dict[str, Any]) -> str:
        amendments.remove(
            release=release,
            case_key=case.case_key,
            reason=data["reason"],
            user=request.user,
            now=timezone.now(),
        )
        return _("%(case)s is out of the sample.") % {"case": case.case_key}

    return show_act(
        request,
        release=release,
        form=ReasonForm(request.POST or None),
        do=do,
        title=_("Remove %(case)s from the sample") % {"case": case.case_key},
        lead=_("No other case replaces it. The report lists the removal, with your reason."),
        button=_("Remove it"),
        is_danger=True,
        case=case,
    )


def sample_withdraw(request: SignedInRequest, name: str, code: str) -> HttpResponse:
    release = find_release(name)
    case = find_case(release, code)
    is_outside = release.sample.filter(case=case, is_outside=True).exists()

    def do(data: dict[str, Any]) -> str:
        came_in = amendments.withdraw(
            release=release,
            case_key=case.case_key,
            cause=data["cause"],
            reason=data["reason"],
            user=request.user,
            now=timezone.now(),
        )
        if came_in:
            return _("%(case)s is withdrawn and replaced by %(next)s, the next in line.") % {
                "case": case.case_key,
                "next": came_in,
            }
        if is_outside:
            return _("%(case)s is withdrawn.") % {"case": case.case_key}
        return _("%(case)s is withdrawn. No case was left to replace it.") % {"case": case.case_key}

    return show_act(
        request,
        release=release,
        form=WithdrawForm(request.POST or None),
        do=do,
        title=_("Withdraw %(case)s") % {"case": case.case_key},
        lead=_("No other case replaces it: it is outside the plan. Its reviews are kept and shown.")
        if is_outside
        else _(
            "The next case in the order of the draw that keeps all kinds covered replaces it. "
            "Reviews of the withdrawn case are kept and shown, but not counted."
        ),
        button=_("Withdraw it"),
        is_danger=True,
        case=case,
    )


def sample_extend(request: SignedInRequest, name: str) -> HttpResponse:
    """Say what the next look brings in and costs (GET), or take it (POST)."""
    release = find_release(name)
    refusal: Refused | None = None
    looks = None
    now = timezone.now()
    if request.method == "POST":
        try:
            taken = extend(
                release=release,
                look=parse_look(request.POST.get("look", "")),
                user=request.user,
                now=now,
            )
        except Refused as refused:
            refusal = refused
        else:
            tell_extension(request, taken)
            return redirect(release)
    else:
        try:
            looks = preview_extension(release)
        except Refused as refused:
            refusal = refused
    context = {
        "release": release,
        "refusal": refusal,
        "looks": looks,
        "look": looks.look + 1 if looks else None,
        "reviews": looks.coming * release.reviews_per_case if looks else 0,
    }
    status = 409 if request.method == "POST" else 200
    return render(request, "reviews/sample/extend.html", context, status=status)


def parse_look(text: str) -> int:
    """Read the number of a look; 0, which is no look, for anything else."""
    is_number = text.isascii() and text.isdigit() and len(text) <= LONGEST_SIZE
    return int(text) if is_number else 0


def tell_extension(request: SignedInRequest, taken: Extension) -> None:
    count = len(taken.cases)
    sentence = ngettext(
        "Look %(look)d: %(count)d case came in, so the sample has %(size)d.",
        "Look %(look)d: %(count)d cases came in, so the sample has %(size)d.",
        count,
    )
    messages.success(request, sentence % {"look": taken.look, "count": count, "size": taken.size})
    if taken.assigned:
        messages.success(request, describe_assigned(len(taken.assigned)))
    if taken.plan.missing:
        messages.warning(request, describe_missing(taken.plan.missing))


def list_next_keys(release: Release) -> list[str]:
    """List the next cases in the order of the last draw, to choose from."""
    last = Draw.objects.of(release).order_by("-number").first()
    if last is None:
        return []
    been = set(release.sample.values_list("case__case_key", flat=True))
    waiting = (key for key in last.order.keys if key not in been)
    return [key for _, key in zip(range(MOST_IN_LINE), waiting, strict=False)]


def case_page(request: SignedInRequest, code: str) -> HttpResponse:
    cases = Case.objects.select_related("release__rubric", "batch", "sampled", "exclusion")
    case = get_object_or_404(cases.prefetch_related("release__rubric__translations"), code=code)
    context = build_case_context(case) | {"in_sample": explain_place(case), "tag_form": TagForm()}
    return render(request, "reviews/sample/case.html", context)
