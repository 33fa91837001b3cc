"""The report in at most ninety words, to copy into a message. Every number is in the summary.

In Chinese two characters count as one word, because most words have two; numbers, names and other
runs of letters count as one each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext, pgettext

from cases.rubric import Document
from reviews.models import Closing, Decision
from reviews.report.sentences import Names, names_in
from reviews.report.summary import Summary
from reviews.report.summary.figures import MetricComparison
from reviews.report.verdict import Verdict, Word

from . import numbers
from .first_screen import Weakest, find_weakest_question, list_open, list_waivers
from .key_figures import format_shared_cases
from .links import Links
from .sentences import translate_reason

MOST_WORDS = 90
# Sentences on what would settle a verdict that lacks evidence.
MOST_SETTLING = 3
# Words of a long question or name that are quoted.
LONGEST_QUOTE = 14

HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff]+")


def count_words(text: str) -> int:
    han = sum(-(-len(run) // 2) for run in HAN.findall(text))
    others = re.sub(r"[，。：；、（）“”《》？！]", " ", HAN.sub(" ", text)).split()
    return han + sum(any(character.isalnum() for character in word) for word in others)


@dataclass(frozen=True)
class Signed:
    """How the release was closed, and the decision on it."""

    closing: Closing | None = None
    decision: Decision | None = None


def write_brief(
    summary: Summary, verdict: Verdict, document: Document, links: Links, signed: Signed
) -> str:
    """Join as many whole sentences as fit, the most important ones first."""
    chosen: list[tuple[int, str]] = []
    room = MOST_WORDS
    for place, sentence in sorted(list_sentences(summary, verdict, document, links, signed)):
        words = count_words(sentence)
        if sentence and words <= room:
            chosen.append((place % 100, sentence))
            room -= words
    # After a Chinese full stop there is no space.
    return re.sub("(?<=。) ", "", " ".join(sentence for _place, sentence in sorted(chosen)))


def list_sentences(
    summary: Summary, verdict: Verdict, document: Document, links: Links, signed: Signed
) -> Iterator[tuple[int, str]]:
    """Yield each sentence with its importance (hundreds) and its position (the rest)."""
    if verdict.word is None:
        yield 100, describe_abandoned(summary, signed.closing)
        yield 210, describe_evidence(summary)
        return
    names = names_in(document)
    yield (
        100,
        gettext("%(release)s: %(word)s.")
        % {"release": summary.release, "word": verdict.word.label},
    )
    if not links.release.is_closed:
        yield 101, describe_progress(summary)
    if signed.decision:
        yield 104, describe_decision(signed.decision)
    yield 202, translate_reason(verdict.sentence, names)
    yield 210, describe_evidence(summary)
    if verdict.word == Word.NOT_ENOUGH_EVIDENCE:
        for place, what in enumerate(list_settling(verdict, names)[:MOST_SETTLING]):
            yield 305 + place, what
    # The sentence beside the verdict is not repeated.
    mentioned = {
        criterion.name for criterion in verdict.criteria if criterion.reason == verdict.sentence
    }
    for place, metric in enumerate(summary.metrics):
        if metric.mean.value is not None and f"floor:{metric.metric}" not in mentioned:
            yield 320 + min(place, 9), describe_metric(place, summary, document)
    if summary.comparison and not summary.comparison.why:
        changed = [
            metric_summary
            for metric_summary in summary.comparison.metrics
            if f"no-regression:{metric_summary.metric}" not in mentioned
        ]
        if changed:
            worst = min(changed, key=lambda comparison: comparison.paired.mean or 0.0)
            yield 440, describe_change(worst, summary, document)
    yield 550, describe_weakest(find_weakest_question(summary, document, links))
    yield 460, describe_open(summary, document, links)
    yield 262, describe_waived(summary, document, links)


def list_settling(verdict: Verdict, names: Names) -> list[str]:
    """List what would settle each criterion that decided; without a subject, its reason."""
    found = []
    for criterion in verdict.because:
        is_clear = bool(criterion.subject) or criterion.reason == verdict.sentence
        found.append(
            translate_reason(criterion.would_change if is_clear else criterion.reason, names)
        )
    if found:
        found[0] = gettext("What would settle it: %(what)s") % {"what": found[0]}
    return found


def describe_abandoned(summary: Summary, closing: Closing | None) -> str:
    values = {"release": summary.release, "reason": shorten(closing.reason if closing else "")}
    return gettext("%(release)s: abandoned, without a verdict (%(reason)s).") % values


def describe_decision(decision: Decision) -> str:
    values = {"decision": decision.get_decision_display(), "by": decision.by}
    if decision.is_against:
        return gettext("Signed by %(by)s: %(decision)s, against the verdict.") % values
    return gettext("Signed by %(by)s: %(decision)s.") % values


def describe_weakest(weakest: Weakest | None) -> str:
    if weakest is None:
        return ""
    rate = weakest.question.rate
    if not weakest.href:
        return gettext("No question was answered with no.")
    return gettext(
        "The weakest question is “%(question)s”: yes in %(count)d of %(all)d answers."
    ) % {"question": shorten(weakest.text), "count": rate.count, "all": rate.of}


def describe_progress(summary: Summary) -> str:
    return gettext("Provisional: %(count)d of %(expected)d reviews are in.") % {
        "count": summary.reviews_in,
        "expected": summary.reviews_expected,
    }


def describe_evidence(summary: Summary) -> str:
    found = summary.evidence
    return gettext("%(cases)s reviewed: %(reviews)s by %(reviewers)s.") % {
        "cases": numbers.format_cases(found.cases),
        "reviews": numbers.format_reviews(found.reviews),
        "reviewers": numbers.format_reviewers(found.reviewers),
    }


def describe_metric(place: int, summary: Summary, document: Document) -> str:
    one = summary.metrics[place]
    assert one.mean.value is not None
    values = {
        "metric": shorten(document.metric(one.metric).name),
        "mean": numbers.format_points(one.mean.value, beside=one.floor),
        "interval": numbers.format_interval(one.mean, beside=one.floor),
        "floor": numbers.format_points(one.floor),
    }
    if not values["interval"]:
        return gettext("%(metric)s is %(mean)s; its floor is %(floor)s.") % values
    return gettext("%(metric)s is %(mean)s (%(interval)s); its floor is %(floor)s.") % values


def describe_change(change: MetricComparison, summary: Summary, document: Document) -> str:
    assert summary.comparison
    margin = summary.policy["margin"]
    values = {
        "release": summary.comparison.before,
        "metric": shorten(document.metric(change.metric).name),
        "change": numbers.format_change(change.paired.mean or 0.0, beside=-margin),
        "interval": numbers.format_change_interval(change.paired, beside=-margin),
        "cases": format_shared_cases(change.paired.n),
    }
    if not values["interval"]:
        return (
            gettext("Against %(release)s, %(metric)s changed by %(change)s on %(cases)s.") % values
        )
    return (
        gettext(
            "Against %(release)s, %(metric)s changed by %(change)s (%(interval)s) on %(cases)s."
        )
        % values
    )


def describe_open(summary: Summary, document: Document, links: Links) -> str:
    """List what is open; waived points have a sentence of their own."""
    lines = [line.sentence for line in list_open(summary, document, links)]
    if not lines:
        return "" if summary.waivers else gettext("Nothing is open.")
    return gettext("Open: %(what)s.") % {"what": gettext("; ").join(lines)}


def describe_waived(summary: Summary, document: Document, links: Links) -> str:
    if not summary.waivers:
        return ""
    between = pgettext("between the items of a list", ", ")
    rules = [shorten(line.sentence) for line in list_waivers(summary, document, links)]
    return gettext("Waived: %(what)s.") % {"what": between.join(rules)}


def shorten(text: str) -> str:
    """Cut the text so that one long question does not take all the room."""
    if count_words(text) <= LONGEST_QUOTE:
        return text
    cut = text
    while cut and count_words(cut) > LONGEST_QUOTE:
        cut = cut[:-1]
    return f"{cut.rstrip()}…"
