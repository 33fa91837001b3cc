"""Who reviews what. The planner is a pure function: what it is told is all it knows."""

from .given import Person, Standing, Status, ToReview
from .limits import Reason, Why, reasons_against
from .outcome import (
    Assignment,
    CasePlan,
    PersonPlan,
    Plan,
    Refusal,
    UnevenLoad,
    UnevenPair,
)
from .planner import plan

__all__ = [
    "Assignment",
    "CasePlan",
    "Person",
    "PersonPlan",
    "Plan",
    "Reason",
    "Refusal",
    "Standing",
    "Status",
    "ToReview",
    "UnevenLoad",
    "UnevenPair",
    "Why",
    "plan",
    "reasons_against",
]
