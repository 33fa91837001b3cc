"""The arrows of docs/architecture.md, read off the imports."""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

BASE_DIR = Path(__file__).resolve().parents[1]
OURS = ("evalsite", "cases", "reviews", "tests")

# Modules that anybody can check with nothing of ours at hand: what they may import besides the
# standard library.
PURE = {
    "cases/rubric": {"markdown_it"},
    "cases/itinerary": {"msgspec"},
    "cases/formats": set(),
    "cases/tagging": {"holidays"},
    "reviews/planning": set(),
    "reviews/agreement": {"numpy", "scipy"},
    "reviews/charts": set(),
    "reviews/comparison": {"numpy", "scipy"},
    "reviews/sampling": {"msgspec"},
}
# Pure modules that others speak of: the case format; the reasons of figures.
MAY_IMPORT = {
    "cases/formats": ("cases.itinerary",),
    "cases/tagging": ("cases.itinerary",),
    "reviews/comparison": ("reviews.agreement",),
}


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(path.read_text("utf-8"))))


def imports_of(path: Path) -> Iterator[str]:
    """Every module named in an import; relative ones as they are spelled out."""
    package = path.relative_to(BASE_DIR).with_suffix("").parts[:-1]
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def sources(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((BASE_DIR / folder).rglob("*.py"))]


def is_in(module: str, *packages: str) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def test_cases_know_nothing_of_reviews() -> None:
    found = [(path.name, one) for path in sources("cases") for one in imports_of(path)]
    assert found
    assert [one for one in found if is_in(one[1], "reviews")] == []


def test_the_product_knows_nothing_of_its_tests() -> None:
    product = sources("evalsite", "cases", "reviews")
    wrong = [
        (path.name, one) for path in product for one in imports_of(path) if is_in(one, "tests")
    ]
    assert wrong == []


@pytest.mark.parametrize("pure", PURE)
def test_a_pure_module_imports_nothing_of_ours(pure: str) -> None:
    package = pure.replace("/", ".")
    wrong = [
        (path.name, one)
        for path in sources(pure)
        for one in imports_of(path)
        if is_in(one, "django", *OURS) and not is_in(one, package, *MAY_IMPORT.get(pure, ()))
    ]
    assert sources(pure)
    assert wrong == []


@pytest.mark.parametrize("pure", PURE)
def test_a_pure_module_uses_only_the_library_it_names(pure: str) -> None:
    package = pure.replace("/", ".")
    outside = {
        one.split(".")[0]
        for path in sources(pure)
        for one in imports_of(path)
        if not is_in(one, package, *MAY_IMPORT.get(pure, ()))
    } - set(sys.stdlib_module_names)
    assert outside == PURE[pure]


def test_models_and_publishing_import_no_view_form_or_command() -> None:
    above = ("views", "forms", "urls", "admin", "management", "api")
    below = [
        path
        for path in sources("cases", "reviews")
        if not {"views", "forms", "api"}.intersection(path.relative_to(BASE_DIR).parts)
        and (
            {"models", "importing", "workflow", "summary", "verdict"}.intersection(path.parts)
            or path.stem in ("publishing", "releases", "retagging", "people", "ledger", "gate")
        )
    ]
    wrong = [
        (path.name, one)
        for path in below
        for one in imports_of(path)
        for layer in above
        if is_in(one, f"cases.{layer}", f"reviews.{layer}", f"evalsite.{layer}")
    ]
    assert len(below) >= 4
    assert wrong == []


def test_pages_and_calls_know_nothing_of_each_other() -> None:
    """What both need stands below them; evalsite/views.py answers for both when all else fails."""
    views, api = ("cases.views", "reviews.views", "evalsite.views"), ("cases.api", "reviews.api")
    closed_to = {
        "cases/api": views,
        "reviews/api": views,
        "evalsite/api": views,
        "cases/views": (*api, "evalsite.api"),
        "reviews/views": (*api, "evalsite.api"),
    }
    wrong = [
        (str(path.relative_to(BASE_DIR)), one)
        for folder, closed in closed_to.items()
        for path in sources(folder)
        for one in imports_of(path)
        if is_in(one, *closed)
    ]
    assert all(sources(folder) for folder in closed_to)
    assert wrong == []


def test_no_import_hides_inside_a_function() -> None:
    """The trace of a cycle. Doors must set the environment first and import afterwards."""
    doors = {"start.py", "__main__.py"}
    wrong = [
        f"{path.relative_to(BASE_DIR)}:{node.lineno}"
        for path in sources("evalsite", "cases", "reviews")
        if path.name not in doors
        for function in nodes_of(path)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert wrong == []


def test_no_signals_no_save_overrides() -> None:
    wrong = []
    for path in sources("cases", "reviews", "evalsite"):
        wrong += [
            f"{path.relative_to(BASE_DIR)}: {one}"
            for one in imports_of(path)
            if "signals" in one or one == "django.dispatch.receiver"
        ]
        wrong += [
            f"{path.relative_to(BASE_DIR)}:{node.lineno}: {node.name}"
            for node in nodes_of(path)
            if isinstance(node, ast.FunctionDef) and node.name in ("save", "delete")
        ]
    assert wrong == []
