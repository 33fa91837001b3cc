"""Results: a table for people, JSON lines for everything else."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

COLUMNS = ("operation", "ours", "floor", "ratio", "goal", "pass")
BESIDE = ("beside, never a goal", "p50 ms", "p95 ms", "requests/s", "RSS MB", "floor requests/s")


@dataclass(frozen=True)
class Row:
    """One comparison. `passed` is None where nothing must hold; errors never pass."""

    database: str
    operation: str
    quantity: str
    ours: float | str
    floor: float | None = None
    ratio: float | None = None
    goal: str = ""
    passed: bool | None = None
    noisy: bool = False
    more: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.database}: {self.operation}: {self.quantity}"


def cells(row: Row) -> tuple[str, ...]:
    verdict = {True: "yes", False: "NO", None: ""}[row.passed]
    errors = sum(row.more.get("errors", {}).values())
    return (
        row.name,
        number(row.ours),
        number(row.floor),
        number(row.ratio) + (" noisy" if row.noisy else ""),
        row.goal,
        verdict + (f" ({errors} errors)" if errors else ""),
    )


def beside(row: Row) -> tuple[str, ...]:
    ours, floor = row.more["ours"], row.more["floor"]
    return (
        f"{row.database}: {row.operation}: {row.more['clients']} clients",
        number(ours["p50_ms"]),
        number(ours["p95_ms"]),
        number(ours["per_second"]),
        number(ours["rss_mb"]),
        number(floor["per_second"]),
    )


def number(value: float | str | None) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, int) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def table(rows: list[Row]) -> str:
    timed = [row for row in rows if "clients" in row.more]
    text = aligned([COLUMNS, *map(cells, rows)])
    return text + ("\n" + aligned([BESIDE, *map(beside, timed)]) if timed else "")


def aligned(lines: list[tuple[str, ...]]) -> str:
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    lines.insert(1, tuple("-" * width for width in widths))
    return "".join(
        " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        + "\n"
        for line in lines
    )


def write_lines(path: Path, machine: dict[str, Any], rows: Iterable[Row]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [machine, *map(asdict, rows)]
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
