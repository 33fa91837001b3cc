"""Small SVG documents from plain inputs. Nothing here knows a release, a language or a database."""

from __future__ import annotations

from .distribution import Given, distribution
from .intervals import At, Row, interval, points, severity
from .marks import Span, Svg
from .pairs import Cell, pair_matrix
from .rates import rate
from .trend import Release, trend

__all__ = [
    "At",
    "Cell",
    "Given",
    "Release",
    "Row",
    "Span",
    "Svg",
    "distribution",
    "interval",
    "pair_matrix",
    "points",
    "rate",
    "severity",
    "trend",
]
