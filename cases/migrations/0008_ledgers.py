"""Ledgers of other things than releases, such as a product."""

import django.db.models.deletion
from django.db import migrations, models

from evalsite import triggers


class Migration(migrations.Migration):

    dependencies = [
        ('cases', '0007_table_columns'),
    ]

    operations = [
        triggers.DROP,
        migrations.CreateModel(
            name='Ledger',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ledger_length', models.PositiveIntegerField(default=0, verbose_name='events in the ledger')),
                ('ledger_head', models.CharField(blank=True, max_length=64, verbose_name='digest of the last event')),
                ('name', models.CharField(max_length=220, unique=True, verbose_name='name')),
            ],
            options={
                'verbose_name': 'ledger',
                'verbose_name_plural': 'ledgers',
            },
        ),
        migrations.CreateModel(
            name='LedgerEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(verbose_name='number')),
                ('at', models.DateTimeField(verbose_name='at')),
                ('by', models.CharField(blank=True, help_text='Empty: the command line.', max_length=150, verbose_name='by')),
                ('kind', models.CharField(max_length=40, verbose_name='what')),
                ('data', models.JSONField(verbose_name='details')),
                ('previous', models.CharField(blank=True, max_length=64, verbose_name='digest of the event before')),
                ('digest', models.CharField(max_length=64, verbose_name='digest')),
                ('ledger', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='events', to='cases.ledger', verbose_name='ledger')),
            ],
            options={
                'verbose_name': 'event of a ledger',
                'verbose_name_plural': 'events of ledgers',
                'ordering': ['ledger', 'number'],
                'constraints': [models.UniqueConstraint(fields=('ledger', 'number'), name='event_number_is_unique_in_its_ledger')],
            },
        ),
        triggers.INSTALL,
    ]
