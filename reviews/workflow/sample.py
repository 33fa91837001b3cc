"""The sample: drawn by rule, and changed by hand only in the open."""

from collections.abc import Sequence
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext, ngettext, pgettext

from cases import ledger
from cases.models import Case, Release
from reviews.explaining import why_not_eligible
from reviews.models import Draw, Review, SampledCase
from reviews.models.reviews import ReviewStatus
from reviews.models.samples import Cause, Origin
from reviews.pool import (
    KIND,
    kind_texts,
    least_size,
    pool_of,
    required,
    sample_of,
    waived_kinds,
)
from reviews.sampling import changes, coverage, drawing
from reviews.sampling.matching import Shortage
from reviews.sampling.order import Entry, packed
from reviews.sampling.pool import Candidate, Wanted, digest_of, record_of
from reviews.sampling.settling import settle, successor
from reviews.workflow.refusals import (
    Missing,
    NoSuchCase,
    Refused,
    in_words,
    require_draft,
    require_not_closed,
    require_reason,
    require_reviewing,
)


class CannotDraw(Refused):
    """Kinds that cannot each have a case of their own, a pool or a size that is too small."""

    code = "cannot_draw"


class NotEligible(Refused):
    """The case is not one that can be sampled; the sentence says why."""

    code = "not_eligible"


class AlreadySampled(Refused):
    code = "already_sampled"


class HasReviews(Refused):
    """Somebody has judged the case already, so it is withdrawn and not swapped out."""

    code = "has_reviews"


# --- The draw -------------------------------------------------------------------------------------


@transaction.atomic
def draw(*, release: Release, size: int | None, user: User | None, now: datetime) -> Draw:
    """By the sampling rule. The same draw again, with nothing changed by hand, is no new one."""
    release = Release.objects.locked(release)
    require_draft(release)
    pool = pool_of(release)
    size, problems = checked_size(release, size, len(pool))
    kinds = required(release)
    try:
        order = drawing.draw(pool, kinds, drawing.Ranks(release.rubric.digest, release.name))
    except drawing.Unfillable as unfillable:
        problems += unfilled(release, unfillable.shortages)
    if problems:
        raise CannotDraw(*problems)
    chosen = order.first(size)
    pool_digest = digest_of(record_of(pool))
    last = Draw.objects.of(release).order_by("-number").first()
    if last and is_the_same(release, last, chosen, pool_digest, kinds):
        return last
    waived = sorted(waived_kinds(release))
    changed_by_hand = release.sample.filter(origin=Origin.HAND).count()
    drawn = Draw(
        release=release,
        number=last.number + 1 if last else 1,
        size=size,
        drawn_at=now,
        by=user.get_username() if user else "",
        rubric_digest=release.rubric.digest,
        kinds=[[kind.key, sorted(kind.tags)] for kind in kinds],
        waived=waived,
        fitting=coverage.counts(pool, kinds),
        pool_size=len(pool),
        pool_digest=pool_digest,
        changes=pool_changes(last, pool, pool_digest).to_data() if last else {},
        record=packed(order),
        event=release.ledger_length + 1,
    )
    drawn.save(force_insert=True)
    release.sample.all().delete()
    put_in(release, chosen, now=now)
    ledger.append(
        release=release,
        kind="sample-drawn",
        data={
            "draw": drawn.number,
            "size": size,
            "pool": pool_digest,
            "pool_size": len(pool),
            "sample": [[one.case_key, one.kind] for one in chosen],
            "waived": waived,
            "changed_by_hand_before": changed_by_hand,
        },
        user=user,
        now=now,
    )
    return drawn


def checked_size(release: Release, size: int | None, available: int) -> tuple[int, list[Missing]]:
    """How many cases to draw, and what is wrong with that number."""
    least = least_size(release)
    wished = least if size is None else size
    if wished < least:
        sentence = gettext("The rubric asks for at least %(least)d cases, so %(size)d are too few.")
        return wished, [Missing("cases", sentence % {"least": least, "size": wished})]
    if wished <= available:
        return wished, []
    if available and release.waivers.filter(rule="cases").exists():
        return available, []
    sentence = ngettext(
        "Only %(available)d case can be sampled; %(size)d are wanted.",
        "Only %(available)d cases can be sampled; %(size)d are wanted.",
        available,
    )
    return wished, [Missing("cases", sentence % {"available": available, "size": wished})]


