"""Take the next planned look: the sample grows by the draw's next cases, which are assigned."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext, ngettext

from cases import ledger
from cases.models import Event, Release
from reviews.assignments.plan import Assignment, Plan
from reviews.assignments.queries import load_unwaived_missing
from reviews.assignments.workflow import assign_by_plan, preview_plan
from reviews.errors import Missing, Refused, require_reviewing
from reviews.sample.looks import Looks, list_line, load_looks
from reviews.sample.replay import EXTENDED
from reviews.sample.workflow import settle_kinds, store_next


class CannotExtend(Refused):
    """The sample is between looks, at the last look, or too few cases are left."""

    code = "cannot_extend"


@dataclass(frozen=True)
class Extension:
    """A look that was taken. `cases` are those that came in, with the kind that each fills.

    `assigned` was assigned with it. `plan` has what these cases still lack, with the reasons.
    """

    look: int
    size: int
    cases: tuple[tuple[str, str], ...]
    assigned: tuple[Assignment, ...]
    plan: Plan


@transaction.atomic
def extend(
    *,
    release: Release,
    look: int,
    usernames: Collection[str] | None = None,
    user: User | None,
    now: datetime,
) -> Extension:
    """Take the planned look with this number, from 2 on. Repeating it changes nothing.

    `usernames` are the reviewers to choose from (None: every active one). What cannot be assigned
    does not stop the look.
    """
    release = Release.objects.locked(release)
    require_reviewing(release)
    looks = load_looks(release)
    if looks and 1 < look <= looks.look:
        return read_extension(release, look, usernames, now=now)
    looks = require_next_look(release, looks, look)
    assert looks.next_size is not None
    coming = list_line(release)[: looks.coming]
    store_next(release, coming, now=now)
    settle_kinds(release)
    keys = [entry.case_key for entry in coming]
    kinds = dict(
        release.sample.filter(case__case_key__in=keys).values_list("case__case_key", "kind")
    )
    cases = tuple((key, kinds[key]) for key in keys)
    data = {"look": look, "size": looks.next_size, "cases": cases}
    ledger.append(release=release, kind=EXTENDED, data=data, user=user, now=now)
    plan = assign_by_plan(
        release=release, usernames=usernames, per_case=None, only=keys, user=user, now=now
    )
    return Extension(look, looks.next_size, cases, plan.assignments, plan)


def preview_extension(release: Release) -> Looks:
    """Return the state of the plan if its next look can be taken now. Writes nothing; refuses in
    the same cases as `extend`."""
    require_reviewing(release)
    looks = load_looks(release)
    return require_next_look(release, looks, looks.look + 1 if looks else 1)


def require_next_look(release: Release, looks: Looks | None, look: int) -> Looks:
    """Raise CannotExtend unless this is the next look and it can be taken now."""
    if looks is None:
        raise CannotExtend(
            gettext("%(release)s was started without planned looks, so its sample cannot grow.")
            % {"release": release.name}
        )
    if looks.next_size is None:
        sentence = gettext("Look %(look)d was the last planned look; the sample cannot grow.")
        raise CannotExtend(sentence % {"look": looks.look})
    if look != looks.look + 1:
        sentence = gettext("The next look is look %(next)d of %(count)d, not look %(look)d.")
        words = {"next": looks.look + 1, "count": len(looks.sizes), "look": look}
        raise CannotExtend(Missing("look", sentence % words))
    if release.pairings.not_withdrawn().exists():
        raise CannotExtend(
            gettext("Pairs of this release are being read, so its sample can no longer grow.")
        )
    missing = load_unwaived_missing(release, release.waivers.filter(rule="reviews").first())
    if missing or not looks.planned:
        raise CannotExtend(
            Missing("reviews", describe_incomplete(looks, sum(missing.values())), tuple(missing))
        )
    if not looks.has_further:
        raise CannotExtend(describe_too_few(looks))
    return looks


def describe_incomplete(looks: Looks, missing: int) -> str:
    return ngettext(
        "Look %(look)d is not complete: %(count)d review is missing.",
        "Look %(look)d is not complete: %(count)d reviews are missing.",
        missing,
    ) % {"look": looks.look, "count": missing}


def describe_too_few(looks: Looks) -> str:
    return ngettext(
        "Look %(look)d needs %(coming)d more case, and the order of the draw has %(left)d left.",
        "Look %(look)d needs %(coming)d more cases, and the order of the draw has %(left)d left.",
        looks.coming,
    ) % {"look": looks.look + 1, "coming": looks.coming, "left": looks.left}


def read_extension(
    release: Release, look: int, usernames: Collection[str] | None, *, now: datetime
) -> Extension:
    """Read a look that was taken from its events."""
    events = release.events.filter(kind=EXTENDED).order_by("number")
    taken = next(event for event in reversed(events) if event.data["look"] == look)
    cases = tuple((key, kind) for key, kind in taken.data["cases"])
    keys = [key for key, _kind in cases]
    plan = preview_plan(release=release, usernames=usernames, per_case=None, only=keys, now=now)
    assigned = read_assigned(release, taken, keys)
    return Extension(look, taken.data["size"], cases, assigned, plan)


def read_assigned(release: Release, taken: Event, keys: Collection[str]) -> tuple[Assignment, ...]:
    """Read what was assigned with a look: by the event that follows it, if anything was."""
    following = release.events.filter(number=taken.number + 1, kind="reviews-planned").first()
    if following is None or following.at != taken.at:
        return ()
    pairs = [Assignment(*pair) for pair in following.data["assignments"]]
    return tuple(pair for pair in pairs if pair.case_key in keys)
