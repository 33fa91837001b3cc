"""What would help most: the chances of each act, and the outlook of a draw."""

from time import process_time
from typing import Any

import numpy as np
import pytest
import scipy

from reviews.comparison import Prior, find_reaches, look_levels, moderated_limits
from reviews.report import verdict
from reviews.report.summary import Summary
from reviews.report.verdict import Word
from reviews.report.verdict.acts import (
    WORDS,
    Act,
    find_centre,
    find_drops,
    forecast,
    weigh_acts,
)
from reviews.report.would_help import describe_act, describe_acts, format_outlook
from tests.bed.reviewed import METRICS
from tests.bed.summaries import summary
from tests.bench.verdicts.simulation import (
    Readings,
    World,
    decide_look,
    draw_readings,
    find_quality,
    simulate,
)

PLAN = {"looks": [5, 8, 12]}
GO, NO_GO, HOLD = str(Word.GO), str(Word.NO_GO), str(Word.HOLD)
NOT_ENOUGH = str(Word.NOT_ENOUGH_EVIDENCE)
# Limits from 2.8 to 4.4.
MIDDLING = ((4, 4), (3, 4), (4, 3), (4, 3), (4, 3))


def weigh(given: Summary, seed: str = "head") -> tuple[Act, ...]:
    return weigh_acts(given, verdict.decide(given), seed)


def find(acts: tuple[Act, ...], name: str) -> Act:
    return next(act for act in acts if act.act == name)


# --- The acts -------------------------------------------------------------------------------------


def test_everybody_sees_the_same_chances_until_the_next_event() -> None:
    given = summary(*MIDDLING, policy=PLAN)
    assert weigh(given) == weigh(given)
    assert weigh(given) != weigh(given, "another head")


def test_the_chances_of_an_act_are_those_of_all_words() -> None:
    for act in weigh(summary(*MIDDLING[:4], (5, 3), policy=PLAN)):
        assert sum(act.chances.values()) == pytest.approx(1.0)
        assert set(act.chances) <= set(map(str, WORDS))
        assert act.word == NOT_ENOUGH


def test_the_next_look_helps_the_more_the_better_the_scores_are() -> None:
    chances = [
        find(weigh(summary(*cases, policy=PLAN)), "next-look").chances.get(GO, 0.0)
        for cases in (
            ((3, 3), (3, 4), (3, 3), (3, 3), (4, 3)),
            MIDDLING,
            ((5, 4), (3, 4), (4, 3), (4, 4), (4, 3)),
        )
    ]
    assert chances[0] + 0.05 < chances[1] < chances[2] - 0.05


def test_weak_scores_make_a_no_go_likelier_than_a_go() -> None:
    look = find(weigh(summary((3, 3), (3, 3), (2, 2), (3, 3), (2, 3), policy=PLAN)), "next-look")
    assert look.chances.get(GO, 0.0) < 0.01 < look.chances[NO_GO]


def test_an_adjudication_can_only_lift_the_hold_if_it_is_the_last_one() -> None:
    one = summary((5, 5), (5, 5), (5, 3), (5, 5), (5, 5), policy=PLAN)
    assert verdict.decide(one).word == Word.HOLD
    (act,) = weigh(one)
    assert act.cases == ("c03",)
    assert act.chances[GO] > 0.9
    two = summary((5, 5), (5, 5), (5, 3), (5, 5), (3, 5), policy=PLAN)
    acts = {act.cases: act for act in weigh(two)}
    assert acts["c03",].chances.get(GO, 0.0) == acts["c05",].chances.get(GO, 0.0) == 0
    assert acts["c03", "c05"].chances[GO] > 0.9


def test_a_low_score_that_may_be_agreed_can_forbid_the_go() -> None:
    (act,) = weigh(summary((5, 5), (5, 5), (1, 3), (5, 5), (5, 5), (5, 5), policy={"looks": [6]}))
    assert act.chances[NO_GO] > 0.05


