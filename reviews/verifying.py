"""Repeating every draw of a release from what was stored with it."""

from collections.abc import Iterator

from django.utils.translation import gettext

from cases.models import Release
from reviews.models import Draw, SampledCase
from reviews.models.samples import Origin
from reviews.sampling import drawing
from reviews.sampling.pool import digest_of, record_of


def verify_sample(release: Release) -> tuple[list[str], int]:
    """What does not fit, in words, and how many draws there were."""
    draws = list(Draw.objects.of(release).order_by("number"))
    problems = [problem for draw in draws for problem in problems_of(draw, release)]
    if not draws:
        problems.append(gettext("%(release)s: nothing is drawn yet.") % {"release": release.name})
    else:
        problems += sample_problems(release, draws[-1])
    return problems, len(draws)


def problems_of(draw: Draw, release: Release) -> Iterator[str]:
    named = {"release": release.name, "draw": draw.number}
    pool = draw.order.pool()
    if digest_of(record_of(pool)) != draw.pool_digest:
        yield gettext("%(release)s, draw %(draw)d: the pool is not the one it names.") % named
    try:
        again = drawing.draw(pool, draw.wanted, draw.ranks(release.name))
    except drawing.Unfillable:
        yield gettext("%(release)s, draw %(draw)d: the pool cannot fill its kinds.") % named
        return
    if list(again) != list(draw.order):
        yield gettext("%(release)s, draw %(draw)d: the order is not what the rule gives.") % named


def sample_problems(release: Release, draw: Draw) -> Iterator[str]:
    """Cases that call themselves drawn and were not."""
    drawn = {entry.case_key: entry.place for entry in draw.order}
    rows = SampledCase.objects.of(release).exclude(origin=Origin.HAND)
    for case_key, origin, place in rows.values_list("case__case_key", "origin", "place"):
        is_first = origin == Origin.NEXT or drawn.get(case_key, draw.size + 1) <= draw.size
        if drawn.get(case_key) != place or not is_first:
            yield gettext("%(release)s: %(case)s was not drawn.") % {
                "release": release.name,
                "case": case_key,
            }
