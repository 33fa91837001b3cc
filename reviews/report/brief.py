"""The report in at most ninety words, to be copied into a message. Every number is the summary's.

In Chinese two characters count as one word, as most words have two; numbers, names and other runs
of letters count as one each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from django.utils.translation import gettext

from cases.rubric import Document
from reviews.summary import Summary
from reviews.summary.changes import MetricComparison
from reviews.verdict import Verdict
from reviews.wording import names_in

from . import figures
from .figures import said
from .first import weakest_question
from .links import Links
from .standing import open_lines
from .tiles import shared_cases

MOST_WORDS = 90
# Of a question or a name that somebody wrote at length.
LONGEST_QUOTE = 14

HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff]+")


def count_words(text: str) -> int:
    han = sum(-(-len(run) // 2) for run in HAN.findall(text))
    others = re.sub(r"[，。：；、（）“”《》？！]", " ", HAN.sub(" ", text)).split()
    return han + sum(any(one.isalnum() for one in word) for word in others)


def brief_text(summary: Summary, verdict: Verdict, document: Document, links: Links) -> str:
    """Whole sentences, the most important ones first, as many as there is room for."""
    chosen: list[tuple[int, str]] = []
    room = MOST_WORDS
    for place, sentence in sorted(sentences(summary, verdict, document, links)):
        words = count_words(sentence)
        if sentence and words <= room:
            chosen.append((place % 100, sentence))
            room -= words
    # After a Chinese full stop there is no space.
    return re.sub("(?<=。) ", "", " ".join(sentence for _place, sentence in sorted(chosen)))


def sentences(
    summary: Summary, verdict: Verdict, document: Document, links: Links
) -> Iterator[tuple[int, str]]:
    """Each with its importance (hundreds) and where it stands (the rest)."""
    names = names_in(document)
    yield (
        100,
        gettext("%(release)s: %(word)s.")
        % {"release": summary.release, "word": verdict.word.label},
    )
    if not links.release.is_closed:
        yield 101, provisional(summary)
    yield 210, evidence(summary)
    yield 202, said(verdict.sentence, names)
    for place, one in enumerate(summary.metrics):
        if one.mean.value is not None:
            yield 320 + min(place, 9), metric_sentence(place, summary, document)
    if summary.comparison and not summary.comparison.why:
        worst = min(summary.comparison.metrics, key=lambda one: one.paired.mean or 0.0)
        yield 440, change_sentence(worst, summary, document)
    weakest = weakest_question(summary, document, links)
    if weakest:
        yield (
            550,
            gettext("The weakest question is “%(question)s”: yes in %(count)d of %(all)d answers.")
            % {
                "question": shortened(weakest.text),
                "count": weakest.question.rate.count,
                "all": weakest.question.rate.of,
            },
        )
    yield 460, open_sentence(summary, document, links)


def provisional(summary: Summary) -> str:
    return gettext("Provisional: %(count)d of %(expected)d reviews are in.") % {
        "count": summary.reviews_in,
        "expected": summary.reviews_expected,
    }


def evidence(summary: Summary) -> str:
    found = summary.evidence
    return gettext("%(cases)s read by hand: %(reviews)s by %(reviewers)s.") % {
        "cases": figures.cases(found.cases),
        "reviews": figures.reviews(found.reviews),
        "reviewers": figures.reviewers(found.reviewers),
    }


def metric_sentence(place: int, summary: Summary, document: Document) -> str:
    one = summary.metrics[place]
    assert one.mean.value is not None
    values = {
        "metric": shortened(document.metric(one.metric).name),
        "mean": figures.points(one.mean.value, beside=one.floor),
        "interval": figures.interval(one.mean, beside=one.floor),
        "floor": figures.points(one.floor),
    }
    if not values["interval"]:
        return gettext("%(metric)s stands at %(mean)s, its floor at %(floor)s.") % values
    return gettext("%(metric)s stands at %(mean)s (%(interval)s), its floor at %(floor)s.") % values


def change_sentence(one: MetricComparison, summary: Summary, document: Document) -> str:
    assert summary.comparison
    margin = summary.policy["margin"]
    values = {
        "release": summary.comparison.before,
        "metric": shortened(document.metric(one.metric).name),
        "change": figures.change(one.paired.mean or 0.0, beside=-margin),
        "interval": figures.change_interval(one.paired, beside=-margin),
        "cases": shared_cases(one.paired.n),
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


def open_sentence(summary: Summary, document: Document, links: Links) -> str:
    lines = [one.sentence for one in open_lines(summary, document, links)]
    if not lines:
        return gettext("Nothing is open.")
    return gettext("Open: %(what)s.") % {"what": gettext("; ").join(lines)}


def shortened(text: str) -> str:
    """As many words of it as fit, so that one long question does not take all the room."""
    if count_words(text) <= LONGEST_QUOTE:
        return text
    cut = text
    while cut and count_words(cut) > LONGEST_QUOTE:
        cut = cut[:-1]
    return f"{cut.rstrip()}…"
