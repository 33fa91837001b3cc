"""Admins remind reviewers of open reviews, at most once a day."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ('reviews', '0006_cases_are_given_back_with_an_answer'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Reminder',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('by', models.CharField(blank=True, help_text='Empty: the command line.', max_length=150, verbose_name='by')),
                ('sent_at', models.DateTimeField(verbose_name='sent at')),
                ('sent_date', models.DateField(verbose_name='sent on')),
                ('is_mailed', models.BooleanField(default=False, verbose_name='by mail')),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reminders', to='cases.release', verbose_name='release')),
                ('reviewer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reminders', to=settings.AUTH_USER_MODEL, verbose_name='reviewer')),
            ],
            options={
                'verbose_name': 'reminder',
                'verbose_name_plural': 'reminders',
                'constraints': [models.UniqueConstraint(fields=('reviewer', 'sent_date'), name='one_reminder_a_day_per_person', violation_error_message='This person was reminded today already.')],
            },
        ),
    ]
