"""What happened to the release, from small tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Case, F, QuerySet, Subquery, Value, When
from django.db.models.expressions import Combinable

from cases.models import Event, Exclusion, Release
from reviews.models import Adjudication, Closing, Draw, Ruling, Waiver
from reviews.report.summary.papers import Amendment, DrawSummary, RulingSummary
from reviews.sample.replay import BY_HAND

from .union import Part, as_text, column, union


@dataclass
class Records:
    """Small tables of a release. `baseline`: whether it was abandoned, and its stored summary."""

    waivers: list[Waiver] = field(default_factory=list)
    exclusions: list[tuple[str, str]] = field(default_factory=list)
    rulings: list[RulingSummary] = field(default_factory=list)
    adjudications: dict[str, Adjudication] = field(default_factory=dict)
    draws: list[DrawSummary] = field(default_factory=list)
    fitting: dict[str, int] = field(default_factory=dict)
    acts: list[Amendment] = field(default_factory=list)
    baseline: tuple[bool, str] | None = None


def read_records(release: Release) -> Records:
    found = Records()
    for what, *rest in sorted(union(*record_parts(release))):
        keep_record(found, what, *rest)
    return found


def record_parts(release: Release) -> list[Part]:
    parts: list[Part] = [
        (
            Waiver.objects.filter(release=release),
            record("waiver", texts=("rule", "reason", "by"), data=("covers",)),
        ),
        (
            Exclusion.objects.filter(release=release),
            record("exclusion", texts=("case__case_key", "reason")),
        ),
        (list_rulings(release), record("ruling", texts=("subject", "text", "by"))),
        (
            Adjudication.objects.filter(release=release),
            record(
                "adjudication",
                texts=("case__case_key", "note", "by", "cause"),
                data=("agreed", "basis"),
            ),
        ),
        (
            Draw.objects.of(release),
            record(
                "draw",
                numbers=("number", "size", "pool_size"),
                texts=("by", "pool_digest"),
                data=("waived", "changes", "fitting"),
            ),
        ),
        (acts_since_the_draw(release), record("act", ("number",), ("kind", "by"), ("data",))),
    ]
    if release.baseline_id is not None:
        standing = Closing.objects.standing().filter(release=release.baseline_id)
        abandoned = Case(When(is_abandoned=True, then=Value(1)), default=Value(0))
        parts.append((standing, record("baseline", (abandoned,), ("summary",))))
    return parts


def record(
    what: str,
    numbers: Sequence[str | Combinable] = (),
    texts: Sequence[str] = (),
    data: Sequence[str] = (),
) -> dict[str, Combinable]:
    """The columns of one kind of record: three numbers, four texts, three JSON values."""
    columns: dict[str, Combinable] = {"what": column(what)}
    whole = [F(one) if isinstance(one, str) else one for one in numbers]
    for place in range(3):
        columns[f"number_{place}"] = column(whole[place] if place < len(whole) else 0)
    for place in range(4):
        columns[f"text_{place}"] = column(F(texts[place]) if place < len(texts) else "")
    for place in range(3):
        columns[f"data_{place}"] = as_text(F(data[place])) if place < len(data) else column("null")
    return columns


def list_rulings(release: Release) -> QuerySet[Ruling]:
    """Those that its reviewers could read: given before it was closed."""
    found = Ruling.objects.filter(rubric=release.rubric_id)
    if not release.is_closed:
        return found
    closing = Closing.objects.filter(release=release).newest()
    return found.filter(given_at__lte=Subquery(closing.values("closed_at")))


def acts_since_the_draw(release: Release) -> QuerySet[Event]:
    own = Event.objects.filter(release=release)
    drawn = own.filter(kind="sample-drawn").order_by("-number").values("number")[:1]
    return own.filter(kind__in=BY_HAND, number__gt=Subquery(drawn))


def keep_record(found: Records, what: str, *rest: Any) -> None:
    one, two, three, a, b, c, d, *told = rest
    data = [json.loads(each) for each in told]
    if what == "waiver":
        found.waivers.append(Waiver(rule=a, reason=b, by=c, covers=data[0]))
    elif what == "exclusion":
        found.exclusions.append((a, b))
    elif what == "ruling":
        found.rulings.append(RulingSummary(a, b, c))
    elif what == "adjudication":
        agreed, basis, _ = data
        found.adjudications[a] = Adjudication(agreed=agreed, basis=basis, note=b, by=c, cause=d)
    elif what == "draw":
        waived, changes, found.fitting = data
        found.draws.append(DrawSummary(one, two, a, three, b, tuple(waived), changes))
    elif what == "act":
        found.acts.append(Amendment(one, a, b, data[0]))
    else:
        found.baseline = bool(one), a
