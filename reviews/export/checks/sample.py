"""Every draw computed anew from its pool, and the sample against draws and ledger."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec

from cases.itinerary.reading import digest_case as digest_of_content
from cases.models import Event
from reviews.export.recomputing import acts_since_the_draw, document_of, events_of
from reviews.export.records import CaseRecord, DrawRecord, PoolRecord
from reviews.export.unpacking import Bundle
from reviews.sample import coverage
from reviews.sample.draw import Ranks, Unfillable, draw_order
from reviews.sample.pool import Candidate, Wanted, build_record, changes_between, digest_pool
from reviews.sample.replay import moved, retraced_from

# --- Draws ----------------------------------------------------------------------------------------


def draws(bundle: Bundle) -> Iterator[str]:
    told = {one.data["draw"]: one for one in events_of(bundle) if one.kind == "sample-drawn"}
    if sorted(told) != [one.number for one in bundle.draws]:
        yield "draws.jsonl: not the draws that the ledger tells of."
    before: list[Candidate] | None = None
    for draw in bundle.draws:
        rows = bundle.pools[draw.number]
        pool = [Candidate(one.case_key, one.digest, frozenset(one.tags)) for one in rows]
        yield from pool_problems(draw, pool, before)
        yield from order_problems(bundle, draw, pool)
        yield from kind_problems(bundle, draw)
        event = told.get(draw.number)
        if event and not is_told_by(draw, rows, event):
            yield f"draws.jsonl: draw {draw.number} is not the one that the ledger tells of."
        before = pool


def pool_problems(
    draw: DrawRecord, pool: list[Candidate], before: list[Candidate] | None
) -> Iterator[str]:
    place = f"pools/{draw.number}.jsonl"
    if len({one.case_key for one in pool}) < len(pool):
        yield f"{place}: a case stands there twice."
    if digest_pool(build_record(pool)) != draw.pool_digest:
        yield f"{place}: not the pool whose digest draw {draw.number} has."
    if len(pool) != draw.pool_size:
        yield f"{place}: {len(pool)} cases, the draw names {draw.pool_size}."
    if coverage.counts(pool, wanted_by(draw)) != draw.fitting:
        yield f"{place}: not as many cases fit each kind as draw {draw.number} says."
    changes = changes_between(before, pool).to_data() if before is not None else {}
    if msgspec.json.decode(msgspec.json.encode(changes)) != draw.changes:
        yield f"draws.jsonl: draw {draw.number}: that is not what changed since the draw before."


def wanted_by(draw: DrawRecord) -> list[Wanted]:
    return [Wanted(key, frozenset(tags)) for key, tags in draw.kinds]


def order_problems(bundle: Bundle, draw: DrawRecord, pool: list[Candidate]) -> Iterator[str]:
    place = f"pools/{draw.number}.jsonl"
    ranks = Ranks(draw.rubric_digest, bundle.release.name)
    try:
        again = draw_order(pool, wanted_by(draw), ranks)
    except Unfillable:
        yield f"{place}: the pool cannot fill the kinds of draw {draw.number}."
        return
    for entry, row in zip(again, bundle.pools[draw.number], strict=True):
        if (entry.case_key, entry.kind) != (row.case_key, row.kind):
            yield (
                f"{place}: place {entry.place} has {row.case_key} ({row.kind or 'no kind'}), the "
                f"rule gives {entry.case_key} ({entry.kind or 'no kind'})."
            )
            return


def kind_problems(bundle: Bundle, draw: DrawRecord) -> Iterator[str]:
    """A draw by the rubric of the release wants its kinds, without those that were waived."""
    if draw.rubric_digest != bundle.release.rubric_digest:
        return
    kinds = [
        (kind.key, sorted(kind.required_tags))
        for kind in document_of(bundle).sampling.kinds
        if kind.key not in draw.waived
    ]
    if kinds != draw.kinds:
        yield f"draws.jsonl: draw {draw.number} does not want the kinds of the rubric."


def is_told_by(draw: DrawRecord, rows: list[PoolRecord], event: Event) -> bool:
    told = event.data
    chosen = [[one.case_key, one.kind] for one in rows[: draw.size]]
    return (
        (told["size"], told["pool"], told["pool_size"], told["waived"], told["sample"])
        == (draw.size, draw.pool_digest, draw.pool_size, draw.waived, chosen)
    ) and (event.number, event.by, event.at) == (draw.event, draw.by, draw.drawn_at)


# --- Cases ----------------------------------------------------------------------------------------


def cases(bundle: Bundle) -> Iterator[str]:
    if len({one.case_key for one in bundle.cases}) < len(bundle.cases):
        yield "cases.jsonl: a case stands there twice."
    for one in bundle.cases:
        content: dict[str, Any] = msgspec.json.decode(one.content)
        if digest_of_content(content) != one.digest:
            yield f"cases.jsonl: {one.case_key}: not the content whose digest it has."
        if content.get("case_key") != one.case_key:
            yield f"cases.jsonl: {one.case_key}: its content is that of another case."
    if bundle.draws:
        yield from sample_problems(bundle)


def sample_problems(bundle: Bundle) -> Iterator[str]:
    """The standing sample is that of the last draw, and of every act by hand since."""
    events = events_of(bundle)
    last = next(one for one in reversed(events) if one.kind == "sample-drawn")
    retraced = retraced_from(last, acts_since_the_draw(bundle))
    has_started = any(one.kind == "review-started" for one in events)
    pool = bundle.pools[bundle.draws[-1].number]
    places = {one.case_key: place for place, one in enumerate(pool, 1)}
    standing = {one.case_key: one for one in bundle.cases if one.withdrawn_at is None}
    for case_key in sorted(standing.keys() - retraced.sample.keys()):
        yield f"cases.jsonl: {case_key} was not drawn, nor brought in by hand."
    for case_key in sorted(retraced.sample.keys() - standing.keys()):
        yield f"cases.jsonl: {case_key} is missing from the sample."
    for case_key in sorted(standing.keys() & retraced.sample.keys()):
        one = standing[case_key]
        came = (one.origin, one.place)
        is_kind_drawn = bool(retraced.acts) or one.kind == retraced.drawn[case_key]
        if came != (retraced.sample[case_key], places.get(case_key)) or not is_kind_drawn:
            yield f"cases.jsonl: {case_key} did not come in as it says."
    added, withdrawn = moments(last, retraced.acts)
    for one in bundle.cases:
        told = (added.get(one.case_key), withdrawn.get(one.case_key))
        if (one.added_at, one.withdrawn_at) != told:
            yield f"cases.jsonl: {one.case_key} did not come in or go out when the ledger tells."
        if has_started and one.case_key in places:
            yield from against_the_pool(one, pool[places[one.case_key] - 1])
        if one.withdrawn_at is not None and one.case_key not in retraced.taken_out:
            yield f"cases.jsonl: {one.case_key} was not withdrawn, as far as the ledger tells."


def moments(last: Event, acts: list[Event]) -> tuple[dict[str, datetime], dict[str, datetime]]:
    """Case -> when it came into the sample, and when it went out."""
    came = {case_key: last.at for case_key, _kind in last.data["sample"]}
    went = dict[str, datetime]()
    for act in acts:
        going, coming = moved(act)
        if going:
            went[going] = act.at
        if coming:
            came[coming] = act.at
            went.pop(coming, None)
    return came, went


def against_the_pool(case: CaseRecord, drawn: PoolRecord) -> Iterator[str]:
    """Cases and tags stay as they are from the start on."""
    if case.digest != drawn.digest:
        yield f"cases.jsonl: {case.case_key}: another content than in the pool."
    if sorted(case.tags) != sorted(drawn.tags):
        yield f"cases.jsonl: {case.case_key}: other tags than in the pool."
