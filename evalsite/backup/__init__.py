"""Back up all rows of a site into one archive, and restore it into an empty database.

`archive` reads and writes the file, `version_1` reads its first format, `tables` reads and writes
rows of the database, `dump` takes a backup, `load` restores one. More in docs/backup.md.
"""

from evalsite.backup.archive import BackupRefused, Manifest
from evalsite.backup.dump import back_up
from evalsite.backup.load import restore

__all__ = ["BackupRefused", "Manifest", "back_up", "restore"]
