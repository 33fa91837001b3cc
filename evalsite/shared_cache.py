"""The database cache that counts failed sign-ins and API calls: one SQL statement per write."""

import base64
import pickle
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.db import DatabaseCache
from django.db import connections, router
from django.utils import timezone

# Django counts all entries before every write; this cache does after so many writes of a thread.
WRITES_BETWEEN_COUNTS = 100


class SharedCache(DatabaseCache):
    """Django's database cache with an atomic upsert.

    Django looks for a row, then inserts or updates it, and reports a lost race as a failure.
    Sign-in takes and releases a lock for each limit, twice, so it would lose races often.
    """

    # Attributes of Django's class that its stubs do not declare.
    _table: str
    _max_entries: int
    _cull: Callable[[str, Any, datetime, int], None]
    cache_model_class: type[Any]

    def __init__(self, table: str, params: dict[str, Any]) -> None:
        super().__init__(table, params)
        self.writes = 0

    def _base_set(self, mode: str, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT) -> bool:
        if mode == "touch":
            return bool(super()._base_set(mode, key, value, timeout))  # type: ignore[misc]
        connection = connections[router.db_for_write(self.cache_model_class)]
        now = timezone.now().replace(microsecond=0)
        is_free = "" if mode == "set" else " WHERE held.expires < %s"
        values = [
            key,
            encode(value),
            connection.ops.adapt_datetimefield_value(self.find_expiry(timeout)),
        ]
        if is_free:
            values.append(connection.ops.adapt_datetimefield_value(now))
        table = connection.ops.quote_name(self._table)
        with connection.cursor() as cursor:
            self.cull_sometimes(connection.alias, cursor, now)
            cursor.execute(
                f"INSERT INTO {table} AS held (cache_key, value, expires) VALUES (%s, %s, %s) "  # noqa: S608
                "ON CONFLICT (cache_key) DO UPDATE "
                f"SET value = excluded.value, expires = excluded.expires{is_free}",
                values,
            )
            return bool(cursor.rowcount)

    def count(self, key: str, timeout: int) -> int:
        """Add one to the counter under `key` and return it; exact under concurrency.

        The value is a plain number, which only this method reads.
        """
        connection = connections[router.db_for_write(self.cache_model_class)]
        now = timezone.now().replace(microsecond=0)
        table = connection.ops.quote_name(self._table)
        with connection.cursor() as cursor:
            self.cull_sometimes(connection.alias, cursor, now)
            cursor.execute(
                f"INSERT INTO {table} AS held (cache_key, value, expires) VALUES (%s, '1', %s) "  # noqa: S608
                "ON CONFLICT (cache_key) DO UPDATE SET value = "
                "CAST(CAST(held.value AS INTEGER) + 1 AS VARCHAR(20)) RETURNING value",
                [
                    self.make_and_validate_key(key),
                    connection.ops.adapt_datetimefield_value(self.find_expiry(timeout)),
                ],
            )
            [value] = cursor.fetchone()
            return int(value)

    def find_expiry(self, timeout: Any) -> datetime:
        """Return when an entry expires, in whole seconds like the column."""
        at = self.get_backend_timeout(timeout)
        found = datetime.max.replace(tzinfo=UTC) if at is None else datetime.fromtimestamp(at, UTC)
        return found.replace(microsecond=0)

    def cull_sometimes(self, alias: str, cursor: Any, now: datetime) -> None:
        self.writes += 1
        if self.writes % WRITES_BETWEEN_COUNTS:
            return
        cursor.execute(f"SELECT COUNT(*) FROM {self._table}")  # noqa: S608
        [count] = cursor.fetchone()
        if count > self._max_entries:
            self._cull(alias, cursor, now, count)


def encode(value: Any) -> str:
    """Encode a value the way Django's cache decodes it."""
    return base64.b64encode(pickle.dumps(value, pickle.HIGHEST_PROTOCOL)).decode("ascii")
