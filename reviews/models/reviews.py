"""A review: one person's judgement of one case."""

from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from cases.models import Case, Release
from cases.rubric import LONGEST_NAME

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager

# A checklist item is its metric's key, a point and a number.
LONGEST_ITEM = LONGEST_NAME + 8


class ReviewStatus(models.TextChoices):
    ASSIGNED = "assigned", _("assigned")
    DRAFT = "draft", _("begun")
    SUBMITTED = "submitted", _("submitted")
    DECLINED = "declined", _("declined")
    WITHDRAWN = "withdrawn", _("withdrawn")


OPEN = (ReviewStatus.ASSIGNED, ReviewStatus.DRAFT)


class ReviewQuerySet(models.QuerySet["Review"]):
    def of(self, release: Release) -> "ReviewQuerySet":
        return self.filter(release=release)

    def by(self, user: User) -> "ReviewQuerySet":
        return self.filter(reviewer=user)

    def open(self) -> "ReviewQuerySet":
        return self.filter(status__in=OPEN)

    def submitted(self) -> "ReviewQuerySet":
        return self.filter(status=ReviewStatus.SUBMITTED)

    def counted(self) -> "ReviewQuerySet":
        """Submitted, and of a case that stands in the sample."""
        return self.submitted().filter(
            case__sampled__isnull=False, case__sampled__withdrawn_at=None
        )


