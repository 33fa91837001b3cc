"""The adopted rules of a product in a bundle, and their hits in the cases of the sample."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from cases import rule as pure
from cases.models import Case, Release, Rule, RuleHit, RuleState
from cases.models.rules import RuleQuerySet
from cases.rules.counting import add_hits

from .archive import ArchiveReader, NotReadable
from .queries import order_by_text
from .records import HitRecord

RULES, HITS = "rules.json", "hits.jsonl"


def select_adopted(release: Release) -> RuleQuerySet:
    return Rule.objects.of(release.product).adopted()


def read_hits(release: Release) -> Iterator[HitRecord]:
    """Read the hits in every case that is or was in the sample, as they are stored."""
    rows = RuleHit.objects.filter(
        rule__in=select_adopted(release), case__sampled__release=release
    ).order_by(order_by_text("case__case_key"), order_by_text("rule__key"))
    found = rows.values_list("case__case_key", "rule__key", "rule__version", "hits")
    for case_key, key, version, hits in found.iterator(chunk_size=2_000):
        yield HitRecord(case_key, key, version, msgspec.Raw(hits.encode()))


def restore_rules(archive: ArchiveReader, release: Release) -> Iterator[str]:
    """Store the rules of a bundle, and find their hits in its cases anew.

    Older bundles have none. Yields what is wrong.
    """
    if RULES not in archive.entries:
        return
    try:
        document = pure.read_rules(archive.content(RULES))
    except pure.BadRules as error:
        raise NotReadable(f"{RULES}: {error}") from error
    if document.product != release.product:
        yield f"{RULES}: these are the rules of another product."
    known = {(each.key, each.version) for each in document.rules}
    for place, record in archive.rows(HITS, HitRecord):
        if (record.rule, record.version) not in known:
            yield f"{place}: {RULES} has no rule {record.rule} v{record.version}."
    rules = Rule.objects.bulk_create(
        Rule(
            product=release.product,
            key=each.key,
            version=each.version,
            definition=pure.to_data(each.definition),
            digest=pure.digest_definition(each.definition),
            rubric=release.rubric,
            proposed_at=release.created_at,
            state=RuleState.ADOPTED,
        )
        for each in document.rules
    )
    sampled = Case.objects.filter(sampled__release=release)
    add_hits(rules, sampled.values_list("pk", "data"), document.festival)
