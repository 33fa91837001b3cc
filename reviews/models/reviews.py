"""Models of reviews: one person's judgement of one case."""

from collections import defaultdict
from collections.abc import Collection
from datetime import date
from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from cases.models import Case, Event, Release
from cases.models.releases import Status
from cases.rubric import LONGEST_NAME
from evalsite.permissions import Role, find_roles
from reviews.models.outcomes import Waiver
from reviews.models.samples import SampledCase

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


# A review counts no more than eight hours of work.
MOST_SECONDS = 28_800
# The event of a person's first look at others' scores in a release that is not closed.
SEEN = "scores-seen"
OPEN = (ReviewStatus.ASSIGNED, ReviewStatus.DRAFT)
OVER = (ReviewStatus.DECLINED, ReviewStatus.WITHDRAWN)


class DeclinedFor(models.TextChoices):
    BROKEN = "broken", _("case broken")
    LANGUAGE = "language", _("language")
    CONFLICT = "conflict", _("conflict of interest")
    CANNOT_JUDGE = "cannot-judge", _("cannot judge it")


def counted(review: str = "") -> Q:
    """Match submitted reviews of cases in the sample; `review` is the path to it ("review__").

    Use it in a join, not in a subquery: if PostgreSQL believes a table to be empty, it runs the
    subquery once for each row.
    """
    return Q(
        (f"{review}status", ReviewStatus.SUBMITTED),
        (f"{review}case__sampled__isnull", False),
        (f"{review}case__sampled__withdrawn_at", None),
    )


def counted_in(releases: Collection[Release], review: str = "") -> Q:
    """Match the reviews that `counted` matches, of these releases only.

    The release of the sample is named too: otherwise PostgreSQL reads the samples of all releases.
    """
    return counted(review) & Q(
        ("release__in", releases), (f"{review}case__sampled__release__in", releases)
    )


def taking_room(review: str = "") -> Q:
    """Match open reviews as the capacity counts them: only those of releases in review."""
    return Q((f"{review}status__in", OPEN), (f"{review}release__status", Status.REVIEWING))


class ReviewQuerySet(models.QuerySet["Review"]):
    def of(self, release: Release) -> "ReviewQuerySet":
        return self.filter(release=release)

    def by(self, user: User) -> "ReviewQuerySet":
        return self.filter(reviewer=user)

    def open(self) -> "ReviewQuerySet":
        return self.filter(status__in=OPEN)

    def submitted(self) -> "ReviewQuerySet":
        return self.filter(status=ReviewStatus.SUBMITTED)

    def standing(self) -> "ReviewQuerySet":
        """Select reviews of cases in the sample of a release in review."""
        # A subquery, not a join: it starts from the few open releases, not from all old reviews.
        return self.filter(
            release__in=Release.objects.filter(status=Status.REVIEWING),
            case__sampled__isnull=False,
            case__sampled__withdrawn_at=None,
        )

    def late(self, today: date) -> "ReviewQuerySet":
        """Select open reviews past the due date. Work that is due today is not late yet."""
        return self.open().standing().filter(release__due_date__lt=today)

    def over(self) -> "ReviewQuerySet":
        """Select unsubmitted reviews that were declined, taken back or closed with the release."""
        taken = Q(case__sampled__withdrawn_at__isnull=False)
        closed = ~Q(release__status=Status.REVIEWING)
        # The status first, which is indexed; the other conditions are checked row by row.
        ended = self.filter(status__in=(*OPEN, *OVER))
        return ended.filter(Q(status__in=OVER) | taken | closed)

    def in_turn(self) -> "ReviewQuerySet":
        """Order the queue: begun before not begun, then by due date, then what was saved last.

        What is not begun is in the stable shuffle.
        """
        due = models.F("release__due_date").asc(nulls_last=True)
        saved = models.F("saved_at").desc(nulls_last=True)
        return self.order_by("-status", due, saved, "place", "pk")

    def for_lists(self) -> "ReviewQuerySet":
        """Load the columns that lists show, without itinerary, draft and rubric text."""
        rows = self.select_related("case", "case__sampled", "release__rubric")
        return rows.only(
            *("status", "place", "version", "saved_at", "submitted_at", "reviewer"),
            "active_seconds",
            *("case__code", "case__opening", "case__locale", "case__days"),
            *("case__sampled__withdrawn_at", "release__due_date", "release__status"),
            *("release__rubric__language", "release__rubric__digest"),
        )

    def for_desk(self) -> "ReviewQuerySet":
        """Load what the desk needs of case, release and rubric.

        Their contents are deferred: usually they are cached, parsed and rendered.
        """
        rows = self.select_related("case", "case__sampled", "release__rubric")
        return rows.only(
            *("status", "version", "draft", "saved_at", "submitted_at", "reviewer", "given_back"),
            "active_seconds",
            *("case__code", "case__digest", "case__sampled__withdrawn_at"),
            *("release__status", "release__due_date"),
            *("release__rubric__number", "release__rubric__language", "release__rubric__digest"),
        )

    def counted(self) -> "ReviewQuerySet":
        return self.filter(counted())


