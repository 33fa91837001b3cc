"""Forms for acts on a release; nearly all need a reason."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from reviews.errors import LONGEST_REASON
from reviews.models.outcomes import DecisionMade


class ReasonForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_REASON,
        help_text=_("Kept in the ledger and shown in the report."),
        widget=forms.Textarea(attrs={"rows": 2, "class": "reason"}),
    )


class DecisionForm(ReasonForm):
    field_order = ["decision", "reason"]
    decision = forms.ChoiceField(
        label=_("Decision"), choices=DecisionMade.choices, widget=forms.RadioSelect
    )
    digest = forms.CharField(widget=forms.HiddenInput, required=False)


class CloseForm(forms.Form):
    """Rules to waive at closing, for one reason. Without a rule the reason may be empty."""

    waive = forms.MultipleChoiceField(
        label=_("Waive"), required=False, widget=forms.CheckboxSelectMultiple
    )
    reason = forms.CharField(
        label=_("Reason for the waiver"),
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
