"""File -> cases, all or nothing. The web form, the command and the API come through here.

arrays    a JSON array -> a file of lines
lines     a file -> numbered lines, whatever its line ends and packing
counting  keys, versions and tags of however many rows, in little memory
checking  lines -> rows that are known to be good, kept in a temporary file
storing   rows -> new, changed and unchanged cases, in one transaction
undoing   takes back the newest import of a draft
"""

from cases.imports.checking import Checked, Options, Refused, check
from cases.imports.lines import Source
from cases.imports.storing import Frozen, NotAsPreviewed, Outcome, Preview, preview, store
from cases.imports.undo import CannotUndo, counts_of, undo

__all__ = [
    "CannotUndo",
    "Checked",
    "Frozen",
    "NotAsPreviewed",
    "Options",
    "Outcome",
    "Preview",
    "Refused",
    "Source",
    "check",
    "counts_of",
    "preview",
    "store",
    "undo",
]
