"""What a rule says: a fact, thresholds on its parameters, tags, and the question it serves."""

from __future__ import annotations

import hashlib
import math
import re
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from cases.facts import Topic
from cases.itinerary.format import ONE_LINE
from cases.itinerary.tags import normal_tag

from .catalogue import find_kind

MOST_TAGS = 10
LONGEST_TAG = 80
LARGEST = 1e12
# A key of a rule, and of a question of a rubric.
KEY = r"^[a-z0-9]+(-[a-z0-9]+)*\Z"
QUESTION = r"^[a-z0-9]+(-[a-z0-9]+)*\.[0-9]+\Z"


def _(message: str) -> str:
    """Mark a sentence for translation; it is translated when the problem is shown."""
    return message


class RuleError(ValueError):
    """The rule cannot be used. `message` is a %-template for `params`."""

    def __init__(self, path: str, message: str, **params: str | int) -> None:
        self.path, self.message, self.params = path, message, params
        super().__init__(f"{path}: {message % params}")


class Frozen(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    pass


class Threshold(Frozen, frozen=True):
    """A limit on one parameter. Of a range, `at_least` looks at the most, `at_most` at the least.

    A fact without this parameter does not meet it.
    """

    param: str
    at_least: float | None = None
    at_most: float | None = None


class Definition(Frozen, frozen=True):
    """What a version of a rule says, and never changes.

    It hits a case that has all the tags and a fact of this name that meets all thresholds.
    """

    topic: Topic
    fact: str
    question: Annotated[str, Meta(pattern=QUESTION, max_length=200)]
    thresholds: tuple[Threshold, ...] = ()
    tags: tuple[str, ...] = ()


class Rule(Frozen, frozen=True):
    key: Annotated[str, Meta(pattern=KEY, max_length=100)]
    version: Annotated[int, Meta(ge=1)]
    definition: Definition


NO_SUCH_FACT = _("there is no fact %(fact)s under %(topic)s.")
NO_SUCH_PARAM = _("the fact %(fact)s has no number called %(param)s.")
TWICE = _("%(param)s has two thresholds.")
NO_LIMIT = _("%(param)s needs a number: at least or at most.")
TOO_LARGE = _("%(param)s has a limit that is too large.")
CROSSED = _("%(param)s cannot be at least %(low)s and at most %(high)s.")
TOO_MANY_TAGS = _("a rule has at most %(most)d tags.")
TAG_LENGTH = _("a tag is one line of at most %(most)d characters.")
_ONE_LINE = re.compile(ONE_LINE)


def check_definition(definition: Definition) -> Definition:
    """Return the definition in its one form: thresholds and tags sorted. Raise RuleError."""
    kind = find_kind(definition.topic, definition.fact)
    if kind is None:
        raise RuleError("fact", NO_SUCH_FACT, fact=definition.fact, topic=definition.topic.value)
    known: set[str] = set()
    for threshold in definition.thresholds:
        if threshold.param not in kind.params:
            raise RuleError("thresholds", NO_SUCH_PARAM, fact=kind.name, param=threshold.param)
        if threshold.param in known:
            raise RuleError("thresholds", TWICE, param=threshold.param)
        known.add(threshold.param)
        _check_limits(threshold)
    tags = sorted({normal_tag(tag) for tag in definition.tags})
    if len(tags) > MOST_TAGS:
        raise RuleError("tags", TOO_MANY_TAGS, most=MOST_TAGS)
    if any(len(tag) > LONGEST_TAG or not _ONE_LINE.search(tag) for tag in tags):
        raise RuleError("tags", TAG_LENGTH, most=LONGEST_TAG)
    thresholds = sorted(map(_with_floats, definition.thresholds), key=lambda limit: limit.param)
    return msgspec.structs.replace(definition, thresholds=tuple(thresholds), tags=tuple(tags))


def _with_floats(threshold: Threshold) -> Threshold:
    """Return the same limits as JSON gives them back, so that the digest stays the same.

    Adding 0.0 makes -0.0 the same as 0.0, which is what PostgreSQL stores.
    """
    low, high = threshold.at_least, threshold.at_most
    return Threshold(
        threshold.param,
        None if low is None else float(low) + 0.0,
        None if high is None else float(high) + 0.0,
    )


def _check_limits(threshold: Threshold) -> None:
    low, high = threshold.at_least, threshold.at_most
    if low is None and high is None:
        raise RuleError("thresholds", NO_LIMIT, param=threshold.param)
    limits = [limit for limit in (low, high) if limit is not None]
    if any(not math.isfinite(limit) or abs(limit) > LARGEST for limit in limits):
        raise RuleError("thresholds", TOO_LARGE, param=threshold.param)
    if low is not None and high is not None and low > high:
        raise RuleError(
            "thresholds", CROSSED, param=threshold.param, low=f"{low:g}", high=f"{high:g}"
        )


def digest_definition(definition: Definition) -> str:
    """Return the SHA-256 of what the rule says."""
    return hashlib.sha256(_sorted.encode(definition)).hexdigest()


def to_data(definition: Definition) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(definition)
    return found


def from_data(data: dict[str, Any]) -> Definition:
    return msgspec.convert(data, Definition)


_sorted = msgspec.json.Encoder(order="deterministic")
