"""Models of people beyond the sign-in account."""

from datetime import date
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.formats import date_format
from django.utils.translation import gettext_lazy as _

from cases.models import Release

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager


def check_case_languages(value: object) -> None:
    known = [code for code, _name in settings.CASE_LANGUAGES]
    if not isinstance(value, list) or any(code not in known for code in value):
        raise ValidationError(_("Choose languages from the list."))


class Reviewer(models.Model):
    """Settings of a person for planner and pages.

    Everyone who was invited has one; people made in the admin or by `create_user` have none until
    one of these settings is changed. Only people with the reviewer role get reviews.
    """

    DEFAULT_CAPACITY = 20
    MOST_CAPACITY = 500

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, verbose_name=_("person"), on_delete=models.CASCADE
    )
    capacity = models.PositiveSmallIntegerField(
        _("capacity"),
        default=DEFAULT_CAPACITY,
        help_text=_("Most unsubmitted reviews at one time. 0 means: assign nothing."),
    )
    languages = models.JSONField(
        _("languages read"),
        default=list,
        blank=True,
        validators=[check_case_languages],
        help_text=_("Requests and plans in other languages are not assigned."),
    )
    interface_language = models.CharField(
        _("interface language"), max_length=10, choices=settings.LANGUAGES, blank=True
    )
    last_digest_date = models.DateField(_("last daily mail"), null=True, blank=True)

    if TYPE_CHECKING:
        absences: "RelatedManager[Absence]"

    class Meta:
        verbose_name = _("reviewer")
        verbose_name_plural = _("reviewers")
        constraints = [
            models.CheckConstraint(
                condition=models.Q(capacity__lte=500),
                name="capacity_at_most_500",
                violation_error_message=_("Capacity can be at most 500."),
            )
        ]

    def __str__(self) -> str:
        return self.user.get_username()

    @classmethod
    def without_limits(cls) -> dict[str, Any]:
        """Return the settings of a person who has had no row so far.

        The planner takes people without a row for every case. A row that is only made to note
        something else, such as an absence, must not change that.
        """
        languages = [code for code, _name in settings.CASE_LANGUAGES]
        return {"capacity": cls.MOST_CAPACITY, "languages": languages}

    @property
    def language_names(self) -> list[str]:
        return [str(name) for code, name in settings.CASE_LANGUAGES if code in self.languages]


class AbsenceQuerySet(models.QuerySet["Absence"]):
    def not_over(self, today: date) -> "AbsenceQuerySet":
        return self.filter(last_date__gte=today)


class Absence(models.Model):
    """Days on which a person does not review, for the planner."""

    reviewer = models.ForeignKey(
        Reviewer, verbose_name=_("person"), on_delete=models.CASCADE, related_name="absences"
    )
    first_date = models.DateField(_("first day away"))
    last_date = models.DateField(_("last day away"))

    objects = AbsenceQuerySet.as_manager()

    class Meta:
        verbose_name = _("absence")
        verbose_name_plural = _("absences")
        ordering = ["first_date", "last_date", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(last_date__gte=models.F("first_date")),
                name="absence_ends_after_it_begins",
                violation_error_message=_("The last day away lies before the first."),
            ),
            models.UniqueConstraint(
                fields=["reviewer", "first_date", "last_date"],
                name="absence_is_stated_once",
                violation_error_message=_("These days are in your list already."),
            ),
        ]

    def __str__(self) -> str:
        first, last = date_format(self.first_date), date_format(self.last_date)
        return first if first == last else f"{first} – {last}"


class ReminderQuerySet(models.QuerySet["Reminder"]):
    def shown_in(self, release: Release, today: date) -> "ReminderQuerySet":
        """Select those of the release and today's of any release, which allow no other one."""
        of_today = models.Q(sent_date=today)
        return self.filter(models.Q(release=release) | of_today).order_by("sent_at")


class Reminder(models.Model):
    """A reminder of open reviews, sent to a reviewer by an admin: at most one a day per person."""

    release = models.ForeignKey(
        Release, verbose_name=_("release"), on_delete=models.PROTECT, related_name="reminders"
    )
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("reviewer"),
        on_delete=models.PROTECT,
        related_name="reminders",
    )
    by = models.CharField(
        _("by"), max_length=150, blank=True, help_text=_("Empty: the command line.")
    )
    sent_at = models.DateTimeField(_("sent at"))
    # The day of `sent_at` in the time zone of the site.
    sent_date = models.DateField(_("sent on"))
    is_mailed = models.BooleanField(_("by mail"), default=False)

    objects = ReminderQuerySet.as_manager()

    class Meta:
        verbose_name = _("reminder")
        verbose_name_plural = _("reminders")
        constraints = [
            models.UniqueConstraint(
                fields=["reviewer", "sent_date"],
                name="one_reminder_a_day_per_person",
                violation_error_message=_("This person was reminded today already."),
            )
        ]

    def __str__(self) -> str:
        return f"{self.reviewer_id}: {date_format(self.sent_date)}"
