"""Which facts of a case a rule hits, each with its sentence and its pointers into the plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec import Struct

from cases.facts import Calendar, Fact, find_facts
from cases.itinerary.format import Case
from cases.itinerary.tags import normal_tag
from cases.tags.detectors import DEFAULT, Window, detect, first_day

from .rule import Rule, Threshold
from .values import read_span


class Hit(Struct, frozen=True):
    """A fact that a rule hits. `fact` is the fact's key, `refs` are JSON pointers into the case.

    Stored, exported and written by a pipeline as the same JSON, so it is in English.
    """

    rule: str
    version: int
    fact: str
    sentence: str
    refs: tuple[str, ...]


def name_of(key: str) -> str:
    """Return the name of a fact without the pointer that its key may have."""
    return key.partition(":")[0]


def find_hits(case: Case, rules: Sequence[Rule], window: Window = DEFAULT) -> tuple[Hit, ...]:
    """Find the hits of all rules, in the order of the rules and then of the facts.

    `window` is the time around Spring Festival, for its tag and its fact.
    """
    return tuple(hit for _rule, hits in find_hits_by_rule(case, rules, window) for hit in hits)


def find_hits_by_rule(
    case: Case, rules: Sequence[Rule], window: Window = DEFAULT
) -> Iterator[tuple[Rule, tuple[Hit, ...]]]:
    """Yield each rule with its hits. Only the topics that the rules name are computed."""
    applying = set(_applying(case, rules, window))
    topics = {rule.definition.topic for rule in applying}
    facts = find_facts(case, Calendar(first_day, *window), topics) if topics else ()
    for rule in rules:
        found = facts if rule in applying else ()
        yield (
            rule,
            tuple(
                Hit(rule.key, rule.version, fact.key, fact.sentence, fact.refs)
                for fact in found
                if is_hit(rule, fact)
            ),
        )


def _applying(case: Case, rules: Sequence[Rule], window: Window) -> Iterator[Rule]:
    """Yield the rules whose tags the case has. Without tags in any rule, none are detected."""
    has_tags = any(rule.definition.tags for rule in rules)
    tags = find_tags(case, window) if has_tags else frozenset()
    yield from (rule for rule in rules if tags.issuperset(rule.definition.tags))


def find_tags(case: Case, window: Window = DEFAULT) -> frozenset[str]:
    """Return the tags that the row itself gives: declared, or strongly detected.

    What admins change on the site does not count, so that a pipeline finds the same.
    """
    declared = {normal_tag(tag) for tag in case.tags or ()}
    found = detect(case, festival_window=window)
    return frozenset(declared | {tag.tag for tag in found if tag.strength == "strong"})


def is_hit(rule: Rule, fact: Fact) -> bool:
    definition = rule.definition
    return (
        fact.topic == definition.topic
        and name_of(fact.key) == definition.fact
        and all(_meets(fact, threshold) for threshold in definition.thresholds)
    )


def _meets(fact: Fact, threshold: Threshold) -> bool:
    value = fact.params.get(threshold.param)
    span = None if value is None else read_span(value)
    if span is None:
        return False
    is_low = threshold.at_least is not None and span.high < threshold.at_least
    is_high = threshold.at_most is not None and span.low > threshold.at_most
    return not is_low and not is_high


def encode_hits(hits: Iterable[Hit]) -> str:
    """Return the hits as JSON text, the same everywhere."""
    return _encoder.encode(list(hits)).decode()


_encoder = msgspec.json.Encoder()


def read_keys(stored: str) -> tuple[str, ...]:
    """Return the keys of the facts in encoded hits."""
    return tuple(hit.fact for hit in _decoder.decode(stored))


_decoder = msgspec.json.Decoder(tuple[Hit, ...])
