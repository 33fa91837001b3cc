"""Forms to ask a question about the rubric and to answer it."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from cases.rubric import Document
from reviews.models.questions import LONGEST_TEXT
from reviews.questions.queries import list_choices


class AskForm(forms.Form):
    subject = forms.ChoiceField(label=_("About"))
    text = forms.CharField(
        label=_("Your question"),
        max_length=LONGEST_TEXT,
        help_text=_(
            "Ask about the rubric, not about this case. Everyone will see the answer in the rubric."
        ),
        widget=forms.Textarea(attrs={"rows": 3, "class": "reason"}),
    )

    def __init__(self, *args: Any, document: Document, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["subject"].choices = list_choices(document)  # type: ignore[attr-defined]


class RulingForm(forms.Form):
    text = forms.CharField(
        label=_("Ruling"),
        max_length=LONGEST_TEXT,
        help_text=_(
            "Every reviewer reads this under the question or level for as long as the rubric "
            "version is used. Do not name cases, releases or people. A ruling cannot be changed "
            "later."
        ),
        widget=forms.Textarea(attrs={"rows": 4, "class": "reason"}),
        error_messages={"required": _("Write some text first.")},
    )
