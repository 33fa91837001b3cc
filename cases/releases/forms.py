"""Forms that open and change a release."""

from datetime import date
from typing import TYPE_CHECKING, Any, cast

from django import forms
from django.utils import timezone
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from cases.models import Release, Rubric
from cases.releases import policy
from cases.releases.workflow import check_due_date, describe_idle_limits

if TYPE_CHECKING:
    ReleaseModelForm = forms.ModelForm[Release]
else:
    ReleaseModelForm = forms.ModelForm


# Browsers expect this format in every language.
DAY = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")

# Another product has other baselines.
PRODUCT = forms.TextInput(
    attrs={
        "hx-get": "",
        "hx-target": "#div_id_baseline",
        "hx-select": "#div_id_baseline",
        "hx-swap": "outerHTML",
    }
)

# Between the results in the value of a choice.
ACCEPT_SEPARATOR = ","


class RubricVersionField(forms.ModelChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, version: Rubric) -> str:
        title = version.text_for(get_language()).document.title
        return gettext("Version %(number)d: %(title)s") % {"number": version.number, "title": title}


class ReleaseForm(ReleaseModelForm):
    rubric = RubricVersionField(
        label=_("Rubric"),
        queryset=Rubric.objects.prefetch_related("translations"),
        to_field_name="number",
        empty_label=None,
        help_text=_("The version that reviewers score by."),
    )

    class Meta:
        model = Release
        fields = ["name", "product", "rubric", "reviews_per_case", "baseline", "due_date"]
        widgets = {"due_date": DAY, "product": PRODUCT}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        baseline = cast("forms.ModelChoiceField[Release]", self.fields["baseline"])
        baseline.queryset = Release.objects.exclude(pk=self.instance.pk)
        # Others can still be sent, and are refused with a sentence.
        offered = [("", baseline.empty_label or ""), *self.list_baselines()]
        cast(forms.Select, baseline.widget).choices = offered

    def clean_due_date(self) -> date | None:
        """Name a day in the past beside other mistakes; one that has passed since may stay."""
        day: date | None = self.cleaned_data["due_date"]
        if day != self.instance.due_date:
            try:
                check_due_date(day, timezone.now())
            except forms.ValidationError as error:
                raise forms.ValidationError(error.message_dict["due_date"]) from error
        return day

    def list_baselines(self) -> list[tuple[int, str]]:
        """List the closed releases of the product, and the baseline that is chosen already."""
        product = str(self["product"].value() or "").replace("\0", "").strip()
        own = Release.objects.exclude(pk=self.instance.pk)
        offered = {release.pk: release.name for release in own.closed_of(product)}
        chosen = self.instance.baseline
        if chosen and chosen.product == product:
            offered.setdefault(chosen.pk, chosen.name)
        return list(offered.items())


