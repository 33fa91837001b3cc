"""Forms that change the sample by hand."""

from django import forms
from django.utils.translation import gettext_lazy as _

from cases.itinerary.format import LONGEST_KEY
from reviews.releases.forms import ReasonForm
from reviews.sample.amendments import WITHDRAWN_FOR


class AddForm(ReasonForm):
    field_order = ["into", "reason"]
    into = forms.CharField(
        label=_("Case key"),
        max_length=LONGEST_KEY + 10,
        strip=False,
        widget=forms.TextInput(attrs={"list": "in-line", "autocomplete": "off"}),
        help_text=_("A case of this release that can be sampled. The list shows the next in line."),
    )


class WithdrawForm(ReasonForm):
    field_order = ["cause", "reason"]
    cause = forms.ChoiceField(
        label=_("What is wrong with the case?"),
        choices=[(cause.value, cause.label) for cause in WITHDRAWN_FOR],
        widget=forms.RadioSelect,
        help_text=_("A bad plan does not make the case broken: reviewers score it."),
    )