def unfilled(release: Release, shortages: Sequence[Shortage]) -> list[Missing]:
    """Why kinds cannot be filled: they have no case, or fewer between them than they are."""
    texts = kind_texts(release)
    tagged = Case.objects.of(release).counts_of_kinds(release.rubric.document.sampling.kinds)
    return [
        Missing(
            KIND + shortage.kinds[0],
            shortage_in_words(texts, shortage, tagged[shortage.kinds[0]]),
            shortage.cases,
        )
        for shortage in shortages
    ]


def shortage_in_words(texts: dict[str, str], shortage: Shortage, tagged: int) -> str:
    """`tagged` counts all cases with the tags of the kind, also those that cannot be sampled."""
    kinds = pgettext("between the items of a list", ", ").join(texts[key] for key in shortage.kinds)
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
        "cases": in_words(shortage.cases),
    }


def is_the_same(
    release: Release,
    last: Draw,
    chosen: Sequence[Entry],
    pool_digest: str,
    kinds: Sequence[Wanted],
) -> bool:
    """Whether drawing now would change neither the draw nor the sample."""
    rows = release.sample.values_list("case__case_key", "kind", "origin")
    return (
        (last.pool_digest, last.rubric_digest) == (pool_digest, release.rubric.digest)
        and last.wanted == list(kinds)
        and set(rows) == {(one.case_key, one.kind, Origin.DRAWN) for one in chosen}
    )


def pool_changes(before: Draw, pool: Sequence[Candidate], digest: str) -> changes.Changes:
    if digest == before.pool_digest:
        return changes.Changes()
    return changes.changes_between(before.order.pool(), pool)


def put_in(release: Release, entries: Sequence[Entry], *, now: datetime) -> None:
    ids = dict(
        release.cases.filter(case_key__in=[one.case_key for one in entries]).values_list(
            "case_key", "pk"
        )
    )
    SampledCase.objects.bulk_create(
        SampledCase(
            release=release,
            case_id=ids[one.case_key],
            kind=one.kind,
            origin=Origin.DRAWN,
            place=one.place,
            added_at=now,
        )
        for one in entries
    )


# --- By hand, in the open -------------------------------------------------------------------------


@transaction.atomic
def add(
    *, release: Release, case_key: str, reason: str, user: User | None, now: datetime
) -> SampledCase:
    reason = require_reason(reason)
    release = Release.objects.locked(release)
    require_not_closed(release)
    added = take_in(release, case_key, reason=reason, now=now)
    settle_kinds(release)
    data = {"case": case_key, "reason": reason}
    ledger.append(release=release, kind="case-added", data=data, user=user, now=now)
    return added


@transaction.atomic
def remove(
    *, release: Release, case_key: str, reason: str, user: User | None, now: datetime
) -> None:
    """Before the start only; afterwards a case is withdrawn."""
    reason = require_reason(reason)
    release = Release.objects.locked(release)
    require_draft(release)
    find_sampled(release, case_key).delete()
    settle_kinds(release)
    data = {"case": case_key, "reason": reason}
    ledger.append(release=release, kind="case-removed", data=data, user=user, now=now)


@transaction.atomic
def swap(
    *,
    release: Release,
    out: str,
    into: str,
    reason: str,
    user: User | None,
    now: datetime,
) -> SampledCase:
    """One case for another of one's own choice: printed in the report as such."""
    reason = require_reason(reason)
    release = Release.objects.locked(release)
    require_not_closed(release)
    leaving = find_sampled(release, out)
    if release.is_draft:
        leaving.delete()
    else:
        if Review.objects.submitted().filter(case=leaving.case_id).exists():
            raise HasReviews(
                gettext(
                    "%(case)s has a submitted review, so it cannot be swapped out. If it is "
                    "broken, wrong or a duplicate, withdraw it."
                )
                % {"case": out}
            )
        take_out(leaving, cause=Cause.SWAPPED, reason=reason, now=now)
    added = take_in(release, into, reason=reason, now=now)
    settle_kinds(release)
    data = {"out": out, "in": into, "reason": reason}
    ledger.append(release=release, kind="case-swapped", data=data, user=user, now=now)
    return added


