"""The first screen of the report, which a manager reads in half a minute."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext, ngettext

from cases.models import Event
from cases.rubric import Document
from reviews.adjudication.queries import UNSETTLED
from reviews.models.reviews import FlagOutcome
from reviews.releases.history import describe_event
from reviews.report.sentences import Names
from reviews.report.summary import Summary
from reviews.report.summary.figures import QuestionSummary
from reviews.report.verdict import Criterion, Verdict, Word
from reviews.sample.rule import KIND, describe_rule

from . import numbers
from .links import Links
from .sentences import translate_reason

# The first screen has room for so many reasons.
MOST_BECAUSE = 4


@dataclass(frozen=True)
class Because:
    """A criterion in words. `passed` is None if it was not assessed."""

    sentence: str
    would_change: str
    passed: bool | None
    cases: int
    href: str


@dataclass(frozen=True)
class Weakest:
    """The weakest question. `href` is empty if no question has a no."""

    question: QuestionSummary
    text: str
    interval: str
    href: str


def describe_evidence(summary: Summary) -> str:
    """Describe the evidence: cases, reviews, reviewers and kinds."""
    found = summary.evidence
    return gettext("%(cases)s, %(reviews)s, %(reviewers)s, %(kinds)s.") % {
        "cases": numbers.format_cases(found.cases),
        "reviews": numbers.format_reviews(found.reviews),
        "reviewers": numbers.format_reviewers(found.reviewers),
        "kinds": describe_kinds(summary),
    }


def describe_kinds(summary: Summary) -> str:
    covered, every = summary.kinds_covered, len(summary.coverage)
    if covered == every:
        return ngettext("all of %(count)d kind", "all %(count)d kinds", every) % {"count": every}
    return gettext("%(count)d of %(all)d kinds") % {"count": covered, "all": every}


def describe_small_sample(summary: Summary) -> str:
    """Return the caution for a small sample, or nothing."""
    count = summary.evidence.cases
    if not 0 < count < numbers.SMALL_SAMPLE:
        return ""
    return ngettext(
        "%(count)d case is a small sample: the next cases can change every figure here.",
        "%(count)d cases are a small sample: the next cases can change every figure here.",
        count,
    ) % {"count": count}


# --- What decided ---------------------------------------------------------------------------------


def list_reasons(verdict: Verdict, names: Names, links: Links) -> tuple[list[Because], int]:
    """Return the criteria that decided, then others that did not pass; and how many are left out.

    For a GO those about metrics come first: the counts passed anyway.
    """
    decided = list(verdict.because)
    rest = [criterion for criterion in verdict.open if criterion not in decided]
    if verdict.word == Word.GO:
        decided.sort(key=lambda criterion: not criterion.subject)
    chosen = [*decided, *rest]
    shown = [describe_criterion(criterion, names, links) for criterion in chosen[:MOST_BECAUSE]]
    return shown, len(chosen[MOST_BECAUSE:])


def describe_criterion(criterion: Criterion, names: Names, links: Links) -> Because:
    return Because(
        sentence=translate_reason(criterion.reason, names),
        would_change=translate_reason(criterion.would_change, names),
        passed=criterion.passed,
        cases=len(criterion.cases),
        href=links.rows(criterion=criterion.name) if criterion.cases else "",
    )


def find_weakest_question(summary: Summary, document: Document, links: Links) -> Weakest | None:
    """Return the question with the lowest upper limit of its rate."""
    known = [question for question in summary.checklist if question.rate.high is not None]
    if not known:
        return None
    worst = min(
        known,
        key=lambda question_summary: (
            question_summary.rate.high or 0.0,
            question_summary.rate.value or 0.0,
        ),
    )
    return Weakest(
        question=worst,
        text=document.question(worst.item).text,
        interval=numbers.format_rate_interval(worst.rate),
        href=links.rows(question=worst.item, answer="no") if worst.answers.no else "",
    )


@dataclass(frozen=True)
class OpenLine:
    sentence: str
    href: str = ""
    by: str = ""
    reason: str = ""


def list_open(summary: Summary, document: Document, links: Links) -> list[OpenLine]:
    return list(find_open(summary, document, links))


def find_open(summary: Summary, document: Document, links: Links) -> Iterator[OpenLine]:
    release = links.release.name
    # Cases with missing reviews are listed by their reviews.
    coming = summary.still_missing
    unjudged = set(summary.unjudged_kinds)
    for kind in summary.coverage:
        text = {"kind": document.kind(kind.kind).text}
        if kind.kind not in unjudged or summary.waiver(KIND + kind.kind):
            continue
        if not kind.is_covered:
            yield OpenLine(gettext("No case fills the kind: %(kind)s") % text, links.part("sample"))
        elif coming.keys().isdisjoint(kind.cases):
            yield OpenLine(
                gettext("No case of the kind was judged: %(kind)s") % text, links.part("sample")
            )
    count = summary.evidence.cases + len(coming.keys() & set(summary.evidence.left_out))
    if count < summary.cases_needed:
        sentence = ngettext(
            "%(count)d of %(needed)d required cases is in the sample",
            "%(count)d of %(needed)d required cases are in the sample",
            count,
        )
        yield OpenLine(
            sentence % {"count": count, "needed": summary.cases_needed}, links.part("sample")
        )
    if missing := sum(coming.values()):
        sentence = ngettext("%(count)d review is missing", "%(count)d reviews are missing", missing)
        yield OpenLine(sentence % {"count": missing}, links.rows(only="left-out"))
    to_settle = sum(disagreement.state in UNSETTLED for disagreement in summary.disagreements)
    if to_settle:
        sentence = ngettext(
            "%(count)d case waits for adjudication",
            "%(count)d cases wait for adjudication",
            to_settle,
        )
        there = reverse("adjudication-list", args=[release])
        yield OpenLine(sentence % {"count": to_settle}, f"{there}#cases")
    flags = sum(flag.outcome == FlagOutcome.OPEN for flag in summary.flags)
    if flags:
        sentence = ngettext("%(count)d flag is not judged", "%(count)d flags are not judged", flags)
        there = reverse("adjudication-list", args=[release])
        yield OpenLine(sentence % {"count": flags}, f"{there}#flags")


def list_amendments(summary: Summary, links: Links) -> list[OpenLine]:
    """List manual changes since the last draw, and repeated draws."""
    found = [
        OpenLine(
            describe_event(Event(kind=amendment.act, data=amendment.details)),
            links.part("sample"),
            amendment.by,
            str(amendment.details.get("reason") or ""),
        )
        for amendment in summary.amendments
    ]
    if len(summary.draws) > 1:
        sentence = gettext("the sample was drawn %(count)d times") % {"count": len(summary.draws)}
        found.append(OpenLine(sentence, links.part("sample")))
    return found


def list_waivers(summary: Summary, document: Document, links: Links) -> list[OpenLine]:
    texts = {kind.key: kind.text for kind in document.sampling.kinds}
    return [
        OpenLine(describe_rule(waiver.rule, texts), links.part("sample"), waiver.by, waiver.reason)
        for waiver in summary.waivers
    ]
