"""What the answers to the checklist say. NA is an answer about whether a question applies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from cases.rubric import Document, Question
from reviews import agreement
from reviews.agreement import PatternTable, Reason
from reviews.agreement.results import _
from reviews.comparison import wilson

from .figures import Answers, CaseSummary, QuestionSummary, Rate
from .rounding import figure, rounded


def checklist_of(document: Document, cases: Sequence[CaseSummary]) -> tuple[QuestionSummary, ...]:
    """Of the counted cases."""
    metrics = {q.key: metric.key for metric in document.metrics for q in metric.checklist}
    return tuple(
        question_of(question, metrics[question.key], Counter(one.answers[place] for one in cases))
        for place, question in enumerate(document.questions)
    )


def question_of(question: Question, metric: str, grouped: Mapping[Answers, int]) -> QuestionSummary:
    yes, no, na = (sum(one[place] * times for one, times in grouped.items()) for place in range(3))
    among = table_of([(one.yes, one.no) for one in grouped], ("yes", "no"), grouped)
    applies = table_of([(one.yes + one.no, one.na) for one in grouped], ("applies", "na"), grouped)
    return QuestionSummary(
        item=question.key,
        metric=metric,
        text=question.text,
        answers=Answers(yes, no, na),
        rate=rate(yes, yes + no),
        applies=rate(yes + no, yes + no + na),
        applicability=figure(agreement.exact_agreement(applies)),
        exact=figure(agreement.exact_agreement(among)),
        ac1=figure(agreement.ac1(among)),
    )


def table_of(
    counts: Sequence[tuple[int, int]], levels: Sequence[str], grouped: Mapping[Answers, int]
) -> PatternTable:
    return agreement.pattern_table_from_counts(counts, levels, times=list(grouped.values()))


def rate(count: int, of: int) -> Rate:
    if not of:
        return Rate(0, 0, None, None, None, nothing_applies())
    low, high = wilson(count, of)
    return Rate(count, of, rounded(count / of), rounded(low), rounded(high), None)


def nothing_applies() -> Reason:
    return Reason("nothing-applies", _("not defined: no answer says that the question applies"))
