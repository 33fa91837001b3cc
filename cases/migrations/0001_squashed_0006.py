"""Rubrics, releases and cases, and the triggers on their tables.

The columns are in the order in which databases of the time before the first release have them.
`replaces`: see evalsite/migrations/0001_squashed_0003.py.
"""

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from evalsite import triggers


class Migration(migrations.Migration):
    replaces = [
        ("cases", "0001_initial"),
        ("cases", "0002_rubrics_are_immutable"),
        ("cases", "0003_releases_and_cases"),
        ("cases", "0004_life_of_a_release"),
        ("cases", "0005_triggers_look_by_keys"),
        ("cases", "0006_triggers_hold_ways_around"),
    ]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Rubric",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "language",
                    models.CharField(
                        choices=[("en", "English"), ("zh-hans", "简体中文")],
                        max_length=10,
                        verbose_name="language",
                    ),
                ),
                (
                    "text",
                    models.TextField(
                        help_text="The document as it was written.", verbose_name="text"
                    ),
                ),
                (
                    "digest",
                    models.CharField(
                        help_text="SHA-256 over the canonical text.",
                        max_length=64,
                        verbose_name="digest",
                    ),
                ),
                ("data", models.JSONField(verbose_name="parsed document")),
                ("published_at", models.DateTimeField(verbose_name="published at")),
                ("number", models.PositiveIntegerField(unique=True, verbose_name="number")),
                (
                    "published_by",
                    models.ForeignKey(
                        blank=True,
                        help_text="Empty: published from the command line.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="published by",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("digest",),
                        name="rubric_text_is_published_once",
                        violation_error_message="This text is already published.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("number__gte", 1)), name="rubric_number_from_1"
                    ),
                ],
                "verbose_name": "rubric",
                "verbose_name_plural": "rubrics",
                "ordering": ["-number"],
            },
        ),
        migrations.CreateModel(
            name="RubricTranslation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "language",
                    models.CharField(
                        choices=[("en", "English"), ("zh-hans", "简体中文")],
                        max_length=10,
                        verbose_name="language",
                    ),
                ),
                (
                    "text",
                    models.TextField(
                        help_text="The document as it was written.", verbose_name="text"
                    ),
                ),
                (
                    "digest",
                    models.CharField(
                        help_text="SHA-256 over the canonical text.",
                        max_length=64,
                        verbose_name="digest",
                    ),
                ),
                ("data", models.JSONField(verbose_name="parsed document")),
                ("published_at", models.DateTimeField(verbose_name="published at")),
                (
                    "published_by",
                    models.ForeignKey(
                        blank=True,
                        help_text="Empty: published from the command line.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="published by",
                    ),
                ),
                (
                    "rubric",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="translations",
                        to="cases.rubric",
                        verbose_name="rubric",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("rubric", "language"),
                        name="one_translation_per_language",
                        violation_error_message="This version already has a text in that language.",
                    )
                ],
                "verbose_name": "rubric translation",
                "verbose_name_plural": "rubric translations",
            },
        ),
        migrations.CreateModel(
            name="Release",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        error_messages={"unique": "There is a release of this name already."},
                        help_text="Letters, digits and . _ @ + -, for example planner-2026.11.",
                        max_length=80,
                        unique=True,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[A-Za-z0-9][A-Za-z0-9._@+-]{0,79}\\Z",
                                "A release name has up to 80 letters, digits and . _ @ + - and starts with a letter or digit.",
                            )
                        ],
                        verbose_name="name",
                    ),
                ),
                (
                    "product",
                    models.CharField(
                        blank=True,
                        help_text="Comparison, trend and history stay within one product.",
                        max_length=200,
                        verbose_name="product",
                    ),
                ),
                (
                    "reviews_per_case",
                    models.PositiveSmallIntegerField(
                        default=2,
                        help_text="How many people score each case. With 1, agreement cannot be computed.",
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(20),
                        ],
                        verbose_name="reviews per case",
                    ),
                ),
                ("due_date", models.DateField(blank=True, null=True, verbose_name="due date")),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("draft", "draft"),
                            ("reviewing", "reviewing"),
                            ("closed", "closed"),
                        ],
                        default="draft",
                        max_length=10,
                        verbose_name="status",
                    ),
                ),
                ("created_at", models.DateTimeField(verbose_name="created at")),
                (
                    "ledger_length",
                    models.PositiveIntegerField(default=0, verbose_name="events in the ledger"),
                ),
                (
                    "ledger_head",
                    models.CharField(
                        blank=True, max_length=64, verbose_name="digest of the last event"
                    ),
                ),
                (
                    "baseline",
                    models.ForeignKey(
                        blank=True,
                        help_text="The release of the same product that this one is compared with.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="cases.release",
                        verbose_name="baseline",
                    ),
                ),
                (
                    "rubric",
                    models.ForeignKey(
                        help_text="The version that reviewers score by.",
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="releases",
                        to="cases.rubric",
                        verbose_name="rubric",
                    ),
                ),
                (
                    "archived_at",
                    models.DateTimeField(blank=True, null=True, verbose_name="archived at"),
                ),
                (
                    "policy",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="Empty: what cases/releases/policy.py says.",
                        verbose_name="gate policy",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["product", "created_at"], name="release_by_product")
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("status__in", ["draft", "reviewing", "closed"])),
                        name="release_status_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("reviews_per_case__gte", 1), ("reviews_per_case__lte", 20)
                        ),
                        name="release_has_1_to_20_reviews_per_case",
                        violation_error_message="A case needs 1 to 20 reviews.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("baseline", models.F("id")), _negated=True),
                        name="release_is_not_its_own_baseline",
                        violation_error_message="A release cannot be its own baseline.",
                    ),
                ],
                "verbose_name": "release",
                "verbose_name_plural": "releases",
            },
        ),
        migrations.CreateModel(
            name="Event",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField(verbose_name="number")),
                ("at", models.DateTimeField(verbose_name="at")),
                (
                    "by",
                    models.CharField(
                        blank=True,
                        help_text="Empty: the command line.",
                        max_length=150,
                        verbose_name="by",
                    ),
                ),
                ("kind", models.CharField(max_length=40, verbose_name="what")),
                ("data", models.JSONField(verbose_name="details")),
                (
                    "previous",
                    models.CharField(
                        blank=True, max_length=64, verbose_name="digest of the event before"
                    ),
                ),
                ("digest", models.CharField(max_length=64, verbose_name="digest")),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="events",
                        to="cases.release",
                        verbose_name="release",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("release", "number"), name="event_number_is_unique_in_its_release"
                    )
                ],
                "verbose_name": "event",
                "verbose_name_plural": "events",
                "ordering": ["release", "number"],
                "indexes": [
                    models.Index(fields=["release", "kind", "number"], name="event_by_kind")
                ],
            },
        ),
        migrations.CreateModel(
            name="Upload",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=200, verbose_name="name")),
                ("content", models.BinaryField(verbose_name="content, gzipped")),
                (
                    "report",
                    models.BinaryField(
                        blank=True, default=b"", verbose_name="check report, gzipped"
                    ),
                ),
                ("format", models.CharField(max_length=40, verbose_name="format")),
                ("key_from", models.CharField(blank=True, max_length=40, verbose_name="key from")),
                ("created_at", models.DateTimeField(verbose_name="uploaded at")),
                (
                    "created_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="uploaded by",
                    ),
                ),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="uploads",
                        to="cases.release",
                        verbose_name="release",
                    ),
                ),
            ],
            options={
                "verbose_name": "upload",
                "verbose_name_plural": "uploads",
            },
        ),
        migrations.CreateModel(
            name="Batch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField(verbose_name="number")),
                (
                    "source",
                    models.TextField(help_text="The names of the files.", verbose_name="source"),
                ),
                ("created_at", models.DateTimeField(verbose_name="imported at")),
                (
                    "by",
                    models.CharField(
                        blank=True,
                        help_text="Empty: the command line.",
                        max_length=150,
                        verbose_name="by",
                    ),
                ),
                (
                    "undone_at",
                    models.DateTimeField(blank=True, null=True, verbose_name="undone at"),
                ),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="batches",
                        to="cases.release",
                        verbose_name="release",
                    ),
                ),
            ],
            options={
                "verbose_name": "import",
                "verbose_name_plural": "imports",
                "ordering": ["release", "-number"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("release", "number"), name="batch_number_is_unique_in_its_release"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Case",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("case_key", models.CharField(max_length=200, verbose_name="case key")),
                (
                    "code",
                    models.CharField(
                        help_text="What reviewers know the case by.",
                        max_length=8,
                        unique=True,
                        verbose_name="code",
                    ),
                ),
                ("data", models.TextField(verbose_name="content")),
                ("digest", models.CharField(max_length=64, verbose_name="digest")),
                (
                    "check_status",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("PASS", "passed"),
                            ("WARN", "warnings"),
                            ("FAIL", "failed"),
                            ("", "not checked"),
                        ],
                        max_length=4,
                        verbose_name="automated checks",
                    ),
                ),
                ("has_plan", models.BooleanField(verbose_name="has a plan")),
                (
                    "plan_status",
                    models.CharField(blank=True, max_length=10, verbose_name="plan status"),
                ),
                ("locale", models.CharField(blank=True, max_length=35, verbose_name="locale")),
                ("days", models.PositiveIntegerField(verbose_name="days planned")),
                ("opening", models.CharField(max_length=2000, verbose_name="request begins")),
                ("produced_by", models.JSONField(default=list, verbose_name="produced by")),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="cases",
                        to="cases.batch",
                        verbose_name="import",
                    ),
                ),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="cases",
                        to="cases.release",
                        verbose_name="release",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["case_key"], name="case_by_key"),
                    models.Index(fields=["release", "days", "case_key"], name="case_by_days"),
                    models.Index(
                        fields=["release", "check_status", "has_plan", "case_key", "digest"],
                        name="case_by_check",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("release", "case_key"),
                        name="case_key_is_unique_in_its_release",
                        violation_error_message="The release has a case with this key already.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("check_status__in", ["PASS", "WARN", "FAIL", ""])),
                        name="case_check_status_is_known",
                    ),
                ],
                "verbose_name": "case",
                "verbose_name_plural": "cases",
            },
        ),
        migrations.CreateModel(
            name="Replaced",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("row", models.JSONField(verbose_name="the case as it was")),
                ("tags", models.JSONField(verbose_name="its tags as they were")),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="replaced",
                        to="cases.batch",
                        verbose_name="import",
                    ),
                ),
                (
                    "case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        to="cases.case",
                        verbose_name="case",
                    ),
                ),
                (
                    "prior_batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="cases.batch",
                        verbose_name="came with",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("batch", "case"), name="a_batch_replaces_a_case_once"
                    )
                ],
                "verbose_name": "replaced case",
                "verbose_name_plural": "replaced cases",
            },
        ),
        migrations.CreateModel(
            name="CaseTag",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("tag", models.CharField(max_length=80, verbose_name="tag")),
                (
                    "origin",
                    models.CharField(
                        choices=[
                            ("declared", "declared in the file"),
                            ("detected", "detected"),
                            ("admin", "set by an admin"),
                        ],
                        max_length=10,
                        verbose_name="origin",
                    ),
                ),
                (
                    "strength",
                    models.CharField(
                        choices=[("strong", "strong"), ("weak", "weak")],
                        max_length=6,
                        verbose_name="strength",
                    ),
                ),
                ("removed", models.BooleanField(default=False, verbose_name="removed")),
                ("reason", models.TextField(blank=True, verbose_name="reason")),
                ("wording", models.JSONField(blank=True, default=dict, verbose_name="wording")),
                (
                    "case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tags",
                        to="cases.case",
                        verbose_name="case",
                    ),
                ),
            ],
            options={
                "verbose_name": "tag",
                "verbose_name_plural": "tags",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("case", "tag", "origin"), name="one_word_on_a_tag_per_origin"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("origin", "admin"), ("removed", False), _connector="OR"
                        ),
                        name="only_an_admin_removes_a_tag",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("origin", "admin"), _negated=True),
                            models.Q(("reason", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="an_admin_gives_a_reason_for_a_tag",
                        violation_error_message="Say why.",
                    ),
                ],
                "indexes": [
                    models.Index(
                        condition=models.Q(("removed", True)),
                        fields=["case", "tag"],
                        name="tag_that_was_removed",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Exclusion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("reason", models.TextField(verbose_name="reason")),
                ("excluded_at", models.DateTimeField(verbose_name="excluded at")),
                (
                    "by",
                    models.CharField(
                        blank=True,
                        help_text="Empty: the command line.",
                        max_length=150,
                        verbose_name="by",
                    ),
                ),
                (
                    "case",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="exclusion",
                        to="cases.case",
                        verbose_name="case",
                    ),
                ),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="exclusions",
                        to="cases.release",
                        verbose_name="release",
                    ),
                ),
            ],
            options={
                "verbose_name": "exclusion",
                "verbose_name_plural": "exclusions",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True),
                        name="an_exclusion_has_a_reason",
                        violation_error_message="Say why.",
                    )
                ],
            },
        ),
        triggers.INSTALL,
    ]
