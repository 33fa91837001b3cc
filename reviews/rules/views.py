"""The pages of a product's rules: list, propose, one rule with its trial, and its moves."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from cases import rule as pure
from cases.facts import Topic
from cases.models import Rubric, Rule, RuleState
from cases.rules import workflow as rules_workflow
from cases.rules.examples import Examples, load_examples
from cases.rules.queries import export_rules, find_version, list_products, require_product
from cases.rules.words import FACT_NAMES, TOPIC_NAMES
from evalsite.errors import Refusal
from evalsite.http import SignedInRequest
from reviews.rules import workflow
from reviews.rules.forms import RuleForm, read_initial
from reviews.rules.queries import list_rules, load_hits, show_hits, show_rule
from reviews.rules.trial import load_trial


def rules(request: SignedInRequest) -> HttpResponse:
    """Lead to the rules of a product: the one asked for, or that of the newest release."""
    products = list_products()
    product = request.GET.get("product") or next(iter(products), "")
    if product not in products:
        return render(request, "reviews/rules/no_product.html")
    return redirect("rule-list", product)


def rule_list(request: SignedInRequest, product: str) -> HttpResponse:
    context = {
        "product": require_product(product),
        "products": list_products(),
        "rules": list_rules(product),
    }
    return render(request, "reviews/rules/rule_list.html", context)


def rule_export(request: SignedInRequest, product: str) -> HttpResponse:
    """Download `rules.json`."""
    return HttpResponse(
        export_rules(require_product(product)),
        content_type="application/json",
        headers={"Content-Disposition": 'attachment; filename="rules.json"'},
    )


def rule_new(request: SignedInRequest, product: str) -> HttpResponse:
    """Choose a fact that the product's plans have, then set its limits."""
    examples = load_examples(require_product(product))
    before = find_version(product, request.GET["key"]) if request.GET.get("key") else None
    kind = find_kind(request, before)
    rubric = Rubric.objects.newest()
    if kind is None or rubric is None:
        return choose_fact(request, product, examples)
    form = RuleForm(
        request.POST or None,
        kind=kind,
        document=rubric.text_for(get_language()).document,
        example=examples.find(kind),
        initial=read_initial(before.parsed) if before else {},
    )
    context = {
        "product": product,
        "form": form,
        "examples": examples,
        "example": form.example,
        "name": FACT_NAMES[kind.topic, kind.name],
        "kind": kind,
        "before": before,
    }
    if form.is_valid():
        try:
            return propose(request, product, form, rubric, before)
        except Refusal as refusal:
            context["refusal"] = refusal
    status = 422 if request.method == "POST" else 200
    return render(request, "reviews/rules/rule_new.html", context, status=status)


def find_kind(request: SignedInRequest, before: Rule | None) -> pure.Kind | None:
    if before:
        return pure.find_kind(before.parsed.topic, before.parsed.fact)
    topic, _slash, name = request.GET.get("fact", "").partition("/")
    return pure.find_kind(Topic(topic), name) if topic in list(Topic) else None


def choose_fact(request: SignedInRequest, product: str, examples: Examples) -> HttpResponse:
    groups = [
        (name, found)
        for topic, name in TOPIC_NAMES.items()
        if (found := [each for each in examples.found if each.kind.topic == topic])
    ]
    context = {"product": product, "examples": examples, "groups": groups}
    return render(request, "reviews/rules/choose_fact.html", context)


def propose(
    request: SignedInRequest, product: str, form: RuleForm, rubric: Rubric, before: Rule | None
) -> HttpResponse:
    proposed = rules_workflow.propose(
        product=product,
        definition=form.build_definition(),
        rubric=rubric,
        key=before.key if before else "",
        reason=form.cleaned_data["reason"],
        user=request.user,
        now=timezone.now(),
    )
    if not proposed.is_new:
        messages.info(request, _("There is this rule already; nothing changed."))
    return redirect("rule", product, proposed.rule.key)


def rule_page(request: SignedInRequest, product: str, key: str) -> HttpResponse:
    version = find_version(require_product(product), key, version=read_number(request))
    return render_rule(request, version)


def read_number(request: SignedInRequest) -> int | None:
    text = request.GET.get("version", "")
    return int(text) if text.isdecimal() and len(text) < 9 else None


def render_rule(
    request: SignedInRequest, version: Rule, *, refusal: Refusal | None = None
) -> HttpResponse:
    page = load_hits(version, request.GET.get("page"))
    document = version.rubric.text_for(get_language()).document
    context = {
        "product": version.product,
        "version": version,
        "shown": show_rule(version),
        "question": document.question(version.parsed.question),
        "versions": Rule.objects.of(version.product).filter(key=version.key).order_by("-version"),
        "trial": load_trial(version),
        "page": page,
        "hits": list(show_hits(version, page)),
        "refusal": refusal,
    }
    status = 409 if refusal else 200
    return render(request, "reviews/rules/rule.html", context, status=status)


def rule_move(request: SignedInRequest, product: str, key: str) -> HttpResponse:
    """Watch, adopt or retire a version."""
    version = find_version(require_product(product), key, version=read_number(request))
    to = request.POST.get("to", "")
    if to not in RuleState.values:
        raise Http404
    try:
        moved = move(request, version, RuleState(to))
    except Refusal as refusal:
        return render_rule(request, version, refusal=refusal)
    messages.success(request, _("%(rule)s is now %(state)s.") % say_state(moved))
    return redirect(f"{reverse('rule', args=[product, key])}?version={moved.version}")


def move(request: SignedInRequest, version: Rule, to: RuleState) -> Rule:
    now = timezone.now()
    if to == RuleState.ADOPTED:
        confirm = request.POST.get("confirm") == "yes"
        return workflow.adopt(version=version, confirm=confirm, user=request.user, now=now)
    return rules_workflow.move(version=version, to=to, user=request.user, now=now)


def say_state(version: Rule) -> dict[str, object]:
    return {"rule": version, "state": version.get_state_display()}
