from django.conf import settings
from django.db import migrations, models

from evalsite import triggers


class Migration(migrations.Migration):
    dependencies = [
        ("cases", "0004_life_of_a_release"),
        ("reviews", "0006_remember_the_last_digest"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        triggers.DROP,
        migrations.AddIndex(
            model_name="review",
            index=models.Index(fields=["reviewer", "release", "status"], name="review_by_work"),
        ),
        migrations.AddIndex(
            model_name="review",
            index=models.Index(
                fields=["reviewer", "status", "submitted_at", "id"], name="review_by_moment"
            ),
        ),
        triggers.INSTALL,
    ]
