"""The result of a statistic: a figure with its interval, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace

import scipy

# With fewer cases no interval has the coverage that it claims.
FEWEST_CASES = 5
CONFIDENCE = 0.95


def _(message: str) -> str:
    """Mark a sentence for the translators."""
    return message


def ngettext(singular: str, plural: str) -> tuple[str, str]:
    """Mark a sentence in both numbers; `count` among the params decides."""
    return singular, plural


@dataclass(frozen=True, slots=True)
class Reason:
    """A code for programs and a sentence as a template, which is translated where it is shown."""

    code: str
    message: str
    plural: str = ""
    params: Mapping[str, int | str] = field(default_factory=dict)

    @property
    def sentence(self) -> str:
        """Return the sentence in English."""
        one = not self.plural or self.params.get("count") == 1
        return (self.message if one else self.plural) % self.params

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, slots=True)
class Result:
    """A figure over cases.

    `n_units` are the cases with at least two reviews, `n_pairs` the pairs of reviews in them.
    `method` is the method of the interval, `se` the standard error over cases. `why`: why there is
    no value; `caution`: why there is no interval, or one without width.
    """

    value: float | None
    low: float | None
    high: float | None
    method: str
    n_units: int
    n_pairs: int
    se: float | None = None
    why: Reason | None = None
    caution: Reason | None = None

    @property
    def reason(self) -> str | None:
        """Return in English why there is no value."""
        return self.why.sentence if self.why else None

    def with_interval(
        self,
        method: str,
        low: float,
        high: float,
        *,
        least: float = -1.0,
        most: float = 1.0,
        perfect: float = 1.0,
    ) -> Result:
        """Add the interval, cut at both ends.

        `perfect` is the value at which no two reviews of a case differ.
        """
        # A coefficient of very few cases can itself be below -1; the interval must contain it.
        if self.value is not None:
            least = min(least, self.value)
        low, high = max(least, float(low)), min(most, float(high))
        caution = None
        if low == high:
            caution = no_disagreement() if low == perfect else no_spread()
        return replace(self, method=method, low=low, high=high, caution=caution)

    def with_t_interval(
        self,
        method: str,
        *,
        cases: int,
        least: float = -1.0,
        most: float = 1.0,
        perfect: float = 1.0,
    ) -> Result:
        """Add the interval from the standard error and the t quantile of so many cases."""
        assert self.value is not None
        assert self.se is not None
        reach = t_quantile(cases - 1) * self.se
        return self.with_interval(
            method,
            self.value - reach,
            self.value + reach,
            least=least,
            most=most,
            perfect=perfect,
        )


def defined(value: float, n_units: int, n_pairs: int, se: float | None = None) -> Result:
    """Return a value that has no interval yet."""
    return Result(float(value), None, None, "", n_units, n_pairs, se=se)


def undefined(why: Reason, n_units: int, n_pairs: int) -> Result:
    return Result(None, None, None, "", n_units, n_pairs, why=why)


def t_quantile(freedom: int) -> float:
    return float(scipy.special.stdtrit(freedom, (1 + CONFIDENCE) / 2))


# The reasons


def no_pairs() -> Reason:
    """Explain one reviewer, no overlap and nothing applicable alike."""
    return Reason("no-pairs", _("not defined: no case has two reviews"))


def too_few_cases(count: int) -> Reason:
    message, plural = ngettext(
        "not defined: %(count)s case with two reviews, at least %(fewest)s are needed",
        "not defined: %(count)s cases with two reviews, at least %(fewest)s are needed",
    )
    return Reason("too-few-cases", message, plural, {"count": count, "fewest": FEWEST_CASES})


def no_interval(count: int) -> Reason:
    message, plural = ngettext(
        "no interval: %(count)s case with two reviews, at least %(fewest)s are needed",
        "no interval: %(count)s cases with two reviews, at least %(fewest)s are needed",
    )
    return Reason("no-interval", message, plural, {"count": count, "fewest": FEWEST_CASES})


def all_equal(level: Hashable, pairs: int) -> Reason:
    message, plural = ngettext(
        "not defined: every score is %(level)s (100 %% exact agreement, %(count)s pair)",
        "not defined: every score is %(level)s (100 %% exact agreement, %(count)s pairs)",
    )
    return Reason("all-equal", message, plural, {"level": str(level), "count": pairs})


def no_difference_counts() -> Reason:
    return Reason(
        "no-difference-counts",
        _("not defined: by these weights no two of the scores differ"),
    )


def hangs_on_one_case() -> Reason:
    return Reason(
        "hangs-on-one-case",
        _("no interval: without one of the cases every score would be the same"),
    )


def no_disagreement() -> Reason:
    return Reason(
        "no-disagreement",
        _("the interval has no width: in no case do reviewers differ, and in others they may"),
    )


def no_spread() -> Reason:
    return Reason(
        "no-spread", _("the interval has no width: the cases do not differ, and they may be few")
    )
