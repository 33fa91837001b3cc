"""The gate policy of a release: the limits of its verdict. No Django here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Annotated, Any, Literal

import msgspec

DEFAULT_FLOOR = 3.0

# The version of the rules of a verdict; a release keeps the one it was started under.
# 1: Student's interval against the floor, one look. 2: planned looks and moderated limits.
RULES = 2
OLD_RULES = 1
DEFAULT_LOOKS = [5, 8, 12]
MOST_LOOKS = 8
LARGEST_LOOK = 10_000

# A drop by this much cannot happen on the usual scale of 0 to 5.
IDLE_MARGIN = 5.0
LONGEST_REASON = 500

Points = Annotated[float, msgspec.Meta(ge=0, le=100)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Words = Annotated[str, msgspec.Meta(max_length=LONGEST_REASON)]

# What a release with a baseline must show: "report" asks for no proven drop, "required" also that a
# drop by the margin is excluded.
Regression = Literal["report", "required"]
REGRESSIONS: list[Regression] = ["report", "required"]

# What decides whether the release got worse: the scores of shared cases, or the two plans of each
# read side by side. It never touches a floor.
RegressionBy = Literal["scores", "side-by-side"]
BY_SCORES: RegressionBy = "scores"
BY_SIDE: RegressionBy = "side-by-side"
REGRESSIONS_BY: list[RegressionBy] = [BY_SCORES, BY_SIDE]

# The results of the automated checks with which a case can be sampled; no others are possible.
Result = Literal["pass", "warn"]
PASSED: list[Result] = ["pass"]
PASSED_OR_WARNED: list[Result] = ["pass", "warn"]


def accept_passed() -> list[Result]:
    """Return what is accepted by default."""
    return PASSED.copy()


class Prior(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The spread of standing scores assumed before any is seen, and for how many cases it counts.

    `releases` are the closed releases that it was estimated from; none: the default.
    """

    sd: float = 0.9
    degrees: int = 4
    releases: list[str] = msgspec.field(default_factory=list)


def plan_default_looks() -> list[int]:
    return DEFAULT_LOOKS.copy()


class Policy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The limits of a verdict. `floors` has only metrics whose floor is not the default.

    `looks` are the planned sizes of the sample, each followed by a look at the scores. `reason`
    says why the policy has limits that no release can miss.
    """

    floors: dict[str, float] = msgspec.field(default_factory=dict)
    margin: Points = 0.5
    within_one: Share = 0.8
    accept: list[Result] = msgspec.field(default_factory=accept_passed)
    looks: list[int] = msgspec.field(default_factory=plan_default_looks)
    regression: Regression = "report"
    regression_by: RegressionBy = BY_SCORES
    reason: Words = ""

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "accept", order_accept(self.accept))
        check_looks(self.looks)

    def floor(self, metric: str) -> float:
        return self.floors.get(metric, DEFAULT_FLOOR)

    def list_idle_floors(self, lowest: Mapping[str, float]) -> list[str]:
        """List the metrics whose floor is the lowest value of their scale: no mean is below it."""
        return [metric for metric, low in lowest.items() if self.floor(metric) <= low]

    @property
    def has_idle_margin(self) -> bool:
        return self.margin >= IDLE_MARGIN

    @property
    def has_idle_agreement(self) -> bool:
        return self.within_one <= 0


def order_accept(accept: Iterable[str]) -> list[Result]:
    """Return the accepted results in their usual order. Raises ValueError."""
    for allowed in (PASSED, PASSED_OR_WARNED):
        if sorted(accept) == allowed:
            return allowed.copy()
    raise ValueError('`accept` must be ["pass"] or ["pass", "warn"]')


def check_looks(looks: list[int]) -> None:
    """Raise ValueError for anything but a few rising sizes."""
    is_rising = all(size < following for size, following in pairwise(looks))
    if not 1 <= len(looks) <= MOST_LOOKS or not is_rising or looks[0] < 1:
        raise ValueError("`looks` must be rising whole numbers from 1 on, such as [5, 8, 12]")
    if looks[-1] > LARGEST_LOOK:
        raise ValueError(f"`looks` must be at most {LARGEST_LOOK}")


def parse_looks(text: str) -> list[int]:
    """Read sizes such as "5, 8, 12". Raise ValueError."""
    parts = text.replace("，", ",").replace("、", ",").split(",")
    if not all(part.strip().isascii() and part.strip().isdigit() for part in parts):
        raise ValueError("`looks` must be whole numbers")
    if any(len(part.strip()) > len(str(LARGEST_LOOK)) for part in parts):
        raise ValueError(f"`looks` must be at most {LARGEST_LOOK}")
    looks = [int(part) for part in parts]
    check_looks(looks)
    return looks


def read_accept(data: Mapping[str, Any]) -> list[Result]:
    """Read `accept` alone from a stored policy."""
    return order_accept(data.get("accept", PASSED))


# What the start adds to a stored policy.
FROZEN = ("rules", "prior")


def from_data(data: Mapping[str, Any]) -> Policy:
    """Read a stored policy; what is left out has its default.

    Raises msgspec.ValidationError, whose message names the path.
    """
    given = {name: value for name, value in data.items() if name not in FROZEN}
    return msgspec.convert(given, Policy)


def to_data(policy: Policy) -> dict[str, Any]:
    """Return the policy as stored: only values that differ from their default."""
    defaults = msgspec.structs.asdict(Policy())
    values = msgspec.structs.asdict(policy)
    return {name: value for name, value in values.items() if value != defaults[name]}


def spell_out(policy: Policy, metrics: Iterable[str]) -> dict[str, Any]:
    """Return the limits of the verdict, with a floor for each metric."""
    return {
        "floors": {metric: policy.floor(metric) for metric in metrics},
        "margin": policy.margin,
        "within_one": policy.within_one,
        "regression": policy.regression,
        "regression_by": policy.regression_by,
        **({"reason": policy.reason} if policy.reason else {}),
    }


def freeze(
    policy: Policy, metrics: Iterable[str], *, drawn: int, available: int, prior: Prior
) -> dict[str, Any]:
    """Return every value, as the start stores it: a frozen policy must not use defaults.

    The first look is at the drawn size. Planned sizes below it, or above the `available`
    cases, drop out.
    """
    return {
        **spell_out(policy, metrics),
        "accept": policy.accept,
        "looks": plan_looks(policy.looks, drawn=drawn, available=available),
        "rules": RULES,
        "prior": msgspec.to_builtins(prior),
    }


def plan_looks(looks: Iterable[int], *, drawn: int, available: int) -> list[int]:
    return [drawn, *(size for size in looks if drawn < size <= available)]


# A policy with all of these and no `rules` was frozen under the first rules.
FIRST_FROZEN = {"floors", "margin", "within_one"}


def read_rules(data: Mapping[str, Any]) -> int:
    """Read the version of the rules: the frozen one, or the newest before the start."""
    if "rules" in data:
        return int(data["rules"])
    return OLD_RULES if data.keys() >= FIRST_FROZEN else RULES


def read_prior(data: Mapping[str, Any]) -> Prior:
    """Read the prior alone from a stored policy."""
    return msgspec.convert(data.get("prior", {}), Prior)
