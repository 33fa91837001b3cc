"""What a better or another score can do to the word, for any scores."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviews.adjudication.disagreements import FAR_APART
from reviews.comparison import Prior, look_levels
from reviews.report import verdict
from reviews.report.summary import Summary
from reviews.report.verdict import Word
from reviews.report.verdict.acts import WORDS
from tests.bed.reviewed import METRICS
from tests.bed.summaries import summary
from tests.bench.verdicts.simulation import (
    Readings,
    World,
    decide_look,
    draw_readings,
    find_quality,
)

GOOD, ANY = st.sampled_from([3, 4, 4, 5, 5]), st.integers(0, 5)
Case = tuple[int, ...]


def list_cases(score: st.SearchStrategy[int], least: int = 5) -> st.SearchStrategy[list[Case]]:
    """Cases with two reviews, or with three."""
    return st.integers(2, 3).flatmap(
        lambda k: st.lists(st.tuples(*[score] * k), min_size=least, max_size=9)
    )


def settle(cases: Sequence[Case]) -> Summary:
    """Build the summary of a last look, every disagreement adjudicated to its middle."""
    agreed = {
        f"c{number:02}": dict.fromkeys(METRICS, round(sum(case) / len(case)))
        for number, case in enumerate(cases, 1)
        if is_listed(case)
    }
    plan = {"looks": [len(cases)]}
    return summary(*cases, k=len(cases[0]), agreed=agreed, policy=plan)


def is_listed(case: Case) -> bool:
    return max(case) - min(case) >= FAR_APART or min(case) <= 1 < max(case)


def find_word(cases: Sequence[Case]) -> Word | None:
    return verdict.decide(settle(cases)).word


@settings(max_examples=150, deadline=None)
@given(cases=list_cases(GOOD), data=st.data())
def test_a_reviewer_who_agrees_never_turns_go_into_no_go(cases: list[Case], data: Any) -> None:
    if find_word(cases) != Word.GO:
        return
    joined = [(*case, data.draw(st.sampled_from(case))) for case in cases]
    assert find_word(joined) != Word.NO_GO


@settings(max_examples=150, deadline=None)
@given(cases=list_cases(GOOD), data=st.data())
def test_a_better_score_never_turns_go_into_no_go(cases: list[Case], data: Any) -> None:
    if find_word(cases) != Word.GO:
        return
    row = data.draw(st.integers(0, len(cases) - 1))
    place = data.draw(st.integers(0, len(cases[0]) - 1))
    better = list(cases[row])
    better[place] = data.draw(st.integers(better[place], 5))
    raised = [*cases[:row], tuple(better), *cases[row + 1 :]]
    assert find_word(raised) != Word.NO_GO


@pytest.mark.parametrize("reviewers", [2, 3])
def test_a_better_score_hardly_ever_costs_a_go(
    reviewers: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Raise a score of releases with a GO, where that creates no disagreement."""
    lost = tried = 0
    draw = np.random.default_rng(5)
    for mean in (3.5, 4.0, 4.4):
        world = World(mean, reviewers)
        readings = draw_readings(world, find_quality(world), 12, 6_000, draw)
        raised, is_raised = raise_a_score(readings, draw)
        for size, level in zip((5, 8, 12), look_levels((5, 8, 12)), strict=True):
            before = decide_look(readings, size, level, prior=Prior())[1]
            after = decide_look(raised, size, level, prior=Prior())[1]
            counts = is_raised & (before == WORDS.index(Word.GO))
            tried += int(counts.sum())
            lost += int((after[counts] == WORDS.index(Word.NOT_ENOUGH_EVIDENCE)).sum())
            assert not (after[counts] == WORDS.index(Word.NO_GO)).any()
    with capsys.disabled():
        print(f"\nGO lost by a better score, k = {reviewers}: {lost} of {tried}", end=" ")
    assert tried > 10_000
    assert lost / tried < 0.01


def raise_a_score(readings: Readings, draw: np.random.Generator) -> tuple[Readings, Any]:
    """Raise one score of the first five cases of each run; say where no disagreement came of it."""
    runs, _cases, metrics, reviewers = readings.scores.shape
    every = np.arange(runs)
    at = every, draw.integers(0, 5, runs), draw.integers(0, metrics, runs)
    who = draw.integers(0, reviewers, runs)
    scores = readings.scores.copy()
    raised = np.minimum(scores[(*at, who)] + draw.integers(1, 3, runs), 5)
    is_raised = (raised > scores[(*at, who)]) & ~readings.differ[at]
    scores[(*at, who)] = raised
    case = scores[at]
    low, high = case.min(axis=1), case.max(axis=1)
    creates = (high - low >= FAR_APART) | ((low <= 1) & (high > 1))
    return Readings(scores, readings.agreed, readings.differ), is_raised & ~creates


@settings(max_examples=100, deadline=None)
@given(cases=list_cases(ANY, least=1))
def test_no_limit_of_a_release_has_zero_width(cases: list[Case]) -> None:
    for metric in settle(cases).metrics:
        assert metric.limits is not None
        assert metric.mean.value is not None
        assert metric.limits.low < metric.mean.value < metric.limits.high


@settings(max_examples=60, deadline=None)
@given(cases=list_cases(ANY), extra=st.lists(st.tuples(ANY, ANY), min_size=1, max_size=3))
def test_a_case_outside_the_plan_changes_no_criterion_of_scores(
    cases: list[Case], extra: list[Case]
) -> None:
    pairs = [case[:2] for case in cases]
    keys = [f"c{number:02}" for number in range(1, len(pairs) + len(extra) + 1)]
    kinds = [f"{number}" for number in range(len(keys))]
    without = summary(*pairs, keys=keys[: len(pairs)], kinds=kinds[: len(pairs)])
    beside = summary(*pairs, *extra, keys=keys, kinds=kinds, outside=keys[len(pairs) :])
    alone, found = verdict.decide(without), verdict.decide(beside)
    assert alone.word == found.word
    for criterion in alone.criteria:
        if criterion.name.startswith(("floor:", "no-regression:", "lowest-levels")):
            assert criterion == found.criterion(criterion.name)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), cases=st.integers(5, 9))
def test_between_looks_only_open_work_depends_on_scores(data: Any, cases: int) -> None:
    """Two worlds with other scores: only which cases wait for adjudication may differ."""
    pairs = st.lists(st.tuples(ANY, ANY), min_size=cases - 1, max_size=cases - 1)
    first, second = (
        verdict.decide(
            summary(*data.draw(pairs), (data.draw(ANY), None), policy={"looks": [cases]})
        )
        for _world in range(2)
    )
    assert first.word is None
    assert first.sentence == second.sentence
    assert first.conditions == second.conditions == ()
    for here, there in zip(first.criteria, second.criteria, strict=True):
        assert here == there or here.name == there.name == "adjudications"
