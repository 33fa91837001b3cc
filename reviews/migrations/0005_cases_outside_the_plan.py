"""A case chosen by hand after the start is outside the plan; those of earlier releases are in it."""

from django.db import migrations, models

from evalsite import triggers


class Migration(migrations.Migration):
    dependencies = [("reviews", "0004_draws_store_what_they_accept")]

    operations = [
        triggers.DROP,
        migrations.AddField(
            model_name="sampledcase",
            name="is_outside",
            field=models.BooleanField(default=False, verbose_name="outside the plan"),
        ),
        migrations.AddConstraint(
            model_name="sampledcase",
            constraint=models.CheckConstraint(
                condition=models.Q(("is_outside", False), ("origin", "hand"), _connector="OR"),
                name="only_a_case_chosen_by_hand_is_outside_the_plan",
            ),
        ),
        triggers.INSTALL,
    ]
