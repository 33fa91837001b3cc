from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from cases import triggers


def install(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    triggers.install(schema_editor)


def drop(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    triggers.drop(schema_editor)


class Migration(migrations.Migration):
    dependencies = [("cases", "0001_initial")]
    operations = [migrations.RunPython(install, drop)]
