"""The back-test of a rule: what it advises, and how often that is right."""

import random
from collections import Counter
from itertools import combinations

import pytest

from reviews.backtest import (
    FEWEST_READS,
    LEVEL,
    Advice,
    BackTest,
    Read,
    Share,
    back_test,
    compute_p_value,
)
from tests.bed import soak

QUESTIONS = 12
WORLDS = soak.size(short=60, long=1000)


def read(has_fact: bool, is_no: bool, others: int = 0) -> Read:
    return Read(has_fact, is_no, others + is_no, QUESTIONS + 1)


def reads(*, with_fact: tuple[int, int], without: tuple[int, int]) -> list[Read]:
    """Noes and yeses to this question alone, with and without the fact."""
    return [
        read(has_fact, is_no)
        for has_fact, (noes, yeses) in ((True, with_fact), (False, without))
        for is_no in [True] * noes + [False] * yeses
    ]


def test_it_counts_noes_with_and_without_the_fact_with_their_intervals() -> None:
    found = back_test(reads(with_fact=(8, 2), without=(3, 17)))
    assert (found.with_fact, found.without_fact) == (Share(8, 10), Share(3, 20))
    assert found.with_fact.value == 0.8
    assert found.with_fact.interval == pytest.approx((0.490, 0.943), abs=0.001)
    assert (found.others_with, found.others_without) == (0, 0)


@pytest.mark.parametrize("count", [0, 1, FEWEST_READS - 1])
def test_too_few_reads_with_the_fact_are_called_that(count: int) -> None:
    found = back_test(reads(with_fact=(count, 0), without=(0, 50)))
    assert found.advice is Advice.FEW_READS


def test_five_reads_with_the_fact_are_enough() -> None:
    worse = [read(False, False, others=1) for _number in range(30)]
    found = back_test([*reads(with_fact=(FEWEST_READS, 0), without=(0, 0)), *worse])
    assert found.advice is Advice.ADOPT


def test_without_any_other_case_there_is_nothing_to_compare() -> None:
    assert back_test(reads(with_fact=(9, 0), without=(0, 0))).advice is Advice.NOTHING_TO_COMPARE
    assert back_test([]).advice is Advice.FEW_READS


def test_a_rule_that_would_mostly_stop_plans_that_people_find_good_is_not_advised() -> None:
    others = [read(False, False, others=1) for _number in range(300)]
    found = back_test([*reads(with_fact=(12, 18), without=(0, 0)), *others])
    assert found.p_value_alike <= LEVEL
    assert found.advice is Advice.MOSTLY_FINE


def test_the_chance_is_that_of_counting_every_way_to_place_the_fact() -> None:
    stratum = [read(place < 3, place in (0, 1, 4)) for place in range(7)]
    seen = sum(one.has_fact and one.is_no for one in stratum)
    ways = [sum(stratum[place].is_no for place in chosen) for chosen in combinations(range(7), 3)]
    expected = sum(count >= seen for count in ways) / len(ways)
    assert compute_p_value([stratum]) == pytest.approx(expected)
    assert compute_p_value([]) == 1
    assert compute_p_value([stratum, reads(with_fact=(0, 2), without=(0, 9))]) == pytest.approx(
        expected
    )


# --- Invented worlds ------------------------------------------------------------------------------


def invent_world(chance: random.Random, kind: str, *, cases: int) -> list[Read]:
    """Three plans in ten are bad everywhere: they get a no to each question much more often.

    planted: the fact alone causes a no to its own question in 80 %. halo: mostly bad plans have the
    fact, and it causes nothing. unrelated: any plan has it, and it causes nothing.
    """
    found = []
    for _case in range(cases):
        is_bad = chance.random() < 0.3
        often = 0.6 if is_bad else 0.15
        has_fact = chance.random() < ((0.75 if is_bad else 0.1) if kind == "halo" else 0.3)
        is_no = chance.random() < often
        if kind == "planted" and has_fact:
            is_no = is_no or chance.random() < 0.8
        others = sum(chance.random() < often for _question in range(QUESTIONS))
        found.append(read(has_fact, is_no, others))
    return found


def judge_worlds(kind: str, *, cases: int) -> tuple[Counter[Advice], BackTest]:
    found = [
        back_test(invent_world(random.Random(seed), kind, cases=cases)) for seed in range(WORLDS)
    ]
    return Counter(each.advice for each in found), found[0]


@pytest.mark.soak
@pytest.mark.parametrize(
    ("kind", "least", "most"), [("planted", 0.85, 1), ("halo", 0, 0.06), ("unrelated", 0, 0.06)]
)
def test_it_advises_a_fact_that_causes_noes_and_no_other(
    kind: str, least: float, most: float
) -> None:
    advice, example = judge_worlds(kind, cases=72)
    share = advice[Advice.ADOPT] / WORLDS
    soak.report(
        f"back-test of a {kind} fact, 72 cases",
        tried=WORLDS,
        bad=0 if least <= share <= most else 1,
        adopted=share,
        others={each.value: count / WORLDS for each, count in advice.items()},
        first_world={
            name: (part.count, part.total, *(round(end, 2) for end in part.interval))
            for name, part in (("with", example.with_fact), ("without", example.without_fact))
        },
    )
    assert least <= share <= most
