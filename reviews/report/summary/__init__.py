"""A release as one frozen value: the single source for page, API, exports, print and verdict.

`compute(release)` reads it from the database in a dozen statements, however large the release is.
Closing stores it with its digest; `load(release)` returns the stored summary of a closed release,
and otherwise computes it at most once between two events. It contains what reviewers wrote, so
callers check `reviews.adjudication.visibility` first (`require_sight`, or `open_scores` before the
first look).

It has no primary keys and no times: cases go by their case_key, people by their username. The same
evidence gives the same text and digest on either database. Floats are rounded to ten decimals.
A figure that is not defined has a Reason: a code, and a sentence that `reviews.report.sentences`
translates.

document     Summary with the records that it prints; serialize, read
figures      CaseSummary, MetricSummary, QuestionSummary, Comparison and their parts
queries      compute, load, load_json: from the database
rows         records, sample and remarks, as the database has them
counts       scores and answers, counted by the database
computation  build_summary(inputs): a pure function of rows
comparison   compare(after, before): any two summaries
metrics, checklist, findings   the parts that build_summary puts together
rounding     how figures are rounded, for storage and for reading
cache        get_or_make: results that are kept until the next event
"""

from .comparison import NotComparable, compare
from .document import SCHEMA, OtherSchema, Summary, read, serialize
from .figures import Comparison
from .queries import compute, load, load_json

__all__ = [
    "SCHEMA",
    "Comparison",
    "NotComparable",
    "OtherSchema",
    "Summary",
    "compare",
    "compute",
    "load",
    "load_json",
    "read",
    "serialize",
]
