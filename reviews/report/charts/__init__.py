"""Small SVG documents from plain inputs. Nothing here knows a release, a language or a database."""

from __future__ import annotations

from .distribution import LevelCount, distribution
from .intervals import At, IntervalRow, interval, points, severity
from .marks import Span, Svg
from .pairs import PairCell, pair_matrix
from .rates import rate
from .trend import Release, trend

__all__ = [
    "At",
    "IntervalRow",
    "LevelCount",
    "PairCell",
    "Release",
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
