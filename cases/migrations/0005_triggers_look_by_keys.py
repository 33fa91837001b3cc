from django.db import migrations

from evalsite import triggers


class Migration(migrations.Migration):
    dependencies = [("cases", "0004_life_of_a_release")]

    operations = [triggers.DROP, triggers.INSTALL]
