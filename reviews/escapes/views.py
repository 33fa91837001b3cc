"""Pages of what got through: the escapes of a product, and the history of the product."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext_lazy

from cases import ledger
from cases.models import Ledger
from cases.models.ledgers import PRODUCT
from evalsite.http import SignedInRequest
from reviews.errors import Refused
from reviews.escapes import queries, workflow
from reviews.escapes.forms import MoveForm
from reviews.models.escapes import EscapeQuerySet, EscapeState
from reviews.releases import verify
from reviews.rules.register import load_register

PAGE_SIZE = 25
EVENTS_PER_PAGE = 50

TO_DO, ALL = "", "all"
SHOWN = [
    (TO_DO, pgettext_lazy("escapes", "to do")),
    (EscapeState.RULE, EscapeState.RULE.label),
    (EscapeState.FIXED, EscapeState.FIXED.label),
    (EscapeState.ACCEPTED, EscapeState.ACCEPTED.label),
    (ALL, pgettext_lazy("escapes", "all")),
]


def find_product(request: SignedInRequest) -> tuple[str, list[str]]:
    """Return the product of the address, by default the first, and all that have one."""
    products = queries.list_products()
    product = request.GET.get("product", products[0] if products else "")
    if products and product not in products:
        raise Http404
    return product, products


def escapes(request: SignedInRequest) -> HttpResponse:
    """Show what got through, the oldest to do first, and move what is chosen."""
    product, products = find_product(request)
    form = MoveForm(request.POST if request.method == "POST" else None)
    chosen = [
        int(key) for key in request.POST.getlist("escape") if key.isdecimal() and len(key) < 19
    ]
    status = 200
    if request.method == "POST":
        status = move(request, product, chosen, form)
        if status == DONE:
            return redirect(request.get_full_path())
    reports = queries.load_reports(product)
    questions = queries.Questions(reports.included)
    subjects = queries.load_subjects(product, questions)
    shown, about = request.GET.get("state", TO_DO), request.GET.get("about", "")
    found = filter_escapes(queries.select_escapes().of(product), shown, about)
    page = Paginator(found.order_by("pk"), PAGE_SIZE).get_page(request.GET.get("page"))
    context = {
        "product": product,
        "products": products,
        "reports": reports,
        "subjects": subjects,
        "register": load_register(product),
        "total": sum(row.count for row in subjects),
        "to_do": sum(row.to_do for row in subjects),
        "shown": shown,
        "states": SHOWN,
        "about": about,
        "subject": next((row for row in subjects if row.token == about), None),
        "page": page,
        "rows": queries.build_rows(list(page), questions),
        "form": form,
        "chosen": chosen,
        "most": workflow.MOST_AT_ONCE,
    }
    return render(request, "reviews/escapes/escapes.html", context, status=status)


def filter_escapes(found: EscapeQuerySet, shown: str, about: str) -> EscapeQuerySet:
    """Keep those in this state, about this metric, question or flag. Raises Http404."""
    if shown not in dict(SHOWN):
        raise Http404
    if about:
        parts = about.split(":")
        if len(parts) != 3:
            raise Http404
        found = found.filter(**dict(zip(("about", "key", "wording"), parts, strict=True)))
    if shown == TO_DO:
        return found.to_do()
    return found if shown == ALL else found.filter(state=shown)


DONE = 302


def move(request: SignedInRequest, product: str, chosen: list[int], form: MoveForm) -> int:
    """Move what is chosen. Returns the status to answer with; refusals go into the form."""
    if not form.is_valid():
        return 422
    try:
        moved = workflow.move(
            product=product,
            escapes=chosen,
            **form.cleaned_data,
            user=request.user,
            now=timezone.now(),
        )
    except Refused as refusal:
        for sentence in refusal.sentences:
            form.add_error(None, sentence)
        return 409
    state = EscapeState(form.cleaned_data["state"]).label
    sentence = ngettext("%(count)d moved: %(state)s.", "%(count)d moved: %(state)s.", len(moved))
    messages.success(request, sentence % {"count": len(moved), "state": state})
    return DONE


def product_history(request: SignedInRequest) -> HttpResponse:
    """Show the ledger of a product. Verifies the events on the page, or all of them on request."""
    product, _products = find_product(request)
    found = Ledger.objects.filter(name=PRODUCT + product).first()
    if found is None:
        raise Http404
    page = Paginator(found.events.order_by("-number"), EVENTS_PER_PAGE).get_page(
        request.GET.get("page")
    )
    events = list(page)
    is_blind = queries.is_judging(request.user, product)
    context: dict[str, object] = {
        "owner": found,
        "title": product or _("without a name"),
        "back": f"{reverse('escapes')}?{urlencode({'product': product})}",
        "page": page,
        "events": events,
        "wrong": ledger.first_that_does_not_fit(
            events, found, is_newest=not page.has_previous(), is_oldest=not page.has_next()
        ),
        "is_blind": is_blind,
        # How much was moved tells how much was found.
        "hidden": {event.number for event in events if is_blind and event.kind == workflow.MOVED},
        "is_whole": request.GET.get("verify") == "all",
    }
    if context["is_whole"]:
        try:
            verify.verify_ledger(found)
        except ledger.LedgerBroken as broken:
            context["broken"] = str(broken)
    return render(request, "reviews/releases/ledger.html", context)
