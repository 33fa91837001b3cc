"""Rules of a product, and plans that they hit."""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import User

from cases.facts import Topic
from cases.models import Rubric, Rule
from cases.rule import Definition, Threshold
from cases.rules import workflow
from tests.bed.cases import NOW, make_case

PRODUCT = "wanderer"
QUESTION = "usability-value.2"
LUNCH = {"start": "12:00", "end": "13:00", "kind": "meal", "title": "Lunch"}
MILL = {"start": "11:00", "end": "14:00", "kind": "sight", "title": "Copper Mill"}
WALL = {"start": "15:00", "end": "17:00", "kind": "sight", "title": "River wall"}
OVER_LUNCH = {"days": [{"day": 1, "items": [LUNCH, MILL]}]}
AFTER_LUNCH = {"days": [{"day": 1, "items": [LUNCH, WALL]}]}


def over_lunch(key: str, **changes: Any) -> dict[str, Any]:
    """A case with a meal over a visit."""
    return make_case(key, **{"plan": OVER_LUNCH, **changes})


def after_lunch(key: str, **changes: Any) -> dict[str, Any]:
    return make_case(key, **{"plan": AFTER_LUNCH, **changes})


def lunch_rule(*limits: Threshold, tags: tuple[str, ...] = ()) -> Definition:
    return Definition(Topic.MEALS, "meal-over-visit", QUESTION, limits, tags)


def propose(
    definition: Definition | None = None,
    *,
    product: str = PRODUCT,
    key: str = "",
    user: User | None = None,
    now: datetime = NOW,
) -> Rule:
    rubric = Rubric.objects.newest()
    assert rubric is not None
    return workflow.propose(
        product=product,
        definition=definition or lunch_rule(),
        rubric=rubric,
        key=key,
        reason="Reviewers said so.",
        user=user,
        now=now,
    ).rule
