"""The three roles as groups. Names fixed here: later code may rename, this migration does not."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

GROUPS = ["Reviewers", "Admins", "Managers"]


def make(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    group = apps.get_model("auth", "Group")
    for name in GROUPS:
        group.objects.using(schema_editor.connection.alias).get_or_create(name=name)


class Migration(migrations.Migration):
    replaces = [("reviews", "0002_groups")]
    dependencies = [
        ("reviews", "0001_squashed_0009"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]
    # Going back keeps the groups: people may be in them.
    operations = [migrations.RunPython(make, migrations.RunPython.noop)]
