"""Plan pairings and take them back. Reading a pair is in `reading.py`."""

from collections.abc import Collection
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext, ngettext

from cases import ledger
from cases.models import Release
from cases.models.releases import MOST_REVIEWS_PER_CASE
from reviews.assignments.plan import Plan
from reviews.assignments.queries import load_unwaived_missing
from reviews.assignments.workflow import (
    BadPerCase,
    NotAReviewer,
    PlanChanged,
    build_plan_changed,
    digest_plan,
    require_reviewers,
    shuffle_place,
)
from reviews.errors import Missing, Refused, require_reason, require_reviewing
from reviews.models import Pairing
from reviews.models.reviews import ReviewStatus
from reviews.pairings import planning
from reviews.pairings.pairs import Pairs, find_obstacles_of_baseline, load_pairs
from reviews.pairings.sides import is_new_left
from reviews.sample.looks import load_looks

# Refusals of a call that plans pairings.
PLANNING = (BadPerCase, NotAReviewer, PlanChanged)


class NotPairable(Refused):
    """The release has nothing to be read side by side with, or it is too early."""

    code = "not_pairable"


def require_pairable(release: Release) -> None:
    """Raise NotPairable with every reason why pairs cannot be planned now."""
    require_reviewing(release)
    reasons = list(find_obstacles(release))
    if reasons:
        raise NotPairable(*reasons)


def find_obstacles(release: Release) -> list[Missing]:
    """List what stands between a release in review and its pairs."""
    return [*find_obstacles_of_baseline(release), *find_open_reviews(release)]


def find_open_reviews(release: Release) -> list[Missing]:
    """List planned looks and reviews that come before pairs."""
    looks = load_looks(release)
    found = []
    if looks and looks.has_further:
        sentence = gettext(
            "Look %(look)d of %(count)d is still to come. Pairs are read after the last look."
        )
        words = {"look": looks.look + 1, "count": len(looks.sizes)}
        found.append(Missing("looks", sentence % words))
    missing = load_unwaived_missing(release, release.waivers.filter(rule="reviews").first())
    if missing:
        total = sum(missing.values())
        sentence = ngettext(
            "%(count)d review is missing. Pairs are read after all reviews are in.",
            "%(count)d reviews are missing. Pairs are read after all reviews are in.",
            total,
        )
        found.append(Missing("reviews", sentence % {"count": total}, tuple(missing)))
    return found


def preview_plan(
    *,
    release: Release,
    usernames: Collection[str] | None,
    per_case: int | None,
    now: datetime,
) -> tuple[Pairs, Plan]:
    """Return what `plan_pairings` would assign. Writes nothing; refuses in the same cases."""
    require_pairable(release)
    if usernames is not None:
        require_reviewers(usernames)
    if per_case is not None and not 1 <= per_case <= MOST_REVIEWS_PER_CASE:
        sentence = gettext("A pair has 1 to %(most)d readers.") % {"most": MOST_REVIEWS_PER_CASE}
        raise BadPerCase(Missing("per_case", sentence))
    pairs = load_pairs(release)
    if not pairs.pairs:
        raise NotPairable(
            gettext("No case of %(release)s has the same request and another plan in %(baseline)s.")
            % {"release": release.name, "baseline": release.baseline}
        )
    plan = planning.make_plan(
        release,
        pairs.pairs,
        usernames=usernames,
        per_case=per_case or release.reviews_per_case,
        now=now,
    )
    return pairs, plan


@transaction.atomic
def plan_pairings(
    *,
    release: Release,
    usernames: Collection[str] | None,
    per_case: int | None,
    seen: str | None = None,
    user: User | None,
    now: datetime,
) -> Plan:
    """Plan who reads which pair and create the pairings. Repeating it adds only what is missing.

    `seen` is the digest of the plan that was shown; None accepts any plan.
    """
    release = Release.objects.locked(release)
    pairs, plan = preview_plan(release=release, usernames=usernames, per_case=per_case, now=now)
    if seen is not None and seen != digest_plan(plan):
        raise build_plan_changed()
    if plan.assignments:
        carry_out(release, pairs, plan, user=user, now=now)
    return plan


def carry_out(
    release: Release, pairs: Pairs, plan: Plan, *, user: User | None, now: datetime
) -> None:
    by_key = {pair.new.case_key: pair for pair in pairs.pairs}
    names = {assignment.username for assignment in plan.assignments}
    people = {person.username: person for person in User.objects.filter(username__in=names)}
    new = [
        Pairing(
            release=release,
            case=by_key[assignment.case_key].new,
            old_case=by_key[assignment.case_key].old,
            reader=people[assignment.username],
            is_new_left=find_side(release, assignment.case_key, assignment.username),
            assigned_at=now,
            place=shuffle_place(assignment.username, by_key[assignment.case_key].new.code),
        )
        for assignment in plan.assignments
    ]
    store(release, new)
    data = {
        "baseline": release.baseline.name if release.baseline else "",
        "pairings": [
            [pairing.case.case_key, pairing.reader.get_username(), name_side(pairing)]
            for pairing in new
        ],
        "missing": plan.missing,
    }
    ledger.append(release=release, kind="pairings-planned", data=data, user=user, now=now)


def store(release: Release, pairings: Collection[Pairing]) -> None:
    """Create pairings; those that were taken back from the same reader go on with their draft."""
    rows = Pairing.objects.of(release).filter(status=ReviewStatus.WITHDRAWN)
    known = {(row.case_id, row.reader_id): row for row in rows.defer("draft")}
    fresh, again = [], []
    for pairing in pairings:
        row = known.get((pairing.case_id, pairing.reader_id))
        if row is None:
            fresh.append(pairing)
        else:
            row.status = ReviewStatus.DRAFT if row.version else ReviewStatus.ASSIGNED
            row.assigned_at = pairing.assigned_at
            again.append(row)
    Pairing.objects.bulk_create(fresh)
    Pairing.objects.bulk_update(again, ["status", "assigned_at"])


def find_side(release: Release, case_key: str, username: str) -> bool:
    return is_new_left(
        rubric_digest=release.rubric.digest,
        case_key=case_key,
        reader=username,
        release=release.name,
    )


def name_side(pairing: Pairing) -> str:
    return "left" if pairing.is_new_left else "right"


@transaction.atomic
def take_back(
    *,
    release: Release,
    usernames: Collection[str] | None,
    reason: str,
    user: User | None,
    now: datetime,
) -> int:
    """Take back the open pairings of these people (None: of everyone). Return how many.

    Repeating it changes nothing.
    """
    reason = require_reason(reason)
    release = Release.objects.locked(release)
    require_reviewing(release)
    return take_back_open(release, usernames, reason, user=user, now=now)


def take_back_open(
    release: Release,
    usernames: Collection[str] | None,
    reason: str,
    *,
    user: User | None,
    now: datetime,
) -> int:
    """Take back open pairings of a locked release; see `take_back`."""
    rows = Pairing.objects.of(release).open()
    if usernames is not None:
        rows = rows.filter(reader__username__in=usernames)
    taken = sorted(rows.values_list("case__case_key", "reader__username"))
    if taken:
        rows.update(status=ReviewStatus.WITHDRAWN)
        data = {"pairings": [list(pair) for pair in taken], "reason": reason}
        ledger.append(release=release, kind="pairings-taken-back", data=data, user=user, now=now)
    return len(taken)
