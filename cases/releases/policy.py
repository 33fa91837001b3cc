"""The gate policy of a release: the limits of its verdict. No Django here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import msgspec

DEFAULT_FLOOR = 3.0

Points = Annotated[float, msgspec.Meta(ge=0, le=100)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class Policy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The limits of a verdict. `floors` has only metrics whose floor is not the default."""

    floors: dict[str, float] = msgspec.field(default_factory=dict)
    margin: Points = 0.5
    within_one: Share = 0.8

    def floor(self, metric: str) -> float:
        return self.floors.get(metric, DEFAULT_FLOOR)


def from_data(data: Mapping[str, Any]) -> Policy:
    """Read a stored policy; what is left out has its default.

    Raises msgspec.ValidationError, whose message names the path.
    """
    return msgspec.convert(dict(data), Policy)


def to_data(policy: Policy) -> dict[str, Any]:
    """Return the policy as stored: only values that differ from their default."""
    defaults = msgspec.structs.asdict(Policy())
    values = msgspec.structs.asdict(policy)
    return {name: value for name, value in values.items() if value != defaults[name]}


def spelled_out(policy: Policy, metrics: Iterable[str]) -> dict[str, Any]:
    """Return every value, with a floor for each metric: a frozen policy must not use defaults."""
    return {
        "floors": {metric: policy.floor(metric) for metric in metrics},
        "margin": policy.margin,
        "within_one": policy.within_one,
    }
