"""The form that moves escapes."""

from django import forms
from django.utils.translation import gettext_lazy as _

from reviews.errors import LONGEST_REASON
from reviews.models.escapes import LONGEST_RULE, EscapeState


class MoveForm(forms.Form):
    state = forms.ChoiceField(label=_("New state"), choices=EscapeState.choices)
    rule = forms.CharField(
        label=_("Key of the rule"),
        max_length=LONGEST_RULE,
        required=False,
        help_text=_("Only if it became a rule."),
    )
    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_REASON,
        help_text=_("For example the commit or the ticket. Kept in the ledger of the product."),
        widget=forms.Textarea(attrs={"rows": 2, "class": "reason"}),
    )
