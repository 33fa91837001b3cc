"""Forms for rubric documents."""

from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from cases import rubric
from cases.models import Rubric


class VersionField(forms.ModelChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, version: Rubric) -> str:
        return gettext("Translation of version %(number)d") % {"number": version.number}


class RubricForm(forms.Form):
    """Takes a document, pasted or as a file, as a new version or as a translation."""

    text = forms.CharField(
        label=_("Document"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 24, "spellcheck": "false", "class": "document"}),
        help_text=_(
            "Markdown, as the newest version shows. Indented lines under a level or a question "
            "become its hint."
        ),
    )
    file = forms.FileField(
        label=_("File"),
        required=False,
        widget=forms.FileInput(attrs={"accept": ".md,.markdown,.txt,text/markdown,text/plain"}),
        help_text=_("A .md file in UTF-8. If you choose one, it replaces the text above."),
    )
    translates = VersionField(
        label=_("Publish as"),
        queryset=Rubric.objects.all(),
        to_field_name="number",
        required=False,
        empty_label=_("The next version"),
        help_text=_("Or as the translation of a published version."),
    )
    language = forms.ChoiceField(label=_("Language of the text"), choices=settings.LANGUAGES)

    def clean(self) -> dict[str, Any]:
        """Put the document into `text`, whether it was pasted or uploaded."""
        cleaned: dict[str, Any] = super().clean() or {}
        file = cleaned.pop("file", None)
        if file is not None:
            if file.size > rubric.LARGEST:
                raise forms.ValidationError({"file": _("The file is larger than a rubric can be.")})
            try:
                cleaned["text"] = file.read().decode("utf-8-sig")
            except UnicodeDecodeError as error:
                raise forms.ValidationError(
                    {"file": _("The file is not UTF-8 text. Save it as UTF-8 and try again.")}
                ) from error
        cleaned["text"] = cleaned.get("text", "").replace("\r\n", "\n")
        if not cleaned["text"].strip():
            raise forms.ValidationError({"text": _("Paste a document or choose a file.")})
        return cleaned


class StartForm(forms.Form):
    """What a new document starts from, read from the address of its page."""

    version = VersionField(queryset=Rubric.objects.all(), to_field_name="number", required=False)
    translate = forms.BooleanField(required=False)
    language = forms.ChoiceField(choices=settings.LANGUAGES, required=False)
