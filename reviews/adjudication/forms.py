"""Forms for agreed scores and for flags."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from cases.rubric import Metric
from reviews.models.outcomes import DisagreementCause
from reviews.models.reviews import FlagOutcome
from reviews.releases.forms import ReasonForm
from reviews.workflow.refusals import LONGEST_REASON

AGREED = "agreed-"


class AdjudicationForm(forms.Form):
    """A whole level for each listed metric, why they differed, and what decided it."""

    cause = forms.ChoiceField(
        label=_("Why did they differ?"),
        choices=DisagreementCause.choices,
        widget=forms.RadioSelect,
        error_messages={"required": _("Say what caused the difference.")},
    )
    note = forms.CharField(
        label=_("What decided it"),
        max_length=LONGEST_REASON,
        help_text=_("A sentence or two. Kept with the agreed scores."),
        widget=forms.Textarea(attrs={"rows": 3, "class": "reason"}),
        error_messages={"required": _("Say why: a reason is kept with this.")},
    )
    seen = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, metrics: Sequence[Metric], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.metrics = metrics
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
        self.order_fields([*(AGREED + one.key for one in metrics), "cause", "note"])

    @property
    def agreed(self) -> dict[str, int]:
        return {one.key: self.cleaned_data[AGREED + one.key] for one in self.metrics}

    def scales(self) -> list[tuple[Metric, forms.BoundField]]:
        return [(one, self[AGREED + one.key]) for one in self.metrics]


class FlagForm(ReasonForm):
    field_order = ["outcome", "reason"]
    outcome = forms.ChoiceField(
        label=_("What do you find?"),
        choices=[
            (FlagOutcome.CONFIRMED, _("Confirm: it is so")),
            (FlagOutcome.REJECTED, _("Reject: it is not so")),
        ],
        widget=forms.RadioSelect,
        error_messages={"required": _("Confirm the flag or reject it.")},
    )
