"""A rubric document: Markdown text <-> frozen dataclasses. How to write one: docs/rubric-format.md.

No Django here. Problems carry their sentence as a template; the pages translate it.
"""

from cases.itinerary.tags import normal_tag

from .document import (
    PREFIX,
    Document,
    Kind,
    Level,
    Metric,
    Question,
    RubricError,
    RubricProblem,
    Sampling,
    Section,
    detect_language,
    digest,
    fits,
    fitted,
    from_data,
    slug,
    to_data,
    write,
)
from .lines import LARGEST, LONGEST_NAME
from .metric import MOST_LEVELS
from .parser import Reading, read
from .translation import translated

__all__ = [
    "LARGEST",
    "LONGEST_NAME",
    "MOST_LEVELS",
    "PREFIX",
    "Document",
    "Kind",
    "Level",
    "Metric",
    "Question",
    "Reading",
    "RubricError",
    "RubricProblem",
    "Sampling",
    "Section",
    "detect_language",
    "digest",
    "fits",
    "fitted",
    "from_data",
    "normal_tag",
    "read",
    "slug",
    "to_data",
    "translated",
    "write",
]