@transaction.atomic
def withdraw(
    *,
    release: Release,
    case_key: str,
    cause: str,
    reason: str,
    user: User | None,
    now: datetime,
) -> str | None:
    """A case that should never have been read goes out, and the next in line comes in.

    Its submitted reviews are kept and not counted. Returns the key of the case that came in.
    """
    reason = require_reason(reason)
    release = Release.objects.locked(release)
    require_reviewing(release)
    leaving = find_sampled(release, case_key)
    stopped = take_out(leaving, cause=cause, reason=reason, now=now)
    coming = next_in_line(release)
    if coming is not None:
        SampledCase.objects.create(
            release=release,
            case=release.cases.defer("data").get(case_key=coming.case_key),
            origin=Origin.NEXT,
            place=coming.place,
            added_at=now,
        )
    settle_kinds(release)
    came_in = coming.case_key if coming else None
    ledger.append(
        release=release,
        kind="case-withdrawn",
        data={
            "case": case_key,
            "cause": cause,
            "reason": reason,
            "in": came_in,
            "reviews_stopped": stopped,
            "reviews_not_counted": Review.objects.submitted().filter(case=leaving.case_id).count(),
        },
        user=user,
        now=now,
    )
    return came_in


def next_in_line(release: Release) -> Entry | None:
    """The next in the draw's order that keeps all kinds covered."""
    last = Draw.objects.of(release).order_by("-number").first()
    if last is None:
        return None
    been = set(release.sample.values_list("case__case_key", flat=True))
    line = ((one.case_key, frozenset(one.tags)) for one in last.order if one.case_key not in been)
    chosen = successor(sample_of(release), required(release), line)
    return last.order.find(chosen) if chosen else None


def take_out(leaving: SampledCase, *, cause: str, reason: str, now: datetime) -> list[str]:
    """Returns whose unfinished reviews it ends."""
    SampledCase.objects.filter(pk=leaving.pk).update(
        withdrawn_at=now, cause=cause, withdrawal_reason=reason
    )
    unfinished = Review.objects.open().filter(case=leaving.case_id)
    names = sorted(unfinished.values_list("reviewer__username", flat=True))
    unfinished.update(status=ReviewStatus.WITHDRAWN)
    return names


def take_in(release: Release, case_key: str, *, reason: str, now: datetime) -> SampledCase:
    """A case of somebody's own choice. Raises NoSuchCase, NotEligible and AlreadySampled."""
    case = find_eligible(release, case_key)
    known = release.sample.filter(case=case).first()
    if known and known.withdrawn_at is None:
        raise AlreadySampled(gettext("%(case)s is in the sample already.") % {"case": case_key})
    if known and known.cause != Cause.SWAPPED:
        raise NotEligible(
            gettext("%(case)s was withdrawn (%(cause)s), so it does not come back.")
            % {"case": case_key, "cause": known.get_cause_display()}
        )
    values = {
        "kind": "",
        "origin": Origin.HAND,
        "place": place_in_draw(release, case_key),
        "reason": reason,
        "added_at": now,
        "withdrawn_at": None,
        "cause": "",
        "withdrawal_reason": "",
    }
    added, _created = SampledCase.objects.update_or_create(
        release=release, case=case, defaults=values
    )
    return added


def place_in_draw(release: Release, case_key: str) -> int | None:
    last = Draw.objects.of(release).order_by("-number").first()
    entry = last.order.find(case_key) if last else None
    return entry.place if entry else None


def find_sampled(release: Release, case_key: str) -> SampledCase:
    rows = SampledCase.objects.of(release).standing().filter(case__case_key=clean(case_key))
    found = rows.first()
    if found is None:
        raise NoSuchCase(gettext("%(case)s is not in the sample.") % {"case": case_key})
    return found


def find_eligible(release: Release, case_key: str) -> Case:
    case = release.cases.filter(case_key=clean(case_key)).defer("data").first()
    if case is None:
        raise NoSuchCase(
            gettext("%(release)s has no case %(case)s.")
            % {"release": release.name, "case": case_key}
        )
    why_not = why_not_eligible(case)
    if why_not:
        raise NotEligible(why_not)
    return case


def clean(case_key: str) -> str:
    return case_key.replace("\0", "").strip()


def settle_kinds(release: Release) -> None:
    """After a change by hand: which case fills which kind now."""
    sample = sample_of(release)
    settled = settle(sample, required(release))
    for one in sample:
        if settled[one.case_key] != one.kind:
            rows = release.sample.filter(case__case_key=one.case_key)
            rows.update(kind=settled[one.case_key])
