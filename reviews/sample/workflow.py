"""Draw the sample by the sampling rule from the current pool."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext, ngettext

from cases import ledger
from cases.models import Case, Release
from cases.releases.acceptance import describe_more_with_warnings
from evalsite.lists import join_with_and
from reviews.errors import Missing, Refused, join_keys, require_draft
from reviews.models import Draw, SampledCase
from reviews.models.samples import Origin
from reviews.sample import coverage
from reviews.sample.draw import Ranks, Unfillable, draw_order
from reviews.sample.forecast import count_with_warnings
from reviews.sample.matching import Shortage, settle
from reviews.sample.order import Entry, pack
from reviews.sample.pool import (
    Candidate,
    Changes,
    Wanted,
    build_record,
    compare_pools,
    digest_pool,
)
from reviews.sample.queries import load_pool, load_sample
from reviews.sample.replay import retrace
from reviews.sample.rule import KIND, Rule, load_rule


def settle_kinds(release: Release) -> None:
    """Store which kind each case fills, after a change of the sample or its waivers.

    `release` must be locked.
    """
    sample, rule = load_sample(release), load_rule(release)
    settled = settle(sample, rule.kinds, rule.waived)
    for sampled in sample:
        if settled[sampled.case_key] != sampled.kind:
            rows = release.sample.filter(case__case_key=sampled.case_key)
            rows.update(kind=settled[sampled.case_key])


class CannotDraw(Refused):
    """Some kinds cannot each have their own case, or the pool or the size is too small."""

    code = "cannot_draw"


@transaction.atomic
def draw(*, release: Release, size: int | None, user: User | None, now: datetime) -> Draw:
    """Draw the sample. If nothing would change, return the last draw instead of a new one."""
    release = Release.objects.locked(release)
    require_draft(release)
    rule, pool = load_rule(release), load_pool(release)
    size, problems = check_size(rule, size, len(pool))
    if size > len(pool):
        barred = Case.objects.barred_by_warnings(release).count()
        problems = [
            replace(problem, sentence=add_hint(problem.sentence, barred)) for problem in problems
        ]
    kinds = rule.required
    try:
        order = draw_order(pool, kinds, Ranks(release.rubric.digest, release.name))
    except Unfillable as unfillable:
        problems += explain_unfilled(release, rule, unfillable.shortages)
    if problems:
        raise CannotDraw(*problems)
    chosen = order.first(size)
    pool_digest = digest_pool(build_record(pool))
    last = Draw.objects.of(release).order_by("-number").first()
    if last and is_same_draw(release, last, chosen, pool_digest, kinds):
        if is_in_doubt(release, last):
            data = {"draw": last.number, "pool": pool_digest}
            ledger.append(release=release, kind="sample-confirmed", data=data, user=user, now=now)
        return last
    retraced = retrace(release)
    drawn = Draw(
        release=release,
        number=last.number + 1 if last else 1,
        size=size,
        drawn_at=now,
        by=user.get_username() if user else "",
        rubric_digest=release.rubric.digest,
        kinds=[[kind.key, sorted(kind.tags)] for kind in kinds],
        waived=rule.waived,
        fitting=coverage.count_fitting(pool, kinds),
        accept=release.accept,
        pool_size=len(pool),
        pool_digest=pool_digest,
        changes=find_pool_changes(last, pool, pool_digest).to_data() if last else {},
        record=pack(order),
        event=release.ledger_length + 1,
    )
    drawn.save(force_insert=True)
    release.sample.all().delete()
    store_sample(release, chosen, now=now)
    ledger.append(
        release=release,
        kind="sample-drawn",
        data={
            "draw": drawn.number,
            "size": size,
            "pool": pool_digest,
            "pool_size": len(pool),
            "sample": [[entry.case_key, entry.kind] for entry in chosen],
            "waived": rule.waived,
            "accept": release.accept,
            "acts_by_hand_dropped": len(retraced.acts) if retraced else 0,
        },
        user=user,
        now=now,
    )
    return drawn


def check_size(rule: Rule, size: int | None, available: int) -> tuple[int, list[Missing]]:
    """Return how many cases to draw, and what is wrong with that number."""
    wished = rule.minimum if size is None else size
    if wished < rule.least:
        sentence = gettext("The rubric asks for at least %(least)d cases, so %(size)d are too few.")
        return wished, [Missing("cases", sentence % {"least": rule.least, "size": wished})]
    if wished <= available:
        return wished, []
    if "cases" in rule.waivers and available >= max(rule.least, 1):
        return available, []
    sentence = ngettext(
        "Only %(available)d case can be sampled; %(size)d are wanted.",
        "Only %(available)d cases can be sampled; %(size)d are wanted.",
        available,
    )
    return wished, [Missing("cases", sentence % {"available": available, "size": wished})]


def explain_unfilled(release: Release, rule: Rule, shortages: Sequence[Shortage]) -> list[Missing]:
    """Explain each shortage of cases."""
    tagged = Case.objects.of(release).counts_of_kinds(release.rubric.document.sampling.kinds)
    with_warnings = count_with_warnings(release, tagged.keys())
    return [
        Missing(
            KIND + shortage.kinds[0],
            add_hint(
                describe_shortage(rule.texts, shortage, tagged[shortage.kinds[0]]),
                max(with_warnings.get(key, 0) for key in shortage.kinds),
            ),
            shortage.cases,
        )
        for shortage in shortages
    ]


def add_hint(sentence: str, with_warnings: int) -> str:
    """Add how many cases would help if the release accepted warnings."""
    return " ".join(filter(None, [sentence, describe_more_with_warnings(with_warnings)]))


def describe_shortage(texts: dict[str, str], shortage: Shortage, tagged: int) -> str:
    """Name the kinds and why they are short. `tagged` counts all cases with the kind's tags,
    including those that cannot be sampled."""
    kinds = join_with_and([texts[key] for key in shortage.kinds])
    if not shortage.cases and tagged:
        return ngettext(
            "%(kind)s: %(count)d case has its tags, but it cannot be sampled.",
            "%(kind)s: %(count)d cases have its tags, but none of them can be sampled.",
            tagged,
        ) % {"kind": kinds, "count": tagged}
    if not shortage.cases:
        return gettext("%(kind)s: no case has its tags.") % {"kind": kinds}
    return ngettext(
        "%(kinds)s share their only case %(cases)s.",
        "%(kinds)s: %(wanted)d kinds share only %(count)d cases, %(cases)s.",
        len(shortage.cases),
    ) % {
        "kinds": kinds,
        "wanted": len(shortage.kinds),
        "count": len(shortage.cases),
        "cases": join_keys(shortage.cases),
    }


def is_same_draw(
    release: Release,
    last: Draw,
    chosen: Sequence[Entry],
    pool_digest: str,
    kinds: Sequence[Wanted],
) -> bool:
    """Return whether drawing now would change neither the draw nor the sample."""
    rows = release.sample.values_list("case__case_key", "kind", "origin")
    return (
        (last.pool_digest, last.rubric_digest) == (pool_digest, release.rubric.digest)
        and last.wanted == list(kinds)
        and last.accept == release.accept
        and set(rows) == {(entry.case_key, entry.kind, Origin.DRAWN) for entry in chosen}
    )


# Kinds of events that may change the pool.
POOL_EVENTS = (
    "cases-imported",
    "import-undone",
    "tag-given",
    "tag-taken-away",
    "tag-left-to-detectors",
    "cases-excluded",
    "cases-let-in",
)


def is_of_other_settings(release: Release, draw: Draw) -> bool:
    """Return whether rubric or accepted results changed since the draw."""
    return draw.rubric_digest != release.rubric.digest or draw.accept != release.accept


def is_in_doubt(release: Release, last: Draw) -> bool:
    """Return whether the pool may have changed since it was last read. Reads only events."""
    if is_of_other_settings(release, last):
        return True
    seen = release.events.filter(kind="sample-confirmed").aggregate(last=Max("number"))["last"]
    later = release.events.filter(number__gt=max(last.event, seen or 0), kind__in=POOL_EVENTS)
    return later.exists()


def find_pool_changes(before: Draw, pool: Sequence[Candidate], digest: str) -> Changes:
    if digest == before.pool_digest:
        return Changes()
    return compare_pools(before.order.pool(), pool)


def store_next(release: Release, entries: Sequence[Entry], *, now: datetime) -> None:
    """Put the next cases of the draw's order into the plan, also those read outside it so far."""
    keys = [entry.case_key for entry in entries]
    ids = dict(release.cases.filter(case_key__in=keys).values_list("case_key", "pk"))
    SampledCase.objects.bulk_create(
        (
            SampledCase(
                release=release,
                case_id=ids[entry.case_key],
                kind=entry.kind,
                origin=Origin.NEXT,
                place=entry.place,
                added_at=now,
            )
            for entry in entries
        ),
        update_conflicts=True,
        unique_fields=["case"],
        update_fields=["kind", "origin", "place", "reason", "is_outside", "added_at"],
    )


def store_sample(release: Release, entries: Sequence[Entry], *, now: datetime) -> None:
    ids = dict(
        release.cases.filter(case_key__in=[entry.case_key for entry in entries]).values_list(
            "case_key", "pk"
        )
    )
    SampledCase.objects.bulk_create(
        SampledCase(
            release=release,
            case_id=ids[entry.case_key],
            kind=entry.kind,
            origin=Origin.DRAWN,
            place=entry.place,
            added_at=now,
        )
        for entry in entries
    )
