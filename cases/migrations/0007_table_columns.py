from django.db import migrations, models

from evalsite import triggers


class Migration(migrations.Migration):

    dependencies = [
        ('cases', '0001_squashed_0006'),
    ]

    operations = [
        triggers.DROP,
        migrations.AddField(
            model_name='batch',
            name='columns',
            field=models.JSONField(blank=True, default=dict, help_text="Which fields a table's columns filled.", verbose_name='columns'),
        ),
        migrations.AddField(
            model_name='upload',
            name='columns',
            field=models.JSONField(blank=True, default=dict, verbose_name='columns'),
        ),
        triggers.INSTALL,
    ]
