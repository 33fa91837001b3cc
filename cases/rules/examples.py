"""Facts in a product's own plans: what a rule can be proposed about, with an example of each."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.db.models import Exists, OuterRef

from cases import rule as pure
from cases.facts import Calendar, Fact, find_facts
from cases.models import Case, Release
from cases.models.cases import CheckStatus
from cases.rules.counting import WINDOW
from cases.tags.detectors import first_day

# So many plans are read, in about a tenth of a second.
MOST_READ = 100
CALENDAR = Calendar(first_day, *WINDOW)


@dataclass
class Example:
    """A kind of fact, the first one found, and in how many plans there is one.

    `spans`: from the smallest to the largest number of each parameter.
    """

    kind: pure.Kind
    fact: Fact
    locale: str | None
    plans: int = 0
    spans: dict[str, pure.Span] = field(default_factory=dict)

    def note(self, fact: Fact) -> None:
        for param in self.kind.params:
            span = pure.read_span(fact.params[param]) if param in fact.params else None
            if span:
                known = self.spans.get(param, span)
                self.spans[param] = pure.Span(min(known.low, span.low), max(known.high, span.high))


@dataclass(frozen=True)
class Examples:
    """`read` plans of a release, and the facts found in them, the most frequent first."""

    release: Release | None
    read: int
    found: list[Example]

    def find(self, kind: pure.Kind) -> Example | None:
        return next((example for example in self.found if example.kind == kind), None)


def load_examples(product: str) -> Examples:
    """Read plans of the newest release with plans that passed the checks."""
    passed = Case.objects.filter(
        release__product=product,
        has_plan=True,
        check_status__in=[CheckStatus.PASS, CheckStatus.WARN],
    )
    with_passed = Exists(passed.filter(release=OuterRef("pk")))
    release = Release.objects.filter(with_passed, product=product).newest_first().first()
    if release is None:
        return Examples(None, 0, [])
    cases = list(passed.filter(release=release).order_by("pk")[:MOST_READ])
    found: dict[pure.Kind, Example] = {}
    for case in cases:
        note_facts(found, case)
    ordered = sorted(found.values(), key=lambda example: (-example.plans, example.kind.name))
    return Examples(release, len(cases), ordered)


def note_facts(found: dict[pure.Kind, Example], case: Case) -> None:
    known: set[pure.Kind] = set()
    for fact in find_facts(case.itinerary, CALENDAR):
        kind = pure.FACTS[fact.topic, pure.name_of(fact.key)]
        example = found.setdefault(kind, Example(kind, fact, case.locale))
        example.note(fact)
        example.plans += kind not in known
        known.add(kind)
