"""How far a team's own command has got with notices."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('cases', '0009_rules'),
        ('reviews', '0011_minutes'),
    ]

    operations = [
        migrations.CreateModel(
            name='Subscription',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200, unique=True, verbose_name='name')),
                ('started_at', models.DateTimeField(verbose_name='started at')),
            ],
            options={
                'verbose_name': 'subscription to notices',
                'verbose_name_plural': 'subscriptions to notices',
            },
        ),
        migrations.CreateModel(
            name='NoticeCursor',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(verbose_name='event')),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='cases.release', verbose_name='release')),
                ('subscription', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='cursors', to='reviews.subscription', verbose_name='subscription to notices')),
            ],
            options={
                'verbose_name': 'cursor of notices',
                'verbose_name_plural': 'cursors of notices',
                'constraints': [models.UniqueConstraint(fields=('subscription', 'release'), name='one_cursor_per_subscription_and_release')],
            },
        ),
        migrations.CreateModel(
            name='Notice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=200, verbose_name='what')),
                ('sent_at', models.DateTimeField(verbose_name='sent at')),
                ('subscription', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notices', to='reviews.subscription', verbose_name='subscription to notices')),
            ],
            options={
                'verbose_name': 'notice',
                'verbose_name_plural': 'notices',
                'constraints': [models.UniqueConstraint(fields=('subscription', 'key'), name='one_notice_of_a_kind_per_subscription')],
            },
        ),
    ]
