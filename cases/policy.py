"""The gate policy of a release: the limits that its verdict is held against. No Django here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

DEFAULT_FLOOR = 3.0


@dataclass(frozen=True, slots=True)
class Policy:
    """`floors` has only the metrics whose floor is not the default. `within_one` is a share."""

    floors: Mapping[str, float] = field(default_factory=dict)
    margin: float = 0.5
    within_one: float = 0.8

    def floor(self, metric: str) -> float:
        return self.floors.get(metric, DEFAULT_FLOOR)


def from_data(data: Mapping[str, Any]) -> Policy:
    """What is stored with a release; whatever it leaves out is as usual."""
    return Policy(**data)


def to_data(policy: Policy, metrics: Iterable[str]) -> dict[str, Any]:
    """Spelled out for each metric, so that a frozen policy does not depend on a default."""
    return asdict(policy) | {"floors": {metric: policy.floor(metric) for metric in metrics}}
