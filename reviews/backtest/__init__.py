"""Whether people say no where a fact is: a rule against the reads of its own question. Pure.

A bad plan is bad everywhere: it has many facts and many noes, so nearly every fact goes with nearly
every no. Therefore the reads are compared among cases with equally many noes in all, which is the
Mantel-Haenszel procedure for a question that works differently in one group. It asks whether the
fact goes with a no to this question more than with noes in general.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import comb

from reviews.comparison import Interval, wilson

FEWEST_READS = 5
LEVEL = 0.025

__all__ = ["FEWEST_READS", "LEVEL", "Advice", "BackTest", "Read", "Share", "back_test"]


class Advice(StrEnum):
    ADOPT = "adopt"
    FEW_READS = "few-reads"
    NOTHING_TO_COMPARE = "nothing-to-compare"
    NOT_SHOWN = "not-shown"
    BAD_EVERYWHERE = "bad-everywhere"
    MOSTLY_FINE = "mostly-fine"


@dataclass(frozen=True, slots=True)
class Read:
    """A case that was read. `is_no`: the answer to the question of the rule.

    `noes` counts the noes to all questions of the case, `asked` the questions that were answered.
    """

    has_fact: bool
    is_no: bool
    noes: int
    asked: int


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many cases, with Wilson's interval."""

    count: int
    total: int

    @property
    def value(self) -> float | None:
        return self.count / self.total if self.total else None

    @property
    def interval(self) -> Interval:
        return wilson(self.count, self.total)


@dataclass(frozen=True, slots=True)
class BackTest:
    """`others_with` and `others_without`: the noes to the other questions, as a share of answers.

    `p_value`: how often chance alone gives as many noes with the fact, `p_value_alike` among cases
    with equally many noes.
    """

    with_fact: Share
    without_fact: Share
    others_with: float | None
    others_without: float | None
    p_value: float
    p_value_alike: float
    advice: Advice


def back_test(reads: Iterable[Read]) -> BackTest:
    reads = list(reads)
    having = [read for read in reads if read.has_fact]
    lacking = [read for read in reads if not read.has_fact]
    with_fact, without_fact = count_noes(having), count_noes(lacking)
    p_value = compute_p_value([reads])
    by_noes = defaultdict[int, list[Read]](list)
    for read in reads:
        by_noes[read.noes].append(read)
    p_value_alike = compute_p_value(by_noes.values())
    return BackTest(
        with_fact,
        without_fact,
        share_of_others(having),
        share_of_others(lacking),
        p_value,
        p_value_alike,
        advise(with_fact, without_fact, p_value, p_value_alike),
    )


def count_noes(reads: Sequence[Read]) -> Share:
    return Share(sum(read.is_no for read in reads), len(reads))


def share_of_others(reads: Sequence[Read]) -> float | None:
    asked = sum(read.asked - 1 for read in reads)
    return sum(read.noes - read.is_no for read in reads) / asked if asked else None


def advise(with_fact: Share, without_fact: Share, p_value: float, p_value_alike: float) -> Advice:
    if with_fact.total < FEWEST_READS:
        return Advice.FEW_READS
    if not without_fact.total:
        return Advice.NOTHING_TO_COMPARE
    if p_value > LEVEL:
        return Advice.NOT_SHOWN
    if p_value_alike > LEVEL:
        return Advice.BAD_EVERYWHERE
    # A rule that is adopted stops plans, most of which people should find wanting.
    return Advice.ADOPT if 2 * with_fact.count >= with_fact.total else Advice.MOSTLY_FINE


def compute_p_value(strata: Iterable[Sequence[Read]]) -> float:
    """Return the chance of at least as many noes with the fact, if in each stratum it fell on any
    cases alike. Exact: the sum of a hypergeometric number for each stratum."""
    seen = 0
    chances = [1.0]
    for stratum in strata:
        having = sum(read.has_fact for read in stratum)
        noes = sum(read.is_no for read in stratum)
        seen += sum(read.has_fact and read.is_no for read in stratum)
        chances = convolve(chances, hypergeometric(len(stratum), noes, having))
    return min(1.0, sum(chances[seen:]))


def hypergeometric(total: int, marked: int, drawn: int) -> list[float]:
    """Return the chance of 0, 1, 2 … marked ones among those drawn."""
    ways = comb(total, drawn)
    return [
        comb(marked, count) * comb(total - marked, drawn - count) / ways
        for count in range(min(marked, drawn) + 1)
    ]


def convolve(first: Sequence[float], second: Sequence[float]) -> list[float]:
    sums = [0.0] * (len(first) + len(second) - 1)
    for place, chance in enumerate(first):
        for further, other in enumerate(second):
            sums[place + further] += chance * other
    return sums
