"""People, samples, reviews and what came of them, and the triggers on all tables of both apps.

The columns are in the order in which databases of the time before the first release have them. Of a
closing the summary is last: SQLite reads through a column to reach those after it, and a summary
can have megabytes. `replaces`: see evalsite/migrations/0001_squashed_0003.py.
"""

import django.db.models.deletion
import reviews.models.people
from django.conf import settings
from django.db import migrations, models

from evalsite import triggers


class Migration(migrations.Migration):
    replaces = [
        ("reviews", "0001_initial"),
        ("reviews", "0003_samples_reviews_outcomes"),
        ("reviews", "0004_triggers_hold_more"),
        ("reviews", "0005_assignments_questions_rulings"),
        ("reviews", "0006_remember_the_last_digest"),
        ("reviews", "0007_find_work_among_years_of_it"),
        ("reviews", "0008_remember_mirror_looks"),
        ("reviews", "0009_summaries_stand_last"),
    ]

    initial = True

    dependencies = [
        ("cases", "0001_squashed_0006"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        triggers.DROP,
        migrations.CreateModel(
            name="Reviewer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "capacity",
                    models.PositiveSmallIntegerField(
                        default=20,
                        help_text="Most unsubmitted reviews at one time. 0 means: assign nothing.",
                        verbose_name="capacity",
                    ),
                ),
                (
                    "languages",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="Requests and plans in other languages are not assigned.",
                        validators=[reviews.models.people.check_case_languages],
                        verbose_name="languages read",
                    ),
                ),
                (
                    "interface_language",
                    models.CharField(
                        blank=True,
                        choices=[("en", "English"), ("zh-hans", "简体中文")],
                        max_length=10,
                        verbose_name="interface language",
                    ),
                ),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="person",
                    ),
                ),
                (
                    "last_digest_date",
                    models.DateField(blank=True, null=True, verbose_name="last daily mail"),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("capacity__lte", 500)),
                        name="capacity_at_most_500",
                        violation_error_message="Capacity can be at most 500.",
                    )
                ],
                "verbose_name": "reviewer",
                "verbose_name_plural": "reviewers",
            },
        ),
        migrations.CreateModel(
            name="Absence",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("first_date", models.DateField(verbose_name="first day away")),
                ("last_date", models.DateField(verbose_name="last day away")),
                (
                    "reviewer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="absences",
                        to="reviews.reviewer",
                        verbose_name="person",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("last_date__gte", models.F("first_date"))),
                        name="absence_ends_after_it_begins",
                        violation_error_message="The last day away lies before the first.",
                    ),
                    models.UniqueConstraint(
                        fields=("reviewer", "first_date", "last_date"),
                        name="absence_is_stated_once",
                        violation_error_message="These days are in your list already.",
                    ),
                ],
                "verbose_name": "absence",
                "verbose_name_plural": "absences",
                "ordering": ["first_date", "last_date", "pk"],
            },
        ),
        migrations.CreateModel(
            name="Closing",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField(verbose_name="number")),
                ("closed_at", models.DateTimeField(verbose_name="closed at")),
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
                    "closed_from",
                    models.CharField(
                        choices=[
                            ("draft", "draft"),
                            ("reviewing", "reviewing"),
                            ("closed", "closed"),
                        ],
                        max_length=10,
                        verbose_name="status before",
                    ),
                ),
                ("is_abandoned", models.BooleanField(default=False, verbose_name="abandoned")),
                ("reason", models.TextField(blank=True, verbose_name="reason")),
                ("digest", models.CharField(max_length=64, verbose_name="digest of the summary")),
                ("headline", models.JSONField(blank=True, default=dict, verbose_name="headline")),
                ("event", models.PositiveIntegerField(verbose_name="event")),
                (
                    "head",
                    models.CharField(max_length=64, verbose_name="digest of the closing event"),
                ),
                (
                    "reopened_at",
                    models.DateTimeField(blank=True, null=True, verbose_name="reopened at"),
                ),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="closings",
                        to="cases.release",
                        verbose_name="release",
                    ),
                ),
                ("summary", models.TextField(verbose_name="summary, as JSON")),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("release", "number"), name="closing_number_is_unique_in_its_release"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("reopened_at", None)),
                        fields=("release",),
                        name="one_standing_closing_per_release",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("is_abandoned", False),
                            models.Q(("reason", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="an_abandoned_release_has_a_reason",
                        violation_error_message="Say why.",
                    ),
                ],
                "verbose_name": "closing",
                "verbose_name_plural": "closings",
                "ordering": ["release", "number"],
            },
        ),
        migrations.CreateModel(
            name="Decision",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "decision",
                    models.CharField(
                        choices=[("ship", "ship"), ("do-not-ship", "do not ship")],
                        max_length=12,
                        verbose_name="decision",
                    ),
                ),
                ("reason", models.TextField(verbose_name="reason")),
                (
                    "by",
                    models.CharField(
                        blank=True,
                        help_text="Empty: the command line.",
                        max_length=150,
                        verbose_name="by",
                    ),
                ),
                ("decided_at", models.DateTimeField(verbose_name="decided at")),
                (
                    "voided_at",
                    models.DateTimeField(blank=True, null=True, verbose_name="voided at"),
                ),
                (
                    "closing",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="decisions",
                        to="reviews.closing",
                        verbose_name="closing",
                    ),
                ),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="decisions",
                        to="cases.release",
                        verbose_name="release",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("decision__in", ["ship", "do-not-ship"])),
                        name="decision_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True),
                        name="a_decision_has_a_reason",
                        violation_error_message="Say why.",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("voided_at", None)),
                        fields=("release",),
                        name="one_standing_decision_per_release",
                        violation_error_message="This release is signed already.",
                    ),
                ],
                "verbose_name": "decision",
                "verbose_name_plural": "decisions",
            },
        ),
        migrations.CreateModel(
            name="Draw",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField(verbose_name="number")),
                (
                    "size",
                    models.PositiveIntegerField(
                        help_text="How many cases were wished for.", verbose_name="size"
                    ),
                ),
                ("drawn_at", models.DateTimeField(verbose_name="drawn at")),
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
                    "rubric_digest",
                    models.CharField(max_length=64, verbose_name="digest of the rubric"),
                ),
                (
                    "kinds",
                    models.JSONField(
                        help_text="Each kind that was filled, and its tags.", verbose_name="kinds"
                    ),
                ),
                ("waived", models.JSONField(blank=True, default=list, verbose_name="waived kinds")),
                ("fitting", models.JSONField(verbose_name="cases that fit each kind")),
                ("pool_size", models.PositiveIntegerField(verbose_name="cases in the pool")),
                ("pool_digest", models.CharField(max_length=64, verbose_name="digest of the pool")),
                (
                    "changes",
                    models.JSONField(
                        default=dict,
                        help_text="Since the draw before.",
                        verbose_name="what changed in the pool",
                    ),
                ),
                ("record", models.BinaryField(verbose_name="pool and order, packed")),
                ("event", models.PositiveIntegerField(verbose_name="event")),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="draws",
                        to="cases.release",
                        verbose_name="release",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("release", "number"), name="draw_number_is_unique_in_its_release"
                    )
                ],
                "verbose_name": "draw",
                "verbose_name_plural": "draws",
                "ordering": ["release", "number"],
            },
        ),
        migrations.CreateModel(
            name="LastLook",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("looked_at", models.DateTimeField(verbose_name="looked at")),
                ("seen", models.PositiveIntegerField(verbose_name="events seen")),
                (
                    "seen_before",
                    models.PositiveIntegerField(verbose_name="events seen on the visit before"),
                ),
                ("before_at", models.DateTimeField(null=True, verbose_name="visit before")),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        to="cases.release",
                        verbose_name="release",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="person",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("user", "release"), name="one_last_look_a_release"
                    )
                ],
                "verbose_name": "last look",
                "verbose_name_plural": "last looks",
            },
        ),
        migrations.CreateModel(
            name="Review",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
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
                ("comment", models.TextField(blank=True, verbose_name="overall comment")),
                ("assigned_at", models.DateTimeField(verbose_name="assigned at")),
                ("saved_at", models.DateTimeField(blank=True, null=True, verbose_name="saved at")),
                (
                    "submitted_at",
                    models.DateTimeField(blank=True, null=True, verbose_name="submitted at"),
                ),
                (
                    "case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reviews",
                        to="cases.case",
                        verbose_name="case",
                    ),
                ),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reviews",
                        to="cases.release",
                        verbose_name="release",
                    ),
                ),
                (
                    "reviewer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reviews",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="reviewer",
                    ),
                ),
                ("asked", models.JSONField(blank=True, default=dict, verbose_name="asked about")),
                (
                    "decline_reason",
                    models.TextField(blank=True, verbose_name="why it was declined"),
                ),
                (
                    "declined_for",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("conflict", "conflict of interest"),
                            ("language", "language"),
                            ("cannot-judge", "cannot judge it"),
                            ("broken", "case broken"),
                        ],
                        max_length=12,
                        verbose_name="declined for",
                    ),
                ),
                (
                    "place",
                    models.PositiveIntegerField(default=0, verbose_name="place in the queue"),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["release", "status", "case"], name="review_by_status"),
                    models.Index(fields=["reviewer", "status", "place"], name="review_by_reviewer"),
                    models.Index(fields=["reviewer", "release", "status"], name="review_by_work"),
                    models.Index(
                        fields=["reviewer", "status", "submitted_at", "id"], name="review_by_moment"
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("case", "reviewer"),
                        name="one_review_per_case_and_reviewer",
                        violation_error_message="This person has this case already.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "status__in",
                                ["assigned", "draft", "submitted", "declined", "withdrawn"],
                            )
                        ),
                        name="review_status_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("status", "submitted"), _negated=True),
                            ("submitted_at__isnull", False),
                            _connector="OR",
                        ),
                        name="a_submitted_review_has_its_moment",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("status", "declined"), _negated=True),
                            models.Q(("declined_for", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="a_declined_review_says_what_for",
                        violation_error_message="Say why.",
                    ),
                ],
                "verbose_name": "review",
                "verbose_name_plural": "reviews",
            },
        ),
        migrations.CreateModel(
            name="Flag",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("harmful", "harmful content"), ("broken", "case broken")],
                        max_length=10,
                        verbose_name="what",
                    ),
                ),
                (
                    "outcome",
                    models.CharField(
                        choices=[
                            ("open", "not judged yet"),
                            ("confirmed", "confirmed"),
                            ("rejected", "rejected"),
                        ],
                        default="open",
                        max_length=10,
                        verbose_name="outcome",
                    ),
                ),
                ("reason", models.TextField(blank=True, verbose_name="reason")),
                (
                    "judged_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="judged by",
                    ),
                ),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="flags",
                        to="cases.release",
                        verbose_name="release",
                    ),
                ),
                (
                    "review",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="flags",
                        to="reviews.review",
                        verbose_name="review",
                    ),
                ),
                (
                    "judged_at",
                    models.DateTimeField(blank=True, null=True, verbose_name="judged at"),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("review", "kind"), name="one_flag_of_a_kind"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("kind__in", ["harmful", "broken"]),
                            ("outcome__in", ["open", "confirmed", "rejected"]),
                        ),
                        name="flag_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("judged_at", None),
                                ("judged_by", None),
                                ("outcome", "open"),
                                ("reason", ""),
                            ),
                            models.Q(
                                ("judged_by__isnull", False),
                                ("outcome__in", ["confirmed", "rejected"]),
                                ("judged_at__isnull", False),
                                models.Q(("reason", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="a_judged_flag_says_by_whom_and_why",
                        violation_error_message="Say why.",
                    ),
                ],
                "verbose_name": "flag",
                "verbose_name_plural": "flags",
            },
        ),
        migrations.CreateModel(
            name="ChecklistAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("item", models.CharField(max_length=208, verbose_name="question")),
                (
                    "answer",
                    models.CharField(
                        choices=[("yes", "yes"), ("no", "no"), ("na", "not applicable")],
                        max_length=3,
                        verbose_name="answer",
                    ),
                ),
                ("note", models.TextField(blank=True, verbose_name="note")),
                ("evidence", models.JSONField(blank=True, default=list, verbose_name="evidence")),
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
                    "review",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="answers",
                        to="reviews.review",
                        verbose_name="review",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["release", "item", "answer"], name="answer_by_release")
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("review", "item"), name="one_answer_per_question"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("answer__in", ["yes", "no", "na"])),
                        name="checklist_answer_is_known",
                    ),
                ],
                "verbose_name": "answer",
                "verbose_name_plural": "answers",
            },
        ),
        migrations.CreateModel(
            name="Revision",
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
                ("reason", models.TextField(blank=True, verbose_name="why it was revised")),
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
                    "review",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="revisions",
                        to="reviews.review",
                        verbose_name="review",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("review", "version"), name="one_revision_per_version"
                    )
                ],
                "verbose_name": "revision",
                "verbose_name_plural": "revisions",
            },
        ),
        migrations.CreateModel(
            name="SampledCase",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(blank=True, max_length=200, verbose_name="kind")),
                (
                    "origin",
                    models.CharField(
                        choices=[("drawn", "drawn"), ("next", "next in line"), ("hand", "by hand")],
                        max_length=5,
                        verbose_name="origin",
                    ),
                ),
                (
                    "place",
                    models.PositiveIntegerField(
                        help_text="Empty: the case came after the draw.",
                        null=True,
                        verbose_name="place in the draw",
                    ),
                ),
                ("reason", models.TextField(blank=True, verbose_name="reason")),
                ("added_at", models.DateTimeField(verbose_name="added at")),
                (
                    "withdrawn_at",
                    models.DateTimeField(blank=True, null=True, verbose_name="withdrawn at"),
                ),
                (
                    "cause",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("broken", "broken"),
                            ("wrong-data", "wrong data"),
                            ("duplicate", "duplicate"),
                            ("swapped", "swapped by hand"),
                        ],
                        max_length=10,
                        verbose_name="cause",
                    ),
                ),
                (
                    "withdrawal_reason",
                    models.TextField(blank=True, verbose_name="reason of the withdrawal"),
                ),
                (
                    "case",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sampled",
                        to="cases.case",
                        verbose_name="case",
                    ),
                ),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="sample",
                        to="cases.release",
                        verbose_name="release",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["release", "withdrawn_at", "kind"], name="sample_by_kind")
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("origin__in", ["drawn", "next", "hand"])),
                        name="sampled_case_origin_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("origin", "hand"), _negated=True),
                            models.Q(("reason", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="a_case_chosen_by_hand_has_a_reason",
                        violation_error_message="Say why.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("cause", ""), ("withdrawal_reason", ""), ("withdrawn_at", None)
                            ),
                            models.Q(
                                ("cause__in", ["broken", "wrong-data", "duplicate", "swapped"]),
                                ("withdrawn_at__isnull", False),
                                models.Q(("withdrawal_reason", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="a_withdrawn_case_has_cause_and_reason",
                        violation_error_message="Say why.",
                    ),
                ],
                "verbose_name": "sampled case",
                "verbose_name_plural": "sampled cases",
            },
        ),
        migrations.CreateModel(
            name="Score",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("metric", models.CharField(max_length=200, verbose_name="metric")),
                ("value", models.SmallIntegerField(verbose_name="value")),
                ("rationale", models.TextField(blank=True, verbose_name="why not one higher")),
                ("evidence", models.JSONField(blank=True, default=list, verbose_name="evidence")),
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
                    "review",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="scores",
                        to="reviews.review",
                        verbose_name="review",
                    ),
                ),
                (
                    "changed_mind",
                    models.BooleanField(default=False, verbose_name="changed when asked"),
                ),
                (
                    "coherence",
                    models.TextField(blank=True, verbose_name="how it goes with the checklist"),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["release", "metric", "value"], name="score_by_release")
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("review", "metric"), name="one_score_per_metric"
                    )
                ],
                "verbose_name": "score",
                "verbose_name_plural": "scores",
            },
        ),
        migrations.CreateModel(
            name="Submission",
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
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="cases.release",
                        verbose_name="release",
                    ),
                ),
                (
                    "review",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="submissions",
                        to="reviews.review",
                        verbose_name="review",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("review", "key"), name="one_submission_per_key")
                ],
                "verbose_name": "submission",
                "verbose_name_plural": "submissions",
            },
        ),
        migrations.CreateModel(
            name="Waiver",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("rule", models.CharField(max_length=205, verbose_name="rule")),
                (
                    "covers",
                    models.JSONField(blank=True, default=dict, verbose_name="what it covers"),
                ),
                ("reason", models.TextField(verbose_name="reason")),
                (
                    "by",
                    models.CharField(
                        blank=True,
                        help_text="Empty: the command line.",
                        max_length=150,
                        verbose_name="by",
                    ),
                ),
                ("waived_at", models.DateTimeField(verbose_name="waived at")),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="waivers",
                        to="cases.release",
                        verbose_name="release",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("release", "rule"), name="one_waiver_per_rule"),
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True),
                        name="a_waiver_has_a_reason",
                        violation_error_message="Say why.",
                    ),
                ],
                "verbose_name": "waiver",
                "verbose_name_plural": "waivers",
            },
        ),
        migrations.CreateModel(
            name="Adjudication",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("agreed", models.JSONField(verbose_name="agreed scores")),
                ("basis", models.JSONField(verbose_name="reviews it rests on")),
                (
                    "cause",
                    models.CharField(
                        choices=[
                            ("rubric-gap", "gap in the rubric"),
                            ("missed-evidence", "missed evidence"),
                            ("taste", "taste"),
                            ("unclear-case", "unclear case"),
                        ],
                        max_length=20,
                        verbose_name="cause",
                    ),
                ),
                ("note", models.TextField(verbose_name="note")),
                (
                    "by",
                    models.CharField(
                        blank=True,
                        help_text="Empty: the command line.",
                        max_length=150,
                        verbose_name="by",
                    ),
                ),
                ("adjudicated_at", models.DateTimeField(verbose_name="adjudicated at")),
                (
                    "case",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="adjudication",
                        to="cases.case",
                        verbose_name="case",
                    ),
                ),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="adjudications",
                        to="cases.release",
                        verbose_name="release",
                    ),
                ),
            ],
            options={
                "verbose_name": "adjudication",
                "verbose_name_plural": "adjudications",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "cause__in",
                                ["rubric-gap", "missed-evidence", "taste", "unclear-case"],
                            )
                        ),
                        name="adjudication_cause_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("note", ""), _negated=True),
                        name="an_adjudication_has_a_note",
                        violation_error_message="Say why.",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Question",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("subject", models.CharField(max_length=208, verbose_name="about")),
                ("text", models.TextField(verbose_name="question")),
                ("asked_at", models.DateTimeField(verbose_name="asked at")),
                (
                    "asked_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="questions",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="asked by",
                    ),
                ),
                (
                    "case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="questions",
                        to="cases.case",
                        verbose_name="case",
                    ),
                ),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="questions",
                        to="cases.release",
                        verbose_name="release",
                    ),
                ),
            ],
            options={
                "verbose_name": "question",
                "verbose_name_plural": "questions",
                "ordering": ["asked_at", "pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("text", ""), _negated=True),
                        name="a_question_says_something",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Ruling",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("subject", models.CharField(max_length=208, verbose_name="about")),
                ("text", models.TextField(verbose_name="ruling")),
                ("by", models.CharField(max_length=150, verbose_name="by")),
                ("given_at", models.DateTimeField(verbose_name="given at")),
                (
                    "question",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ruling",
                        to="reviews.question",
                        verbose_name="question",
                    ),
                ),
                (
                    "rubric",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rulings",
                        to="cases.rubric",
                        verbose_name="rubric",
                    ),
                ),
            ],
            options={
                "verbose_name": "ruling",
                "verbose_name_plural": "rulings",
                "indexes": [models.Index(fields=["rubric", "given_at"], name="ruling_by_rubric")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("text", ""), _negated=True),
                        name="a_ruling_says_something",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="MirrorLook",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("looked_at", models.DateTimeField(verbose_name="looked at")),
                (
                    "closing",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="mirror_looks",
                        to="reviews.closing",
                        verbose_name="closing",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="mirror_looks",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="person",
                    ),
                ),
            ],
            options={
                "verbose_name": "look into the mirror",
                "verbose_name_plural": "looks into the mirror",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("user", "closing"), name="one_mirror_look_a_closing"
                    )
                ],
            },
        ),
        triggers.INSTALL,
    ]
