"""Compares two releases on paired cases; means and rates over cases; severity of reviewers."""

from __future__ import annotations

from .differences import (
    Interval,
    Paired,
    detectable_in_sds,
    mcnemar_exact,
    paired,
    sign_flip_p_value,
    wilson,
)
from .looks import look_levels
from .means import Mean, mean_of_floats, mean_of_groups, mean_over_cases, reliability_of_mean
from .moderated import (
    SEVERITY,
    Limits,
    Prior,
    estimate_prior,
    find_reaches,
    moderate,
    moderated_limits,
    reviewer_shares,
    square_shares,
    widen,
)
from .severity import Component, Effect, PairedScores, Severity, severity, severity_of_pairs

__all__ = [
    "SEVERITY",
    "Component",
    "Effect",
    "Interval",
    "Limits",
    "Mean",
    "Paired",
    "PairedScores",
    "Prior",
    "Severity",
    "detectable_in_sds",
    "estimate_prior",
    "find_reaches",
    "look_levels",
    "mcnemar_exact",
    "mean_of_floats",
    "mean_of_groups",
    "mean_over_cases",
    "moderate",
    "moderated_limits",
    "paired",
    "reliability_of_mean",
    "reviewer_shares",
    "severity",
    "severity_of_pairs",
    "sign_flip_p_value",
    "square_shares",
    "widen",
    "wilson",
]
