"""A case may be settled together by its own reviewers, named in its adjudication."""

from django.db import migrations, models

from evalsite import triggers


class Migration(migrations.Migration):
    dependencies = [("reviews", "0002_squashed_groups")]
    operations = [
        triggers.DROP,
        migrations.AddField(
            model_name="adjudication",
            name="together",
            field=models.JSONField(blank=True, default=list, verbose_name="settled together by"),
        ),
        triggers.INSTALL,
    ]
