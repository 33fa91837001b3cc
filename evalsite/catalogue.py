"""Compile the translations in locale/ into var/locale/, where Django looks for them.

    python -m evalsite.catalogue

`make install` runs this. It uses polib instead of msgfmt, so only developers need the gettext
programs (`make messages`), and it reads no settings, so it can run before there is a secret key.
"""

import os
from pathlib import Path

import polib

ROOT = Path(__file__).resolve().parent.parent


def compile_catalogue(po: Path, mo: Path) -> bool:
    """Write `mo` unless it is up to date. Return whether it was written.

    The .mo file gets the modification time of its .po file. Testing for "newer" is not enough: the
    files of a new release can be older than the .mo compiled from the previous one.
    """
    time = po.stat().st_mtime_ns
    if mo.exists() and mo.stat().st_mtime_ns == time:
        return False
    mo.parent.mkdir(parents=True, exist_ok=True)
    unfinished = mo.with_name(f"{mo.name}.{os.getpid()}")
    polib.pofile(str(po)).save_as_mofile(str(unfinished))
    os.utime(unfinished, ns=(time, time))
    unfinished.replace(mo)
    return True


def main(root: Path = ROOT) -> None:
    for po in sorted((root / "locale").glob("*/LC_MESSAGES/*.po")):
        name = po.relative_to(root)
        if compile_catalogue(po, (root / "var" / name).with_suffix(".mo")):
            print(f"Compiled {name}.")


if __name__ == "__main__":
    main()
