"""From a summary to GO, HOLD, NO-GO or NOT ENOUGH EVIDENCE, with reasons. Pure: docs/verdict.md.

`of(summary)` gives a Verdict: a word, one sentence, and the criteria, each with its value, its
limit, whether it passed (None: not assessed), the cases behind it, and what would change it.
Sentences are Reasons; `reviews.report.sentences` says them in the reader's language.

document   Verdict, Criterion, Word
deciding   of
criteria   each criterion, with regression
reasons    the sentences, with changes and gaps
prospects  how many more cases like these
"""

from reviews.models.outcomes import Word

from .deciding import of
from .document import Criterion, Verdict

__all__ = ["Criterion", "Verdict", "Word", "of"]
