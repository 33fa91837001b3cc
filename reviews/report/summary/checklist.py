"""Rates and agreement of checklist answers. NA is an answer: the question does not apply."""

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
from .rounding import round_figure, round_float


def summarise_checklist(
    document: Document, cases: Sequence[CaseSummary]
) -> tuple[QuestionSummary, ...]:
    """Summarise each question over the counted cases."""
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
        rate=build_rate(yes, yes + no),
        applies=build_rate(yes + no, yes + no + na),
        applicability=round_figure(agreement.exact_agreement(applies)),
        exact=reword_reasons(round_figure(agreement.exact_agreement(among)), applies),
        ac1=reword_reasons(round_figure(agreement.ac1(among)), applies),
    )


def reword_reasons(result: Result, applies: PatternTable) -> Result:
    """Reword reasons about missing reviews: too few reviewers say that the question applies."""
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


def build_rate(count: int, of: int) -> Rate:
    if not of:
        return Rate(0, 0, None, None, None, nothing_applies())
    low, high = wilson(count, of)
    return Rate(count, of, round_float(count / of), round_float(low), round_float(high), None)


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
