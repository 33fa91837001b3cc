"""Models of questions about the rubric and the rulings that answer them."""

from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from cases.models import Case, Release, Rubric
from reviews.models.reviews import LONGEST_ITEM

LONGEST_TEXT = 1_000
# Opened again within this time, the page still marks what was new.
VISIT = timedelta(minutes=30)


class QuestionQuerySet(models.QuerySet["Question"]):
    def by(self, user: User) -> "QuestionQuerySet":
        return self.filter(asked_by=user)

    def waiting(self) -> "QuestionQuerySet":
        return self.filter(ruling=None)

    def unread(self) -> "QuestionQuerySet":
        """Select answered questions whose owner has not opened My questions since."""
        return self.filter(ruling__isnull=False, answer_read_at=None)


class Question(models.Model):
    """A question that a reviewer asked while reading a case.

    Besides its owner only admins see the case and the name.

    `subject` is a checklist item (`metric.2`) or a level (`metric:4`) of the rubric.
    """

    release = models.ForeignKey(
        Release, verbose_name=_("release"), on_delete=models.PROTECT, related_name="questions"
    )
    case = models.ForeignKey(
        Case, verbose_name=_("case"), on_delete=models.PROTECT, related_name="questions"
    )
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("asked by"),
        on_delete=models.PROTECT,
        related_name="questions",
    )
    subject = models.CharField(_("about"), max_length=LONGEST_ITEM)
    text = models.TextField(_("question"))
    asked_at = models.DateTimeField(_("asked at"))
    # When its owner first saw the answer.
    answer_read_at = models.DateTimeField(_("answer read at"), null=True, blank=True)

    objects = QuestionQuerySet.as_manager()

    class Meta:
        verbose_name = _("question")
        verbose_name_plural = _("questions")
        ordering = ["asked_at", "pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(text=""), name="a_question_says_something")
        ]

    def __str__(self) -> str:
        return self.text

    def is_answer_new(self, now: datetime) -> bool:
        """Return whether there is an answer that its owner first saw on this visit or not yet.

        Needs `ruling` selected.
        """
        read_at = self.answer_read_at
        return hasattr(self, "ruling") and (read_at is None or now - read_at < VISIT)


class RulingQuerySet(models.QuerySet["Ruling"]):
    def of(self, rubric: Rubric | int) -> "RulingQuerySet":
        return self.filter(rubric=rubric).order_by("given_at", "pk")


class Ruling(models.Model):
    """The answer to a question, for all reviewers of this rubric version. It never changes."""

    rubric = models.ForeignKey(
        Rubric, verbose_name=_("rubric"), on_delete=models.PROTECT, related_name="rulings"
    )
    question = models.OneToOneField(
        Question, verbose_name=_("question"), on_delete=models.PROTECT, related_name="ruling"
    )
    subject = models.CharField(_("about"), max_length=LONGEST_ITEM)
    text = models.TextField(_("ruling"))
    by = models.CharField(_("by"), max_length=150)
    given_at = models.DateTimeField(_("given at"))

    objects = RulingQuerySet.as_manager()

    class Meta:
        verbose_name = _("ruling")
        verbose_name_plural = _("rulings")
        indexes = [models.Index(fields=["rubric", "given_at"], name="ruling_by_rubric")]
        constraints = [
            models.CheckConstraint(condition=~Q(text=""), name="a_ruling_says_something")
        ]

    def __str__(self) -> str:
        return self.text
