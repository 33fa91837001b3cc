"""`rules.json`: the adopted rules of a product, for a pipeline."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from cases.tags.detectors import DEFAULT, Window

from .rule import Rule, RuleError, check_definition

SCHEMA = "spotcheck-rules/1"


class RuleSet(Struct, frozen=True, forbid_unknown_fields=True):
    """`festival`: how many days before and after its first day count as Spring Festival."""

    schema: str
    product: str
    festival: Window = DEFAULT
    rules: tuple[Rule, ...] = ()


class BadRules(ValueError):
    """The document is not a `rules.json`; the text says why."""


def write_rules(rules: RuleSet) -> bytes:
    """Return the document, the same bytes for the same rules."""
    return msgspec.json.format(_encoder.encode(rules), indent=2) + b"\n"


def read_rules(document: bytes) -> RuleSet:
    """Read and check a document. Raises BadRules."""
    try:
        found = msgspec.json.decode(document, type=RuleSet)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadRules(str(error)) from error
    if found.schema != SCHEMA:
        raise BadRules(f"`schema` must be {SCHEMA}, got {found.schema}. Update the checker.")
    keys = [rule.key for rule in found.rules]
    if len(set(keys)) < len(keys):
        raise BadRules("two rules have the same key.")
    for rule in found.rules:
        try:
            check_definition(rule.definition)
        except RuleError as error:
            raise BadRules(f"rule {rule.key}: {error}") from error
    return found


_encoder = msgspec.json.Encoder()
