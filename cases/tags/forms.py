"""Forms that change tags and exclude cases."""

from django import forms
from django.utils.translation import gettext_lazy as _

from cases.models.cases import LONGEST_TAG
from cases.rubric import normal_tag


class ExclusionForm(forms.Form):
    """Excludes cases from the draw or lets them in again, with one reason."""

    exclusion = forms.ChoiceField(
        choices=[("exclude", _("exclude")), ("let-in", _("let in again"))]
    )
    exclusion_reason = forms.CharField(
        max_length=500, error_messages={"required": _("Say why: a reason is kept with this.")}
    )


class TagForm(forms.Form):
    """Changes one tag on many cases, with one reason."""

    tag = forms.CharField(label=_("Tag"), max_length=LONGEST_TAG)
    act = forms.ChoiceField(
        label=_("What"),
        choices=[
            ("add", _("give")),
            ("remove", _("take away")),
            ("reset", _("reset to file and detectors")),
        ],
    )
    reason = forms.CharField(label=_("Reason"), max_length=500)

    def clean_tag(self) -> str:
        tag = normal_tag(self.cleaned_data["tag"])
        if any(letter.isspace() or not letter.isprintable() for letter in tag):
            raise forms.ValidationError(_("A tag is one word, such as low-budget."))
        # A few capital letters become two letters in lower case.
        if len(tag) > LONGEST_TAG:
            raise forms.ValidationError(_("A tag has at most 80 characters."))
        return tag
