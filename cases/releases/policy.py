"""The gate policy of a release: the limits of its verdict. No Django here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

import msgspec

DEFAULT_FLOOR = 3.0

Points = Annotated[float, msgspec.Meta(ge=0, le=100)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]

# The results of the automated checks with which a case can be sampled; no others are possible.
Result = Literal["pass", "warn"]
PASSED: list[Result] = ["pass"]
PASSED_OR_WARNED: list[Result] = ["pass", "warn"]


def accept_passed() -> list[Result]:
    """Return what is accepted by default."""
    return PASSED.copy()


class Policy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The limits of a verdict. `floors` has only metrics whose floor is not the default."""

    floors: dict[str, float] = msgspec.field(default_factory=dict)
    margin: Points = 0.5
    within_one: Share = 0.8
    accept: list[Result] = msgspec.field(default_factory=accept_passed)

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "accept", order_accept(self.accept))

    def floor(self, metric: str) -> float:
        return self.floors.get(metric, DEFAULT_FLOOR)


def order_accept(accept: Iterable[str]) -> list[Result]:
    """Return the accepted results in their usual order. Raises ValueError."""
    for allowed in (PASSED, PASSED_OR_WARNED):
        if sorted(accept) == allowed:
            return allowed.copy()
    raise ValueError('`accept` must be ["pass"] or ["pass", "warn"]')


def read_accept(data: Mapping[str, Any]) -> list[Result]:
    """Read `accept` alone from a stored policy."""
    return order_accept(data.get("accept", PASSED))


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
        "accept": policy.accept,
    }
