from django.db import migrations

from evalsite import triggers


class Migration(migrations.Migration):
    dependencies = [("cases", "0001_initial")]
    operations = [triggers.INSTALL]
