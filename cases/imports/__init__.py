"""File -> cases, all or nothing. The web form, the command and the API come through here.

arrays    a JSON array -> a file of lines
lines     a file -> numbered lines, whatever its line ends and packing
counting  keys, versions and tags of however many rows, in little memory
checking  lines -> rows that are known to be good, kept in a temporary file
storing   rows -> new, changed and unchanged cases, in one transaction
undoing   takes back the newest import of a draft
"""

from cases.imports.checking import BadFile, Checked, Options, check
from cases.imports.lines import Source
from cases.imports.storing import CasesFrozen, NotAsPreviewed, Outcome, Preview, preview, store
from cases.imports.undo import CannotUndo, count_batches, undo_import

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
    "preview",
    "store",
    "undo_import",
]
