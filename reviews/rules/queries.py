"""Read what the pages of rules show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.utils.functional import Promise
from django.utils.safestring import SafeString

from cases import rule as pure
from cases.case.display import CALENDAR, render_fact
from cases.facts import find_facts
from cases.models import Case, Rule, RuleHit
from cases.rule.hits import is_hit
from cases.rules.words import FACT_NAMES, PARAM_NAMES

HITS_ON_A_PAGE = 20


@dataclass(frozen=True)
class LimitWords:
    name: Promise
    at_least: float | None
    at_most: float | None


@dataclass(frozen=True)
class ShownRule:
    """A version of a rule in words."""

    version: Rule
    name: Promise
    limits: list[LimitWords]


@dataclass(frozen=True)
class ShownHit:
    """A case that the rule hits, and why in the reader's language."""

    case: Case
    sentences: list[SafeString]


def show_rule(version: Rule) -> ShownRule:
    definition = version.parsed
    limits = [
        LimitWords(PARAM_NAMES[limit.param], limit.at_least, limit.at_most)
        for limit in definition.thresholds
    ]
    return ShownRule(version, FACT_NAMES[definition.topic, definition.fact], limits)


def list_rules(product: str) -> list[ShownRule]:
    """List all versions: adopted and on trial first, the retired ones last."""
    rules = Rule.objects.of(product).with_hits().select_related("rubric").in_order()
    return sorted(map(show_rule, rules), key=lambda shown: shown.version.state == "retired")


def load_hits(version: Rule, page: str | None) -> Page[RuleHit]:
    rows = RuleHit.objects.filter(rule=version).select_related("case__release")
    ordered = rows.order_by("-case__release__created_at", "case__case_key")
    return Paginator(ordered, HITS_ON_A_PAGE).get_page(page)


def show_hits(version: Rule, page: Page[RuleHit]) -> Iterator[ShownHit]:
    """Say in the reader's language what is stored in English."""
    for row in page.object_list:
        keys = set(pure.read_keys(row.hits))
        facts = find_facts(row.case.itinerary, CALENDAR, {version.parsed.topic})
        sentences = [
            render_fact(fact, row.case.locale)
            for fact in facts
            if fact.key in keys and is_hit(version.pure, fact)
        ]
        yield ShownHit(row.case, sentences)
