"""Compare reports, decisions and draws with the ledger, and repeat every draw.

`verify_export` runs the same checks on a bundle restored into its own database.
"""

import hashlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext

from cases import ledger
from cases.ledger import LedgerBroken
from cases.models import Event, Ledger, Release
from cases.models.cases import STATUS
from cases.models.ledgers import PRODUCT
from cases.models.releases import Status
from cases.releases import policy
from cases.releases.policy import PASSED
from reviews.errors import join_keys
from reviews.escapes.verify import find_mismatches as find_escape_mismatches
from reviews.models import Closing, Draw, SampledCase
from reviews.pairings.verify import find_mismatches as find_pair_mismatches
from reviews.sample import coverage
from reviews.sample.draw import Unfillable, draw_order
from reviews.sample.order import Entry, Order
from reviews.sample.pool import Candidate, build_record, compare_pools, digest_pool
from reviews.sample.queries import load_tags
from reviews.sample.replay import EXTENDED, Retraced, load_acts, retrace


class Mismatch(NamedTuple):
    """A difference, in a sentence. `part` is its file in a bundle, without extension."""

    part: str
    sentence: str


# --- Ledger ---------------------------------------------------------------------------------------

ENDS = ("release-closed", "release-abandoned")
OF_A_CLOSING = (
    *("event", "head", "digest", "closed_from", "is_abandoned", "reason", "by"),
    *("closed_at", "reopened_at"),
)
OF_REPORTS = ("review-started", *ENDS, "release-reopened", "release-signed")


@transaction.atomic
def verify_ledger(owner: Release | Ledger) -> int:
    """Verify the chain of events and the reports, pairs or escapes on it. Count the events.

    Raise LedgerBroken. Someone who rewrites the whole chain cannot make it match the digest on
    a printed report.
    """
    count = ledger.verify(owner)
    if isinstance(owner, Release):
        for mismatch in find_report_mismatches(owner, with_text=owner.closings.all()):
            raise LedgerBroken(mismatch.sentence)
        for sentence in find_pair_mismatches(owner):
            raise LedgerBroken(sentence)
    elif owner.name.startswith(PRODUCT):
        for sentence in find_escape_mismatches(owner):
            raise LedgerBroken(sentence)
    return count


def find_report_mismatches(release: Release, *, with_text: QuerySet[Closing]) -> Iterator[Mismatch]:
    """Compare closings and decisions with the ledger.

    `with_text` are the closings whose reports are available; a bundle has only the last.
    """
    events = list(release.events.filter(kind__in=OF_REPORTS).order_by("number"))
    rewritten = {
        closing.number
        for closing in with_text
        if hashlib.sha256(closing.summary.encode()).hexdigest() != closing.digest
    }
    in_ledger = read_closings_from_ledger(events)
    stored = {
        closing.number: {name: getattr(closing, name) for name in OF_A_CLOSING}
        for closing in release.closings.defer("summary")
    }
    for number in sorted(stored.keys() | in_ledger.keys()):
        if number in rewritten or stored.get(number) != in_ledger.get(number):
            sentence = gettext(
                "%(release)s: report %(number)d is not the report stored at closing."
            )
            yield Mismatch("closings", sentence % {"release": release.name, "number": number})
    decisions = [
        (made.decision, made.closing.digest, made.reason, made.by, made.decided_at, made.voided_at)
        for made in release.decisions.select_related("closing").order_by("pk")
    ]
    if decisions != read_decisions_from_ledger(events):
        sentence = gettext("%(release)s: the decisions do not match the ledger.")
        yield Mismatch("decisions", sentence % {"release": release.name})


def read_closings_from_ledger(events: list[Event]) -> dict[int, dict[str, Any]]:
    closings: dict[int, dict[str, Any]] = {}
    status = Status.DRAFT
    for event in events:
        if event.kind == "review-started":
            status = Status.REVIEWING
        elif event.kind in ENDS:
            closings[event.data["closing"]] = {
                "event": event.number,
                "head": event.digest,
                "digest": event.data["summary"],
                "closed_from": status,
                "is_abandoned": event.kind == "release-abandoned",
                "reason": event.data["reason"],
                "by": event.by,
                "closed_at": event.at,
                "reopened_at": None,
            }
        elif event.kind == "release-reopened":
            closings[event.data["closing"]]["reopened_at"] = event.at
    return closings


def read_decisions_from_ledger(events: list[Event]) -> list[tuple[Any, ...]]:
    decisions: list[tuple[Any, ...]] = []
    for event in events:
        if event.kind == "release-signed":
            data = event.data
            signed = (data["decision"], data["summary"], data["reason"], event.by, event.at)
            decisions.append((*signed, None))
        elif event.kind == "release-reopened" and event.data["decision_voided"]:
            decisions[-1] = (*decisions[-1][:-1], event.at)
    return decisions


