"""What the answers to the checklist say. NA is an answer about whether a question applies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from cases.rubric import Document, Question
from reviews import agreement
from reviews.agreement import FEWEST_CASES, PatternTable, Reason, Result
from reviews.agreement.results import _, ngettext
from reviews.comparison import wilson

from .figures import Answers, CaseSummary, QuestionSummary, Rate
from .rounding import figure, rounded


def summarise_checklist(
    document: Document, cases: Sequence[CaseSummary]
) -> tuple[QuestionSummary, ...]:
    """Of the counted cases."""
    metrics = {q.key: metric.key for metric in document.metrics for q in metric.checklist}
    return tuple(
        summarise_question(
            question, metrics[question.key], Counter(case.answers[place] for case in cases)
        )
        for place, question in enumerate(document.questions)
    )


def summarise_question(
    question: Question, metric: str, grouped: Mapping[Answers, int]
) -> QuestionSummary:
    yes, no, na = (
        sum(pattern[place] * times for pattern, times in grouped.items()) for place in range(3)
    )
    among = build_table([(pattern.yes, pattern.no) for pattern in grouped], ("yes", "no"), grouped)
    applies = build_table(
        [(pattern.yes + pattern.no, pattern.na) for pattern in grouped], ("applies", "na"), grouped
    )
    return QuestionSummary(
        item=question.key,
        metric=metric,
        text=question.text,
        answers=Answers(yes, no, na),
        rate=rate(yes, yes + no),
        applies=rate(yes + no, yes + no + na),
        applicability=figure(agreement.exact_agreement(applies)),
        exact=among_applying(figure(agreement.exact_agreement(among)), applies),
        ac1=among_applying(figure(agreement.ac1(among)), applies),
    )


def among_applying(result: Result, applies: PatternTable) -> Result:
    """What lacks is not reviews, but reviewers who say that the question applies."""
    if not applies.n_units:
        return result
    reasons = {
        "no-pairs": nowhere_twice(),
        "too-few-cases": few_applying(result.n_units),
        "no-interval": no_interval_applying(result.n_units),
    }
    why, caution = result.why, result.caution
    return replace(
        result,
        why=reasons.get(why.code, why) if why else None,
        caution=reasons.get(caution.code, caution) if caution else None,
    )


def build_table(
    counts: Sequence[tuple[int, int]], levels: Sequence[str], grouped: Mapping[Answers, int]
) -> PatternTable:
    return agreement.pattern_table_from_counts(counts, levels, times=list(grouped.values()))


def rate(count: int, of: int) -> Rate:
    if not of:
        return Rate(0, 0, None, None, None, nothing_applies())
    low, high = wilson(count, of)
    return Rate(count, of, rounded(count / of), rounded(low), rounded(high), None)


def nowhere_twice() -> Reason:
    return Reason(
        "nowhere-twice",
        _("not defined: in no case did two reviewers say that the question applies"),
    )


def few_applying(count: int) -> Reason:
    message, plural = ngettext(
        "not defined: in %(count)s case two reviewers say that the question applies, at least "
        "%(fewest)s are needed",
        "not defined: in %(count)s cases two reviewers say that the question applies, at least "
        "%(fewest)s are needed",
    )
    return Reason("few-applying", message, plural, {"count": count, "fewest": FEWEST_CASES})


def no_interval_applying(count: int) -> Reason:
    message, plural = ngettext(
        "no interval: in %(count)s case two reviewers say that the question applies, at least "
        "%(fewest)s are needed",
        "no interval: in %(count)s cases two reviewers say that the question applies, at least "
        "%(fewest)s are needed",
    )
    return Reason("no-interval-applying", message, plural, {"count": count, "fewest": FEWEST_CASES})


def nothing_applies() -> Reason:
    return Reason("nothing-applies", _("not defined: no answer says that the question applies"))
