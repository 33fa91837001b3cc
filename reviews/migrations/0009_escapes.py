"""What reviewers found in cases that had passed the automated checks."""

import django.db.models.deletion
from django.db import migrations, models

from evalsite import triggers


class Migration(migrations.Migration):

    dependencies = [
        ('cases', '0008_ledgers'),
        ('reviews', '0008_questions_know_when_their_answer_was_read'),
    ]

    operations = [
        triggers.DROP,
        migrations.CreateModel(
            name='Escape',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('product', models.CharField(blank=True, max_length=200, verbose_name='product')),
                ('about', models.CharField(choices=[('metric', 'metric'), ('question', 'question'), ('flag', 'flag')], max_length=8, verbose_name='about')),
                ('key', models.CharField(max_length=208, verbose_name='metric, question or flag')),
                ('wording', models.CharField(blank=True, max_length=16, verbose_name='digest of its text')),
                ('case_key', models.CharField(max_length=200, verbose_name='case key')),
                ('state', models.CharField(choices=[('open', 'open'), ('rule', 'became a rule'), ('fixed', 'fixed'), ('accepted', 'accepted')], default='open', max_length=8, verbose_name='state')),
                ('rule', models.CharField(blank=True, max_length=100, verbose_name='rule')),
                ('event', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='cases.ledgerevent', verbose_name='event')),
            ],
            options={
                'verbose_name': 'escape',
                'verbose_name_plural': 'escapes',
            },
        ),
        migrations.CreateModel(
            name='Sighting',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('since', models.DateTimeField(verbose_name='since')),
                ('is_counted', models.BooleanField(default=True, verbose_name='counted')),
                ('case', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sightings', to='cases.case', verbose_name='case')),
                ('closing', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sightings', to='reviews.closing', verbose_name='closing')),
                ('escape', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sightings', to='reviews.escape', verbose_name='escape')),
            ],
            options={
                'verbose_name': 'finding at a closing',
                'verbose_name_plural': 'findings at closings',
            },
        ),
        migrations.AddConstraint(
            model_name='escape',
            constraint=models.UniqueConstraint(fields=('product', 'case_key', 'about', 'key', 'wording'), name='one_escape_per_finding'),
        ),
        migrations.AddConstraint(
            model_name='escape',
            constraint=models.CheckConstraint(condition=models.Q(('about__in', ['metric', 'question', 'flag']), ('state__in', ['open', 'rule', 'fixed', 'accepted'])), name='escape_is_known'),
        ),
        migrations.AddConstraint(
            model_name='escape',
            constraint=models.CheckConstraint(condition=models.Q(('state', 'open'), ('event__isnull', False), _connector='OR'), name='an_escape_is_moved_by_an_event'),
        ),
        migrations.AddConstraint(
            model_name='escape',
            constraint=models.CheckConstraint(condition=models.Q(('rule', ''), ('state', 'rule'), _connector='OR'), name='an_escape_names_a_rule_only_as_one'),
        ),
        migrations.AddConstraint(
            model_name='sighting',
            constraint=models.UniqueConstraint(fields=('escape', 'closing'), name='one_sighting_per_escape_and_closing'),
        ),
        triggers.INSTALL,
    ]
