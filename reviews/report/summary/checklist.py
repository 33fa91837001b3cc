"""Rates and agreement of checklist answers.

NA is an answer about applicability: for the rate of yes, the question was not asked. The unit of a
rate is the case, because the answers on one case are alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from cases.rubric import Document, Question
from reviews import agreement
from reviews.agreement import FEWEST_CASES, PatternTable, Reason, Result
from reviews.agreement.rates import exact_interval
from reviews.agreement.results import _, ngettext

from .figures import Answers, CaseSummary, QuestionSummary, Rate
from .rounding import round_figure, round_float

METHOD = "clopper-pearson"


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
        rate=rate_yes(grouped),
        applies=build_rate(
            [(answers.yes + answers.no, sum(answers), n) for answers, n in grouped.items()]
        ),
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


def rate_yes(grouped: Mapping[Answers, int]) -> Rate:
    """Compute the share of yes among the answers that apply."""
    return build_rate(
        [(answers.yes, answers.yes + answers.no, times) for answers, times in grouped.items()]
    )


def build_rate(cases: Iterable[tuple[int, int, int]]) -> Rate:
    """Average the shares of the cases, given as (answers that count, of so many, times).

    A case without any such answer is left out. The counts are those of the answers.
    """
    asked = [case for case in cases if case[1] and case[2]]
    if not asked:
        return Rate(0, 0, None, None, None, nothing_applies(), cases=0, method=METHOD)
    units = sum(times for _count, _of, times in asked)
    # Exact, so that the order of the cases does not matter. Few sums of fractions: they are slow.
    parts = Counter[int]()
    for count, of, times in asked:
        parts[of] += count * times
    total = sum(Fraction(part, of) for of, part in parts.items())
    low, high = exact_interval(float(total), units)
    return Rate(
        count=sum(count * times for count, _of, times in asked),
        of=sum(of * times for _count, of, times in asked),
        value=round_float(float(total / units)),
        low=round_float(low),
        high=round_float(high),
        why=None,
        cases=units,
        method=METHOD,
    )


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
