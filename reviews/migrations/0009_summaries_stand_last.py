from django.db import migrations, models

from evalsite import triggers


class Migration(migrations.Migration):
    """SQLite reads through a column to reach those after it, and a summary can have megabytes."""

    dependencies = [("reviews", "0008_remember_mirror_looks")]

    operations = [
        triggers.DROP,
        migrations.AddField(
            model_name="closing",
            name="last",
            field=models.TextField(default="", verbose_name="summary, as JSON"),
            preserve_default=False,
        ),
        migrations.RunSQL(
            "UPDATE reviews_closing SET last = summary",
            "UPDATE reviews_closing SET summary = last",
        ),
        # Whoever goes back needs something in the column until it is filled.
        migrations.AlterField(
            model_name="closing",
            name="summary",
            field=models.TextField(default="", verbose_name="summary, as JSON"),
        ),
        migrations.RemoveField(model_name="closing", name="summary"),
        migrations.RenameField(model_name="closing", old_name="last", new_name="summary"),
        triggers.INSTALL,
    ]
