"""A ruling can be superseded by a later one, after which reviewers can look again."""

import django.db.models.deletion
from django.db import migrations, models

from evalsite import triggers


class Migration(migrations.Migration):
    dependencies = [
        ("cases", "0008_ledgers"),
        ("reviews", "0009_escapes"),
    ]

    operations = [
        triggers.DROP,
        migrations.AddField(
            model_name="review",
            name="rulings_read_to",
            field=models.DateTimeField(blank=True, null=True, verbose_name="rulings read up to"),
        ),
        migrations.AddField(
            model_name="ruling",
            name="look_again",
            field=models.BooleanField(default=False, verbose_name="reviewers look again"),
        ),
        migrations.AddField(
            model_name="ruling",
            name="number",
            field=models.PositiveSmallIntegerField(default=1, verbose_name="number"),
        ),
        migrations.AddField(
            model_name="ruling",
            name="supersedes",
            field=models.OneToOneField(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="successor",
                to="reviews.ruling",
                verbose_name="supersedes",
            ),
        ),
        migrations.AlterField(
            model_name="ruling",
            name="question",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="rulings",
                to="reviews.question",
                verbose_name="question",
            ),
        ),
        migrations.AddConstraint(
            model_name="ruling",
            constraint=models.UniqueConstraint(
                fields=("question", "number"), name="rulings_are_counted"
            ),
        ),
        migrations.AddConstraint(
            model_name="ruling",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("number", 1), ("supersedes", None)),
                    models.Q(("number__gt", 1), ("supersedes__isnull", False)),
                    _connector="OR",
                ),
                name="first_ruling_supersedes_none",
            ),
        ),
        triggers.INSTALL,
    ]
