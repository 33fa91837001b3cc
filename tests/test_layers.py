"""The arrows of docs/architecture.md, read off the imports."""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

BASE_DIR = Path(__file__).resolve().parents[1]
OURS = ("evalsite", "cases", "reviews", "tests")

# Packages and modules that anybody can check without the rest of the product: what each may import
# besides the standard library.
PURE = {
    "cases/rubric": {"markdown_it"},
    "cases/itinerary": {"msgspec"},
    "cases/facts": set(),
    "cases/formats": set(),
    "cases/tables": {"python_calamine"},
    "cases/tags/detectors": set(),
    "cases/rule": {"msgspec"},
    "reviews/agreement": {"numpy", "scipy"},
    "reviews/comparison": {"numpy", "scipy"},
    "reviews/backtest": set(),
    "reviews/report/charts.py": set(),
    "reviews/report/labels.py": set(),
    "reviews/sample/pool.py": {"msgspec"},
    "reviews/sample/order.py": {"msgspec"},
    "reviews/sample/matching.py": set(),
    "reviews/sample/coverage.py": set(),
    "reviews/sample/draw.py": set(),
    "reviews/assignments/plan.py": set(),
    "reviews/assignments/roster.py": set(),
    "reviews/assignments/balance.py": set(),
    "reviews/assignments/planner.py": set(),
}
# Other pure packages that a pure one may import.
MAY_IMPORT = {
    "cases/rubric": ("cases.itinerary",),
    "cases/rule": (
        "cases.facts",
        "cases.formats",
        "cases.itinerary",
        "cases.tags.detectors",
    ),
    "cases/itinerary": ("cases.facts",),
    "cases/facts": ("cases.itinerary",),
    "cases/formats": ("cases.itinerary",),
    "cases/tables": ("cases.itinerary",),
    "cases/tags/detectors": ("cases.itinerary",),
    "reviews/backtest": ("reviews.comparison",),
    "reviews/comparison": ("reviews.agreement",),
}
PURE_BESIDE = {
    "sample": ("pool", "order", "matching", "coverage", "draw"),
    "assignments": ("plan", "roster", "balance", "planner"),
    "report": ("charts", "labels"),
}

# evalsite is the site around the apps. The URL map and the settings name them as strings; these
# modules may import them.
MAY_IMPORT_AN_APP = {"urls.py", "settings.py"}
# Modules of a room that answer a browser or a script.
ANSWERS = ("views", "api", "urls", "admin")
LOOSE = {"__init__", "admin", "apps", "commands", "errors", "ledger", "urls"}


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


def sources(*places: str) -> list[Path]:
    """The modules below these folders; a place may be one module."""
    return [
        path
        for place in places
        for path in (
            [BASE_DIR / place]
            if place.endswith(".py")
            else sorted((BASE_DIR / place).rglob("*.py"))
        )
    ]


def is_in(module: str, *packages: str) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def found_in(paths: list[Path], *packages: str) -> list[str]:
    """Each import of one of the packages, as `path: module`."""
    return [
        f"{path.relative_to(BASE_DIR)}: {module}"
        for path in paths
        for module in imports_of(path)
        if is_in(module, *packages)
    ]


def room_of(module: str) -> str:
    """`reviews.desk` of `reviews.desk.views`; "" of a module that is in no room."""
    app, _dot, rest = module.partition(".")
    room, _dot, inside = rest.partition(".")
    return f"{app}.{room}" if app in ("cases", "reviews") and inside else ""


def answers(module: str) -> bool:
    """Whether the module, or the one that a name is imported from, is a view or a call."""
    return any(
        part in ANSWERS or part.startswith(("views_", "api_")) for part in module.split(".")[2:]
    )


def test_cases_know_nothing_of_reviews() -> None:
    assert sources("cases")
    assert found_in(sources("cases"), "reviews") == []


