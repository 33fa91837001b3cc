"""Decides GO, HOLD, NO-GO or NOT ENOUGH EVIDENCE from a summary, with reasons: docs/verdict.md.

`decide(summary)` is pure. It returns a Verdict: a word, one sentence, and the criteria, each with
its value, its limit, whether it passed (None: not assessed), the cases behind it, and what would
change it. Sentences are Reasons, which `reviews.report.sentences` translates. Exported bundles
contain them: rewording one changes what `verify_export` computes for old bundles.

document     Verdict, Criterion
criteria     which criteria there are; those that count cases and open work
limits       the criteria of scores and changes at a planned look (rules 2)
sides        the criteria of changes where plans read side by side decide them
first_rules  the same for releases started before there were looks (rules 1)
conditions   what qualifies the word
cases        the cases behind a criterion
reasons      the sentences of criteria about scores
gaps         the sentences about missing evidence and open work
prospects    how many more cases are needed (rules 1)
acts         what would help most: the chance that an act changes the word
"""

from __future__ import annotations

from reviews.agreement import Reason
from reviews.models.outcomes import Word
from reviews.report.summary.document import Summary

from . import gaps
from .conditions import list_conditions
from .criteria import check_criteria
from .document import Criterion, Verdict
from .limits import is_clearly_above

__all__ = ["Criterion", "Verdict", "Word", "decide"]


# The most informative gap comes first.
GAPS = ("reviews", "cases", "kinds")
# Below its floor; neither above nor below it.
BELOW = "below-floor-by-limit"
INSIDE = ("around-floor", "floor-between-limits")


def decide(summary: Summary, *, is_abandoned: bool = False) -> Verdict:
    """Return the verdict. An abandoned release has no word and no criteria, one between looks no
    word and only the criteria that do not depend on scores."""
    if is_abandoned:
        return Verdict(None, gaps.abandoned(), ())
    criteria = check_criteria(summary)
    plan = summary.plan
    if plan is not None and not plan.is_at_look:
        sentence = gaps.between_looks(plan, summary.reviews_counted, summary.reviews_wanted)
        return Verdict(None, sentence, criteria)
    word = next((word for word in Word if any(c.leads_to == word for c in criteria)), Word.GO)
    sentence = choose_sentence(word, criteria, summary)
    return Verdict(word, sentence, criteria, list_conditions(summary))


def choose_sentence(word: Word, criteria: tuple[Criterion, ...], summary: Summary) -> Reason:
    if word == Word.GO and summary.plan:
        return gaps.all_above(is_clear=all(map(is_clearly_above, summary.metrics)))
    if word == Word.GO:
        means = [metric.mean for metric in summary.metrics]
        return gaps.go(
            is_clear=all(mean.low != mean.high for mean in means),
            is_compared=any(c.passed for c in criteria if c.name.startswith("no-regression:")),
        )
    decided = [criterion for criterion in criteria if criterion.leads_to == word]
    below = [criterion.subject for criterion in decided if criterion.reason.code == BELOW]
    if len(below) > 1:
        return gaps.metrics_below(below)
    inside = [criterion.subject for criterion in decided if criterion.reason.code in INSIDE]
    if word == Word.NOT_ENOUGH_EVIDENCE:
        for name in GAPS:
            for criterion in decided:
                if criterion.name == name:
                    return criterion.reason
        if len(inside) > 1 and summary.plan:
            return gaps.floors_between(summary.evidence.cases, summary.evidence.reviews, inside)
        if len(inside) > 1:
            return gaps.floors_inside(summary.evidence.cases, summary.evidence.reviews, inside)
    return decided[0].reason
