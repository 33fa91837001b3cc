"""My questions marks the answers that who asked has not seen yet."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reviews", "0007_reminders")]

    operations = [
        migrations.AddField(
            model_name="question",
            name="answer_read_at",
            field=models.DateTimeField(blank=True, null=True, verbose_name="answer read at"),
        ),
    ]
