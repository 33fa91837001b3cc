"""Compare escapes with the events in the ledger of their product."""

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db.models import F
from django.utils.translation import gettext

from cases.models import Ledger, LedgerEvent
from reviews.escapes.findings import Finding, Subject, digest_findings
from reviews.escapes.workflow import MOVED, OPENED, VOIDED
from reviews.models import Closing, Escape, Sighting
from reviews.models.escapes import EscapeState

Place = tuple[str, int]  # release, number of the closing
State = tuple[str, str, int | None]  # state, rule, key of the event


def find_mismatches(ledger: Ledger) -> Iterator[str]:
    """Find closings and escapes that differ from the events, each as a sentence."""
    product = ledger.product
    opened: dict[Place, str] = {}
    voided: set[Place] = set()
    moved: dict[int, State] = {}
    for event in LedgerEvent.objects.filter(ledger=ledger).order_by("number").iterator():
        data = event.data
        if event.kind == OPENED:
            opened[data["release"], data["closing"]] = data["findings"]
        elif event.kind == VOIDED:
            voided.add((data["release"], data["closing"]))
        elif event.kind == MOVED:
            moved |= dict.fromkeys(data["escapes"], (data["state"], data["rule"], event.pk))
    yield from find_wrong_closings(product, opened, voided)
    yield from find_wrong_states(product, moved)


def find_wrong_closings(
    product: str, opened: dict[Place, str], voided: set[Place]
) -> Iterator[str]:
    sentence = gettext("%(release)s: the findings of report %(number)d do not match the ledger.")
    found = {place: digest_findings(findings) for place, findings in read_findings(product)}
    strange = {
        (release, number)
        for release, number in Sighting.objects.filter(escape__product=product)
        .exclude(case__release=F("closing__release"), case__case_key=F("escape__case_key"))
        .values_list("closing__release__name", "closing__number")
        .distinct()
    }
    none = digest_findings([])
    reopened = set(
        Closing.objects.filter(release__name__in={release for release, _number in opened})
        .exclude(reopened_at=None)
        .values_list("release__name", "number")
    )
    for place in sorted(opened.keys() | found.keys()):
        is_right = opened.get(place) == found.get(place, none) and place not in strange
        if not is_right or (place in voided) != (place in reopened):
            yield sentence % {"release": place[0], "number": place[1]}


def read_findings(product: str) -> Iterator[tuple[Place, list[Finding]]]:
    """Read the stored findings, closing by closing."""
    rows: Any = (
        Sighting.objects.filter(escape__product=product)
        .order_by("closing__release__name", "closing__number")
        .values_list(
            *("closing__release__name", "closing__number", "escape__about", "escape__key"),
            *("escape__wording", "escape__case_key", "is_counted"),
        )
    )
    for place, group in groupby(rows.iterator(), key=itemgetter(0, 1)):
        yield (
            place,
            [
                Finding(Subject(about, key, wording), case_key, is_counted)
                for _release, _number, about, key, wording, case_key, is_counted in group
            ],
        )


def find_wrong_states(product: str, moved: dict[int, State]) -> Iterator[str]:
    untouched = (str(EscapeState.OPEN), "", None)
    rows = Escape.objects.of(product).order_by("pk")
    for pk, case_key, *state in rows.values_list(
        "pk", "case_key", "state", "rule", "event"
    ).iterator():
        if tuple(state) != moved.get(pk, untouched):
            sentence = gettext(
                "%(case)s: the state of escape %(number)d does not match the ledger."
            )
            yield sentence % {"case": case_key, "number": pk}
