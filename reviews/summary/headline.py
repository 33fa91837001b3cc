"""What a list of releases shows of a closed one, without reading its summary."""

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
    }
