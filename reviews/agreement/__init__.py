"""Measures how far reviewers agree. Every figure comes from one small table of patterns."""

from __future__ import annotations

from .chance import Weights, ac1, ac2, brennan_prediger, fleiss, weighted_kappa
from .rates import cases_within_one, exact_agreement, mean_gap, within_one
from .reliability import Metric, Reading, alpha, icc1, reading
from .results import CONFIDENCE, FEWEST_CASES, Reason, Result
from .table import BadRatings, PatternTable, pattern_table, pattern_table_from_counts

__all__ = [
    "CONFIDENCE",
    "FEWEST_CASES",
    "BadRatings",
    "Metric",
    "PatternTable",
    "Reading",
    "Reason",
    "Result",
    "Weights",
    "ac1",
    "ac2",
    "alpha",
    "brennan_prediger",
    "cases_within_one",
    "exact_agreement",
    "fleiss",
    "icc1",
    "mean_gap",
    "pattern_table",
    "pattern_table_from_counts",
    "reading",
    "weighted_kappa",
    "within_one",
]
