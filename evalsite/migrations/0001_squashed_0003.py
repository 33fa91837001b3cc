"""The table of the shared cache, and API tokens.

`replaces` lists the migrations from before the first release, whose files are gone. In a database
that has all of them, `migrate` only records this one. A database that has only some of them is
refused (evalsite/migrated.py).
"""

import django.db.models.deletion
from django.conf import settings
from django.core.management import call_command
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def create_cache_table(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    call_command("createcachetable", database=schema_editor.connection.alias, verbosity=0)


def drop_cache_table(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    schema_editor.execute("DROP TABLE IF EXISTS shared_cache")


class Migration(migrations.Migration):
    replaces = [
        ("evalsite", "0001_shared_cache"),
        ("evalsite", "0002_api_tokens"),
        ("evalsite", "0003_tokens_end_with_their_password"),
    ]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunPython(create_cache_table, drop_cache_table),
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                ("digest", models.CharField(max_length=128, primary_key=True, serialize=False)),
                ("token_key", models.CharField(db_index=True, max_length=25)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("expiry", models.DateTimeField(blank=True, null=True)),
                ("name", models.CharField(max_length=80, verbose_name="name")),
                ("scopes", models.JSONField(default=list, verbose_name="may")),
                (
                    "last_used_at",
                    models.DateTimeField(blank=True, null=True, verbose_name="last used"),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="auth_token_set",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="person",
                    ),
                ),
                (
                    "password_digest",
                    models.CharField(
                        blank=True, default="", max_length=64, verbose_name="password digest"
                    ),
                ),
            ],
            options={
                "verbose_name": "token",
                "verbose_name_plural": "tokens",
            },
        ),
    ]
