"""The draw: every kind a case of its own, then one case at a time, the same on any machine."""

import random
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviews.sample.draw import Ranks, Unfillable, draw_order
from reviews.sample.matching import choose_representatives, find_shortages
from reviews.sample.order import Entry, Order, pack, unpack
from reviews.sample.pool import Candidate, Wanted, build_record, digest_pool
from tests.bed import soak

EXAMPLES = soak.size(short=75, long=10_000)
RANKS = Ranks(rubric_digest="r" * 64, release_name="wayfarer-1")


def candidate(key: str, *tags: str, digest: str = "d") -> Candidate:
    return Candidate(key, digest, frozenset(tags))


def kind(key: str, *tags: str) -> Wanted:
    return Wanted(key, frozenset(tags or (key,)))


def keys(picks: Order) -> list[str]:
    return picks.keys


# Each kind a case of its own


def test_a_case_that_fits_two_kinds_does_not_starve_one() -> None:
    pool = [candidate("both", "low", "feast"), candidate("feast-only", "feast")]
    for order in permutations([kind("low"), kind("feast")]):
        picks = draw_order(pool, order, RANKS)
        assert {pick.kind: pick.case_key for pick in picks} == {
            "low": "both",
            "feast": "feast-only",
        }


def test_a_kind_asks_for_all_of_its_tags() -> None:
    pool = [candidate("beijing", "beijing"), candidate("feast", "feast")]
    with pytest.raises(Unfillable) as refused:
        draw_order(pool, [kind("peak", "beijing", "feast")], RANKS)
    assert refused.value.shortages[0].kinds == ("peak",)
    assert refused.value.shortages[0].cases == ()


def test_kinds_that_share_their_only_case_are_named_with_it() -> None:
    pool = [candidate("c06", "low", "feast"), candidate("c03", "family")]
    with pytest.raises(Unfillable) as refused:
        draw_order(pool, [kind("feast"), kind("low"), kind("family")], RANKS)
    [shortage] = refused.value.shortages
    assert shortage.kinds == ("feast", "low")
    assert shortage.cases == ("c06",)


def test_every_kind_without_a_case_is_named() -> None:
    with pytest.raises(Unfillable) as refused:
        draw_order([candidate("a", "family")], [kind("low"), kind("family"), kind("tight")], RANKS)
    assert [one.kinds for one in refused.value.shortages] == [("low",), ("tight",)]


def test_an_empty_pool_fills_nothing_and_no_kinds_need_nothing() -> None:
    with pytest.raises(Unfillable):
        draw_order([], [kind("low")], RANKS)
    assert len(draw_order([], [], RANKS)) == 0


def test_the_first_kind_takes_the_best_case_that_leaves_one_for_the_rest() -> None:
    fitting = {"one": ["a", "b"], "two": ["a"]}
    assert choose_representatives(fitting) == {"one": "b", "two": "a"}
    fitting = {"one": ["a", "b"], "two": ["b", "c"]}
    assert choose_representatives(fitting) == {"one": "a", "two": "b"}


TAGS = "abcd"
POOLS = st.lists(
    st.tuples(st.integers(0, 9).map(str), st.frozensets(st.sampled_from(TAGS), max_size=3)),
    max_size=6,
    unique_by=lambda one: one[0],
).map(lambda rows: [Candidate(key, "d", tags) for key, tags in rows])
KINDS = st.lists(
    st.frozensets(st.sampled_from(TAGS), min_size=1, max_size=2), max_size=4, unique=True
).map(lambda all_tags: [Wanted("+".join(sorted(tags)), tags) for tags in all_tags])


def can_be_filled(pool: list[Candidate], kinds: list[Wanted]) -> bool:
    """By trying every way."""
    return any(
        all(case.tags >= kind.tags for case, kind in zip(cases, kinds, strict=True))
        for cases in permutations(pool, len(kinds))
    )


@pytest.mark.soak
@settings(max_examples=EXAMPLES, deadline=None)
@given(pool=POOLS, kinds=KINDS)
def test_representatives_are_found_exactly_when_there_are_any(
    pool: list[Candidate], kinds: list[Wanted]
) -> None:
    try:
        picks = draw_order(pool, kinds, RANKS)
    except Unfillable as refusal:
        assert not can_be_filled(pool, kinds)
        for shortage in refusal.shortages:
            wanted = [one for one in kinds if one.key in shortage.kinds]
            has = {case.case_key for case in pool for one in wanted if case.tags >= one.tags}
            assert has == set(shortage.cases)
            assert len(has) < len(wanted)
        return
    assert can_be_filled(pool, kinds)
    by_key = {case.case_key: case for case in pool}
    first = picks.first(len(kinds))
    assert [pick.kind for pick in first] == [one.key for one in kinds]
    assert all(
        by_key[pick.case_key].tags >= one.tags for pick, one in zip(first, kinds, strict=True)
    )
    assert sorted(keys(picks)) == sorted(by_key)


