"""`python -m tests.golden.compare BEFORE AFTER` prints how two recordings differ; see README.md."""

import argparse
import difflib
import json
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

# Sentences for people, which may be reworded without anything else being different.
SENTENCES = ("detail", "message", "text")
LONGEST_SHOWN = 300
MISSING = object()


def main() -> None:
    parser = argparse.ArgumentParser(description="Print how two recordings differ.")
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument(
        "--ignore-sentences",
        action="store_true",
        help=f"in JSON, say nothing of other texts under {', '.join(SENTENCES)}",
    )
    parser.add_argument(
        "--ignore",
        action="append",
        default=[],
        metavar="KEY",
        help="in JSON, say nothing of other texts under this key either; may be repeated",
    )
    parser.add_argument(
        "--only", default="", metavar="PREFIX", help="compare only files whose path begins so"
    )
    options = parser.parse_args()
    ignored = {*options.ignore, *(SENTENCES if options.ignore_sentences else ())}
    count = 0
    for name, lines in differences(options.before, options.after, ignored, options.only):
        count += 1
        sys.stdout.write(f"\n{name}\n")
        sys.stdout.writelines(f"  {line}\n" for line in lines)
    sys.stdout.write(f"\n{count} files differ\n" if count else "No difference\n")
    sys.exit(1 if count else 0)


def differences(
    before: Path, after: Path, ignored: Collection[str] = (), only: str = ""
) -> Iterator[tuple[str, list[str]]]:
    """Each file that differs, with lines that say how."""
    for folder in (before, after):
        if not folder.is_dir():
            raise SystemExit(f"There is no recording at {folder}.")
    for name in sorted({*names_in(before), *names_in(after)}):
        if not name.startswith(only):
            continue
        if not (after / name).exists():
            yield name, ["is no longer recorded"]
        elif not (before / name).exists():
            yield name, ["is recorded for the first time"]
        elif lines := compare_files(before / name, after / name, ignored):
            yield name, lines


def names_in(folder: Path) -> Iterator[str]:
    return (str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def compare_files(before: Path, after: Path, ignored: Collection[str]) -> list[str]:
    texts = before.read_text("utf-8"), after.read_text("utf-8")
    if texts[0] == texts[1]:
        return []
    try:
        old, new = map(json.loads, texts)
    except ValueError:
        return compare_texts(*texts)
    return list(compare_data(old, new, ignored))


def compare_texts(before: str, after: str) -> list[str]:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=1)
    return list(lines)[2:]


def compare_data(
    old: Any, new: Any, ignored: Collection[str] = (), path: str = "", key: str = ""
) -> Iterator[str]:
    """`path: old -> new` for each value that differs. `key` is the last one of the path."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in sorted({*old, *new}):
            inner = f"{path}.{name}" if path else name
            parts = old.get(name, MISSING), new.get(name, MISSING)
            yield from compare_data(*parts, ignored, inner, name)
    elif isinstance(old, list) and isinstance(new, list):
        for place in range(max(len(old), len(new))):
            first, second = (part[place] if place < len(part) else MISSING for part in (old, new))
            yield from compare_data(first, second, ignored, f"{path}[{place}]", key)
    elif not is_same(old, new):
        is_sentence = isinstance(old, str) and isinstance(new, str) and key in ignored
        if not is_sentence:
            yield f"{path}: {show(old)} -> {show(new)}"


def is_same(old: Any, new: Any) -> bool:
    """To JSON 1 and 1.0 are one number, but true is none; to Python all three are equal."""
    return old is new or (isinstance(old, bool) == isinstance(new, bool) and old == new)


def show(value: Any) -> str:
    if value is MISSING:
        return "(nothing)"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + " …"


if __name__ == "__main__":
    main()
