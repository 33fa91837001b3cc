"""Which tables a backup holds: those of every model, so that none is forgotten, but for a few."""

from django.apps import apps
from django.contrib.sessions.models import Session
from django.db.models import Field, ForeignKey, Model

from evalsite.backup.archive import Column, Table

# Nobody stays signed in over a restore. The shared cache has no model, and is left out with them.
LEFT_OUT: tuple[type[Model], ...] = (Session,)

# The kind of value that a column holds, by the base class that Django knows its type under.
KIND_OF = {
    "AutoField": "integer",
    "BigAutoField": "integer",
    "BinaryField": "binary",
    "BooleanField": "boolean",
    "CharField": "text",
    "DateField": "date",
    "DateTimeField": "datetime",
    "IntegerField": "integer",
    "JSONField": "json",
    "PositiveIntegerField": "integer",
    "PositiveSmallIntegerField": "integer",
    "SmallIntegerField": "integer",
    "TextField": "text",
}


def tables() -> list[Table]:
    """In the order of their names."""
    models = apps.get_models(include_auto_created=True)
    taken = [
        table_of(model)
        for model in models
        if model not in LEFT_OUT and model._meta.managed and not model._meta.proxy
    ]
    return sorted(taken, key=lambda table: table.name)


def table_of(model: type[Model]) -> Table:
    assert model._meta.pk is not None
    columns = [column_of(field) for field in model._meta.local_concrete_fields]
    return Table(name=model._meta.db_table, key=str(model._meta.pk.column), columns=columns)


def column_of(field: "Field[object, object]") -> Column:
    """A foreign key holds what it points to."""
    target: Field[object, object] = field
    while isinstance(target, ForeignKey):
        target = target.target_field
    return Column(name=str(field.column), kind=KIND_OF[target.get_internal_type()])
