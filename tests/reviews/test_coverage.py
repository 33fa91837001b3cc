"""How far a pool covers the kinds."""

from reviews.sampling.coverage import MOST_NEAR, Near, coverage
from reviews.sampling.pool import Candidate, Wanted

PEAK = Wanted("peak", frozenset({"beijing", "spring-festival"}))
FAMILY = Wanted("family", frozenset({"family"}))


def candidate(key: str, *tags: str) -> Candidate:
    return Candidate(key, "d", frozenset(tags))


def test_a_kind_counts_the_cases_that_may_fill_it_and_names_those_that_do() -> None:
    pool = [
        candidate("a", "beijing", "spring-festival"),
        candidate("b", "beijing", "spring-festival", "family"),
        candidate("c", "family"),
    ]
    peak, family = coverage(pool, [PEAK, FAMILY], {"b": "peak", "c": "family", "x": None})
    assert (peak.fitting, peak.filled_by, peak.is_filled) == (2, ("b",), True)
    assert (family.fitting, family.filled_by) == (2, ("c",))


def test_cases_that_lack_one_tag_come_nearest_and_say_which() -> None:
    pool = [candidate("b", "beijing"), candidate("a", "spring-festival"), candidate("c", "x")]
    [peak] = coverage(pool, [PEAK], {})
    assert not peak.is_filled
    assert peak.nearest == (Near("a", ("beijing",)), Near("b", ("spring-festival",)))


def test_a_kind_of_one_tag_has_nothing_near_it() -> None:
    [family] = coverage([candidate("a", "beijing")], [FAMILY], {})
    assert family.nearest == ()


def test_only_a_few_come_nearest() -> None:
    pool = [candidate(f"case-{number}", "beijing") for number in range(9)]
    [peak] = coverage(pool, [PEAK], {})
    assert [one.case_key for one in peak.nearest] == ["case-0", "case-1", "case-2"]
    assert len(peak.nearest) == MOST_NEAR


def test_an_empty_pool_covers_nothing() -> None:
    [peak] = coverage([], [PEAK], {})
    assert (peak.fitting, peak.filled_by, peak.nearest) == (0, (), ())
    assert coverage([candidate("a", "x")], [], {}) == ()
