"""Two plans for one request, read side by side: the rows of pairings."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from evalsite import triggers


class Migration(migrations.Migration):
    dependencies = [
        ("cases", "0009_rules"),
        ("reviews", "0012_notices"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        triggers.DROP,
        migrations.CreateModel(
            name="Pairing",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("is_new_left", models.BooleanField(verbose_name="the new plan is on the left")),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("assigned", "assigned"),
                            ("draft", "begun"),
                            ("submitted", "submitted"),
                            ("declined", "declined"),
                            ("withdrawn", "withdrawn"),
                        ],
                        default="assigned",
                        max_length=10,
                        verbose_name="status",
                    ),
                ),
                (
                    "version",
                    models.PositiveIntegerField(
                        default=0, help_text="Goes up with every save.", verbose_name="version"
                    ),
                ),
                ("draft", models.JSONField(blank=True, default=dict, verbose_name="draft")),
                (
                    "newer",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("no", "no"),
                            ("left", "the left one"),
                            ("right", "the right one"),
                        ],
                        max_length=5,
                        verbose_name="recognised as newer",
                    ),
                ),
                ("assigned_at", models.DateTimeField(verbose_name="assigned at")),
                ("saved_at", models.DateTimeField(blank=True, null=True, verbose_name="saved at")),
                (
                    "submitted_at",
                    models.DateTimeField(blank=True, null=True, verbose_name="submitted at"),
                ),
                (
                    "place",
                    models.PositiveIntegerField(default=0, verbose_name="place in the queue"),
                ),
                (
                    "decline_reason",
                    models.TextField(blank=True, verbose_name="why it was declined"),
                ),
                (
                    "case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="pairings",
                        to="cases.case",
                        verbose_name="case",
                    ),
                ),
                (
                    "old_case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="cases.case",
                        verbose_name="case of the baseline",
                    ),
                ),
                (
                    "reader",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="pairings",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="reader",
                    ),
                ),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="pairings",
                        to="cases.release",
                        verbose_name="release",
                    ),
                ),
            ],
            options={
                "verbose_name": "pairing",
                "verbose_name_plural": "pairings",
            },
        ),
        migrations.CreateModel(
            name="PairAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("item", models.CharField(max_length=208, verbose_name="metric or question")),
                ("step", models.SmallIntegerField(blank=True, null=True, verbose_name="step")),
                (
                    "side",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("left", "left"),
                            ("right", "right"),
                            ("both", "both"),
                            ("neither", "neither"),
                        ],
                        max_length=7,
                        verbose_name="side",
                    ),
                ),
                ("why", models.TextField(blank=True, verbose_name="why")),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="cases.release",
                        verbose_name="release",
                    ),
                ),
                (
                    "pairing",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="answers",
                        to="reviews.pairing",
                        verbose_name="pairing",
                    ),
                ),
            ],
            options={
                "verbose_name": "answer of a pairing",
                "verbose_name_plural": "answers of pairings",
            },
        ),
        migrations.CreateModel(
            name="PairRevision",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("version", models.PositiveIntegerField(verbose_name="version")),
                ("content", models.JSONField(verbose_name="what it said")),
                ("submitted_at", models.DateTimeField(verbose_name="submitted at")),
                ("replaced_at", models.DateTimeField(verbose_name="replaced at")),
                (
                    "pairing",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="revisions",
                        to="reviews.pairing",
                        verbose_name="pairing",
                    ),
                ),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="cases.release",
                        verbose_name="release",
                    ),
                ),
            ],
            options={
                "verbose_name": "revision of a pairing",
                "verbose_name_plural": "revisions of pairings",
            },
        ),
        migrations.CreateModel(
            name="PairSubmission",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=200, verbose_name="idempotency key")),
                ("body_digest", models.CharField(max_length=64, verbose_name="digest of the body")),
                (
                    "version",
                    models.PositiveIntegerField(
                        help_text="What was answered.", verbose_name="version"
                    ),
                ),
                ("submitted_at", models.DateTimeField(verbose_name="submitted at")),
                (
                    "pairing",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="submissions",
                        to="reviews.pairing",
                        verbose_name="pairing",
                    ),
                ),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="cases.release",
                        verbose_name="release",
                    ),
                ),
            ],
            options={
                "verbose_name": "submission of a pairing",
                "verbose_name_plural": "submissions of pairings",
            },
        ),
        migrations.AddIndex(
            model_name="pairing",
            index=models.Index(fields=["release", "status", "case"], name="pairing_by_status"),
        ),
        migrations.AddIndex(
            model_name="pairing",
            index=models.Index(fields=["reader", "release", "status"], name="pairing_by_work"),
        ),
        migrations.AddConstraint(
            model_name="pairing",
            constraint=models.UniqueConstraint(
                fields=("case", "reader"),
                name="one_pairing_per_case_and_reader",
                violation_error_message="This person has this pair already.",
            ),
        ),
        migrations.AddConstraint(
            model_name="pairing",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("status__in", ["assigned", "draft", "submitted", "declined", "withdrawn"])
                ),
                name="pairing_status_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="pairing",
            constraint=models.CheckConstraint(
                condition=models.Q(("case", models.F("old_case")), _negated=True),
                name="a_pairing_has_two_cases",
            ),
        ),
        migrations.AddConstraint(
            model_name="pairing",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("status", "submitted"), _negated=True),
                    models.Q(
                        ("newer__in", ["no", "left", "right"]), ("submitted_at__isnull", False)
                    ),
                    _connector="OR",
                ),
                name="a_submitted_pairing_has_its_moment",
            ),
        ),
        migrations.AddConstraint(
            model_name="pairing",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("status", "declined"), _negated=True),
                    models.Q(("decline_reason", ""), _negated=True),
                    _connector="OR",
                ),
                name="a_declined_pairing_says_why",
                violation_error_message="Say why.",
            ),
        ),
        migrations.AddIndex(
            model_name="pairanswer",
            index=models.Index(fields=["release", "item"], name="pair_answer_by_release"),
        ),
        migrations.AddConstraint(
            model_name="pairanswer",
            constraint=models.UniqueConstraint(
                fields=("pairing", "item"), name="one_pair_answer_per_item"
            ),
        ),
        migrations.AddConstraint(
            model_name="pairanswer",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("side", ""), ("step__gte", -3), ("step__lte", 3)),
                    models.Q(
                        ("side__in", ["left", "right", "both", "neither"]),
                        ("step", None),
                        ("why", ""),
                    ),
                    _connector="OR",
                ),
                name="a_pair_answer_is_a_step_or_a_side",
            ),
        ),
        migrations.AddConstraint(
            model_name="pairrevision",
            constraint=models.UniqueConstraint(
                fields=("pairing", "version"), name="one_pair_revision_per_version"
            ),
        ),
        migrations.AddConstraint(
            model_name="pairsubmission",
            constraint=models.UniqueConstraint(
                fields=("pairing", "key"), name="one_pair_submission_per_key"
            ),
        ),
        triggers.INSTALL,
    ]
