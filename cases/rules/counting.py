"""Find the cases that rules hit: at import, when a rule is proposed, and again by command."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from django.conf import settings
from django.db import transaction

from cases import rule
from cases.itinerary.reading import case_from
from cases.models import Case, Release, Rule, RuleHit
from cases.tags.detectors import Window

WINDOW = Window(*settings.SPRING_FESTIVAL_WINDOW)
AT_ONCE = 200


def load_counted(release: Release) -> list[Rule]:
    """Load the rules whose hits are counted in this release; none without a product."""
    if not release.product:
        return []
    return list(Rule.objects.of(release.product).counted().in_order())


def add_hits(
    rules: Sequence[Rule], rows: Iterable[tuple[int, str]], window: Window = WINDOW
) -> None:
    """Store the hits in these cases: primary key and content. They must have none yet."""
    if rules:
        RuleHit.objects.bulk_create(list(find_rows(rules, rows, window)), batch_size=500)


def replace_hits(rules: Sequence[Rule], rows: Sequence[tuple[int, str]]) -> None:
    RuleHit.objects.filter(rule__in=rules, case__in=[pk for pk, _data in rows]).delete()
    add_hits(rules, rows)


def find_rows(
    rules: Sequence[Rule], rows: Iterable[tuple[int, str]], window: Window
) -> Iterator[RuleHit]:
    own = {each.pure: each for each in rules}
    for pk, data in rows:
        for found, hits in rule.find_hits_by_rule(case_from(data), list(own), window):
            if hits:
                yield RuleHit(rule=own[found], case_id=pk, hits=rule.encode_hits(hits))


def count_again(product: str, rules: Sequence[Rule], *, now: datetime) -> None:
    """Find the hits of these rules in every case of the product, one release at a time.

    The lock on the release waits for an import that began before the rules were there; a later one
    counts them itself.
    """
    for release in Release.objects.filter(product=product).order_by("pk"):
        with transaction.atomic():
            locked = Release.objects.locked(release)
            RuleHit.objects.filter(rule__in=rules, case__release=locked).delete()
            for portion in read_portions(locked):
                add_hits(rules, portion)
    Rule.objects.filter(pk__in=[each.pk for each in rules]).update(counted_at=now)


def count_release(release: Release) -> None:
    """Find the hits of a release anew, as after a change of its product. It must be locked."""
    RuleHit.objects.filter(case__release=release).delete()
    rules = load_counted(release)
    for portion in read_portions(release) if rules else ():
        add_hits(rules, portion)


def read_portions(release: Release) -> Iterator[list[tuple[int, str]]]:
    """Yield the cases of a release a few at a time, so that memory stays small."""
    last = 0
    while portion := list(
        Case.objects.of(release)
        .filter(pk__gt=last)
        .order_by("pk")
        .values_list("pk", "data")[:AT_ONCE]
    ):
        last = portion[-1][0]
        yield portion
