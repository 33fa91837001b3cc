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
            "version is used. Do not name cases, releases or people. A ruling is never changed, "
            "but a later one can supersede it."
        ),
        widget=forms.Textarea(attrs={"rows": 4, "class": "reason"}),
        error_messages={"required": _("Write some text first.")},
    )
    look_again = forms.BooleanField(
        label=_("Reviewers look again"),
        required=False,
        help_text=_(
            "Tick this if it changes what an answer or a score means. People who have begun or "
            "submitted reviews that can still be revised are asked to look at them again."
        ),
    )


class SupersedeForm(RulingForm):
    """`supersedes` is the number of the ruling that was in force on the page."""

    supersedes = forms.IntegerField(widget=forms.HiddenInput, min_value=1, max_value=32_000)
