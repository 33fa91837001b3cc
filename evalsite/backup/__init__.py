"""Every row of a site in one archive, and back into an empty database of either engine.

`archive` is the file, `version_1` reads the first format of it, `tables` the rows of a database,
`dump` writes an archive from a snapshot, `load` brings one back. What a backup is for, and what is
refused: docs/backup.md.
"""

from evalsite.backup.archive import BackupRefused, Manifest
from evalsite.backup.dump import back_up
from evalsite.backup.load import restore

__all__ = ["BackupRefused", "Manifest", "back_up", "restore"]
