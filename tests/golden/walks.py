"""`python -m tests.golden.walks --site CHECKOUT [--out FILE.md]`: see README.md.

Counts, for each step of two walks through the product, the files of ours that are entered, the
functions of ours that are entered, and how often control goes from one of our files to another.
"""

import argparse
import os
import secrets
import subprocess
import sys
import tempfile
from pathlib import Path
from subprocess import DEVNULL

from tests.golden.site import copy_checkout

INSIDE = Path(__file__).resolve().parent / "walk_inside.py"


def main() -> None:
    parser = argparse.ArgumentParser(description="Record two walks through the code of a checkout.")
    parser.add_argument("--site", type=Path, required=True, help="the checkout")
    parser.add_argument("--out", type=Path, help="a Markdown file; standard output if left out")
    parser.add_argument("--files", action="store_true", help="also list the files of each step")
    options = parser.parse_args()
    text = record(options.site.resolve(), list_files=options.files)
    if options.out:
        options.out.write_text(text, "utf-8")
    else:
        sys.stdout.write(text)


def record(checkout: Path, *, list_files: bool = False) -> str:
    """Run both walks in a process whose working folder is a copy of the checkout."""
    with tempfile.TemporaryDirectory(prefix="spotcheck-walks-") as scratch:
        folder = Path(scratch).resolve() / "checkout"
        copy_checkout(checkout, folder)
        environment = {
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "HOME": scratch,
            "DATABASE_URL": f"sqlite:///{scratch}/walks.sqlite3",
            "DJANGO_SETTINGS_MODULE": "evalsite.settings",
            "SECRET_KEY": secrets.token_urlsafe(64),
            "ALLOWED_HOSTS": "testserver",
            "LOG_LEVEL": "ERROR",
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        command = [".venv/bin/python", str(INSIDE), *(["--files"] if list_files else [])]
        subprocess.run(["make", "install"], cwd=folder, env=environment, check=True, stdout=DEVNULL)
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"The walk failed:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