class Review(models.Model):
    """Assigning a case to somebody creates the row; nobody else can write it.

    A draft is the one JSON column. Scores and answers are rows that only submit writes.
    """

    case = models.ForeignKey(
        Case, verbose_name=_("case"), on_delete=models.PROTECT, related_name="reviews"
    )
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("reviewer"),
        on_delete=models.PROTECT,
        related_name="reviews",
    )
    release = models.ForeignKey(
        Release, verbose_name=_("release"), on_delete=models.PROTECT, related_name="reviews"
    )
    status = models.CharField(
        _("status"), max_length=10, choices=ReviewStatus.choices, default=ReviewStatus.ASSIGNED
    )
    version = models.PositiveIntegerField(
        _("version"), default=0, help_text=_("Goes up with every save.")
    )
    draft = models.JSONField(_("draft"), default=dict, blank=True)
    comment = models.TextField(_("overall comment"), blank=True)
    assigned_at = models.DateTimeField(_("assigned at"))
    saved_at = models.DateTimeField(_("saved at"), null=True, blank=True)
    submitted_at = models.DateTimeField(_("submitted at"), null=True, blank=True)

    objects = ReviewQuerySet.as_manager()

    if TYPE_CHECKING:
        scores: "RelatedManager[Score]"
        answers: "RelatedManager[ChecklistAnswer]"
        flags: "RelatedManager[Flag]"
        revisions: "RelatedManager[Revision]"
        submissions: "RelatedManager[Submission]"

    class Meta:
        verbose_name = _("review")
        verbose_name_plural = _("reviews")
        indexes = [
            models.Index(fields=["release", "status", "case"], name="review_by_status"),
            models.Index(fields=["reviewer", "status"], name="review_by_reviewer"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["case", "reviewer"],
                name="one_review_per_case_and_reviewer",
                violation_error_message=_("This person has this case already."),
            ),
            models.CheckConstraint(
                condition=Q(status__in=ReviewStatus.values), name="review_status_is_known"
            ),
            models.CheckConstraint(
                condition=~Q(status="submitted") | Q(submitted_at__isnull=False),
                name="a_submitted_review_has_its_moment",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.case_id} by {self.reviewer_id}"


class Score(models.Model):
    review = models.ForeignKey(
        Review, verbose_name=_("review"), on_delete=models.CASCADE, related_name="scores"
    )
    release = models.ForeignKey(
        Release, verbose_name=_("release"), on_delete=models.PROTECT, related_name="+"
    )
    metric = models.CharField(_("metric"), max_length=LONGEST_NAME)
    value = models.SmallIntegerField(_("value"))
    rationale = models.TextField(_("why not one higher"), blank=True)
    evidence = models.JSONField(_("evidence"), default=list, blank=True)

    class Meta:
        verbose_name = _("score")
        verbose_name_plural = _("scores")
        indexes = [models.Index(fields=["release", "metric", "value"], name="score_by_release")]
        constraints = [
            models.UniqueConstraint(fields=["review", "metric"], name="one_score_per_metric")
        ]

    def __str__(self) -> str:
        return f"{self.metric}: {self.value}"


class Answer(models.TextChoices):
    YES = "yes", _("yes")
    NO = "no", _("no")
    NA = "na", _("not applicable")


class ChecklistAnswer(models.Model):
    review = models.ForeignKey(
        Review, verbose_name=_("review"), on_delete=models.CASCADE, related_name="answers"
    )
    release = models.ForeignKey(
        Release, verbose_name=_("release"), on_delete=models.PROTECT, related_name="+"
    )
    item = models.CharField(_("question"), max_length=LONGEST_ITEM)
    answer = models.CharField(_("answer"), max_length=3, choices=Answer.choices)
    note = models.TextField(_("note"), blank=True)
    evidence = models.JSONField(_("evidence"), default=list, blank=True)

    class Meta:
        verbose_name = _("answer")
        verbose_name_plural = _("answers")
        indexes = [models.Index(fields=["release", "item", "answer"], name="answer_by_release")]
        constraints = [
            models.UniqueConstraint(fields=["review", "item"], name="one_answer_per_question"),
            models.CheckConstraint(
                condition=Q(answer__in=Answer.values), name="checklist_answer_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item}: {self.answer}"


class FlagKind(models.TextChoices):
    HARMFUL = "harmful", _("harmful content")
    BROKEN = "broken", _("case broken")


class FlagOutcome(models.TextChoices):
    OPEN = "open", _("not judged yet")
    CONFIRMED = "confirmed", _("confirmed")
    REJECTED = "rejected", _("rejected")


class Flag(models.Model):
    """Raised by a submitted review, judged by an admin or a manager."""

    review = models.ForeignKey(
        Review, verbose_name=_("review"), on_delete=models.CASCADE, related_name="flags"
    )
    release = models.ForeignKey(
        Release, verbose_name=_("release"), on_delete=models.PROTECT, related_name="flags"
    )
    kind = models.CharField(_("what"), max_length=10, choices=FlagKind.choices)
    outcome = models.CharField(
        _("outcome"), max_length=10, choices=FlagOutcome.choices, default=FlagOutcome.OPEN
    )
    judged_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("judged by"),
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
    )
    reason = models.TextField(_("reason"), blank=True)

    class Meta:
        verbose_name = _("flag")
        verbose_name_plural = _("flags")
        constraints = [
            models.UniqueConstraint(fields=["review", "kind"], name="one_flag_of_a_kind"),
            models.CheckConstraint(
                condition=Q(kind__in=FlagKind.values, outcome__in=FlagOutcome.values),
                name="flag_is_known",
            ),
        ]

    def __str__(self) -> str:
        return self.get_kind_display()


class Revision(models.Model):
    """What a review said before it was submitted again."""

    review = models.ForeignKey(
        Review, verbose_name=_("review"), on_delete=models.CASCADE, related_name="revisions"
    )
    release = models.ForeignKey(
        Release, verbose_name=_("release"), on_delete=models.PROTECT, related_name="+"
    )
    version = models.PositiveIntegerField(_("version"))
    content = models.JSONField(_("what it said"))
    submitted_at = models.DateTimeField(_("submitted at"))
    replaced_at = models.DateTimeField(_("replaced at"))
    reason = models.TextField(_("why it was revised"), blank=True)

    class Meta:
        verbose_name = _("revision")
        verbose_name_plural = _("revisions")
        constraints = [
            models.UniqueConstraint(fields=["review", "version"], name="one_revision_per_version")
        ]

    def __str__(self) -> str:
        return f"{self.review_id} version {self.version}"


class Submission(models.Model):
    """A submit that was taken: the same key and body again get the same answer again."""

    review = models.ForeignKey(
        Review, verbose_name=_("review"), on_delete=models.CASCADE, related_name="submissions"
    )
    release = models.ForeignKey(
        Release, verbose_name=_("release"), on_delete=models.PROTECT, related_name="+"
    )
    key = models.CharField(_("idempotency key"), max_length=200)
    body_digest = models.CharField(_("digest of the body"), max_length=64)
    version = models.PositiveIntegerField(_("version"), help_text=_("What was answered."))
    submitted_at = models.DateTimeField(_("submitted at"))

    class Meta:
        verbose_name = _("submission")
        verbose_name_plural = _("submissions")
        constraints = [
            models.UniqueConstraint(fields=["review", "key"], name="one_submission_per_key")
        ]

    def __str__(self) -> str:
        return self.key
