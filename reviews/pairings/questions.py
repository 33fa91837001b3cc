"""Which checklist questions a pair of plans is asked about: those whose facts differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from cases.facts import Fact
from cases.facts.topics import topics_for
from cases.rubric import Document


def find_differing_questions(
    left: Iterable[Fact], right: Iterable[Fact], document: Document
) -> tuple[str, ...]:
    """List the keys of questions whose facts differ between two plans, in the rubric's order.

    The same whichever plan is on the left.
    """
    topics = topics_for([(question.key, question.text) for question in document.questions])
    sentences: list[dict[str, set[str]]] = [defaultdict(set), defaultdict(set)]
    for facts, found in zip((left, right), sentences, strict=True):
        for fact in facts:
            if fact.topic in topics:
                found[topics[fact.topic]].add(fact.sentence)
    first, second = sentences
    return tuple(
        question.key
        for question in document.questions
        if first.get(question.key) != second.get(question.key)
    )
