"""What rules hit in the 72 real plans of two releases that passed the product's own checks."""

from cases.facts import Topic

COUNTS = {
    (Topic.MEALS, "meal-over-visit"): 44,
    (Topic.BUFFERS, "short-gap"): 41,
    (Topic.MEALS, "meal-over-meal"): 10,
    (Topic.CONSTRAINTS, "mobility-nowhere"): 5,
    (Topic.WISHES, "must-visit-missing"): 4,
}
VERSIONS = ("2026-02-22", "2026-02-28")
