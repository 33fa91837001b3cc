"""Open and closed releases with their reviewers, created once per process.

As in tests/bed/replay, what the product wrote is then laid down row by row, here with the people,
who keep their keys. It needs tables with nothing but what the migrations wrote.
"""

from collections.abc import Callable

from django.db import connection

from tests.bed.replay import Rows, lay_down, rows_of

_made: dict[str, Rows] = {}


def once(what: str, make: Callable[[], object]) -> None:
    if what in _made:
        lay_down(_made[what])
        return
    before = {statement for statement, _ in rows_now()}
    make()
    _made[what] = [row for row in rows_now() if row[0] not in before]


def rows_now() -> Rows:
    names = connection.introspection.django_table_names(only_existing=True, include_views=False)
    # Releases last: into a closed one the database would let nothing.
    tables = [name for name in names if name != "cases_release"] + ["cases_release"]
    found = [rows_of(connection.ops.quote_name(table)) for table in tables]
    return [(statement, values) for statement, values in found if values]
