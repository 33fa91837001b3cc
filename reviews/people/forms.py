"""Forms for people, absences and tokens."""

from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.validators import RegexValidator
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from evalsite.accounts.forms import normalize_username
from evalsite.models import Scope
from evalsite.permissions import Role
from reviews.models import Absence, Reviewer

USERNAME_MOST = 150

ROLES = [
    (Role.REVIEWER, _("Reviewer: scores itineraries")),
    (Role.ADMIN, _("Admin: loads cases, draws samples, assigns, looks after people")),
    (Role.MANAGER, _("Manager: reads reports and decides")),
]


class PersonForm(forms.Form):
    """What an admin sets for a person."""

    name = forms.CharField(
        label=_("Name"),
        max_length=150,
        required=False,
        help_text=_("What colleagues call this person. If empty, the user name is shown."),
    )
    email = forms.EmailField(label=_("E-mail"), required=False, max_length=254)
    roles = forms.MultipleChoiceField(
        label=_("Roles"),
        choices=ROLES,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("A person may have several roles. Without a role they see nothing."),
    )
    capacity = forms.IntegerField(
        label=_("Capacity"),
        min_value=0,
        max_value=Reviewer.MOST_CAPACITY,
        initial=Reviewer.DEFAULT_CAPACITY,
        help_text=_("Most unsubmitted reviews at one time. 0 means: assign nothing."),
    )
    languages = forms.MultipleChoiceField(
        label=_("Languages read"),
        choices=settings.CASE_LANGUAGES,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Requests and plans in other languages are not assigned."),
    )

    def clean_roles(self) -> set[Role]:
        return {Role(role) for role in self.cleaned_data["roles"]}


class InvitationForm(PersonForm):
    username = forms.CharField(
        label=_("User name"),
        max_length=USERNAME_MOST,
        validators=[
            UnicodeUsernameValidator(),
            RegexValidator(r"^\w", _("A user name begins with a letter or a digit.")),
        ],
        help_text=_("For signing in. Kept in lower case; it cannot be changed later."),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "autocomplete": "off"}),
    )
    interface_language = forms.ChoiceField(
        label=_("Interface language"),
        choices=settings.LANGUAGES,
        help_text=_("The person can change it."),
    )
    field_order = ["username", "name", "email", "roles", "languages", "capacity"]

    def clean_username(self) -> str:
        username = normalize_username(self.cleaned_data["username"])
        if len(username) > USERNAME_MOST:
            raise forms.ValidationError(_("This user name is too long."))
        if User.objects.filter(username__iexact=username).exists():
            raise forms.ValidationError(
                _("%(username)s is taken. Choose another user name, or look under People."),
                params={"username": username},
            )
        return username


if TYPE_CHECKING:
    AbsenceModelForm = forms.ModelForm[Absence]
else:
    AbsenceModelForm = forms.ModelForm


class AbsenceForm(AbsenceModelForm):
    def clean_last_date(self) -> date:
        last_date: date = self.cleaned_data["last_date"]
        if last_date < timezone.localdate():
            raise forms.ValidationError(_("These days are in the past."))
        return last_date

    def _get_validation_exclusions(self) -> set[str]:
        """Keep the reviewer in the uniqueness check, although it is not a field of the form."""
        exclusions: set[str] = super()._get_validation_exclusions()  # type: ignore[misc]
        return exclusions - {"reviewer"}

    class Meta:
        model = Absence
        fields = ["first_date", "last_date"]
        widgets = {
            "first_date": forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
            "last_date": forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        }


# The roles that can use each scope of a token.
WHO = {
    Scope.READ: frozenset(Role),
    Scope.PUSH: frozenset({Role.ADMIN}),
    Scope.RUN: frozenset({Role.ADMIN, Role.MANAGER}),
    Scope.REVIEW: frozenset({Role.REVIEWER}),
}
WHAT = {
    Scope.READ: _("read: everything that you may see"),
    Scope.PUSH: _("push cases: open a draft release and fill it, nothing else"),
    Scope.RUN: _("run a release: draw, assign, start, settle, close, decide"),
    Scope.REVIEW: _("review: save and submit your own reviews"),
}
LASTS = [("1", _("a day")), ("30", _("30 days")), ("90", _("90 days")), ("365", _("a year"))]


class TokenForm(forms.Form):
    name = forms.CharField(
        label=pgettext_lazy("of a thing", "Name"),
        max_length=80,
        help_text=_("Where it is used, so that you recognize it: nightly build."),
    )
    scopes = forms.MultipleChoiceField(
        label=_("May"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose what the token may be used for.")},
    )
    lasts = forms.ChoiceField(label=_("Lasts"), choices=LASTS, initial="90")

    def __init__(self, *args: Any, roles: frozenset[Role], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["scopes"].choices = [  # type: ignore[attr-defined]
            (scope.value, WHAT[scope]) for scope in Scope if WHO[scope] & roles
        ]

    def clean_scopes(self) -> list[Scope]:
        return [Scope(scope) for scope in self.cleaned_data["scopes"]]

    def clean_lasts(self) -> timedelta:
        return timedelta(days=int(self.cleaned_data["lasts"]))
