"""A draw stores which results of the automated checks it accepted; earlier ones took passed cases."""

import cases.releases.policy
from django.db import migrations, models

from evalsite import triggers


class Migration(migrations.Migration):
    dependencies = [("reviews", "0003_name_those_who_settled_together")]

    operations = [
        triggers.DROP,
        migrations.AddField(
            model_name="draw",
            name="accept",
            field=models.JSONField(
                default=cases.releases.policy.accept_passed,
                help_text="Results of the automated checks with which a case was in the pool.",
                verbose_name="accepted results",
            ),
        ),
        triggers.INSTALL,
    ]
