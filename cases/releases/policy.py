"""The gate policy of a release: the limits that its verdict is held against. No Django here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import msgspec

DEFAULT_FLOOR = 3.0

Points = Annotated[float, msgspec.Meta(ge=0, le=100)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class Policy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`floors` has only the metrics whose floor is not the default."""

    floors: dict[str, float] = msgspec.field(default_factory=dict)
    margin: Points = 0.5
    within_one: Share = 0.8

    def floor(self, metric: str) -> float:
        return self.floors.get(metric, DEFAULT_FLOOR)


def from_data(data: Mapping[str, Any]) -> Policy:
    """What is stored with a release; whatever it leaves out is as usual.

    Raises msgspec.ValidationError, whose words name the path.
    """
    return msgspec.convert(dict(data), Policy)


def to_data(policy: Policy) -> dict[str, Any]:
    """Without what is as usual."""
    usual = msgspec.structs.asdict(Policy())
    said = msgspec.structs.asdict(policy)
    return {name: value for name, value in said.items() if value != usual[name]}


def spelled_out(policy: Policy, metrics: Iterable[str]) -> dict[str, Any]:
    """For each metric, so that a frozen policy does not depend on a default."""
    return {
        "floors": {metric: policy.floor(metric) for metric in metrics},
        "margin": policy.margin,
        "within_one": policy.within_one,
    }
