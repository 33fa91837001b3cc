"""A review counts the seconds in which its page was visible and used."""

from django.db import migrations, models

from evalsite import triggers


class Migration(migrations.Migration):
    dependencies = [("reviews", "0010_superseded_rulings")]

    operations = [
        triggers.DROP,
        migrations.AddField(
            model_name="review",
            name="active_seconds",
            field=models.PositiveIntegerField(default=0, verbose_name="seconds of work"),
        ),
        migrations.AddConstraint(
            model_name="review",
            constraint=models.CheckConstraint(
                condition=models.Q(active_seconds__lte=28800),
                name="a_review_takes_at_most_a_working_day",
            ),
        ),
        triggers.INSTALL,
    ]
