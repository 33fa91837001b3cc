"""Which case fills which kind after a change by hand, and who comes in: beside brute force."""

from collections.abc import Iterator, Sequence
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviews.sample.matching import Sampled, choose_successor, find_helpful, find_uncovered, settle
from reviews.sample.pool import MOST_NAMED, Candidate, Changes, Named, Wanted, compare_pools
from tests.bed import soak

EXAMPLES = soak.size(short=40, long=10_000)


def case(key: str, *tags: str, kind: str = "") -> Sampled:
    return Sampled(key, frozenset(tags), kind)


def kind(key: str, *tags: str) -> Wanted:
    return Wanted(key, frozenset(tags or (key,)))


LOW, FEAST, KIDS = kind("low"), kind("feast"), kind("kids")


# --- Brute force ----------------------------------------------------------------------------------


def every_way(sample: Sequence[Sampled], kinds: Sequence[Wanted]) -> Iterator[dict[str, str]]:
    """Each way to let every case fill one kind that it fits, or none."""
    choices = [["", *(one.key for one in kinds if own.tags >= one.tags)] for own in sample]
    for chosen in product(*choices):
        yield dict(zip([own.case_key for own in sample], chosen, strict=True))


def covered(way: dict[str, str]) -> set[str]:
    return set(way.values()) - {""}


def most_covered(sample: Sequence[Sampled], kinds: Sequence[Wanted]) -> int:
    return max(len(covered(way)) for way in every_way(sample, kinds))


def held_before(sample: Sequence[Sampled], kinds: Sequence[Wanted]) -> dict[str, str]:
    """The kinds that cases fill so far and still fit."""
    by_key = {one.key: one.tags for one in kinds}
    return {
        own.case_key: own.kind
        for own in sample
        if own.kind in by_key and own.tags >= by_key[own.kind]
    }


def moved(before: dict[str, str], after: dict[str, str]) -> list[str]:
    return [key for key, own in before.items() if after[key] != own]


TAGS = "abc"
KINDS = st.lists(
    st.frozensets(st.sampled_from(TAGS), min_size=1, max_size=2), max_size=3, unique=True
).map(lambda all_tags: [Wanted("+".join(sorted(tags)), tags) for tags in all_tags])
TAG_SETS = st.frozensets(st.sampled_from(TAGS))


@st.composite
def samples(draw: st.DrawFn) -> tuple[list[Sampled], list[Wanted]]:
    """A sample in which cases fill nothing, a kind they fit, one they do not, or an unknown one."""
    kinds = draw(KINDS)
    held = st.sampled_from(["", "", "gone", *(one.key for one in kinds)])
    rows = draw(st.lists(st.tuples(TAG_SETS, held), max_size=4))
    return [Sampled(f"c{place}", tags, own) for place, (tags, own) in enumerate(rows)], kinds


# --- Settling -------------------------------------------------------------------------------------


@pytest.mark.soak
@settings(max_examples=EXAMPLES, deadline=None)
@given(given_sample=samples())
def test_as_many_kinds_have_a_case_of_their_own_as_can(
    given_sample: tuple[list[Sampled], list[Wanted]],
) -> None:
    sample, kinds = given_sample
    settled = settle(sample, kinds)
    by_key = {one.key: one.tags for one in kinds}
    assert list(settled) == [own.case_key for own in sample]
    for own in sample:
        assert not settled[own.case_key] or own.tags >= by_key[settled[own.case_key]]
    assert len(covered(settled)) == most_covered(sample, kinds)
    required = kinds[1:]
    let_go = covered(settle(sample, kinds, [one.key for one in kinds[:1]]))
    assert len(let_go) == most_covered(sample, kinds)
    assert len(let_go & {one.key for one in required}) == most_covered(sample, required)


@pytest.mark.soak
@settings(max_examples=EXAMPLES, deadline=None)
@given(given_sample=samples())
def test_a_kind_that_had_a_case_has_one_afterwards(
    given_sample: tuple[list[Sampled], list[Wanted]],
) -> None:
    sample, kinds = given_sample
    assert set(held_before(sample, kinds).values()) <= covered(settle(sample, kinds))


@pytest.mark.soak
@settings(max_examples=EXAMPLES, deadline=None)
@given(given_sample=samples())
def test_as_few_cases_are_moved_as_need_be(
    given_sample: tuple[list[Sampled], list[Wanted]],
) -> None:
    sample, kinds = given_sample
    before = held_before(sample, kinds)
    most = most_covered(sample, kinds)
    fewest = min(
        len(moved(before, way))
        for way in every_way(sample, kinds)
        if len(covered(way)) == most and set(before.values()) <= covered(way)
    )
    assert len(moved(before, settle(sample, kinds))) == fewest


