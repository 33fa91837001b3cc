"""The form that imports cases."""

from collections.abc import Iterator, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from cases import formats
from cases.case.vocabulary import FIELDS as REQUEST_FIELDS
from cases.models.cases import CheckStatus
from cases.tables import (
    CHECKS,
    FROM_REQUEST,
    KEY,
    PATHS,
    PLAN,
    REQUEST,
    SAME,
    TABLE,
    Cell,
    Columns,
    Table,
)
from cases.tables.values import as_text

LARGEST_UPLOAD = 32 * 1024**2
LARGEST_REPORT = 8 * 1024**2


class ImportForm(forms.Form):
    """Takes a file or pasted lines, and how to read them."""

    file = forms.FileField(
        label=_("File"),
        required=False,
        widget=forms.FileInput(
            attrs={"accept": ".jsonl,.ndjson,.json,.gz,.txt,.csv,.tsv,.xlsx,.xls,.ods"}
        ),
        help_text=_(
            "One JSON object per line, or a table with one case per row: CSV, XLSX, XLS or ODS. "
            "Up to 32 MB."
        ),
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
        choices=[
            ("auto", _("detect from the content")),
            *((name, name) for name in formats.NAMES),
            (TABLE, _("table (CSV or workbook)")),
        ],
        initial="auto",
    )
    key_from = forms.ChoiceField(
        label=_("Case key"),
        required=False,
        choices=[("", "case_key"), ("id", "id")],
        help_text=_("The field that identifies the same case across releases."),
    )
    report = forms.FileField(
        label=_("Checks"),
        required=False,
        widget=forms.FileInput(attrs={"accept": ".json"}),
        help_text=_("The report of the product's own automated checks, joined by case key."),
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


# What the fields are called; those of a request are in the vocabulary of a case.
LABELS = {
    KEY: _("Case key"),
    REQUEST: _("Request"),
    PLAN: _("Plan, as text"),
    CHECKS: _("Result of the automated checks"),
    "automated_summary.score": _("Score of the automated checks"),
    "plan.title": _("Title of the plan"),
    "plan.summary": _("Summary of the plan"),
    "plan.status": _("Status of the plan"),
    "request.start_date": _("First day"),
    "request.end_date": _("Last day"),
    "request.budget.amount": _("Budget"),
    "request.budget.currency": _("Currency of the budget"),
    "request.budget.scope": _("What the budget is for"),
    "tags": _("Tags"),
    "locale": _("Language"),
    "release.product": _("Product"),
    "release.version": _("Version"),
    "produced_by": _("Made by"),
    "id": _("Name in this release"),
}
# These are always shown, the others only where a column fills them.
FIRST = (KEY, REQUEST, PLAN, CHECKS)


def name_field(path: str) -> str:
    """Return what people call a field of the case format."""
    text = str(LABELS.get(path) or REQUEST_FIELDS[path.removeprefix("request.")])
    return text[:1].upper() + text[1:]


class ColumnsForm(forms.Form):
    """Which column of a table fills which field. The fields have the names of the case format."""

    def __init__(self, *args: Any, table: Table, **kwargs: Any) -> None:
        self.table = table
        super().__init__(*args, **kwargs)
        sheets = [head.name for head in table.heads if head.rows]
        if len(sheets) > 1:
            self.fields["sheet"] = forms.ChoiceField(
                label=_("Sheet"),
                choices=[(name, name) for name in sheets],
                widget=forms.Select(attrs={"class": "form-select"}),
                initial=table.layout.sheet,
                help_text=_("Another sheet starts with the columns that fit it."),
            )
        for path in PATHS:
            self.fields[path] = forms.ChoiceField(
                label=name_field(path),
                required=False,
                choices=list(self.list_choices(path)),
                widget=forms.Select(attrs={"class": "form-select"}),
                initial=table.fields.get(path, ""),
            )

    def list_choices(self, path: str) -> Iterator[tuple[str, str]]:
        yield "", gettext("– no column –")
        if path == KEY:
            yield FROM_REQUEST, gettext("made from the words of the request")
        if path == CHECKS:
            for status in (CheckStatus.PASS, CheckStatus.WARN):
                yield SAME + status.value, name_constant(str(status.label))
        chosen = self.table.fields.get(path, "")
        if chosen.startswith(SAME) and path not in (KEY, CHECKS):
            yield chosen, name_constant(chosen.removeprefix(SAME))
        for name in self.table.names:
            yield name, name

    def list_rows(self) -> list[tuple[Any, str]]:
        """Return the fields that matter for this table, each with what the first row has for it."""
        return [(self[path], self.find_example(path)) for path in PATHS if self.is_shown(path)]

    def list_more(self) -> list[Any]:
        return [self[path] for path in PATHS if not self.is_shown(path)]

    def is_shown(self, path: str) -> bool:
        return path in FIRST or bool(self.table.fields.get(path))

    def find_example(self, path: str) -> str:
        return self.table.find_example(path, LONGEST_EXAMPLE)

    def list_samples(self) -> list[tuple[str, list[str]]]:
        """Return every column with what it has in the first rows, also those without a field."""
        rows = self.table.read_first_rows(MOST_SAMPLE_ROWS)
        return [
            (column.name, [read_sample(cells, column.place) for _number, cells in rows])
            for column in self.table.layout.columns
        ]

    def build_columns(self) -> Columns:
        """Return the chosen columns. "No column" is kept only where a column would be guessed."""
        sheet = self.cleaned_data.get("sheet", "")
        if sheet and sheet != self.table.layout.sheet:
            return Columns({}, sheet)
        chosen = {
            path: self.cleaned_data[path]
            for path in PATHS
            if self.cleaned_data[path] or self.table.fields.get(path)
        }
        return Columns(chosen, sheet)


LONGEST_EXAMPLE = 120
MOST_SAMPLE_ROWS = 3


def read_sample(cells: Sequence[Cell], place: int) -> str:
    text = as_text(cells[place]).strip() if place < len(cells) else ""
    return text if len(text) <= LONGEST_EXAMPLE else f"{text[:LONGEST_EXAMPLE]}…"


def name_constant(text: str) -> str:
    return gettext("%(value)s, in every row") % {"value": text}