def test_a_third_review_is_weighed_with_a_third_person() -> None:
    near = summary((4, 4), (4, 4), (3, 3), (4, 4), (4, 4), policy=PLAN)
    act = find(weigh(near), "review-again")
    assert act.size == 3
    assert act.chances[NOT_ENOUGH] < 1


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(lambda: summary(*[(5, 5)] * 5, policy=PLAN), id="go"),
        pytest.param(lambda: summary(*MIDDLING[:4], (4, None), policy=PLAN), id="between looks"),
        pytest.param(lambda: summary(*MIDDLING, rules=1), id="first rules"),
        pytest.param(lambda: summary(*[(1, 1)] * 5, policy=PLAN), id="no-go, nothing waits"),
    ],
)
def test_no_act_is_weighed_where_none_helps_or_it_would_tell_the_word(given: Any) -> None:
    assert weigh(given()) == ()


def test_after_the_last_look_no_further_one_is_promised() -> None:
    acts = weigh(summary(*MIDDLING, policy={"looks": [5]}))
    assert {act.act for act in acts} == {"review-again"}


def test_what_waits_or_was_waived_stays_open_at_the_next_look() -> None:
    waiting = summary(*MIDDLING[:4], (5, 3), policy=PLAN)
    assert GO not in find(weigh(waiting), "next-look").chances


def test_chances_of_twelve_cases_cost_at_most_20_ms() -> None:
    """About 4 ms on the machine of the bench; most of it is random numbers."""
    cases = ((4, 4), (3, 4), (5, 3), (4, 3), (4, 3), (3, 3), (4, 2), (2, 3), (3, 3), (4, 4))
    given = summary(*cases, (3, 4), (3, 3), policy={"looks": [12, 20]})
    judged = verdict.decide(given)
    assert judged.word == Word.NOT_ENOUGH_EVIDENCE
    times = []
    for number in range(5):
        before = process_time()
        acts = weigh_acts(given, judged, str(number))
        times.append(process_time() - before)
    assert len(acts) == 5
    assert min(times) < 0.020


# --- In words -------------------------------------------------------------------------------------


def test_the_most_helpful_act_is_a_sentence_and_the_others_follow() -> None:
    look = Act("next-look", NOT_ENOUGH, {GO: 0.61, NO_GO: 0.12, NOT_ENOUGH: 0.27}, size=8)
    settle = Act("adjudicate", NOT_ENOUGH, {HOLD: 0.03, NOT_ENOUGH: 0.97}, cases=("c03",))
    again = Act("review-again", NOT_ENOUGH, {GO: 0.07, NOT_ENOUGH: 0.93}, size=3)
    found = describe_acts([look, again, settle])
    assert found is not None
    assert found.first == (
        "What would help most: the next look, of 8 cases: 6 in 10 that it becomes GO, "
        "1 in 10 NO-GO."
    )
    assert found.rest == [
        "one more review of every case, 3 each: 1 in 10 that it becomes GO",
        "adjudicating c03: hardly any chance of another word",
    ]
    nothing = describe_acts([settle])
    assert nothing is not None
    assert "no single act is likely to change the word" in nothing.first
    assert describe_acts([]) is None
    assert describe_act(Act("next-look", NOT_ENOUGH, {GO: 0.99, NOT_ENOUGH: 0.01}, size=8)) == (
        "the next look, of 8 cases: more than 9 in 10 that it becomes GO"
    )


def test_the_outlook_is_one_sentence() -> None:
    outlook = forecast(
        sizes=[5, 8],
        reviews_per_case=2,
        floors=[3.0],
        scales=[(0, 5)],
        margin=0.5,
        prior=Prior(),
        shared=[2, 4],
    )
    sentence = format_outlook(outlook)
    assert sentence.startswith("With 5 cases a release of true mean 4.0 earns GO in ")
    assert sentence.endswith(" of 10 (4 shared cases).")


# --- Against the simulation with reviewers --------------------------------------------------------


