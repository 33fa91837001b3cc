"""Models of questions about the rubric and the rulings that answer them."""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.db.models import OuterRef, Q, Subquery, UniqueConstraint
from django.utils.translation import gettext_lazy as _

from cases.models import Case, Release, Rubric
from reviews.models.reviews import LONGEST_ITEM

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager

LONGEST_TEXT = 1_000
# Opened again within this time, the page still marks what was new.
VISIT = timedelta(minutes=30)


class QuestionQuerySet(models.QuerySet["Question"]):
    def by(self, user: User) -> "QuestionQuerySet":
        return self.filter(asked_by=user)

    def waiting(self) -> "QuestionQuerySet":
        return self.filter(rulings=None)

    def unread(self) -> "QuestionQuerySet":
        """Select answered questions whose owner has not opened My questions since."""
        return self.filter(answer_read_at=None).exclude(rulings=None)

    def with_answers(self) -> "QuestionQuerySet":
        """Add `answered_at`, which is null before there is a ruling, and all rulings."""
        last = Ruling.objects.in_force().filter(question=OuterRef("pk")).values("given_at")
        return self.annotate(answered_at=Subquery(last)).prefetch_related("rulings")


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

    if TYPE_CHECKING:
        rulings: "RelatedManager[Ruling]"

    class Meta:
        verbose_name = _("question")
        verbose_name_plural = _("questions")
        ordering = ["asked_at", "pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(text=""), name="a_question_says_something")
        ]

    def __str__(self) -> str:
        return self.text

    @property
    def ruling(self) -> "Ruling | None":
        """Return the ruling in force. Prefetch `rulings` for lists."""
        return max(self.rulings.all(), key=lambda ruling: ruling.number, default=None)

    def is_answer_new(self, now: datetime) -> bool:
        """Return whether there is an answer that its owner first saw on this visit or not yet.

        Prefetch `rulings` for lists.
        """
        read_at = self.answer_read_at
        return self.ruling is not None and (read_at is None or now - read_at < VISIT)


class RulingQuerySet(models.QuerySet["Ruling"]):
    def of(self, rubric: Rubric | int) -> "RulingQuerySet":
        return self.filter(rubric=rubric).order_by("given_at", "pk")

    def in_force(self) -> "RulingQuerySet":
        return self.filter(successor=None)


class Ruling(models.Model):
    """The answer to a question, for all reviewers of this rubric version. It never changes.

    A later ruling on the same question can supersede it; both are kept. `number` counts the rulings
    on a question. `look_again`: reviewers are asked to look at what they have judged before.
    """

    rubric = models.ForeignKey(
        Rubric, verbose_name=_("rubric"), on_delete=models.PROTECT, related_name="rulings"
    )
    question = models.ForeignKey(
        Question, verbose_name=_("question"), on_delete=models.PROTECT, related_name="rulings"
    )
    number = models.PositiveSmallIntegerField(_("number"), default=1)
    supersedes = models.OneToOneField(
        "self",
        verbose_name=_("supersedes"),
        on_delete=models.PROTECT,
        related_name="successor",
        null=True,
        blank=True,
    )
    subject = models.CharField(_("about"), max_length=LONGEST_ITEM)
    text = models.TextField(_("ruling"))
    by = models.CharField(_("by"), max_length=150)
    given_at = models.DateTimeField(_("given at"))
    look_again = models.BooleanField(_("reviewers look again"), default=False)

    objects = RulingQuerySet.as_manager()

    if TYPE_CHECKING:
        successor: "Ruling"

    class Meta:
        verbose_name = _("ruling")
        verbose_name_plural = _("rulings")
        indexes = [models.Index(fields=["rubric", "given_at"], name="ruling_by_rubric")]
        constraints = [
            models.CheckConstraint(condition=~Q(text=""), name="a_ruling_says_something"),
            UniqueConstraint(fields=["question", "number"], name="rulings_are_counted"),
            models.CheckConstraint(
                condition=Q(number=1, supersedes=None) | Q(number__gt=1, supersedes__isnull=False),
                name="first_ruling_supersedes_none",
            ),
        ]

    def __str__(self) -> str:
        return self.text
