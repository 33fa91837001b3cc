"""What in a bundle does not fit the rest of it, in sentences. Nothing asks a database.

papers   the rubric, the ledger, what was settled, closings and decisions
sample   every draw from its pool, the cases against draws and ledger
reviews  what reviews say against the ledger
figures  every figure of the summary, from the rows; the verdict, from the summary
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from reviews.export.checks import figures, papers, reviews, sample
from reviews.export.unpacking import Bundle

Check = Callable[[Bundle], Iterator[str]]

CHECKS: list[tuple[str, Check]] = [
    ("The rubric", papers.rubric),
    ("The ledger", papers.ledger),
    ("The release", papers.release),
    ("Closings and decisions", papers.ends),
    ("What was settled", papers.settled),
    ("The draws", sample.draws),
    ("The sample", sample.cases),
    ("The reviews", reviews.reviews),
    ("The figures", figures.figures),
]
# What reading a row raises that has the right shape and makes no sense.
SENSELESS = (
    AssertionError,
    AttributeError,
    IndexError,
    KeyError,
    OverflowError,
    StopIteration,
    TypeError,
    ValueError,
    ZeroDivisionError,
)


def problems_in(bundle: Bundle) -> list[str]:
    """Empty: everything fits."""
    found = list(bundle.problems)
    for what, check in CHECKS:
        try:
            found += check(bundle)
        except SENSELESS as error:
            found.append(f"{what} cannot be checked: {type(error).__name__}: {error}.")
    return list(dict.fromkeys(found))
