"""Rules of a product, and the cases that they hit."""

import django.db.models.deletion
from django.db import migrations, models

from evalsite import triggers


class Migration(migrations.Migration):

    dependencies = [
        ('cases', '0008_ledgers'),
    ]

    operations = [
        triggers.DROP,
        migrations.CreateModel(
            name='Rule',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('product', models.CharField(max_length=200, verbose_name='product')),
                ('key', models.CharField(max_length=100, verbose_name='key')),
                ('version', models.PositiveIntegerField(verbose_name='version')),
                ('definition', models.JSONField(verbose_name='definition')),
                ('digest', models.CharField(max_length=64, verbose_name='digest')),
                ('reason', models.TextField(blank=True, verbose_name='reason')),
                ('proposed_at', models.DateTimeField(verbose_name='proposed at')),
                ('by', models.CharField(blank=True, help_text='Empty: the command line.', max_length=150, verbose_name='by')),
                ('state', models.CharField(choices=[('proposed', 'proposed'), ('shadow', 'shadow'), ('adopted', 'adopted'), ('retired', 'retired')], default='proposed', max_length=10, verbose_name='state')),
                ('counted_at', models.DateTimeField(blank=True, null=True, verbose_name='hits counted at')),
                ('rubric', models.ForeignKey(help_text='The version with the question that the rule serves.', on_delete=django.db.models.deletion.PROTECT, related_name='+', to='cases.rubric', verbose_name='rubric')),
            ],
            options={
                'verbose_name': 'rule',
                'verbose_name_plural': 'rules',
            },
        ),
        migrations.CreateModel(
            name='RuleHit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('hits', models.TextField(verbose_name='hits')),
                ('case', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rule_hits', to='cases.case', verbose_name='case')),
                ('rule', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='hits', to='cases.rule', verbose_name='rule')),
            ],
            options={
                'verbose_name': 'hit of a rule',
                'verbose_name_plural': 'hits of rules',
            },
        ),
        migrations.AddConstraint(
            model_name='rule',
            constraint=models.UniqueConstraint(fields=('product', 'key', 'version'), name='rule_version_is_unique'),
        ),
        migrations.AddConstraint(
            model_name='rule',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['proposed', 'shadow', 'adopted', 'retired'])), name='rule_state_is_known'),
        ),
        migrations.AddConstraint(
            model_name='rule',
            constraint=models.CheckConstraint(condition=models.Q(('version__gte', 1)), name='rule_version_from_1'),
        ),
        migrations.AddConstraint(
            model_name='rule',
            constraint=models.CheckConstraint(condition=models.Q(('product', ''), _negated=True), name='a_rule_belongs_to_a_product'),
        ),
        migrations.AddConstraint(
            model_name='rulehit',
            constraint=models.UniqueConstraint(fields=('rule', 'case'), name='one_row_per_rule_and_case'),
        ),
        triggers.INSTALL,
    ]
