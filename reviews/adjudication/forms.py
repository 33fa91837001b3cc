"""Forms for agreed scores and for flags."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from cases.rubric import Metric
from reviews.adjudication.together import check_participants
from reviews.errors import LONGEST_REASON
from reviews.models.outcomes import DisagreementCause
from reviews.models.reviews import FlagOutcome
from reviews.releases.forms import ReasonForm

AGREED = "agreed-"


class AdjudicationForm(forms.Form):
    """The agreed level of each disputed metric, why reviewers disagreed, and what decided it."""

    cause = forms.ChoiceField(
        label=_("Why did the reviewers disagree?"),
        choices=DisagreementCause.choices,
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose what caused the disagreement.")},
    )
    note = forms.CharField(
        label=_("What decided it"),
        max_length=LONGEST_REASON,
        help_text=_("A sentence or two. Kept with the agreed scores."),
        widget=forms.Textarea(attrs={"rows": 3, "class": "reason"}),
        error_messages={"required": _("Say why: a reason is kept with this.")},
    )
    seen = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(
        self,
        *args: Any,
        metrics: Sequence[Metric],
        participants: Sequence[str] = (),
        **kwargs: Any,
    ) -> None:
        """`participants`: the reviewers of the case, if they settle it together."""
        super().__init__(*args, **kwargs)
        self.metrics = metrics
        self.participants = participants
        if participants:
            self.fields["together"] = forms.MultipleChoiceField(
                label=_("Who took part"),
                choices=[(username, username) for username in participants],
                widget=forms.CheckboxSelectMultiple,
                required=False,
            )
        for metric in metrics:
            needs = {"metric": metric.name, "low": metric.low, "high": metric.high}
            sentence = gettext("%(metric)s needs an agreed score from %(low)d to %(high)d.") % needs
            self.fields[AGREED + metric.key] = forms.TypedChoiceField(
                label=metric.name,
                coerce=int,
                choices=[(level.value, level.text) for level in metric.levels],
                widget=forms.RadioSelect,
                error_messages={"required": sentence, "invalid_choice": sentence},
            )
        scales = [AGREED + metric.key for metric in metrics]
        self.order_fields(["together", *scales, "cause", "note"])

    def clean_together(self) -> list[str]:
        confirmed: list[str] = self.cleaned_data["together"]
        wrong = check_participants(self.participants, confirmed)
        if wrong:
            raise forms.ValidationError([problem.sentence for problem in wrong])
        return confirmed

    @property
    def agreed(self) -> dict[str, int]:
        return {metric.key: self.cleaned_data[AGREED + metric.key] for metric in self.metrics}

    def list_scales(self) -> list[tuple[Metric, forms.BoundField]]:
        return [(metric, self[AGREED + metric.key]) for metric in self.metrics]


class FlagForm(ReasonForm):
    field_order = ["outcome", "reason"]
    outcome = forms.ChoiceField(
        label=_("What is your decision?"),
        choices=[
            (FlagOutcome.CONFIRMED, _("Confirm: the flag is right")),
            (FlagOutcome.REJECTED, _("Reject: the flag is wrong")),
        ],
        widget=forms.RadioSelect,
        error_messages={"required": _("Confirm the flag or reject it.")},
    )