class ReleaseEditForm(ReleaseForm):
    """Changes everything but the name, including the limits of the verdict."""

    margin = forms.FloatField(
        label=_("Margin against the baseline"),
        min_value=0,
        max_value=10,
        help_text=_("A drop of this many points on the same cases counts as a regression."),
    )
    within_one = forms.IntegerField(
        label=_("Cases within one point, in percent"),
        min_value=0,
        max_value=100,
        help_text=_("At least this share of cases must have scores within one point."),
    )

    accept = forms.ChoiceField(
        label=_("Cases that can be sampled"),
        choices=[
            (ACCEPT_SEPARATOR.join(policy.PASSED), _("Passed only")),
            (
                ACCEPT_SEPARATOR.join(policy.PASSED_OR_WARNED),
                _("Passed, and passed with warnings"),
            ),
        ],
        help_text=_(
            "By the result of the automated checks. Failed and unchecked cases are never sampled."
        ),
    )

    looks = forms.CharField(
        label=_("Planned looks"),
        required=False,
        max_length=100,
        help_text=_(
            "How many cases the sample has at each look at the scores, for example 5, 8, 12. After "
            "a look the sample can grow to the next size; the verdict is given only at a look. "
            "Empty: 5, 8, 12."
        ),
    )
    regression = forms.ChoiceField(
        label=_("Comparison with the baseline"),
        choices=[
            ("report", _("Only a proven drop counts against the release")),
            ("required", _("The release must show that a drop by the margin is excluded")),
        ],
        widget=forms.RadioSelect,
        required=False,
    )
    regression_by = forms.ChoiceField(
        label=_("What decides whether it got worse"),
        choices=[
            (policy.BY_SCORES, _("The scores of the cases that both releases have")),
            (policy.BY_SIDE, _("Readers who compare the old and the new plan side by side")),
        ],
        widget=forms.RadioSelect,
        required=False,
    )

    class Meta(ReleaseForm.Meta):
        fields = ["product", "rubric", "reviews_per_case", "baseline", "due_date"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        release = self.instance
        limits = policy.from_data(release.policy)
        self.initial["margin"] = limits.margin
        self.initial["within_one"] = round(limits.within_one * 100)
        self.initial["looks"] = ", ".join(map(str, limits.looks))
        self.initial["regression"] = limits.regression
        self.initial["regression_by"] = limits.regression_by
        self.initial["accept"] = ACCEPT_SEPARATOR.join(limits.accept)
        for metric in release.rubric.text_for(get_language()).document.metrics:
            self.fields[f"floor_{metric.key}"] = forms.FloatField(
                label=gettext("Floor of %(metric)s") % {"metric": metric.name},
                min_value=metric.low,
                max_value=metric.high,
                initial=limits.floor(metric.key),
                help_text=gettext("The mean must be clearly above it."),
            )
        self.fields["reason"] = forms.CharField(
            label=gettext("Reason for these limits"),
            required=False,
            max_length=policy.LONGEST_REASON,
            initial=limits.reason,
            help_text=gettext("The report shows it beside the rules."),
            widget=forms.HiddenInput,
        )
        if limits.reason or self.data.get("reason"):
            self.show_reason()

    def show_reason(self) -> None:
        """Show the field for the reason, which few releases need."""
        self.fields["reason"].widget = forms.Textarea(attrs={"rows": 2, "class": "reason"})

    def clean_looks(self) -> list[int]:
        text = self.cleaned_data["looks"].strip()
        try:
            return policy.parse_looks(text) if text else policy.plan_default_looks()
        except ValueError as error:
            raise forms.ValidationError(
                gettext(
                    "Give up to %(most)d rising whole numbers from 1 to %(largest)d with commas "
                    "between them, for example 5, 8, 12."
                )
                % {"most": policy.MOST_LOOKS, "largest": policy.LARGEST_LOOK}
            ) from error

    def clean(self) -> dict[str, Any]:
        """Add `policy` in the form in which it is stored."""
        cleaned: dict[str, Any] = super().clean() or {}
        if self.errors.keys() - {"due_date"}:
            return cleaned
        floors = {
            name.removeprefix("floor_"): cleaned.pop(name)
            for name in list(cleaned)
            if name.startswith("floor_")
        }
        limits = policy.Policy(
            floors={key: value for key, value in floors.items() if value != policy.DEFAULT_FLOOR},
            margin=cleaned.pop("margin"),
            within_one=cleaned.pop("within_one") / 100,
            accept=cleaned.pop("accept").split(ACCEPT_SEPARATOR),
            looks=cleaned.pop("looks"),
            regression=cleaned.pop("regression") or "report",
            regression_by=cleaned.pop("regression_by") or policy.BY_SCORES,
            reason=cleaned.pop("reason").strip(),
        )
        idle = list(describe_idle_limits(limits, cleaned["rubric"]))
        if idle and not limits.reason:
            self.show_reason()
            self.add_error("reason", [*idle, gettext("Give a reason for this.")])
        cleaned["policy"] = policy.to_data(limits)
        return cleaned


class DueDateForm(ReleaseModelForm):
    """Changes the due date, the only field that can change after the start."""

    class Meta:
        model = Release
        fields = ["due_date"]
        widgets = {"due_date": DAY}
