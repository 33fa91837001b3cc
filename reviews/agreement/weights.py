"""How much two levels agree: 1 in full, 0 not at all."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from .table import Floats

# Or a matrix over the levels: of agreement, with 1 on the diagonal, or of disagreement, with 0.
Weights = Literal["identity", "linear", "quadratic"] | npt.ArrayLike


def agreement_weights(values: Floats, weights: Weights) -> Floats:
    size = len(values)
    if isinstance(weights, str):
        gaps = np.abs(np.subtract.outer(values, values)) / np.ptp(values)
        if weights == "identity":
            return np.eye(size)
        if weights == "linear":
            return np.asarray(1 - gaps, dtype=np.float64)
        if weights == "quadratic":
            return np.asarray(1 - gaps**2, dtype=np.float64)
        raise ValueError(
            f"There are no weights {weights!r}: identity, linear, quadratic or a matrix."
        )
    matrix = np.asarray(weights, dtype=np.float64)
    if matrix.shape != (size, size) or not np.array_equal(matrix, matrix.T):
        raise ValueError(f"Weights must be a symmetric matrix over the {size} levels.")
    diagonal = set(np.diagonal(matrix).tolist())
    if diagonal == {1.0} and matrix.max() <= 1:
        return matrix
    if diagonal == {0.0} and matrix.min() >= 0 < matrix.max():
        return np.asarray(1 - matrix / matrix.max(), dtype=np.float64)
    raise ValueError("Weights must have 1 on the diagonal (agreement) or 0 (disagreement).")
