"""A rule of a product: a fact with thresholds. Which cases it hits, and `rules.json`. README.md.

No Django here: a pipeline runs the same code from the wheel that `make checker` builds.
"""

from cases.itinerary.lines import Source

from .catalogue import FACTS, Kind, find_kind, list_kinds
from .checking import Result, Unread, check_file, check_line, summarise, write_checks
from .document import SCHEMA, BadRules, RuleSet, read_rules, write_rules
from .hits import Hit, encode_hits, find_hits, find_hits_by_rule, find_tags, name_of, read_keys
from .rule import (
    Definition,
    Rule,
    RuleError,
    Threshold,
    check_definition,
    digest_definition,
    from_data,
    to_data,
)
from .values import Span, read_span

__all__ = [
    "FACTS",
    "SCHEMA",
    "BadRules",
    "Definition",
    "Hit",
    "Kind",
    "Result",
    "Rule",
    "RuleError",
    "RuleSet",
    "Source",
    "Span",
    "Threshold",
    "Unread",
    "check_definition",
    "check_file",
    "check_line",
    "digest_definition",
    "encode_hits",
    "find_hits",
    "find_hits_by_rule",
    "find_kind",
    "find_tags",
    "from_data",
    "list_kinds",
    "name_of",
    "read_keys",
    "read_rules",
    "read_span",
    "summarise",
    "to_data",
    "write_checks",
    "write_rules",
]