@pytest.mark.soak
@settings(max_examples=EXAMPLES, deadline=None)
@given(given_sample=samples())
def test_a_case_is_left_without_a_kind_only_if_it_fits_none(
    given_sample: tuple[list[Sampled], list[Wanted]],
) -> None:
    sample, kinds = given_sample
    settled = settle(sample, kinds)
    for own in sample:
        assert bool(settled[own.case_key]) == any(own.tags >= one.tags for one in kinds)


@pytest.mark.soak
@settings(max_examples=EXAMPLES, deadline=None)
@given(given_sample=samples())
def test_settling_again_changes_nothing(
    given_sample: tuple[list[Sampled], list[Wanted]],
) -> None:
    sample, kinds = given_sample
    settled = settle(sample, kinds)
    again = [Sampled(own.case_key, own.tags, settled[own.case_key]) for own in sample]
    assert settle(again, kinds) == settled


def test_an_empty_sample_and_an_empty_rule_are_settled_at_once() -> None:
    assert settle([], [LOW]) == {}
    assert settle([case("a", "low", kind="low")], []) == {"a": ""}
    assert find_uncovered([], []) == []
    assert find_uncovered([], [LOW, FEAST]) == ["low", "feast"]


def test_a_new_case_takes_the_kind_that_stands_empty_and_the_others_keep_theirs() -> None:
    """`a` could fill both, and somebody else could fill `low`; but nobody needs to move."""
    sample = [
        case("a", "low", "feast", kind="low"),
        case("b", "low", kind="low"),
        case("new", "feast"),
    ]
    assert settle(sample, [LOW, FEAST]) == {"a": "low", "b": "low", "new": "feast"}


def test_a_case_moves_when_another_kind_would_go_without() -> None:
    sample = [case("a", "low", "feast", kind="low"), case("b", "low")]
    assert settle(sample, [LOW, FEAST]) == {"a": "feast", "b": "low"}


def test_a_second_case_of_a_kind_moves_rather_than_the_only_one_of_another() -> None:
    sample = [
        case("a", "low", kind="low"),
        case("b", "low", "feast", kind="low"),
    ]
    assert settle(sample, [LOW, FEAST]) == {"a": "low", "b": "feast"}


def test_what_nobody_needs_counts_for_the_kind_with_the_fewest_cases_then_in_rubric_order() -> None:
    sample = [
        case("a", "low", kind="low"),
        case("b", "low", kind="low"),
        case("c", "feast", kind="feast"),
        case("d", "kids", kind="kids"),
        case("new-1", "low", "feast", "kids"),
        case("new-2", "low", "feast", "kids"),
    ]
    settled = settle(sample, [LOW, FEAST, KIDS])
    assert (settled["new-1"], settled["new-2"]) == ("feast", "kids")


def test_a_case_that_lost_the_tag_no_longer_fills_the_kind() -> None:
    sample = [case("a", kind="low"), case("b", "feast", kind="low")]
    assert settle(sample, [LOW, FEAST]) == {"a": "", "b": "feast"}
    assert find_uncovered(sample, [LOW, FEAST]) == ["low"]


# --- What is uncovered ----------------------------------------------------------------------------


@pytest.mark.soak
@settings(max_examples=EXAMPLES, deadline=None)
@given(given_sample=samples())
def test_what_is_uncovered_is_what_settling_leaves_in_rubric_order(
    given_sample: tuple[list[Sampled], list[Wanted]],
) -> None:
    sample, kinds = given_sample
    left = find_uncovered(sample, kinds)
    filled = covered(settle(sample, kinds))
    assert left == [one.key for one in kinds if one.key not in filled]
    assert len(left) == len(kinds) - most_covered(sample, kinds)


def test_one_case_covers_one_kind_however_many_it_fits() -> None:
    assert find_uncovered([case("a", "low", "feast")], [LOW, FEAST]) == ["feast"]
    assert find_uncovered([case("a", "low", "feast", kind="feast")], [LOW, FEAST]) == ["low"]


# --- Who comes in ---------------------------------------------------------------------------------


