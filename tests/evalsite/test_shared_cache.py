"""The shared cache behaves like Django's database cache, with fewer statements."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core.cache import cache, caches
from django.db import connection
from django.test.utils import CaptureQueriesContext

from evalsite import shared_cache
from tests.bed.races import at_the_same_moment

pytestmark = pytest.mark.django_db


def let_it_run_out(key: str) -> None:
    past = datetime.now(UTC).replace(microsecond=0) - timedelta(seconds=1)
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE shared_cache SET expires = %s WHERE cache_key = %s",
            [connection.ops.adapt_datetimefield_value(past), cache.make_key(key)],
        )


def keys() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT cache_key FROM shared_cache")
        return {key.rpartition(":")[2] for [key] in cursor.fetchall()}


def test_what_was_set_is_found_until_it_runs_out() -> None:
    cache.set("count", [3.5, 1.25], 60)
    assert cache.get("count") == [3.5, 1.25]
    cache.set("count", [], 60)
    assert cache.get("count", "none") == []
    let_it_run_out("count")
    assert cache.get("count", "none") == "none"
    assert keys() == set()


def test_a_count_is_exact_in_a_race(transactional_db: None) -> None:
    counts = caches["default"]
    assert isinstance(counts, shared_cache.SharedCache)
    found = at_the_same_moment(*[lambda: counts.count("calls", 60)] * 5)
    assert sorted(found) == [1, 2, 3, 4, 5]
    assert counts.count("calls", 60) == 6
    assert counts.count("other", 60) == 1


def test_what_never_runs_out_stays() -> None:
    cache.set("for-ever", "x", None)
    assert cache.get("for-ever") == "x"
    assert not cache.add("for-ever", "y", 60)


def test_a_lock_is_had_by_one_until_it_is_freed_or_runs_out() -> None:
    assert cache.add("lock", "first", 60) is True
    assert cache.add("lock", "second", 60) is False
    assert cache.get("lock") == "first"
    let_it_run_out("lock")
    assert cache.add("lock", "third", 60) is True
    assert cache.get("lock") == "third"
    cache.delete("lock")
    assert cache.add("lock", "fourth", 60) is True


def test_a_longer_life_is_given_only_to_what_is_there() -> None:
    assert not cache.touch("count", 60)
    cache.set("count", 1, 60)
    assert cache.touch("count", 600)


def test_a_write_is_one_statement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches["default"], "writes", 0)
    with CaptureQueriesContext(connection) as asked:
        cache.add("lock", True, 60)
        cache.set("count", [1.0], 60)
        cache.set("count", [2.0], 60)
    assert len(asked) == 3


def test_what_ran_out_makes_room_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_cache, "WRITES_BETWEEN_COUNTS", 5)
    monkeypatch.setattr(caches["default"], "_max_entries", 3)
    monkeypatch.setattr(caches["default"], "writes", 0)
    for number in range(1, 5):
        cache.set(f"old-{number}", number, 60)
        let_it_run_out(f"old-{number}")
    assert len(keys()) == 4
    cache.set("new", 5, 60)
    assert keys() == {"new"}


@pytest.mark.django_db(transaction=True)
def test_of_many_who_ask_at_once_one_gets_the_lock() -> None:
    got = at_the_same_moment(*[lambda: cache.add("lock", True, 60)] * 6)
    assert sorted(got) == [False] * 5 + [True]
