"""The tables of a site: which of them a backup holds, and how their rows are read and written."""

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

# Sessions do not survive a restore. Knox's own tokens are swapped for ours, which its
# migrations do not say. The shared cache has no model, and is left out with them.
LEFT_OUT = {"sessions.session", "knox.authtoken"}
# A case may have 256 KB, so a few hundred of them are held at a time.
AT_A_TIME = 200


def taken_models(registry: Apps = apps) -> dict[str, type[Model]]:
    """Table -> model, by name: every model but those left out, so that none is forgotten."""
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
    """Yields rows in the order of their keys, with a few of them in memory at a time."""
    fields = list_fields(model)
    selected = [
        Cast(field.attname, TextField()) if isinstance(field, JSONField) else F(field.attname)
        for field in fields.values()
    ]
    rows = model._base_manager.using(using).order_by(by_key(model, using)).values_list(*selected)
    for values in rows.iterator(chunk_size=AT_A_TIME):
        yield dict(zip(fields, values, strict=True))


def by_key(model: type[Model], using: str) -> F | Collate:
    """Sorts texts by code points, whatever the language of the database."""
    is_text = isinstance(model._meta.pk, CharField | TextField)
    if is_text and connections[using].vendor == "postgresql":
        return Collate("pk", "C")
    return F("pk")


# --- Into the database ----------------------------------------------------------------------------


def parse_row(fields: Fields, row: Row) -> Row:
    """Turns JSON into the types of the fields. Raises ValidationError, ValueError or TypeError."""
    if row.keys() != fields.keys():
        raise ValueError("its columns are not those of the table")
    return {name: parse_value(field, row[name]) for name, field in fields.items()}


def parse_value(field: "Field[object, object]", value: object) -> object:
    if not isinstance(field, JSONField):
        return field.to_python(value)
    if isinstance(value, str | None):
        return value
    raise TypeError(f"{field.column} is not the text of a JSON value")


def write_rows(model: type[Model], rows: Iterable[Row], connection: BaseDatabaseWrapper) -> None:
    """Inserts past the models: `auto_now` would replace the moment that was stored."""
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
        # In portions: Django remembers all that it is given at once.
        while portion := list(islice(adapted, AT_A_TIME)):
            cursor.executemany(insert, portion)


def adapt_value(
    field: "Field[object, object]", value: object, connection: BaseDatabaseWrapper
) -> Any:
    """The text of a JSON value is what both engines take."""
    return value if isinstance(field, JSONField) else field.get_db_prep_save(value, connection)