@pytest.mark.soak
@settings(max_examples=EXAMPLES, deadline=None)
@given(pool=POOLS, kinds=KINDS, chance=st.randoms(use_true_random=False))
def test_the_order_depends_on_pool_rubric_and_release_name_alone(
    pool: list[Candidate], kinds: list[Wanted], chance: random.Random
) -> None:
    if find_shortages({one.key: [c.case_key for c in pool if c.tags >= one.tags] for one in kinds}):
        return
    picks = draw_order(pool, kinds, RANKS)
    shuffled = list(pool)
    chance.shuffle(shuffled)
    assert draw_order(shuffled, kinds, RANKS) == picks
    assert digest_pool(build_record(shuffled)) == digest_pool(build_record(pool))


@pytest.mark.soak
@settings(max_examples=EXAMPLES, deadline=None)
@given(pool=POOLS, kinds=KINDS)
def test_each_extra_follows_the_rule_given_those_before_it(
    pool: list[Candidate], kinds: list[Wanted]
) -> None:
    """A plain statement of the rule, without queues."""
    try:
        picks = draw_order(pool, kinds, RANKS)
    except Unfillable:
        return
    taken = picks.first(len(kinds))
    for place, pick in enumerate(list(picks)[len(kinds) :]):
        rank = RANKS.shared if place % 2 == 0 else RANKS.own
        left = [c for c in pool if c.case_key not in {one.case_key for one in taken}]
        counts = {one.key: sum(t.kind == one.key for t in taken) for one in kinds}
        for key in sorted(counts, key=lambda one: counts[one]):
            wanted = next(one for one in kinds if one.key == key)
            fitting = [c for c in left if c.tags >= wanted.tags]
            if fitting:
                break
        else:
            key, fitting = "", left
        best = min(fitting, key=lambda one: rank(one.case_key))
        assert (pick.case_key, pick.kind, pick.is_extra) == (best.case_key, key, True)
        assert pick.rank == ("shared" if place % 2 == 0 else "own")
        taken.append(pick)


def test_two_releases_with_the_same_keys_share_most_of_a_sample_of_ten() -> None:
    tags = ["low", "feast", "family", "mobility", "tight"]
    chance = random.Random(7)
    pool = [candidate(f"case-{n}", *chance.sample(tags, 2)) for n in range(500)]
    kinds = [kind(tag) for tag in tags]
    one, other = (
        set(keys(draw_order(pool, kinds, Ranks("r" * 64, name)))[:10]) for name in ("a-1", "a-2")
    )
    assert 7 <= len(one & other) < 10


def test_one_case_more_does_not_re_roll_the_rest() -> None:
    tags = ["low", "feast", "family"]
    pool = [candidate(f"case-{n}", tags[n % 3]) for n in range(60)]
    kinds = [kind(tag) for tag in tags]
    before = keys(draw_order(pool, kinds, RANKS))[:12]
    after = keys(draw_order([*pool, candidate("junk", "low")], kinds, RANKS))[:13]
    assert len(set(before) - set(after)) <= 1


def test_the_pool_digest_changes_with_key_content_and_tags_only() -> None:
    pool = [candidate("a", "x"), candidate("b", "y", "z")]
    same = [candidate("b", "z", "y"), candidate("a", "x")]
    assert digest_pool(build_record(pool)) == digest_pool(build_record(same))
    for other in (
        [candidate("a", "x")],
        [candidate("a", "x", digest="e"), pool[1]],
        [candidate("a"), pool[1]],
        [candidate("A", "x"), pool[1]],
    ):
        assert digest_pool(build_record(pool)) != digest_pool(build_record(other))


def test_an_order_is_the_same_after_it_was_stored() -> None:
    pool = [candidate("a", "low"), candidate("b", "feast", "low"), candidate("云")]
    order = draw_order(pool, [kind("low"), kind("feast")], RANKS)
    again = unpack(pack(order))
    assert again == order
    assert sorted(again.pool()) == sorted(pool)
    assert [one.place for one in again] == [1, 2, 3]
    assert again.find("云") == Entry(3, "云", "", True, "shared", [])
    assert again.find("nothing") is None
    assert again.first(9) == list(again)
