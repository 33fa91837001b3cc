"""Decisions and whole closings are kept, rows name the release of their case, REPLACE is seen."""

from django.db import migrations

from evalsite import triggers


class Migration(migrations.Migration):
    dependencies = [("reviews", "0003_samples_reviews_outcomes")]
    operations = [triggers.DROP, triggers.INSTALL]