# --- Draws ----------------------------------------------------------------------------------------


def verify_sample(release: Release) -> tuple[list[str], int]:
    """Return the differences in sentences, and the number of draws."""
    count = Draw.objects.of(release).count()
    if not count:
        return [gettext("%(release)s: nothing is drawn yet.") % {"release": release.name}], 0
    return [mismatch.sentence for mismatch in find_sample_mismatches(release)], count


def find_sample_mismatches(release: Release) -> Iterator[Mismatch]:
    """Repeat every draw from its pool, and compare the sample with the last draw and the ledger."""
    draws = list(Draw.objects.of(release).order_by("number"))
    events = release.events.filter(kind="sample-drawn").order_by("number")
    events_by_draw = {event.data["draw"]: event for event in events}
    if list(events_by_draw) != [draw.number for draw in draws]:
        sentence = gettext("%(release)s: the draws do not match the ledger.")
        yield Mismatch("draws", sentence % {"release": release.name})
    before: list[Candidate] | None = None
    order: Order | None = None
    for draw in draws:
        named = {"release": release.name, "draw": draw.number}
        order = read_order(draw)
        if order is None:
            sentence = gettext("%(release)s, draw %(draw)d: its record cannot be read.")
            yield Mismatch(f"pools/{draw.number}", sentence % named)
            continue
        pool = order.pool()
        for name in list_wrong_fields(draw, pool, before):
            sentence = gettext("%(release)s, draw %(draw)d: “%(field)s” does not match its pool.")
            field = Draw._meta.get_field(name).verbose_name  # type: ignore[union-attr]
            yield Mismatch("draws", sentence % {**named, "field": field})
        yield from find_order_mismatches(draw, order, pool, named)
        if draw.rubric_digest == release.rubric.digest and draw.kinds != list_kinds(draw, release):
            sentence = gettext("%(release)s, draw %(draw)d: its kinds are not those of the rubric.")
            yield Mismatch("draws", sentence % named)
        if draw.number in events_by_draw and not is_as_in_event(
            draw, order, events_by_draw[draw.number]
        ):
            sentence = gettext("%(release)s, draw %(draw)d: does not match the ledger.")
            yield Mismatch("draws", sentence % named)
        before = pool
    if order is not None:
        yield from find_extension_mismatches(release, order)
        yield from find_case_mismatches(release, order)
    if draws:
        yield from find_accept_mismatches(release, draws[-1])


def read_order(draw: Draw) -> Order | None:
    try:
        order = draw.order
        list(order)
        order.pool()
    except (msgspec.MsgspecError, IndexError, ValueError):
        return None
    return order


def list_wrong_fields(
    draw: Draw, pool: list[Candidate], before: list[Candidate] | None
) -> Iterator[str]:
    changes = compare_pools(before, pool).to_data() if before is not None else {}
    given = {
        "pool_digest": digest_pool(build_record(pool)),
        "pool_size": len(pool),
        "fitting": coverage.count_fitting(pool, draw.wanted),
        "changes": msgspec.json.decode(msgspec.json.encode(changes)),
    }
    return (name for name, value in given.items() if getattr(draw, name) != value)


def find_order_mismatches(
    draw: Draw, order: Order, pool: list[Candidate], named: dict[str, Any]
) -> Iterator[Mismatch]:
    """Find the first place that differs from what the rule gives."""
    part = f"pools/{draw.number}"
    try:
        again = draw_order(pool, draw.wanted, draw.ranks(named["release"]))
    except Unfillable:
        sentence = gettext("%(release)s, draw %(draw)d: the pool cannot fill its kinds.")
        yield Mismatch(part, sentence % named)
        return
    for entry, right in zip(order, again, strict=True):
        if entry != right:
            sentence = gettext(
                "%(release)s, draw %(draw)d: place %(place)d has %(case)s (%(kind)s), the rule "
                "gives %(right_case)s (%(right_kind)s)."
            )
            cases = {"case": entry.case_key, "right_case": right.case_key, "place": entry.place}
            kinds = {"kind": entry.kind or "–", "right_kind": right.kind or "–"}
            yield Mismatch(part, sentence % {**named, **cases, **kinds})
            return


def list_kinds(draw: Draw, release: Release) -> list[list[Any]]:
    """List the kinds of the rubric, without waived ones."""
    kinds = release.rubric.document.sampling.kinds
    return [[kind.key, sorted(kind.required_tags)] for kind in kinds if kind.key not in draw.waived]


def is_as_in_event(draw: Draw, order: Order, event: Event) -> bool:
    data = event.data
    chosen = [[entry.case_key, entry.kind] for entry in order.first(draw.size)]
    return (
        (data["size"], data["pool"], data["pool_size"], data["waived"], data["sample"])
        == (draw.size, draw.pool_digest, draw.pool_size, draw.waived, chosen)
        # Earlier draws took passed cases only, and did not say so.
        and data.get("accept", PASSED) == draw.accept
    ) and (event.number, event.by, event.at) == (draw.event, draw.by, draw.drawn_at)


