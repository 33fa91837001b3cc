from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reviews", "0005_assignments_questions_rulings")]

    operations = [
        migrations.AddField(
            model_name="reviewer",
            name="last_digest_date",
            field=models.DateField(blank=True, null=True, verbose_name="last daily mail"),
        ),
    ]
