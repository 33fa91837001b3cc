"""The form of one act on many cases."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from reviews.assignments.many.queries import Act
from reviews.errors import LONGEST_REASON


class ManyForm(forms.Form):
    """`seen` is the person for whom the plan was shown, `going` what it would change."""

    act = forms.ChoiceField(label=_("What"), choices=Act.choices)
    giver = forms.CharField(max_length=150, required=False)
    taker = forms.CharField(label=_("Give it to"), max_length=150, required=False)
    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_REASON,
        required=False,
        help_text=_("Kept in the ledger."),
        widget=forms.Textarea(attrs={"rows": 2, "class": "reason"}),
    )
    seen = forms.CharField(max_length=150, required=False)
    going = forms.CharField(max_length=20_000, required=False)

    def clean_act(self) -> Act:
        return Act(self.cleaned_data["act"])

    def clean_going(self) -> list[str]:
        return [key for key in self.cleaned_data["going"].split(",") if key]

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        is_taking = "confirm" in self.data and cleaned.get("act") == Act.TAKE_BACK
        if is_taking and not cleaned.get("reason", "").strip():
            self.add_error("reason", _("Say why: a reason is kept with this."))
        return cleaned
