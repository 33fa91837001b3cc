"""What a list shows of a closed release; stored, so that lists need not read the summary."""

from typing import Any

from reviews import verdict
from reviews.summary import Summary


def headline(summary: Summary, *, is_abandoned: bool = False) -> dict[str, Any]:
    """An abandoned release has no verdict."""
    return {
        "kinds": len(summary.coverage),
        "kinds_covered": summary.kinds_covered,
        "cases": len(summary.sample),
        "reviews": summary.reviews_in,
        "reviews_expected": summary.reviews_expected,
        "verdict": None if is_abandoned else str(verdict.of(summary).word),
        "means": [
            {"metric": one.metric, "name": one.name, "mean": one.mean.value}
            for one in summary.metrics
        ],
    }
