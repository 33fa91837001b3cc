"""Work that is done once in each process."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalsite.keeping import Kept


def test_what_was_made_once_is_not_made_again() -> None:
    made: list[str] = []

    def make() -> str:
        made.append("once")
        return "result"

    kept = Kept[str](most=2)
    assert [kept.get("key", make), kept.get("key", make)] == ["result", "result"]
    assert made == ["once"]


def test_whoever_edits_a_template_sees_it_at_once(settings: Any) -> None:
    settings.DEBUG = True
    kept = Kept[str](most=2)
    assert [kept.get("key", lambda: "before"), kept.get("key", lambda: "after")] == [
        "before",
        "after",
    ]


def test_whoever_was_asked_for_longest_ago_goes_first() -> None:
    kept = Kept[str](most=2)
    for key in ("first", "second", "first", "third"):
        kept.get(key, lambda key=key: f"{key}, made early")  # type: ignore[misc]
    assert kept.get("first", lambda: "made late") == "first, made early"
    assert kept.get("second", lambda: "made late") == "made late"


def test_a_failure_is_not_kept() -> None:
    kept = Kept[int](most=2)
    with pytest.raises(ZeroDivisionError):
        kept.get("key", lambda: 1 // 0)
    assert kept.get("key", lambda: 1) == 1


@given(most=st.integers(1, 5), keys=st.lists(st.integers(0, 9)))
def test_everybody_is_given_what_their_own_key_makes_and_no_more_are_kept_than_may_be(
    most: int, keys: list[int]
) -> None:
    kept = Kept[int](most)

    def square(of: int) -> Callable[[], int]:
        return lambda: of * of

    assert [kept.get(key, square(key)) for key in keys] == [key * key for key in keys]
    assert len(kept._found) <= most
