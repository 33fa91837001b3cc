"""A regression as the text of an issue, in Markdown. Everything that people wrote is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext, ngettext

from cases.itinerary.outline import PlanLine
from evalsite import markdown
from reviews.models.reviews import FlagKind

from .parts import FailedPart, Regression


def write_issue(
    regression: Regression, parts: Iterable[FailedPart] | None = None, *, level: int = 1
) -> str:
    """Write the issue of a case, or of some of its findings. `level` is that of its title."""
    found = regression.parts if parts is None else tuple(parts)
    hashes, request = "#" * level, gettext("Request")
    blocks = [
        [f"{hashes} {markdown.escape(title_issue(regression, found))}"],
        [markdown.escape(locate(regression))],
        [f"**{markdown.escape(request)}**"],
        markdown.quote(quote_lines(regression.data["request"]["text"])),
    ]
    for part in found:
        blocks += write_part(part)
    if not any(part.lines for part in found):
        blocks += write_lines(regression.stops)
    blocks.append([link_to_case(regression)])
    return "\n\n".join("\n".join(lines) for lines in blocks if lines) + "\n"


def title_issue(regression: Regression, parts: tuple[FailedPart, ...]) -> str:
    params = {"case": regression.case_key, "text": name_part(parts[0]) if parts else ""}
    if len(parts) == 1:
        return gettext("%(case)s: %(text)s") % params
    sentence = ngettext("%(case)s: %(count)d finding", "%(case)s: %(count)d findings", len(parts))
    return sentence % {**params, "count": len(parts)}


def locate(regression: Regression) -> str:
    params = {"release": regression.release, "product": regression.product}
    if not regression.product:
        return gettext("Found by people in %(release)s, after all automated checks.") % params
    sentence = gettext("Found by people in %(release)s of %(product)s, after all automated checks.")
    return sentence % params


def write_part(part: FailedPart) -> Iterator[list[str]]:
    yield [f"**{markdown.escape(describe_part(part))}**"]
    if part.words:
        yield from (markdown.quote(quote_lines(words)) for words in part.words)
    if part.evidence:
        yield [f"- {markdown.escape(text)}" for text in part.evidence]
    yield from write_lines(part.lines)


def write_lines(lines: Sequence[PlanLine]) -> Iterator[list[str]]:
    if lines:
        yield [markdown.escape(gettext("In the plan:"))]
        yield [f"- {markdown.escape(describe_line(line))}" for line in lines]


def describe_part(part: FailedPart) -> str:
    text = name_part(part)
    if part.standing is not None:
        return gettext("%(text)s: %(score)s") % {"text": text, "score": f"{part.standing:.1f}"}
    if part.no:
        sentence = ngettext(
            "%(text)s No, said %(count)d reviewer.",
            "%(text)s No, said %(count)d reviewers.",
            part.no,
        )
        return sentence % {"text": text, "count": part.no}
    return gettext("Confirmed: %(flag)s") % {"flag": text}


def name_part(part: FailedPart) -> str:
    return str(FlagKind(part.key).label) if part.about == "flag" else part.text


def describe_line(line: PlanLine) -> str:
    if line.day is None:
        return line.text
    return gettext("Day %(day)d: %(line)s") % {"day": line.day, "line": line.text}


def quote_lines(text: str) -> list[str]:
    """Escape each line of a text; an empty line between them keeps them apart."""
    lines = [markdown.escape(line) for line in text.splitlines() if line.strip()]
    return [shown for line in lines for shown in ("", line)][1:]


def link_to_case(regression: Regression) -> str:
    """Link to the reviews of the case; only its code where the settings do not say the site."""
    path = reverse("adjudication", args=[regression.release, regression.code])
    text = gettext("The reviews of this case")
    if not settings.SITE_URL:
        return markdown.escape(f"{text}: {path}")
    return markdown.link(text, settings.SITE_URL + path)
