"""Decides GO, HOLD, NO-GO or NOT ENOUGH EVIDENCE from a summary, with reasons: docs/verdict.md.

`decide(summary)` is pure. It returns a Verdict: a word, one sentence, and the criteria, each with
its value, its limit, whether it passed (None: not assessed), the cases behind it, and what would
change it. Sentences are Reasons, which `reviews.report.sentences` translates. Exported bundles
contain them: rewording one changes what `verify_export` computes for old bundles.

document   Verdict, Criterion
criteria   each criterion
reasons    the sentences of criteria about scores
gaps       the sentences about missing evidence and open work
prospects  how many more cases are needed
"""

from __future__ import annotations

from reviews.agreement import Reason
from reviews.models.outcomes import Word
from reviews.report.summary.document import Summary

from . import gaps
from .criteria import check_criteria
from .document import Criterion, Verdict

__all__ = ["Criterion", "Verdict", "Word", "decide"]


# The most informative gap comes first.
GAPS = ("reviews", "cases", "kinds")


def decide(summary: Summary, *, is_abandoned: bool = False) -> Verdict:
    """Return the verdict; an abandoned release has no word and no criteria."""
    if is_abandoned:
        return Verdict(None, gaps.abandoned(), ())
    criteria = check_criteria(summary)
    word = next((word for word in Word if any(c.leads_to == word for c in criteria)), Word.GO)
    return Verdict(word, choose_sentence(word, criteria, summary), criteria)


def choose_sentence(word: Word, criteria: tuple[Criterion, ...], summary: Summary) -> Reason:
    if word == Word.GO:
        means = [metric.mean for metric in summary.metrics]
        return gaps.go(
            is_clear=all(mean.low != mean.high for mean in means),
            is_compared=any(c.passed for c in criteria if c.name.startswith("no-regression:")),
        )
    decided = [criterion for criterion in criteria if criterion.leads_to == word]
    inside = [criterion.subject for criterion in decided if criterion.reason.code == "around-floor"]
    if word == Word.NOT_ENOUGH_EVIDENCE:
        for name in GAPS:
            for criterion in decided:
                if criterion.name == name:
                    return criterion.reason
        if len(inside) > 1:
            return gaps.floors_inside(summary.evidence.cases, summary.evidence.reviews, inside)
    return decided[0].reason
