"""An admin gives a case that cannot be judged back with an answer, which its reviewer reads."""

from django.db import migrations, models

from evalsite import triggers


class Migration(migrations.Migration):
    dependencies = [("reviews", "0005_cases_outside_the_plan")]

    operations = [
        triggers.DROP,
        migrations.AddField(
            model_name="review",
            name="given_back",
            field=models.TextField(blank=True, verbose_name="given back with"),
        ),
        migrations.AlterField(
            model_name="review",
            name="declined_for",
            field=models.CharField(
                blank=True,
                choices=[
                    ("broken", "case broken"),
                    ("language", "language"),
                    ("conflict", "conflict of interest"),
                    ("cannot-judge", "cannot judge it"),
                ],
                max_length=12,
                verbose_name="declined for",
            ),
        ),
        triggers.INSTALL,
    ]
