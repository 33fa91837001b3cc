"""With how many decimals a figure is told, in a verdict as on every page."""

from __future__ import annotations

MOST_DECIMALS = 4


def points(value: float, *, beside: float | None = None) -> str:
    """One decimal, and as many more as it takes to stand on the right side of a limit."""
    for decimals in range(1, MOST_DECIMALS + 1):
        shown = f"{value:.{decimals}f}"
        if beside is None or value == beside or float(shown) != round(beside, decimals):
            break
    return shown.removeprefix("-") if float(shown) == 0 else shown


def change(value: float, *, beside: float | None = None) -> str:
    """A difference: a rise has its plus, and only none at all looks like none."""
    shown = points(value, beside=beside)
    if float(shown) == 0 and round(value, 2):
        shown = points(value, beside=0.0)
    return f"+{shown}" if float(shown) > 0 else shown