def find_extension_mismatches(release: Release, order: Order) -> Iterator[Mismatch]:
    """Repeat every planned look: it takes the next cases of the order, given what left before."""
    found = load_acts(release)
    if found is None:
        return
    retraced, events = found
    sizes = policy.from_data(release.policy).looks
    look = 1
    for event in events:
        if event.kind == EXTENDED:
            look += 1
            size = sizes[look - 1] if release.rules > policy.OLD_RULES and look <= len(sizes) else 0
            passed = retraced.passed
            line = [key for key in order.keys if key not in passed]
            right = line[: max(0, size - len(retraced.planned))]
            named = {"release": release.name, "event": event.number}
            if (event.data["look"], event.data["size"]) != (look, size):
                sentence = gettext(
                    "%(release)s, event %(event)d: the plan has no such look at this place."
                )
                yield Mismatch("events", sentence % named)
            elif [key for key, _kind in event.data["cases"]] != right:
                sentence = gettext(
                    "%(release)s, event %(event)d: look %(look)d took other cases than the order "
                    "of the draw gives (%(cases)s)."
                )
                words = {"look": look, "cases": join_keys(right) or "–"}
                yield Mismatch("events", sentence % {**named, **words})
        retraced.replay(event)


def find_case_mismatches(release: Release, order: Order) -> Iterator[Mismatch]:
    """Compare the sample with the last draw and every later change in the ledger."""
    retraced = retrace(release)
    if retraced is None:
        return
    rows = {row.case.case_key: row for row in SampledCase.objects.of(release).with_cases()}
    entries = {entry.case_key: entry for entry in order}
    digests = dict(zip(order.keys, order.digests, strict=True))
    tags = load_tags(SampledCase.objects.of(release))
    # Cases and tags are frozen from the start on.
    is_frozen = release.events.filter(kind="review-started").exists()
    for key in sorted(rows.keys() | retraced.sample.keys()):
        row, entry, is_wanted = rows.get(key), entries.get(key), key in retraced.sample
        is_in = row is not None and row.withdrawn_at is None
        wrong = []
        if is_in != is_wanted:
            missing = gettext("%(release)s: %(case)s is missing from the sample.")
            wrong.append(missing if is_wanted else gettext("%(release)s: %(case)s was not drawn."))
        elif row and not is_as_drawn(row, retraced, entry):
            wrong.append(gettext("%(release)s: %(case)s: its kind, origin or place is wrong."))
        if row and row.is_outside != (key in retraced.outside):
            wrong.append(
                gettext("%(release)s: %(case)s: it is wrongly inside or outside the plan.")
            )
        times = (retraced.came_at.get(key), retraced.went_at.get(key))
        if row and (row.added_at, row.withdrawn_at) != times:
            wrong.append(
                gettext(
                    "%(release)s: %(case)s: the time at which it came in or went out does not "
                    "match the ledger."
                )
            )
        if is_frozen and row and entry and row.case.digest != digests[key]:
            wrong.append(gettext("%(release)s: %(case)s: its content differs from the pool."))
        if is_frozen and row and entry and tags[row.case_id] != set(entry.tags):
            wrong.append(gettext("%(release)s: %(case)s: its tags differ from the pool."))
        for sentence in wrong:
            yield Mismatch("cases", sentence % {"release": release.name, "case": key})


def find_accept_mismatches(release: Release, last: Draw) -> Iterator[Mismatch]:
    """Compare what the last draw accepted with the policy, and with the cases of the sample.

    Only after the start: in a draft both may change, and starting asks for a new draw.
    """
    if not release.events.filter(kind="review-started").exists():
        return
    if last.accept != release.accept:
        sentence = gettext(
            "%(release)s, draw %(draw)d: it accepted other results of the automated checks than "
            "the release."
        )
        yield Mismatch("draws", sentence % {"release": release.name, "draw": last.number})
    accepted = [STATUS[result] for result in release.accept]
    others = SampledCase.objects.of(release).exclude(case__check_status__in=accepted)
    for key in others.order_by("case__case_key").values_list("case__case_key", flat=True):
        sentence = gettext(
            "%(release)s: %(case)s: the release does not accept the result of its automated checks."
        )
        yield Mismatch("cases", sentence % {"release": release.name, "case": key})


def is_as_drawn(row: SampledCase, retraced: Retraced, entry: Entry | None) -> bool:
    """Return whether place, origin and kind match the draw; acts by hand may change the kind."""
    key = row.case.case_key
    if row.place != (entry.place if entry else None):
        return False
    if key not in retraced.sample:
        return True
    has_kind = bool(retraced.acts) or row.kind == retraced.drawn[key]
    return has_kind and row.origin == retraced.sample[key]
