"""The verdict document as Markdown, for a pull request or the summary of a CI step.

At most 60 lines, and lists instead of tables, so that it reads on a phone. The sentences are those
of the document, which `reviews.report.sentences` translated; everything in them is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.utils.translation import gettext, ngettext, pgettext

from evalsite import markdown
from reviews.models.outcomes import DecisionMade, Word

MOST_LINES = 60
MOST_FAILED = 10
MOST_FINDINGS = 5
MOST_CASES = 5
LONGEST = 200

Document = Mapping[str, Any]


def format_verdict(document: Document) -> str:
    """Write the document that `gate.build_document` built."""
    blocks = [
        [f"### {markdown.escape(describe_outcome(document))}"],
        [markdown.escape(document["sentence"])],
        list(list_circumstances(document)),
        list(list_criteria(document["criteria"])),
        list(list_findings(document["findings"])),
    ]
    return "\n\n".join("\n".join(lines) for lines in blocks if lines) + "\n"


def describe_outcome(document: Document) -> str:
    word = Word(document["verdict"]).label if document["verdict"] else None
    params = {"release": document["release"], "word": word}
    if document["is_abandoned"]:
        return gettext("%(release)s: abandoned, without a verdict") % params
    if document["provisional"] and word is None:
        return gettext("%(release)s: not closed, no verdict yet") % params
    if document["provisional"]:
        return gettext("%(release)s: not closed, so far %(word)s") % params
    return gettext("%(release)s: %(word)s") % params


def list_circumstances(document: Document) -> Iterator[str]:
    """List what a reader needs beside the word: conditions, decision, progress, the report."""
    if document["conditions"]:
        texts = gettext("; ").join(condition["text"] for condition in document["conditions"])
        yield bullet(gettext("Conditions: %(conditions)s") % {"conditions": texts})
    if document["decision"]:
        decision = DecisionMade(document["decision"]).label
        signed = (
            gettext("Signed: %(decision)s, against the verdict")
            if document["is_against_the_verdict"]
            else gettext("Signed: %(decision)s")
        )
        yield bullet(signed % {"decision": decision})
    yield bullet(
        gettext("Reviews: %(submitted)s of %(expected)s")
        % {"submitted": document["submitted"], "expected": document["expected"]}
    )
    if document["looks"]:
        yield bullet(
            gettext("Look: %(look)s of %(count)s (%(sizes)s cases)")
            % {
                "look": document["look"],
                "count": len(document["looks"]),
                "sizes": join(str(size) for size in document["looks"]),
            }
        )
    for act in document["would_help"][:1]:
        yield bullet(gettext("Would help most: %(act)s") % {"act": act["text"]})
    report = link(gettext("Report"), document["report_url"])
    yield f"- {report}"


def list_criteria(criteria: list[Document]) -> Iterator[str]:
    """List the criteria that were not met, the gravest first, and count the others."""
    if not criteria:
        return
    order = [str(word) for word in Word]
    failed = sorted(
        (criterion for criterion in criteria if criterion["leads_to"]),
        key=lambda criterion: order.index(criterion["leads_to"]),
    )
    yield from heading(gettext("Criteria"))
    for criterion in failed[:MOST_FAILED]:
        word = markdown.escape(str(Word(criterion["leads_to"]).label))
        yield f"- **{word}** {markdown.escape(criterion['reason'])}"
        if any(case_key not in criterion["reason"] for case_key in criterion["cases"]):
            yield f"  {markdown.escape(name_cases(criterion['cases']))}"
    if len(failed) > MOST_FAILED:
        yield bullet(gettext("and %(count)s more") % {"count": len(failed) - MOST_FAILED})
    met = sum(criterion["passed"] is True for criterion in criteria)
    yield bullet(ngettext("%(count)s met", "%(count)s met", met) % {"count": met})
    unknown = sum(criterion["passed"] is None for criterion in criteria)
    if unknown:
        sentence = ngettext("%(count)s not assessed", "%(count)s not assessed", unknown)
        yield bullet(sentence % {"count": unknown})


def list_findings(findings: list[Document]) -> Iterator[str]:
    if not findings:
        return
    yield from heading(gettext("Worst findings"))
    for finding in findings[:MOST_FINDINGS]:
        case = link(markdown.shorten(finding["case_key"], LONGEST), finding["case_url"])
        text = markdown.shorten(finding["text"], LONGEST)
        score = "" if finding["standing"] is None else f" {finding['standing']:.1f}"
        yield f"- {case}: {markdown.escape(text)}{score}"
        if finding["reason"]:
            yield f"  > {markdown.escape(markdown.shorten(finding['reason'], LONGEST))}"
    if len(findings) > MOST_FINDINGS:
        yield ""
        more = gettext("and %(count)s more") % {"count": len(findings) - MOST_FINDINGS}
        yield markdown.escape(more)


def name_cases(cases: list[str]) -> str:
    named = join(markdown.shorten(case_key, LONGEST) for case_key in cases[:MOST_CASES])
    if len(cases) > MOST_CASES:
        more = gettext("and %(count)s more") % {"count": len(cases) - MOST_CASES}
        named = join([named, more])
    return gettext("Cases: %(cases)s") % {"cases": named}


def join(texts: Iterable[str]) -> str:
    return pgettext("between the items of a list", ", ").join(texts)


def heading(text: str) -> list[str]:
    return [f"**{markdown.escape(text)}**", ""]


def bullet(text: str) -> str:
    return f"- {markdown.escape(text)}"


def link(text: str, address: str) -> str:
    """Link to the site; only its words where the settings do not say where the site is."""
    if address.startswith(("http://", "https://")):
        return markdown.link(text, address)
    return markdown.escape(text)
