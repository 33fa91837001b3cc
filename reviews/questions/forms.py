"""Forms that ask a question about the rubric and answer it."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from cases.rubric import Document
from reviews.models.questions import LONGEST_TEXT
from reviews.questions.queries import subjects_in


class AskForm(forms.Form):
    subject = forms.ChoiceField(label=_("About"))
    text = forms.CharField(
        label=_("Your question"),
        max_length=LONGEST_TEXT,
        help_text=_(
            "About the rubric, not about this case: the answer will stand under it for everybody."
        ),
        widget=forms.Textarea(attrs={"rows": 3, "class": "reason"}),
    )

    def __init__(self, *args: Any, document: Document, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["subject"].choices = subjects_in(document)  # type: ignore[attr-defined]


class RulingForm(forms.Form):
    text = forms.CharField(
        label=_("Ruling"),
        max_length=LONGEST_TEXT,
        help_text=_(
            "Every reviewer reads it under this question or level, for as long as the rubric "
            "version is used. Name no case, no release and nobody: it is given once and stays."
        ),
        widget=forms.Textarea(attrs={"rows": 4, "class": "reason"}),
        error_messages={"required": _("Write a sentence first.")},
    )
