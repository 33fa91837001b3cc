"""Choose the tables of a backup, and read and write their rows."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from django.apps import apps
from django.apps.registry import Apps
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import CharField, F, Field, JSONField, Model, TextField
from django.db.models.functions import Cast, Collate

from evalsite.backup.archive import Row

Fields = dict[str, "Field[object, object]"]  # column -> field

# Sessions do not survive a restore. Knox's own token model is swapped for ours, but its migrations
# create the table anyway. The shared cache has no model, so it is left out too.
LEFT_OUT = {"sessions.session", "knox.authtoken"}
# A case may be 256 KB, so only a few hundred rows are in memory at a time.
BATCH_SIZE = 200


def list_models(registry: Apps = apps) -> dict[str, type[Model]]:
    """Return table -> model, sorted: all but LEFT_OUT, so that no new model is forgotten."""
    models = registry.get_models(include_auto_created=True)
    taken = {
        model._meta.db_table: model
        for model in models
        if model._meta.label_lower not in LEFT_OUT and model._meta.managed and not model._meta.proxy
    }
    return dict(sorted(taken.items()))


def list_fields(model: type[Model]) -> Fields:
    return {str(field.column): field for field in model._meta.local_concrete_fields}


def list_json_columns(model: type[Model]) -> list[str]:
    return [name for name, field in list_fields(model).items() if isinstance(field, JSONField)]


# --- From the database ----------------------------------------------------------------------------


def read_rows(model: type[Model], using: str) -> Iterator[Row]:
    """Yield rows ordered by key, with only a few of them in memory."""
    fields = list_fields(model)
    selected = [
        Cast(field.attname, TextField()) if isinstance(field, JSONField) else F(field.attname)
        for field in fields.values()
    ]
    rows = (
        model._base_manager.using(using).order_by(order_by_key(model, using)).values_list(*selected)
    )
    for values in rows.iterator(chunk_size=BATCH_SIZE):
        yield dict(zip(fields, values, strict=True))


def order_by_key(model: type[Model], using: str) -> F | Collate:
    """Sort text keys by code point, independent of the database's collation."""
    is_text = isinstance(model._meta.pk, CharField | TextField)
    if is_text and connections[using].vendor == "postgresql":
        return Collate("pk", "C")
    return F("pk")


# --- Into the database ----------------------------------------------------------------------------


def parse_row(fields: Fields, row: Row) -> Row:
    """Convert JSON values to the types of the fields.

    Raise ValidationError, ValueError or TypeError.
    """
    if row.keys() != fields.keys():
        raise ValueError("it does not have the columns of the table")
    return {name: parse_value(field, row[name]) for name, field in fields.items()}


def parse_value(field: "Field[object, object]", value: object) -> object:
    if not isinstance(field, JSONField):
        return field.to_python(value)
    if isinstance(value, str | None):
        return value
    raise TypeError(f"{field.column} is not the text of a JSON value")


def write_rows(model: type[Model], rows: Iterable[Row], connection: BaseDatabaseWrapper) -> None:
    """Insert without the models, because `auto_now` would replace stored times."""
    fields = list_fields(model)
    table = connection.ops.quote_name(model._meta.db_table)
    columns = ", ".join(connection.ops.quote_name(name) for name in fields)
    adapted = (
        [adapt_value(field, row[name], connection) for name, field in fields.items()]
        for row in rows
    )
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            copying = f"COPY {table} ({columns}) FROM STDIN"
            with connection.wrap_database_errors, cursor.copy(copying) as copy:
                for values in adapted:
                    copy.write_row(values)
            return
        marks = ", ".join(["%s"] * len(fields))
        insert = f"INSERT INTO {table} ({columns}) VALUES ({marks})"  # noqa: S608
        # In batches, because Django keeps the parameters of a whole call.
        while batch := list(islice(adapted, BATCH_SIZE)):
            cursor.executemany(insert, batch)


def adapt_value(
    field: "Field[object, object]", value: object, connection: BaseDatabaseWrapper
) -> Any:
    """Adapt a value for the engine; both accept the text of a JSON value."""
    return value if isinstance(field, JSONField) else field.get_db_prep_save(value, connection)
