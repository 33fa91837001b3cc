"""Import a file of cases, all rows or none, for page, command and API. README.md has the steps."""

from cases.imports.checking import BadFile, Checked, Options, check
from cases.imports.columns import load_remembered, read_columns
from cases.imports.storing import CasesFrozen, NotAsPreviewed, Outcome, Preview, preview, store
from cases.imports.undo import CannotUndo, count_batches, undo_import
from cases.itinerary.lines import Source

__all__ = [
    "BadFile",
    "CannotUndo",
    "CasesFrozen",
    "Checked",
    "NotAsPreviewed",
    "Options",
    "Outcome",
    "Preview",
    "Source",
    "check",
    "count_batches",
    "load_remembered",
    "preview",
    "read_columns",
    "store",
    "undo_import",
]
