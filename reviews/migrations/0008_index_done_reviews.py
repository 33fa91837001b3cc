from django.conf import settings
from django.db import migrations, models

from evalsite import triggers


class Migration(migrations.Migration):
    """What was done last, and what stands in open releases, without reading all that was ever done."""

    dependencies = [
        ("cases", "0004_life_of_a_release"),
        ("reviews", "0007_remember_mirror_looks"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        triggers.DROP,
        migrations.AddIndex(
            model_name="review",
            index=models.Index(
                fields=["reviewer", "status", "submitted_at", "id"], name="review_done"
            ),
        ),
        migrations.AddIndex(
            model_name="review",
            index=models.Index(
                fields=["reviewer", "release", "status"], name="review_in_release"
            ),
        ),
        triggers.INSTALL,
    ]