@pytest.mark.parametrize("reviewers", [1, 2, 3])
def test_the_forecast_says_what_simulated_reviewers_find(reviewers: int) -> None:
    sizes = (5, 8, 12)
    outlook = forecast(
        sizes=sizes,
        reviews_per_case=reviewers,
        floors=[3.0],
        scales=[(0, 5)],
        margin=0.5,
        prior=Prior(),
    )
    assert outlook.found is None
    found, _release = simulate(World(4.0, reviewers), sizes, runs=2000, seed=1)
    assert outlook.earned[-1][1] == pytest.approx(found.go, abs=0.05)


def test_the_centre_of_cut_scores_has_the_wanted_mean() -> None:
    centre = find_centre(4.4, 0.9, 0, 5)
    scores = scipy.stats.norm(centre, 0.9).ppf((np.arange(100_000) + 0.5) / 100_000)
    assert np.clip(scores, 0, 5).mean() == pytest.approx(4.4, abs=1e-3)


def test_limits_of_many_samples_are_those_of_each() -> None:
    for sd in (0.0, 0.4, 1.3):
        limits = moderated_limits(
            mean=3.5, sd=sd, cases=8, level=0.03, squared_shares=0.5, prior=Prior()
        )
        (reach,) = find_reaches(
            np.array([sd**2]), cases=8, level=0.03, squared_shares=0.5, prior=Prior()
        )
        assert limits.high - 3.5 == pytest.approx(reach, abs=1e-12)


@pytest.mark.parametrize("reviewers", [1, 2, 3, 4])
def test_the_words_of_many_releases_are_those_that_are_decided(reviewers: int) -> None:
    """Fifty random releases for each number of reviewers, at the first or second of two looks."""
    draw = np.random.default_rng(reviewers)
    seen = set()
    for number, mean in enumerate((2.2, 3.0, 3.6, 4.0, 4.4)):
        world = World(mean, reviewers, case_sd=0.8)
        readings = draw_readings(world, find_quality(world), 8, 10, draw)
        look = number % 2
        size, level = (5, 8)[look], look_levels((5, 8))[look]
        _sides, words = decide_look(readings, size, level, prior=Prior())
        for run, word in enumerate(words):
            found = verdict.decide(build_release(readings, run, size, look)).word
            assert found == WORDS[word]
            seen.add(found)
    assert len(seen) == 3


def build_release(readings: Readings, run: int, size: int, look: int) -> Summary:
    """Build the summary of a simulated release; its disagreements are adjudicated."""
    cases = [
        (tuple(map(int, scores[0])), tuple(map(int, scores[1])))
        for scores in readings.scores[run, :size]
    ]
    agreed = {
        f"c{row + 1:02}": {
            metric: int(readings.agreed[run, row, place])
            for place, metric in enumerate(METRICS)
            if readings.differ[run, row, place]
        }
        for row in range(size)
        if readings.differ[run, row].any()
    }
    return summary(
        *cases,
        k=readings.scores.shape[3],
        agreed=agreed,
        policy={"looks": [5, 8], "rules": 2},
        extensions=look,
    )


def test_a_drop_is_proven_on_the_same_differences() -> None:
    """The shortcut for many runs says what the criterion says of one."""
    rng = np.random.default_rng(4)
    before = rng.integers(3, 6, (40, 5))
    after = np.clip(before - rng.integers(0, 3, (40, 5)), 0, 5)
    drops = find_drops((after - before).astype(float), 0.5, 0.05, Prior())
    for run in range(40):
        base = summary(*[(int(score),) * 2 for score in before[run]], release="wanderer-1")
        new = summary(
            *[(int(score),) * 2 for score in after[run]], policy={"looks": [5]}, baseline=base
        )
        criterion = verdict.decide(new).criterion(f"no-regression:{METRICS[0]}")
        assert (criterion.leads_to == Word.NO_GO) == bool(drops[run])
    assert 0 < drops.sum() < 40
