"""Forms for planning, moving and taking back reviews."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from cases.models.releases import MOST_REVIEWS_PER_CASE
from reviews.assignments.candidates import Options
from reviews.assignments.inputs import active_reviewers
from reviews.errors import LONGEST_REASON


class PlanForm(forms.Form):
    """How many reviewers each case gets; empty means the number of the release."""

    per_case = forms.IntegerField(
        label=_("Reviewers per case"),
        required=False,
        min_value=1,
        max_value=MOST_REVIEWS_PER_CASE,
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
    )


class WithdrawReviewForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_REASON,
        help_text=_("Kept in the ledger."),
        widget=forms.Textarea(attrs={"rows": 2, "class": "reason"}),
    )


class GiveBackForm(forms.Form):
    answer = forms.CharField(
        label=_("Your answer to the reviewer"),
        max_length=LONGEST_REASON,
        help_text=_("They read it at the desk. It must not name the release or the case."),
        widget=forms.Textarea(attrs={"rows": 2, "class": "reason"}),
    )


class TakerForm(forms.Form):
    """`options` are the people to choose from. The workflow refuses people who may not take it."""

    taker = forms.CharField(label=_("Give it to"), widget=forms.Select, max_length=150)

    def __init__(self, *args: Any, options: Options, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["taker"].widget.choices = [("", _("choose …")), *options]

    def clean_taker(self) -> User:
        username = self.cleaned_data["taker"]
        found = active_reviewers().filter(username=username).first()
        if found is None:
            raise forms.ValidationError(
                gettext("%(person)s is not an active reviewer.") % {"person": username}
            )
        return found
