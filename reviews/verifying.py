"""Repeating every draw of a release from what was stored with it, and comparing with the ledger."""

from collections.abc import Iterator

import msgspec
from django.utils.translation import gettext

from cases.models import Release
from reviews.models import Draw, SampledCase
from reviews.retracing import Retraced, retrace
from reviews.sampling import drawing
from reviews.sampling.order import Order
from reviews.sampling.pool import digest_of, record_of


def verify_sample(release: Release) -> tuple[list[str], int]:
    """What does not fit, in words, and how many draws there were."""
    draws = list(Draw.objects.of(release).order_by("number"))
    named = {"release": release.name}
    if not draws:
        return [gettext("%(release)s: nothing is drawn yet.") % named], 0
    problems = [problem for draw in draws for problem in problems_of(draw, release)]
    problems += sample_problems(release, draws[-1])
    return problems, len(draws)


def problems_of(draw: Draw, release: Release) -> Iterator[str]:
    named = {"release": release.name, "draw": draw.number}
    order = readable(draw)
    if order is None:
        yield gettext("%(release)s, draw %(draw)d: its record cannot be read.") % named
        return
    pool = order.pool()
    if digest_of(record_of(pool)) != draw.pool_digest:
        yield gettext("%(release)s, draw %(draw)d: the pool is not the one it names.") % named
    try:
        again = drawing.draw(pool, draw.wanted, draw.ranks(release.name))
    except drawing.Unfillable:
        yield gettext("%(release)s, draw %(draw)d: the pool cannot fill its kinds.") % named
        return
    if list(again) != list(order):
        yield gettext("%(release)s, draw %(draw)d: the order is not what the rule gives.") % named


def readable(draw: Draw) -> Order | None:
    try:
        order = draw.order
        list(order)
        order.pool()
    except (msgspec.MsgspecError, IndexError, ValueError):
        return None
    return order


def sample_problems(release: Release, draw: Draw) -> Iterator[str]:
    """The sample against what the ledger says of the draw and of every act since."""
    named = {"release": release.name, "draw": draw.number}
    retraced = retrace(release)
    if retraced is None or (retraced.size, retraced.pool_digest) != (draw.size, draw.pool_digest):
        yield gettext("%(release)s, draw %(draw)d: the ledger tells another draw.") % named
        return
    order = readable(draw)
    if order is None:
        return
    if {one.case_key: one.kind for one in order.first(draw.size)} != retraced.drawn:
        yield gettext("%(release)s, draw %(draw)d: the ledger tells another draw.") % named
    rows = {
        row.case.case_key: row for row in SampledCase.objects.of(release).standing().with_cases()
    }
    for case_key in sorted(rows.keys() - retraced.sample.keys()):
        yield gettext("%(release)s: %(case)s was not drawn.") % {**named, "case": case_key}
    for case_key in sorted(retraced.sample.keys() - rows.keys()):
        yield gettext("%(release)s: %(case)s is missing from the sample.") % {
            **named,
            "case": case_key,
        }
    for case_key in sorted(rows.keys() & retraced.sample.keys()):
        if not came_so(rows[case_key], retraced, order):
            yield gettext("%(release)s: %(case)s did not come in as it says.") % {
                **named,
                "case": case_key,
            }


def came_so(row: SampledCase, retraced: Retraced, order: Order) -> bool:
    """Whether origin and place, and before any act by hand the kind, are those of the draw."""
    key = row.case.case_key
    entry = order.find(key)
    return (
        row.origin == retraced.sample[key]
        and row.place == (entry.place if entry else None)
        and (bool(retraced.acts) or row.kind == retraced.drawn[key])
    )
