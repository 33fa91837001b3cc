"""What is open, amended or waived: one line each, with where it can be seen."""

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
from reviews.report.summary import Summary
from reviews.sample.rule import KIND, describe_rule

from .links import Links


@dataclass(frozen=True)
class OpenLine:
    sentence: str
    href: str = ""
    by: str = ""
    reason: str = ""


def open_lines(summary: Summary, document: Document, links: Links) -> list[OpenLine]:
    return list(what_is_open(summary, document, links))


def what_is_open(summary: Summary, document: Document, links: Links) -> Iterator[OpenLine]:
    release = links.release.name
    # Cases that reviews may still come for are told by their reviews.
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
            "%(count)d case of the %(needed)d that are asked for",
            "%(count)d cases of the %(needed)d that are asked for",
            count,
        )
        yield OpenLine(
            sentence % {"count": count, "needed": summary.cases_needed}, links.part("sample")
        )
    if missing := sum(coming.values()):
        sentence = ngettext("%(count)d review is missing", "%(count)d reviews are missing", missing)
        yield OpenLine(sentence % {"count": missing}, links.rows(only="left-out"))
    to_settle = sum(one.state in UNSETTLED for one in summary.disagreements)
    if to_settle:
        sentence = ngettext(
            "%(count)d case waits for adjudication",
            "%(count)d cases wait for adjudication",
            to_settle,
        )
        there = reverse("adjudication-list", args=[release])
        yield OpenLine(sentence % {"count": to_settle}, f"{there}#cases")
    flags = sum(one.outcome == FlagOutcome.OPEN for one in summary.flags)
    if flags:
        sentence = ngettext("%(count)d flag is not judged", "%(count)d flags are not judged", flags)
        there = reverse("adjudication-list", args=[release])
        yield OpenLine(sentence % {"count": flags}, f"{there}#flags")


def amendment_lines(summary: Summary, links: Links) -> list[OpenLine]:
    """Acts by hand since the last draw, and that there was more than one."""
    found = [
        OpenLine(
            describe_event(Event(kind=one.act, data=one.details)),
            links.part("sample"),
            one.by,
            str(one.details.get("reason") or ""),
        )
        for one in summary.amendments
    ]
    if len(summary.draws) > 1:
        sentence = gettext("the sample was drawn %(count)d times") % {"count": len(summary.draws)}
        found.append(OpenLine(sentence, links.part("sample")))
    return found


def waiver_lines(summary: Summary, document: Document, links: Links) -> list[OpenLine]:
    texts = {one.key: one.text for one in document.sampling.kinds}
    return [
        OpenLine(describe_rule(one.rule, texts), links.part("sample"), one.by, one.reason)
        for one in summary.waivers
    ]


def provisional_words(summary: Summary) -> str:
    """Over everything, until the release is closed."""
    return gettext(
        "%(count)d of %(expected)d reviews are in; %(cases)d of %(all)d cases count."
    ) % {
        "count": min(summary.reviews_in, summary.reviews_expected),
        "expected": summary.reviews_expected,
        "cases": summary.evidence.cases,
        "all": len(summary.sample),
    }
