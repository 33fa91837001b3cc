"""What a policy refuses, what the start freezes, and under which rules it was frozen."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases.releases import policy

SIZES = st.lists(st.integers(1, 60), min_size=1, max_size=8, unique=True).map(sorted)


@pytest.mark.parametrize("looks", [[5], [1], [5, 8, 12], [1, 2, 3, 4, 5, 6, 7, 8], [9_999, 10_000]])
def test_looks_are_a_few_rising_sizes(looks: list[int]) -> None:
    assert policy.from_data({"looks": looks}).looks == looks


@pytest.mark.parametrize(
    "looks", [[], [0], [5, 5], [8, 5], [-1, 5], list(range(1, 10)), [10_001], [5.5], "5", [None]]
)
def test_other_looks_are_refused(looks: object) -> None:
    with pytest.raises(msgspec.ValidationError, match="looks"):
        policy.from_data({"looks": looks})


@pytest.mark.parametrize("regression", ["", "yes", None])
def test_an_unknown_demand_on_regression_is_refused(regression: object) -> None:
    with pytest.raises(msgspec.ValidationError, match="regression"):
        policy.from_data({"regression": regression})


@given(SIZES, st.integers(1, 60), st.integers(0, 60))
def test_the_first_look_is_at_what_was_drawn_and_no_look_is_out_of_reach(
    looks: list[int], drawn: int, more: int
) -> None:
    found = policy.plan_looks(looks, drawn=drawn, available=drawn + more)
    assert found[0] == drawn
    assert found == sorted(set(found))
    assert found[-1] <= drawn + more
    assert set(found[1:]) <= set(looks)
    assert set(looks) - set(found) <= {
        size for size in looks if size <= drawn or size > drawn + more
    }


def freeze(given: policy.Policy) -> dict[str, object]:
    return policy.freeze(given, ["a", "b"], drawn=5, available=10, prior=policy.Prior())


def test_a_frozen_policy_has_every_value_and_reads_the_same() -> None:
    frozen = freeze(policy.Policy(floors={"a": 2.5}, regression="required"))
    assert frozen == {
        "floors": {"a": 2.5, "b": 3.0},
        "margin": 0.5,
        "within_one": 0.8,
        "regression": "required",
        "regression_by": "scores",
        "accept": ["pass"],
        "looks": [5, 8],
        "rules": 2,
        "prior": {"sd": 0.9, "degrees": 4, "releases": []},
    }
    read = policy.from_data(frozen)
    assert (read.floor("a"), read.floor("b"), read.looks) == (2.5, 3.0, [5, 8])
    assert policy.read_prior(frozen) == policy.Prior()


def test_a_policy_that_was_frozen_before_there_were_looks_keeps_the_first_rules() -> None:
    old = {"floors": {"a": 3.0}, "margin": 0.5, "within_one": 0.8}
    assert policy.read_rules(old) == 1
    assert policy.read_rules({**old, "accept": ["pass"]}) == 1


@pytest.mark.parametrize("draft", [{}, {"margin": 0.3}, {"looks": [5]}])
def test_a_draft_has_the_newest_rules(draft: dict[str, object]) -> None:
    assert policy.read_rules(draft) == policy.RULES
    assert policy.read_rules(freeze(policy.from_data(draft))) == policy.RULES
