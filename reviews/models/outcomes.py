"""Models of what managers and admins decide: adjudications, waivers, closings, decisions."""

from typing import Any

import msgspec
from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from cases.models import Case, Release
from cases.models.releases import Status
from cases.rubric import LONGEST_NAME
from reviews.agreement import Reason


class DisagreementCause(models.TextChoices):
    RUBRIC_GAP = "rubric-gap", _("gap in the rubric")
    MISSED_EVIDENCE = "missed-evidence", _("missed evidence")
    TASTE = "taste", _("taste")
    UNCLEAR_CASE = "unclear-case", _("unclear case")


class Adjudication(models.Model):
    """The agreed scores of a case on which reviewers disagreed, for each listed metric.

    `basis` lists the reviews it is based on, with their versions. If one of them is revised
    afterwards, the case is open again. `together` names the reviewers of the case if they settled
    it themselves, because everyone who could adjudicate had reviewed it.
    """

    release = models.ForeignKey(
        Release, verbose_name=_("release"), on_delete=models.PROTECT, related_name="adjudications"
    )
    case = models.OneToOneField(
        Case, verbose_name=_("case"), on_delete=models.PROTECT, related_name="adjudication"
    )
    agreed = models.JSONField(_("agreed scores"))
    basis = models.JSONField(_("reviews it rests on"))
    cause = models.CharField(_("cause"), max_length=20, choices=DisagreementCause.choices)
    note = models.TextField(_("note"))
    by = models.CharField(
        _("by"), max_length=150, blank=True, help_text=_("Empty: the command line.")
    )
    adjudicated_at = models.DateTimeField(_("adjudicated at"))
    together = models.JSONField(_("settled together by"), default=list, blank=True)

    class Meta:
        verbose_name = _("adjudication")
        verbose_name_plural = _("adjudications")
        constraints = [
            models.CheckConstraint(
                condition=Q(cause__in=DisagreementCause.values), name="adjudication_cause_is_known"
            ),
            models.CheckConstraint(
                condition=~Q(note=""),
                name="an_adjudication_has_a_note",
                violation_error_message=_("Say why."),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.case_id}"


class Waiver(models.Model):
    """A rule that a manager waived, with a reason. It covers only what was missing then.

    `rule` is kind:KEY, cases, reviews or adjudications; the content of `covers` depends on it.
    """

    LONGEST_RULE = len("kind:") + LONGEST_NAME

    release = models.ForeignKey(
        Release, verbose_name=_("release"), on_delete=models.PROTECT, related_name="waivers"
    )
    rule = models.CharField(_("rule"), max_length=LONGEST_RULE)
    covers = models.JSONField(_("what it covers"), default=dict, blank=True)
    reason = models.TextField(_("reason"))
    by = models.CharField(
        _("by"), max_length=150, blank=True, help_text=_("Empty: the command line.")
    )
    waived_at = models.DateTimeField(_("waived at"))

    class Meta:
        verbose_name = _("waiver")
        verbose_name_plural = _("waivers")
        constraints = [
            models.UniqueConstraint(fields=["release", "rule"], name="one_waiver_per_rule"),
            models.CheckConstraint(
                condition=~Q(reason=""),
                name="a_waiver_has_a_reason",
                violation_error_message=_("Say why."),
            ),
        ]

    def __str__(self) -> str:
        return self.rule


class Word(models.TextChoices):
    """The possible verdicts, in the order in which they are checked: the first that applies."""

    NO_GO = "NO-GO", _("NO-GO")
    NOT_ENOUGH_EVIDENCE = "NOT ENOUGH EVIDENCE", _("NOT ENOUGH EVIDENCE")
    HOLD = "HOLD", _("HOLD")
    GO = "GO", _("GO")


class ClosingQuerySet(models.QuerySet["Closing"]):
    def standing(self) -> "ClosingQuerySet":
        return self.filter(reopened_at=None)

    def newest(self) -> "ClosingQuerySet":
        """Select the last closing, even if the release was reopened after it was loaded."""
        return self.order_by("-number")[:1]

    def unsigned(self) -> "ClosingQuerySet":
        """Select closings that wait for a decision, with their releases."""
        signed = Decision.objects.standing().filter(release=models.OuterRef("release"))
        waiting = self.standing().filter(~models.Exists(signed), is_abandoned=False)
        return waiting.filter(release__archived_at=None).select_related("release").defer("summary")


class Closing(models.Model):
    """The report stored when a release was closed. Reopening marks it and keeps it.

    `head` is the digest of the closing event, so that a rewritten ledger cannot match it.
    """

    release = models.ForeignKey(
        Release, verbose_name=_("release"), on_delete=models.PROTECT, related_name="closings"
    )
    number = models.PositiveIntegerField(_("number"))
    closed_at = models.DateTimeField(_("closed at"))
    by = models.CharField(
        _("by"), max_length=150, blank=True, help_text=_("Empty: the command line.")
    )
    closed_from = models.CharField(_("status before"), max_length=10, choices=Status.choices)
    is_abandoned = models.BooleanField(_("abandoned"), default=False)
    reason = models.TextField(_("reason"), blank=True)
    digest = models.CharField(_("digest of the summary"), max_length=64)
    # What lists show, so that they do not have to read the summary.
    headline = models.JSONField(_("headline"), default=dict, blank=True)
    event = models.PositiveIntegerField(_("event"))
    head = models.CharField(_("digest of the closing event"), max_length=64)
    reopened_at = models.DateTimeField(_("reopened at"), null=True, blank=True)
    # The last column: SQLite would read through it to reach any column behind it.
    summary = models.TextField(_("summary, as JSON"))

    objects = ClosingQuerySet.as_manager()

    class Meta:
        verbose_name = _("closing")
        verbose_name_plural = _("closings")
        ordering = ["release", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["release", "number"], name="closing_number_is_unique_in_its_release"
            ),
            models.UniqueConstraint(
                fields=["release"],
                condition=Q(reopened_at=None),
                name="one_standing_closing_per_release",
            ),
            models.CheckConstraint(
                condition=Q(is_abandoned=False) | ~Q(reason=""),
                name="an_abandoned_release_has_a_reason",
                violation_error_message=_("Say why."),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.release_id}: {self.number}"

    @property
    def verdict(self) -> Word | None:
        """Return the stored verdict; None if abandoned or closed by an older version."""
        word = self.headline.get("verdict")
        return Word(word) if word else None

    @property
    def word(self) -> Word | None:
        return self.verdict

    @property
    def conditions(self) -> list[Reason]:
        """List the stored conditions of the verdict; older versions stored none."""
        return msgspec.convert(self.headline.get("conditions", []), list[Reason])

    @property
    def names(self) -> dict[str, str]:
        """Return the stored names of the metrics, for their keys in the conditions."""
        return {mean["metric"]: mean["name"] for mean in self.headline.get("means", [])}

    @property
    def means(self) -> list[dict[str, Any]]:
        """List the stored means of metrics that have one; none for an abandoned release."""
        means = [] if self.is_abandoned else self.headline.get("means", [])
        return [metric for metric in means if metric["mean"] is not None]


class MirrorLook(models.Model):
    """Records that a person opened their mirror of a closed release, in case it is reopened."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("person"),
        on_delete=models.CASCADE,
        related_name="mirror_looks",
    )
    closing = models.ForeignKey(
        Closing, verbose_name=_("closing"), on_delete=models.CASCADE, related_name="mirror_looks"
    )
    looked_at = models.DateTimeField(_("looked at"))

    class Meta:
        verbose_name = _("look into the mirror")
        verbose_name_plural = _("looks into the mirror")
        constraints = [
            models.UniqueConstraint(fields=["user", "closing"], name="one_mirror_look_a_closing")
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.closing_id}"


class DecisionMade(models.TextChoices):
    SHIP = "ship", _("ship")
    DO_NOT_SHIP = "do-not-ship", _("do not ship")

    def is_against(self, word: Word | None) -> bool:
        """Return whether this goes against the verdict: ship without GO, or not ship with GO."""
        return word is not None and (self == DecisionMade.SHIP) != (word == Word.GO)


class DecisionQuerySet(models.QuerySet["Decision"]):
    def standing(self) -> "DecisionQuerySet":
        return self.filter(voided_at=None)


class Decision(models.Model):
    """A manager's signed decision on a closed report. Reopening the release marks it void."""

    release = models.ForeignKey(
        Release, verbose_name=_("release"), on_delete=models.PROTECT, related_name="decisions"
    )
    closing = models.ForeignKey(
        Closing, verbose_name=_("closing"), on_delete=models.PROTECT, related_name="decisions"
    )
    decision = models.CharField(_("decision"), max_length=12, choices=DecisionMade.choices)
    reason = models.TextField(_("reason"))
    by = models.CharField(
        _("by"), max_length=150, blank=True, help_text=_("Empty: the command line.")
    )
    decided_at = models.DateTimeField(_("decided at"))
    voided_at = models.DateTimeField(_("voided at"), null=True, blank=True)

    objects = DecisionQuerySet.as_manager()

    class Meta:
        verbose_name = _("decision")
        verbose_name_plural = _("decisions")
        constraints = [
            models.CheckConstraint(
                condition=Q(decision__in=DecisionMade.values), name="decision_is_known"
            ),
            models.CheckConstraint(
                condition=~Q(reason=""),
                name="a_decision_has_a_reason",
                violation_error_message=_("Say why."),
            ),
            models.UniqueConstraint(
                fields=["release"],
                condition=Q(voided_at=None),
                name="one_standing_decision_per_release",
                violation_error_message=_("This release is signed already."),
            ),
        ]

    def __str__(self) -> str:
        return self.get_decision_display()

    @property
    def is_against(self) -> bool:
        """Return whether it goes against the verdict. Needs `closing` selected."""
        return DecisionMade(self.decision).is_against(self.closing.verdict)