@pytest.mark.soak
@settings(max_examples=EXAMPLES, deadline=None)
@given(given_sample=samples(), tags_in_line=st.lists(TAG_SETS, max_size=4))
def test_the_first_in_line_that_leaves_the_least_uncovered_comes_in(
    given_sample: tuple[list[Sampled], list[Wanted]], tags_in_line: list[frozenset[str]]
) -> None:
    sample, kinds = given_sample
    line = [(f"next-{place}", tags) for place, tags in enumerate(tags_in_line)]
    most = [most_covered([*sample, Sampled(key, tags)], kinds) for key, tags in line]
    expected = line[most.index(max(most))][0] if line else None
    assert choose_successor(sample, kinds, line) == expected
    assert choose_successor(sample, kinds, iter(line)) == expected


def test_nobody_comes_in_when_nobody_is_left() -> None:
    assert choose_successor([case("a", "low")], [LOW], []) is None


def test_the_line_is_read_no_further_than_need_be() -> None:
    def line() -> Iterator[tuple[str, frozenset[str]]]:
        yield "next-1", frozenset()
        yield "next-2", frozenset({"feast"})
        raise AssertionError("nobody asked for the rest")

    assert choose_successor([case("a", "low", kind="low")], [LOW, FEAST], line()) == "next-2"


def test_a_case_of_the_sample_may_change_its_kind_so_that_the_first_in_line_will_do() -> None:
    """The only feast goes; `a` can do that too, so any low one keeps both covered."""
    sample = [case("a", "low", "feast", kind="low")]
    line = [("plain", frozenset[str]()), ("cheap", frozenset({"low"})), ("party", FEAST.tags)]
    assert choose_successor(sample, [LOW, FEAST], line) == "cheap"


# --- What changed between two pools ---------------------------------------------------------------


POOLS = st.dictionaries(
    st.sampled_from("uvwxyz"), st.tuples(st.sampled_from("de"), TAG_SETS), max_size=6
).map(lambda rows: [Candidate(key, *value) for key, value in rows.items()])


@pytest.mark.soak
@settings(max_examples=EXAMPLES, deadline=None)
@given(before=POOLS, after=POOLS)
def test_every_case_that_differs_is_named_once_and_no_other(
    before: list[Candidate], after: list[Candidate]
) -> None:
    was, now = {one.case_key: one for one in before}, {one.case_key: one for one in after}
    found = compare_pools(iter(before), iter(after))
    both = sorted(was.keys() & now.keys())
    content = [key for key in both if was[key].digest != now[key].digest]
    tags = [key for key in both if was[key].digest == now[key].digest and was[key] != now[key]]
    for named, keys in (
        (found.new, sorted(now.keys() - was.keys())),
        (found.gone, sorted(was.keys() - now.keys())),
        (found.content, content),
        (found.tags, tags),
    ):
        assert (named.count, named.cases) == (len(keys), tuple(keys))
    assert bool(found) == (was != now)
    back = compare_pools(after, before)
    assert (back.new, back.gone, back.content, back.tags) == (
        found.gone,
        found.new,
        found.content,
        found.tags,
    )


def test_only_the_first_twenty_are_named_and_all_are_counted() -> None:
    pool = [Candidate(f"c{number:02}", "d", frozenset()) for number in range(MOST_NAMED + 1)]
    found = compare_pools([], pool)
    assert (found.new.count, len(found.new.cases)) == (21, 20)
    assert found.new.cases[-1] == "c19"
    assert compare_pools([], pool[:-1]).new.cases[-1] == "c19"


def test_what_did_not_change_is_left_out_of_the_data() -> None:
    assert Changes().to_data() == {}
    assert not Changes()
    assert Changes(gone=Named(1, ("a",))).to_data() == {"gone": {"count": 1, "cases": ("a",)}}


# --- What is waived, and what cannot be sampled any more ------------------------------------------


def test_a_waived_kind_keeps_its_case_unless_another_kind_needs_it() -> None:
    both = [case("a", "low", "feast", kind="low")]
    assert settle(both, [LOW, FEAST], ["low"]) == {"a": "feast"}
    assert settle([*both, case("b", "feast")], [LOW, FEAST], ["low"]) == {"a": "low", "b": "feast"}


def test_a_case_that_is_not_eligible_any_more_fills_nothing() -> None:
    gone = Sampled("a", frozenset({"low"}), "low", is_eligible=False)
    assert settle([gone], [LOW]) == {"a": ""}
    assert find_uncovered([gone], [LOW]) == ["low"]


def test_a_case_helps_if_it_fills_a_gap_or_lets_another_one_fill_it() -> None:
    sample = [case("a", "low", "feast", kind="low")]
    assert find_helpful(sample, [LOW, FEAST, KIDS]) == {"low", "feast", "kids"}
    assert find_helpful(sample, [LOW, KIDS]) == {"kids"}
    assert find_helpful(sample, [LOW]) == set()
