"""Rules that the database itself keeps, on both engines.

A migration that alters one of these tables drops its triggers first and installs them last: on
SQLite an ALTER copies the table.
"""

from django.db.backends.base.schema import BaseDatabaseSchemaEditor

REFUSAL = "A published rubric text cannot be changed."
IMMUTABLE_TABLES = ("cases_rubric", "cases_rubrictranslation")


def install(schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(
            "CREATE OR REPLACE FUNCTION refuse_rubric_change() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION '{REFUSAL}' USING ERRCODE = 'integrity_constraint_violation'"
            "; END $$"
        )
    for table in IMMUTABLE_TABLES:
        schema_editor.execute(
            f"CREATE TRIGGER {table}_is_immutable BEFORE UPDATE ON {table} FOR EACH ROW "
            + (
                "EXECUTE FUNCTION refuse_rubric_change()"
                if schema_editor.connection.vendor == "postgresql"
                else f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
            )
        )


def drop(schema_editor: BaseDatabaseSchemaEditor) -> None:
    on_table = schema_editor.connection.vendor == "postgresql"
    for table in IMMUTABLE_TABLES:
        schema_editor.execute(
            f"DROP TRIGGER IF EXISTS {table}_is_immutable" + (f" ON {table}" if on_table else "")
        )
    if on_table:
        schema_editor.execute("DROP FUNCTION IF EXISTS refuse_rubric_change()")
