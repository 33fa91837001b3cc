"""A release as one frozen value: the single source for page, API, exports, print and verdict.

`of(release)` computes it in a dozen statements, however large the release is. At closing it is
stored with its digest; `standing(release)` gives what was stored, or what was computed since the
last event. It holds what reviewers said: it is shown only after `reviews.adjudication.visibility`
was asked (`require_sight`, and `open_scores` before the first look).

No primary key and no clock in it: cases by their case_key, people by their username. The same
evidence gives the same text and digest on either database. Floats are rounded to ten decimals.
What is not defined has a Reason (a code, and a sentence to translate: `reviews.report.sentences`).

document    Summary: all of it; written, read
figures     CaseSummary, MetricSummary, QuestionSummary and what they are made of
changes     Comparison and what it is made of
papers      draws, amendments, waivers, disagreements, flags, remarks: what happened, in words
reading     of, standing, standing_json: from the database
cache       keep(release, what, make): what was computed since the last event
assembling  summary_from(given): from rows, wherever they come from
comparing   compare(after, before): any two summaries
"""

from .changes import Comparison
from .comparing import NotComparable, compare
from .document import SCHEMA, OtherSchema, Summary, read, written
from .reading import of, standing, standing_json

__all__ = [
    "SCHEMA",
    "Comparison",
    "NotComparable",
    "OtherSchema",
    "Summary",
    "compare",
    "of",
    "read",
    "standing",
    "standing_json",
    "written",
]