def test_the_product_knows_nothing_of_its_tests() -> None:
    assert found_in(sources("evalsite", "cases", "reviews"), "tests") == []


def test_the_site_imports_no_app() -> None:
    site = [path for path in sources("evalsite") if path.name not in MAY_IMPORT_AN_APP]
    assert site
    assert found_in(site, "cases", "reviews") == []


@pytest.mark.parametrize("pure", PURE)
def test_a_pure_module_imports_nothing_of_ours(pure: str) -> None:
    wrong = [
        f"{path.relative_to(BASE_DIR)}: {module}"
        for path in sources(pure)
        for module in imports_of(path)
        if is_in(module, "django", *OURS) and not is_in(module, *neighbours(pure))
    ]
    assert sources(pure)
    assert wrong == []


def neighbours(pure: str) -> tuple[str, ...]:
    """What a pure module may import of ours: its own package, or the pure modules beside it."""
    place = Path(pure)
    if place.suffix:
        package = ".".join(place.parent.parts)
        return tuple(f"{package}.{name}" for name in PURE_BESIDE[place.parent.name])
    return (".".join(place.parts), *MAY_IMPORT.get(pure, ()))


@pytest.mark.parametrize("pure", PURE)
def test_a_pure_module_uses_only_the_library_it_names(pure: str) -> None:
    outside = {
        module.split(".")[0]
        for path in sources(pure)
        for module in imports_of(path)
        if not is_in(module, *neighbours(pure))
    } - set(sys.stdlib_module_names)
    assert outside == PURE[pure]


def test_what_is_below_the_views_imports_no_template_tag_form_or_view() -> None:
    """Workflows, queries, models and rules serve pages, calls and commands alike."""
    above = (*ANSWERS, "forms", "management", "templatetags")
    below = [
        path
        for path in sources("cases", "reviews")
        if not set(path.relative_to(BASE_DIR).with_suffix("").parts).intersection(
            (*above, "migrations", "demo")
        )
        and not path.stem.startswith(("views_", "api_"))
    ]
    wrong = [
        f"{path.relative_to(BASE_DIR)}: {module}"
        for path in below
        for module in imports_of(path)
        if module.split(".")[0] in OURS and set(above).intersection(module.split("."))
    ]
    assert {"reviews/desk/workflow.py", "cases/models/cases.py"} <= {
        path.relative_to(BASE_DIR).as_posix() for path in below
    }
    assert wrong == []


def test_no_room_imports_the_views_of_another_room() -> None:
    wrong = [
        f"{path.relative_to(BASE_DIR)}: {module}"
        for path in sources("cases", "reviews")
        if path.name != "urls.py"
        for module in imports_of(path)
        if module.split(".")[0] in OURS
        and answers(module)
        and room_of(module) != room_of(".".join(path.relative_to(BASE_DIR).with_suffix("").parts))
    ]
    assert wrong == []


def test_every_module_is_in_a_room() -> None:
    loose = {
        path.relative_to(BASE_DIR).as_posix()
        for app in ("cases", "reviews")
        for path in (BASE_DIR / app).glob("*.py")
        if path.stem not in LOOSE
    }
    assert loose == set()


def test_no_import_hides_inside_a_function() -> None:
    """The trace of a cycle. Programs must set the environment first and import afterwards."""
    programs = {"start.py", "__main__.py"}
    wrong = [
        f"{path.relative_to(BASE_DIR)}:{node.lineno}"
        for path in sources("evalsite", "cases", "reviews")
        if path.name not in programs
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
            f"{path.relative_to(BASE_DIR)}: {module}"
            for module in imports_of(path)
            if "signals" in module or module == "django.dispatch.receiver"
        ]
        wrong += [
            f"{path.relative_to(BASE_DIR)}:{node.lineno}: {node.name}"
            for node in nodes_of(path)
            if isinstance(node, ast.FunctionDef) and node.name in ("save", "delete")
        ]
    assert wrong == []
