"""The first screen: what a manager has read after half a minute."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext, ngettext

from cases.rubric import Document
from reviews.report.sentences import Names
from reviews.report.summary import Summary
from reviews.report.summary.figures import QuestionSummary
from reviews.report.verdict import Criterion, Verdict, Word

from . import figures
from .figures import said
from .links import Links

# A first screen has room for so many reasons.
MOST_BECAUSE = 4


@dataclass(frozen=True)
class Because:
    """A criterion in words. `passed` None: not assessed."""

    sentence: str
    would_change: str
    passed: bool | None
    cases: int
    href: str


@dataclass(frozen=True)
class Weakest:
    """`href` is empty where no answer to any question is a no."""

    question: QuestionSummary
    text: str
    interval: str
    href: str


def evidence_line(summary: Summary) -> str:
    """Cases, reviews, reviewers and kinds that the figures rest on."""
    found = summary.evidence
    return gettext("%(cases)s, %(reviews)s, %(reviewers)s, %(kinds)s.") % {
        "cases": figures.cases(found.cases),
        "reviews": figures.reviews(found.reviews),
        "reviewers": figures.reviewers(found.reviewers),
        "kinds": kinds_covered(summary),
    }


def kinds_covered(summary: Summary) -> str:
    covered, every = summary.kinds_covered, len(summary.coverage)
    if covered == every:
        return ngettext("all of %(count)d kind", "all %(count)d kinds", every) % {"count": every}
    return gettext("%(count)d of %(all)d kinds") % {"count": covered, "all": every}


def small_sample(summary: Summary) -> str:
    """Said wherever the cases are few."""
    count = summary.evidence.cases
    if not 0 < count < figures.SMALL_SAMPLE:
        return ""
    return ngettext(
        "%(count)d case is a small sample: the next cases can change every figure here.",
        "%(count)d cases are a small sample: the next cases can change every figure here.",
        count,
    ) % {"count": count}


# --- What decided ---------------------------------------------------------------------------------


def list_reasons(verdict: Verdict, names: Names, links: Links) -> tuple[list[Because], int]:
    """The criteria that decided, and behind them whatever else did not pass; how many are left out.

    Of a GO those about metrics: what there is to count passed as well.
    """
    decided = list(verdict.because)
    rest = [one for one in verdict.open if one not in decided]
    if verdict.word == Word.GO:
        decided.sort(key=lambda one: not one.subject)
    chosen = [*decided, *rest]
    shown = [because(one, names, links) for one in chosen[:MOST_BECAUSE]]
    return shown, len(chosen[MOST_BECAUSE:])


def because(one: Criterion, names: Names, links: Links) -> Because:
    return Because(
        sentence=said(one.reason, names),
        would_change=said(one.would_change, names),
        passed=one.passed,
        cases=len(one.cases),
        href=links.rows(criterion=one.name) if one.cases else "",
    )


def weakest_question(summary: Summary, document: Document, links: Links) -> Weakest | None:
    """The one whose rate is surely low: its upper limit is the lowest."""
    known = [one for one in summary.checklist if one.rate.high is not None]
    if not known:
        return None
    worst = min(known, key=lambda one: (one.rate.high or 0.0, one.rate.value or 0.0))
    return Weakest(
        question=worst,
        text=document.question(worst.item).text,
        interval=figures.rate_interval(worst.rate),
        href=links.rows(question=worst.item, answer="no") if worst.answers.no else "",
    )
