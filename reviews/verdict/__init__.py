"""From a summary to GO, HOLD, NO-GO or NOT ENOUGH EVIDENCE, with reasons. Pure.

document   Verdict, Criterion, Word
"""

from .document import Criterion, Verdict, Word

__all__ = ["Criterion", "Verdict", "Word"]
