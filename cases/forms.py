"""Forms over rubrics, releases and their cases."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from cases import formats, policy, rubric
from cases.models import Release, Rubric
from cases.models.cases import LONGEST_TAG
from cases.rubric import normal_tag

if TYPE_CHECKING:
    ReleaseModelForm = forms.ModelForm[Release]
else:
    ReleaseModelForm = forms.ModelForm

LARGEST_UPLOAD = 32 * 1024**2
LARGEST_REPORT = 8 * 1024**2


class VersionField(forms.ModelChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, version: Rubric) -> str:
        return gettext("Translation of version %(number)d") % {"number": version.number}


class RubricForm(forms.Form):
    """A document, pasted or as a file, as a new version or as a version's translation."""

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
        help_text=_("Or as the translation of a version that is published already."),
    )
    language = forms.ChoiceField(label=_("Language of the text"), choices=settings.LANGUAGES)

    def clean(self) -> dict[str, Any]:
        """`text` is the document, whichever way it came."""
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


# The one form that browsers take, whatever the language writes.
DAY = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")


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
        widgets = {"due_date": DAY}


class ReleaseEditForm(ReleaseForm):
    """Everything but the name, with the limits that the verdict is held against."""

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

    class Meta(ReleaseForm.Meta):
        fields = ["product", "rubric", "reviews_per_case", "baseline", "due_date"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        release = self.instance
        limits = policy.from_data(release.policy)
        self.fields["baseline"].queryset = Release.objects.exclude(  # type: ignore[attr-defined]
            pk=release.pk
        ).newest_first()
        self.initial["margin"] = limits.margin
        self.initial["within_one"] = round(limits.within_one * 100)
        for metric in release.rubric.text_for(get_language()).document.metrics:
            self.fields[f"floor_{metric.key}"] = forms.FloatField(
                label=gettext("Floor of %(metric)s") % {"metric": metric.name},
                min_value=metric.low,
                max_value=metric.high,
                initial=limits.floor(metric.key),
                help_text=gettext("The mean must be clearly above it."),
            )

    def clean(self) -> dict[str, Any]:
        """`policy` in the form in which it is stored."""
        cleaned: dict[str, Any] = super().clean() or {}
        if self.errors:
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
        )
        cleaned["policy"] = policy.to_data(limits)
        return cleaned


class DueDateForm(ReleaseModelForm):
    """What a release that is no draft can still change."""

    class Meta:
        model = Release
        fields = ["due_date"]
        widgets = {"due_date": DAY}


class ImportForm(forms.Form):
    """A file or pasted lines, and how to read them."""

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
        choices=[("auto", _("recognise by content")), *((name, name) for name in formats.NAMES)],
        initial="auto",
    )
    key_from = forms.ChoiceField(
        label=_("Case key"),
        required=False,
        choices=[("", "case_key"), ("id", "id")],
        help_text=_("The field that says across releases that two rows are the same case."),
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


class ExclusionForm(forms.Form):
    """Whether cases can be drawn, with one reason."""

    exclusion = forms.ChoiceField(
        choices=[("exclude", _("exclude")), ("let-in", _("let in again"))]
    )
    exclusion_reason = forms.CharField(
        max_length=500, error_messages={"required": _("Say why: a reason is kept with this.")}
    )


class TagForm(forms.Form):
    """One tag on many cases, with one reason."""

    tag = forms.CharField(label=_("Tag"), max_length=LONGEST_TAG)
    act = forms.ChoiceField(
        label=_("What"),
        choices=[
            ("add", _("give")),
            ("remove", _("take away")),
            ("reset", _("leave to file and detectors")),
        ],
    )
    reason = forms.CharField(label=_("Reason"), max_length=500)

    def clean_tag(self) -> str:
        tag = normal_tag(self.cleaned_data["tag"])
        if any(letter.isspace() or not letter.isprintable() for letter in tag):
            raise forms.ValidationError(_("A tag is one word, such as low-budget."))
        # Some capitals are two letters in lower case.
        if len(tag) > LONGEST_TAG:
            raise forms.ValidationError(_("A tag has at most 80 characters."))
        return tag
