"""Forms for what admins and managers do with a release: nearly always with a reason."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from cases.itinerary.document import LONGEST_KEY
from reviews.errors import LONGEST_REASON
from reviews.models.outcomes import DecisionMade
from reviews.workflow.amending import WITHDRAWN_FOR


class ReasonForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_REASON,
        help_text=_("Kept in the ledger and printed in the report."),
        widget=forms.Textarea(attrs={"rows": 2, "class": "reason"}),
    )


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
        choices=[(one.value, one.label) for one in WITHDRAWN_FOR],
        widget=forms.RadioSelect,
        help_text=_("A bad plan is no broken case: it is scored."),
    )


class DecisionForm(ReasonForm):
    field_order = ["decision", "reason"]
    decision = forms.ChoiceField(
        label=_("Decision"), choices=DecisionMade.choices, widget=forms.RadioSelect
    )
    digest = forms.CharField(widget=forms.HiddenInput, required=False)


class CloseForm(forms.Form):
    """Rules to let go together, for one reason. Without any, the reason may stay empty."""

    waive = forms.MultipleChoiceField(
        label=_("Waive"), required=False, widget=forms.CheckboxSelectMultiple
    )
    reason = forms.CharField(
        label=_("Reason for what is waived"),
        required=False,
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 2, "class": "reason"}),
    )

    def __init__(self, *args: Any, rules: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["waive"].choices = rules  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("waive") and not cleaned.get("reason", "").strip():
            self.add_error("reason", _("Say why: a reason is kept with this."))
        return cleaned
