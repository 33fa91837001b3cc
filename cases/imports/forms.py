"""The form that imports cases."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from cases import formats

LARGEST_UPLOAD = 32 * 1024**2
LARGEST_REPORT = 8 * 1024**2


class ImportForm(forms.Form):
    """Takes a file or pasted lines, and how to read them."""

    file = forms.FileField(
        label=_("File"),
        required=False,
        widget=forms.FileInput(attrs={"accept": ".jsonl,.ndjson,.json,.gz,.txt"}),
        help_text=_("One JSON object per line, UTF-8, gzip is fine; up to 32 MB."),
    )
    text = forms.CharField(
        label=_("Or paste lines"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false", "class": "document"}),
        help_text=_("If you choose a file, it is read instead."),
    )
    format = forms.ChoiceField(
        label=_("Shape of the rows"),
        choices=[("auto", _("detect from the content")), *((name, name) for name in formats.NAMES)],
        initial="auto",
    )
    key_from = forms.ChoiceField(
        label=_("Case key"),
        required=False,
        choices=[("", "case_key"), ("id", "id")],
        help_text=_("The field that identifies the same case across releases."),
    )
    report = forms.FileField(
        label=_("Check report"),
        required=False,
        widget=forms.FileInput(attrs={"accept": ".json"}),
        help_text=_("The product's own automated checks, joined by case key."),
    )

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        file, report = cleaned.get("file"), cleaned.get("report")
        if file is None and "file" not in self.errors and not cleaned.get("text", "").strip():
            self.add_error("file", _("Choose a file or paste lines."))
        if file is not None and file.size > LARGEST_UPLOAD:
            self.add_error(
                "file",
                _("The file is larger than 32 MB. Pack it with gzip, or use import_cases."),
            )
        if report is not None and report.size > LARGEST_REPORT:
            self.add_error("report", _("The report is larger than 8 MB."))
        return cleaned
