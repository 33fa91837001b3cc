#!/usr/bin/env python3
"""Build the wheel with which a pipeline checks cases: the pure packages of `cases`, and no Django.

    python3 tools/checker_wheel.py FOLDER

Only the standard library is needed. The same source gives the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NAME = "spotcheck-checker"
PACKAGES = (
    "cases/facts",
    "cases/formats",
    "cases/itinerary",
    "cases/rule",
    "cases/tags/detectors",
)
ABOVE = ("cases/__init__.py", "cases/tags/__init__.py")
OLDEST = (1980, 1, 1, 0, 0, 0)


def build(folder: Path) -> Path:
    """Write the wheel into the folder, and return its path."""
    project = read_project()
    stem = f"{NAME.replace('-', '_')}-{project['version']}"
    info = f"{stem}.dist-info"
    files = dict(read_sources()) | {
        f"{info}/METADATA": describe(project).encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: spotcheck\nRoot-Is-Purelib: true\n"
        b"Tag: py3-none-any\n",
        f"{info}/LICENSE": (ROOT / "LICENSE").read_bytes(),
    }
    record = f"{info}/RECORD"
    lines = [f"{name},sha256={digest(content)},{len(content)}" for name, content in files.items()]
    files[record] = "\n".join([*lines, f"{record},,", ""]).encode()
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, OLDEST), content, zipfile.ZIP_DEFLATED)
    return wheel


def read_project() -> dict[str, str]:
    project: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return project


def read_sources() -> Iterator[tuple[str, bytes]]:
    """Yield name and content of every module that a check can import."""
    modules = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    for path in sorted([*modules, *(ROOT / name for name in ABOVE)]):
        yield path.relative_to(ROOT).as_posix(), path.read_bytes()


def describe(project: dict[str, str]) -> str:
    return (
        "Metadata-Version: 2.1\n"
        f"Name: {NAME}\n"
        f"Version: {project['version']}\n"
        "Summary: Check itineraries against the rules of a product on a Spotcheck site.\n"
        f"Requires-Python: {project['requires-python']}\n"
        "Requires-Dist: msgspec\n"
    )


def digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: checker_wheel.py FOLDER")
    print(build(Path(sys.argv[1])))
