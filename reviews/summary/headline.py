"""What lists and trends show of a closed release, without reading its summary."""

from __future__ import annotations

from typing import Any

from .document import Summary


def headline(summary: Summary) -> dict[str, Any]:
    return {
        "kinds": len(summary.coverage),
        "kinds_covered": summary.kinds_covered,
        "cases": len(summary.sample),
        "reviews": summary.reviews_in,
        "reviews_expected": summary.reviews_expected,
        "metrics": [
            {
                "metric": one.metric,
                "levels": [one.levels[0], one.levels[-1]],
                "floor": one.floor,
                "mean": one.mean.value,
                "low": one.mean.low,
                "high": one.mean.high,
                "cases": one.mean.n,
            }
            for one in summary.metrics
        ],
    }
