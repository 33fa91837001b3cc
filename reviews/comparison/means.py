"""The mean over cases with its t interval, and how reliable a mean of several reviewers is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import fsum, lcm, sqrt
from typing import NamedTuple

from reviews.agreement import results
from reviews.agreement.results import Reason, Result, _, t_quantile


@dataclass(frozen=True, slots=True)
class Mean:
    """`why`: why there is no value; `caution`: why there is no interval, or one without width."""

    value: float | None
    low: float | None
    high: float | None
    sd: float | None
    n: int
    why: Reason | None = None
    caution: Reason | None = None

    @property
    def reason(self) -> str | None:
        """Return in English why there is no value."""
        return self.why.sentence if self.why else None


def mean_over_cases(values: Iterable[Number]) -> Mean:
    """Average one value per case, such as the mean of its reviews; an interval needs two cases."""
    return mean_of_steps(*in_steps(exact(values)))


def mean_of_groups(cases: Mapping[Fraction, int]) -> Mean:
    """Average `{value: number of cases}`; the cost depends only on the number of values."""
    whole, scale = in_steps(cases)
    return _mean(dict(zip(whole, cases.values(), strict=True)), scale)


def mean_of_steps(whole: Iterable[int], scale: int) -> Mean:
    """Average whole numbers of steps, of which `scale` make 1."""
    return _mean(Counter(whole), scale)


def _mean(cases: Mapping[int, int], scale: int) -> Mean:
    count = sum(cases.values())
    if not count:
        return Mean(None, None, None, None, 0, why=no_cases())
    total = sum(case * times for case, times in cases.items())
    if count == 1:
        return Mean(total / scale, None, None, None, 1, caution=one_case())
    # Exact until the root: equal values have a spread of exactly 0.
    squares = sum((case * count - total) ** 2 * times for case, times in cases.items())
    sd = sqrt(squares / ((count * scale) ** 2 * (count - 1)))
    return _with_interval(total / (count * scale), sd, count)


def mean_of_floats(cases: Mapping[float, int]) -> Mean:
    """Average like `mean_of_groups`, for values that are not fractions, such as adjusted ones."""
    count = sum(cases.values())
    if count < 2:
        return mean_of_groups({Fraction(case): times for case, times in cases.items()})
    mean = fsum(case * times for case, times in cases.items()) / count
    squares = fsum((case - mean) ** 2 * times for case, times in cases.items())
    return _with_interval(mean, sqrt(squares / (count - 1)) if len(cases) > 1 else 0.0, count)


def _with_interval(value: float, sd: float, count: int) -> Mean:
    reach = t_quantile(count - 1) * sd / sqrt(count)
    caution = None if sd else results.no_spread()
    return Mean(value, value - reach, value + reach, sd, count, caution=caution)


def reliability_of_mean(single: Result, reviewers: int) -> Result:
    """Compute the reliability of a mean of reviews from that of one review (Spearman, Brown).

    The value and both limits; undefined at or below -1/(k - 1), where the formula turns round.
    """
    if single.value is None:
        return single
    if _turns_round(single.value, reviewers):
        return results.undefined(too_negative(reviewers), single.n_units, single.n_pairs)
    low, high = single.low, single.high
    return replace(
        single,
        value=_stepped_up(single.value, reviewers),
        low=None if low is None or _turns_round(low, reviewers) else _stepped_up(low, reviewers),
        high=None if high is None else _stepped_up(high, reviewers),
        se=None,
    )


def _stepped_up(single: float, reviewers: int) -> float:
    return reviewers * single / (1 + (reviewers - 1) * single)


def _turns_round(single: float, reviewers: int) -> bool:
    return 1 + (reviewers - 1) * single <= 1e-12


# The reasons


def no_cases() -> Reason:
    return Reason("no-cases", _("not defined: there is no case"))


def one_case() -> Reason:
    return Reason("one-case", _("no interval: there is only one case"))


def too_negative(reviewers: int) -> Reason:
    return Reason(
        "too-negative",
        _("not defined: reviews of a case differ too much for a mean of %(reviewers)s"),
        params={"reviewers": reviewers},
    )


Number = int | float | Fraction

# A float that is the mean of at most so many scores is read as that fraction.
MOST_SCORES = 1000


def exact(values: Iterable[Number]) -> list[Fraction]:
    return [_exact(value) for value in values]


class Steps(NamedTuple):
    """Numbers as whole multiples of one step: sums stay exact and are much faster.

    `scale` steps make 1.
    """

    whole: list[int]
    scale: int


def in_steps(values: Iterable[Fraction]) -> Steps:
    ratios = [value.as_integer_ratio() for value in values]
    scale = lcm(*{denominator for _numerator, denominator in ratios})
    return Steps([numerator * (scale // denominator) for numerator, denominator in ratios], scale)


def _exact(value: Number) -> Fraction:
    if isinstance(value, Fraction):
        return value
    if not isinstance(value, float):
        return Fraction(value)
    near = Fraction(value).limit_denominator(MOST_SCORES)
    # Differences of floats are off by a few units in the last place.
    return (
        near if abs(near - Fraction(value)) < Fraction(1, 10**12) else Fraction(str(float(value)))
    )
