from django.db import migrations

from evalsite import triggers


class Migration(migrations.Migration):
    """TRUNCATE, rows that are replaced, and a status that changes while its closing stands."""

    dependencies = [("cases", "0005_triggers_look_by_keys")]

    operations = [triggers.DROP, triggers.INSTALL]
