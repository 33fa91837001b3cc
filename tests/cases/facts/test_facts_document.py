"""The table of docs/facts.md, on which a rules engine relies, against the facts in the source."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import cases.facts

ROOT = Path(__file__).resolve().parents[3]
ROW = re.compile(r"^\| (\w+) \| `([^`]+)` \| (.+) \|$", re.MULTILINE)
# Names that are put together, and what for.
FILLED = {"{name}": ("must-visit", "avoid"), "{field}": ("dietary", "mobility")}


def documented() -> dict[tuple[str, str], set[str]]:
    text = (ROOT / "docs" / "facts.md").read_text("utf-8")
    return {
        (topic, name): set(params.split(", ")) - {"–"} for topic, name, params in ROW.findall(text)
    }


def in_source() -> dict[tuple[str, str], set[str]]:
    found: dict[tuple[str, str], set[str]] = {}
    for path in Path(cases.facts.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            if is_call and node.func.id == "fact" and node.args:  # type: ignore[attr-defined]
                topic = ast.unparse(node.args[0]).removeprefix("Topic.").lower()  # type: ignore[attr-defined]
                for name in names_in(node.args[1]):  # type: ignore[attr-defined]
                    params = {word.arg for word in node.keywords}  # type: ignore[attr-defined]
                    found.setdefault((topic, name), set()).update(params)
    return found


def names_in(key: ast.expr) -> Iterator[str]:
    text = str(ast.literal_eval(key)) if isinstance(key, ast.Constant) else ast.unparse(key)[2:-1]
    name, has_pointer, _pointer = text.partition(":")
    for part, values in FILLED.items():
        if part in name:
            yield from (name.replace(part, value) + ":…" * bool(has_pointer) for value in values)
            return
    yield name + ":…" * bool(has_pointer)


def test_the_document_lists_every_fact_with_its_parameters() -> None:
    assert documented() == in_source()
    assert len(documented()) > 50