class Review(models.Model):
    """A review. Assigning a case to a person creates the row; only that person can write it.

    A draft is one JSON column. Scores and answers are rows that only submit writes.
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
    # The place in the owner's queue: shuffled but stable.
    place = models.PositiveIntegerField(_("place in the queue"), default=0)
    declined_for = models.CharField(
        _("declined for"), max_length=12, choices=DeclinedFor.choices, blank=True
    )
    decline_reason = models.TextField(_("why it was declined"), blank=True)
    # What an admin wrote to the owner when giving a declined case back.
    given_back = models.TextField(_("given back with"), blank=True)
    # How long its page was visible and used, for its owner alone (reviews/desk/minutes.py).
    active_seconds = models.PositiveIntegerField(_("seconds of work"), default=0)
    # The owner has looked again because of the rulings given up to then.
    rulings_read_to = models.DateTimeField(_("rulings read up to"), null=True, blank=True)
    # The content when the owner was asked how score and checklist go together.
    asked = models.JSONField(_("asked about"), default=dict, blank=True)

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
            models.Index(fields=["reviewer", "status", "place"], name="review_by_reviewer"),
            # Keeps open work fast to find among all old reviews of a person.
            models.Index(fields=["reviewer", "release", "status"], name="review_by_work"),
            models.Index(
                fields=["reviewer", "status", "submitted_at", "id"], name="review_by_moment"
            ),
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
            models.CheckConstraint(
                condition=~Q(status="declined") | ~Q(declined_for=""),
                name="a_declined_review_says_what_for",
                violation_error_message=_("Say why."),
            ),
            models.CheckConstraint(
                condition=Q(active_seconds__lte=MOST_SECONDS),
                name="a_review_takes_at_most_a_working_day",
            ),
        ]

    def __str__(self) -> str:
        """Name case and reviewer only if they are loaded, so that this runs no query."""
        is_known = {"case", "reviewer"} <= self._state.fields_cache.keys()
        return (
            f"{self.case}, {self.reviewer}" if is_known else f"{self.case_id}, {self.reviewer_id}"
        )

    def get_absolute_url(self) -> str:
        return reverse("review", args=[self.pk])

    @property
    def is_standing(self) -> bool:
        """Return whether its case is in the sample. Needs `case__sampled` selected."""
        sampled = getattr(self.case, "sampled", None)
        return sampled is not None and sampled.withdrawn_at is None

    @property
    def is_submitted(self) -> bool:
        return self.status == ReviewStatus.SUBMITTED

    def is_late(self, today: date) -> bool:
        """Return whether it is late, as the queryset's `late` selects.

        Needs `release` and `case__sampled` selected.
        """
        return self.status in OPEN and self.is_standing and self.release.is_late(today)

    @property
    def is_being_revised(self) -> bool:
        """Return whether it was saved again after it was submitted."""
        saved, submitted = self.saved_at, self.submitted_at
        return self.is_submitted and bool(saved and submitted and saved > submitted)

    @property
    def can_be_written(self) -> bool:
        """Return whether its owner can write it: not declined, taken back or closed.

        Needs `release` and `case__sampled` selected.
        """
        not_over = self.status in (*OPEN, ReviewStatus.SUBMITTED)
        return not_over and self.is_standing and self.release.is_reviewing


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
    # The answer to how score and checklist go together; empty if the score was changed instead.
    coherence = models.TextField(_("how it goes with the checklist"), blank=True)
    changed_mind = models.BooleanField(_("changed when asked"), default=False)

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


class ChecklistAnswerQuerySet(models.QuerySet["ChecklistAnswer"]):
    def visible_to(self, user: User) -> "ChecklistAnswerQuerySet":
        """Select the user's own answers; for admins and managers also those of closed releases
        and, in releases whose scores they have opened, of cases whose reviews are all in."""
        own = Q(reviewer=user)
        if find_roles(user).isdisjoint({Role.ADMIN, Role.MANAGER}):
            return self.filter(review__in=Review.objects.filter(own))
        closed = Release.objects.filter(status=Status.CLOSED)
        opened = opened_by(user)
        complete = Q(release__in=opened, case__in=complete_in(opened).values("case"))
        # A subquery: a join would read every review of all time.
        reviews = Review.objects.filter(own | complete)
        return self.filter(Q(release__in=closed) | Q(review__in=reviews))


def opened_by(user: User) -> QuerySet[Release]:
    """Select releases in review whose scores the user has seen, without open reviews there."""
    looks = Event.objects.filter(release=OuterRef("pk"), kind=SEEN, by=user.get_username())
    return Release.objects.filter(Exists(looks), ~is_judging(user), status=Status.REVIEWING)


def is_judging(user: User) -> Q:
    """Match releases in which the user has still to judge: an open review or an open pairing."""
    reviews = Review.objects.by(user).open().filter(release=OuterRef("pk"))
    own = Release.objects.filter(pk=OuterRef("pk"))
    return Q(Exists(reviews)) | Q(
        Exists(own.filter(pairings__reader=user, pairings__status__in=OPEN))
    )


def complete_in(releases: QuerySet[Release]) -> QuerySet[SampledCase]:
    """Select sampled cases whose reviews are all in, or whose missing ones are waived."""
    is_in = Count("case__reviews", filter=Q(case__reviews__status=ReviewStatus.SUBMITTED))
    rows = SampledCase.objects.filter(release__in=releases).annotate(reviews_in=is_in)
    enough = Q(reviews_in__gte=F("release__reviews_per_case")) | Q(withdrawn_at__isnull=False)
    for waiver in Waiver.objects.filter(release__in=releases, rule="reviews"):
        keys = defaultdict[int, list[str]](list)
        for key, count in waiver.covers["reviews"].items():
            keys[count].append(key)
        for count, waived in keys.items():
            enough |= Q(
                release=waiver.release_id,
                case__case_key__in=waived,
                reviews_in__gte=F("release__reviews_per_case") - count,
            )
    return rows.filter(enough)


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

    objects = ChecklistAnswerQuerySet.as_manager()

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
    """A flag that a submitted review raised; an admin or a manager judges it."""

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
    judged_at = models.DateTimeField(_("judged at"), null=True, blank=True)

    class Meta:
        verbose_name = _("flag")
        verbose_name_plural = _("flags")
        constraints = [
            models.UniqueConstraint(fields=["review", "kind"], name="one_flag_of_a_kind"),
            models.CheckConstraint(
                condition=Q(kind__in=FlagKind.values, outcome__in=FlagOutcome.values),
                name="flag_is_known",
            ),
            models.CheckConstraint(
                condition=Q(outcome="open", judged_by=None, judged_at=None, reason="")
                | (
                    Q(outcome__in=["confirmed", "rejected"], judged_by__isnull=False)
                    & Q(judged_at__isnull=False)
                    & ~Q(reason="")
                ),
                name="a_judged_flag_says_by_whom_and_why",
                violation_error_message=_("Say why."),
            ),
        ]

    def __str__(self) -> str:
        return self.get_kind_display()

    @property
    def is_confirmed_broken(self) -> bool:
        return self.kind == FlagKind.BROKEN and self.outcome == FlagOutcome.CONFIRMED

    @property
    def is_to_withdraw(self) -> bool:
        """Return whether the case is broken and still in the sample.

        Needs `review__case__sampled` selected.
        """
        return self.is_confirmed_broken and self.review.is_standing


class Revision(models.Model):
    """An earlier version of a review that was submitted again."""

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
    """An accepted submit. Repeating it with the same key and body gives the same answer."""

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
