"""The headline of a closed release: stored, so that lists and trends need not read summaries."""

from typing import Any

import msgspec

from reviews.report import verdict
from reviews.report.summary import Summary


def headline(summary: Summary, *, is_abandoned: bool = False) -> dict[str, Any]:
    found = verdict.decide(summary, is_abandoned=is_abandoned)
    return {
        "kinds": len(summary.coverage),
        "kinds_covered": summary.kinds_covered,
        "cases": summary.evidence.cases,
        "reviews": summary.reviews_counted,
        "reviews_expected": summary.reviews_wanted,
        "reviews_judged": summary.evidence.reviews,
        "verdict": str(found.word) if found.word else None,
        "conditions": [msgspec.to_builtins(condition) for condition in found.conditions],
        "means": [
            {
                "metric": metric.metric,
                "name": metric.name,
                "mean": metric.mean.value,
                "low": metric.mean.low,
                "high": metric.mean.high,
                "cases": metric.mean.n,
                "floor": metric.floor,
                "levels": [metric.levels[0], metric.levels[-1]],
            }
            for metric in summary.metrics
        ],
    }
