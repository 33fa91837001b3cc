"""Every row of a site in one archive, and back into an empty database of either engine.

`tables` says what is taken, `archive` is the file, `reading` takes a snapshot into one, `restoring`
brings one back. What it is for and what it refuses: docs/backup.md.
"""

from evalsite.backup.archive import Manifest, Refused
from evalsite.backup.reading import back_up
from evalsite.backup.restoring import restore

__all__ = ["Manifest", "Refused", "back_up", "restore"]
