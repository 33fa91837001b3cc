"""How far a pool covers the kinds, and which cases come nearest to the rest."""

from reviews.sample.coverage import MOST_NEAR, Hopeful, Near, count_fitting, find_nearest
from reviews.sample.pool import Candidate, Wanted

PEAK = Wanted("peak", frozenset({"beijing", "spring-festival"}))
FAMILY = Wanted("family", frozenset({"family"}))


def candidate(key: str, *tags: str) -> Candidate:
    return Candidate(key, "d", frozenset(tags))


def hopeful(key: str, *tags: str, hints: str = "", is_eligible: bool = True) -> Hopeful:
    return Hopeful(key, frozenset(tags), frozenset(hints.split()), is_eligible)


def test_a_kind_counts_the_cases_that_have_all_of_its_tags() -> None:
    pool = [
        candidate("a", "beijing", "spring-festival"),
        candidate("b", "beijing", "spring-festival", "family"),
        candidate("c", "family"),
        candidate("d", "beijing"),
    ]
    assert count_fitting(pool, [PEAK, FAMILY]) == {"peak": 2, "family": 2}
    assert count_fitting([], [PEAK]) == {"peak": 0}
    assert count_fitting(pool, []) == {}


def test_cases_that_lack_one_tag_come_nearest_and_say_which() -> None:
    near = find_nearest([hopeful("b", "beijing"), hopeful("a", "spring-festival")], PEAK)
    assert near == (
        Near("a", ("beijing",), (), True),
        Near("b", ("spring-festival",), (), True),
    )


def test_a_case_with_none_of_the_tags_is_not_near() -> None:
    assert find_nearest([hopeful("a", "x"), hopeful("b")], PEAK) == ()
    assert find_nearest([], PEAK) == ()


def test_a_case_that_fits_is_not_near_it_is_there() -> None:
    assert find_nearest([hopeful("a", "family")], FAMILY) == ()


def test_a_case_that_fits_but_cannot_be_sampled_comes_first_and_says_so() -> None:
    near = find_nearest(
        [hopeful("a", "beijing"), hopeful("z", "beijing", "spring-festival", is_eligible=False)],
        PEAK,
    )
    assert near[0] == Near("z", (), (), False)


def test_a_weak_hint_brings_a_case_near_a_kind_of_one_tag() -> None:
    near = find_nearest([hopeful("a", hints="family"), hopeful("b", "beijing")], FAMILY)
    assert near == (Near("a", ("family",), ("family",), True),)


def test_between_equals_a_hint_and_being_eligible_decide() -> None:
    near = find_nearest(
        [
            hopeful("a", "beijing", is_eligible=False),
            hopeful("b", "beijing"),
            hopeful("c", "beijing", hints="spring-festival"),
        ],
        PEAK,
    )
    assert [one.case_key for one in near] == ["c", "b", "a"]


def test_only_a_few_come_nearest() -> None:
    near = find_nearest([hopeful(f"case-{number}", "beijing") for number in range(9)], PEAK)
    assert [one.case_key for one in near] == ["case-0", "case-1", "case-2"]
    assert len(near) == MOST_NEAR
