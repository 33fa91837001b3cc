"""Who reviews what: by plan, by hand, moved, taken back. No plan touches what exists."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext

from cases import ledger
from cases.models import Case, Release
from cases.models.releases import MOST_REVIEWS_PER_CASE
from reviews.adjudication.visibility import has_seen_scores
from reviews.assignments.inputs import active_reviewers, plan_for
from reviews.assignments.plan import Plan
from reviews.errors import Missing, Refused, join_keys, require_reason, require_reviewing
from reviews.models import Review, SampledCase
from reviews.models.reviews import OPEN, OVER, ReviewStatus
from reviews.sample.amendments import find_sampled

# As many cases or reviews as one page lists.
MOST_AT_ONCE = 500


class MadeTheCase(Refused):
    code = "made_the_case"


class SeenScores(Refused):
    """Who has seen what others say can no longer judge on their own in this release."""

    code = "seen_scores"


class NotAReviewer(Refused):
    code = "not_a_reviewer"
    status = 400


class BadPerCase(Refused):
    """A number of reviewers that no case can have."""

    code = "bad_per_case"
    status = 400


class OnTheCase(Refused):
    """Moving a case to somebody who has it already would lose a reviewer."""

    code = "on_the_case"


class NothingOpen(Refused):
    """There is no unsubmitted review of this person to move or take back."""

    code = "nothing_open"


class NobodyCan(Refused):
    """There is nobody else for any of somebody's open reviews."""

    code = "nobody_can"


class NotMoved(Refused):
    """Some of the reviews cannot be moved, so none is. `by_review` says why, by their keys."""

    code = "not_moved"

    def __init__(self, by_review: Mapping[int, Refused]) -> None:
        super().__init__(
            *(missing for refusal in by_review.values() for missing in refusal.missing)
        )
        self.by_review = dict(by_review)


class PlanChanged(Refused):
    """What would be assigned now is not what was looked at."""

    code = "plan_changed"


# --- By plan --------------------------------------------------------------------------------------


def digest_plan(plan: Plan) -> str:
    """Of what a plan would assign, so that nothing else is assigned than what was looked at."""
    told = "\n".join(
        f"{assignment.case_key}\0{assignment.username}" for assignment in plan.assignments
    )
    return sha256(told.encode()).hexdigest()


def look_at_plan(
    *,
    release: Release,
    usernames: Collection[str] | None,
    per_case: int | None,
    now: datetime,
    only: Collection[str] | None = None,
) -> Plan:
    """What `assign_by_plan` would assign. Writes nothing; refuses as that does."""
    require_reviewing(release)
    if usernames is not None:
        require_reviewers(usernames)
    if per_case is not None and not 1 <= per_case <= MOST_REVIEWS_PER_CASE:
        sentence = gettext("A case has 1 to %(most)d reviewers.") % {"most": MOST_REVIEWS_PER_CASE}
        raise BadPerCase(Missing("per_case", sentence))
    return plan_for(release, usernames=usernames, per_case=per_case, now=now, only=only)


def require_reviewers(usernames: Collection[str]) -> None:
    if not usernames:
        raise NotAReviewer(Missing("reviewers", gettext("Choose at least one person.")))
    known = set(active_reviewers().values_list("username", flat=True))
    unknown = sorted(set(usernames) - known)
    if unknown:
        sentence = gettext("%(person)s is no active reviewer.")
        raise NotAReviewer(
            *(Missing("reviewers", sentence % {"person": username}) for username in unknown)
        )


@transaction.atomic
def assign_by_plan(
    *,
    release: Release,
    usernames: Collection[str] | None,
    per_case: int | None,
    seen: str | None = None,
    only: Collection[str] | None = None,
    user: User | None,
    now: datetime,
) -> Plan:
    """`seen` is the digest of the plan that somebody looked at; None takes the plan as it is.

    `only` are the keys of the cases to plan for; None: the whole sample.
    """
    release = Release.objects.locked(release)
    plan = look_at_plan(release=release, usernames=usernames, per_case=per_case, now=now, only=only)
    if seen is not None and seen != digest_plan(plan):
        raise plan_changed()
    carry_out(release, plan, missing=plan.missing, user=user, now=now)
    return plan


def plan_changed() -> PlanChanged:
    return PlanChanged(
        gettext("Something changed since you looked, so the plan is another one. Look again.")
    )


@dataclass(frozen=True)
class Reassignment:
    """Where the open work of one person goes. `kept` are cases that nobody else can take: these
    stay where they are. `missing` places are nobody's afterwards."""

    plan: Plan
    taken: tuple[str, ...]
    kept: tuple[str, ...]

    @property
    def missing(self) -> int:
        return self.plan.missing - len(self.kept)


def look_at_reassignment(*, release: Release, username: str, now: datetime) -> Reassignment:
    """What `hand_on` would do. Writes nothing; refuses as that does."""
    require_reviewing(release)
    own = Review.objects.of(release).open().filter(reviewer__username=username)
    keys = sorted(own.values_list("case__case_key", flat=True))
    if not keys:
        raise nothing_open(username)
    plan = plan_for(release, usernames=None, per_case=None, now=now, only=keys, leaving=username)
    kept = {case.case_key for case in plan.cases if case.missing and not case.added}
    return Reassignment(plan, tuple(key for key in keys if key not in kept), tuple(sorted(kept)))


@transaction.atomic
def reassign(
    *,
    release: Release,
    username: str,
    reason: str,
    seen: str | None = None,
    user: User | None,
    now: datetime,
) -> Reassignment:
    """Gives the open work of one person to others, in one act: nothing is taken back for which
    there is nobody. `seen` is the digest of the plan that somebody looked at, if somebody did."""
    reason = require_reason(reason)
    release = Release.objects.locked(release)
    handing = look_at_reassignment(release=release, username=username, now=now)
    if seen is not None and seen != digest_plan(handing.plan):
        raise plan_changed()
    if not handing.taken:
        raise NobodyCan(
            gettext("Nobody can take %(cases)s, so everything stays with %(person)s.")
            % {"cases": join_keys(handing.kept), "person": username}
        )
    own = Review.objects.filter(reviewer__username=username, case__case_key__in=handing.taken)
    close_open(release, own, reason, user=user, now=now)
    carry_out(release, handing.plan, missing=handing.missing, user=user, now=now)
    return handing


@transaction.atomic
def take_back(*, reviews: Collection[int], reason: str, user: User | None, now: datetime) -> int:
    """Takes back those of the reviews that are open, of whatever releases; how many they were.

    All or none: a release that is not in review refuses the whole.
    """
    reason = require_reason(reason)
    chosen = Review.objects.filter(pk__in=reviews)
    taken = 0
    # In one order, so that two admins do not wait for each other.
    for unlocked in Release.objects.filter(reviews__in=chosen.open()).distinct().order_by("pk"):
        release = Release.objects.locked(unlocked)
        require_reviewing(release)
        taken += len(close_open(release, chosen, reason, user=user, now=now))
    return taken


def close_open(
    release: Release, among: QuerySet[Review], reason: str, *, user: User | None, now: datetime
) -> list[str]:
    """The keys of the cases that were taken back, with one event for each person."""
    rows = among.filter(release=release, status__in=OPEN)
    by_person: dict[str, list[str]] = {}
    for username, key in rows.values_list("reviewer__username", "case__case_key"):
        by_person.setdefault(username, []).append(key)
    rows.update(status=ReviewStatus.WITHDRAWN)
    for username, keys in sorted(by_person.items()):
        data = {"reviewer": username, "cases": sorted(keys), "reason": reason}
        ledger.append(release=release, kind="reviews-taken-back", data=data, user=user, now=now)
    return sorted(key for keys in by_person.values() for key in keys)


def carry_out(
    release: Release, plan: Plan, *, missing: int, user: User | None, now: datetime
) -> None:
    if not plan.assignments:
        return
    keys = {assignment.case_key for assignment in plan.assignments}
    cases = {case.case_key: case for case in release.cases.filter(case_key__in=keys).defer("data")}
    names = {assignment.username for assignment in plan.assignments}
    people = {person.username: person for person in User.objects.filter(username__in=names)}
    Review.objects.bulk_create(
        new_review(release, cases[assignment.case_key], people[assignment.username], now=now)
        for assignment in plan.assignments
    )
    pairs = [[assignment.case_key, assignment.username] for assignment in plan.assignments]
    data = {"assignments": pairs, "missing": missing}
    ledger.append(release=release, kind="reviews-planned", data=data, user=user, now=now)


def new_review(release: Release, case: Case, reviewer: User, *, now: datetime) -> Review:
    return Review(
        release=release,
        case=case,
        reviewer=reviewer,
        assigned_at=now,
        place=shuffle_place(reviewer.get_username(), case.code),
    )


def shuffle_place(username: str, code: str) -> int:
    """Shuffled for each reviewer, and always the same: fits a positive integer of 31 bits."""
    return int.from_bytes(sha256(f"{username}\0{code}".encode()).digest()[:4]) >> 1


# --- By hand --------------------------------------------------------------------------------------


@transaction.atomic
def assign(
    *, release: Release, case_key: str, reviewer: User, user: User | None, now: datetime
) -> Review:
    """Creates that person's review of the case, or opens it again. Twice is once."""
    release = Release.objects.locked(release)
    require_reviewing(release)
    return give(release, find_sampled(release, case_key), reviewer, user=user, now=now)


@transaction.atomic
def move(
    *,
    release: Release,
    case_key: str,
    giver: User,
    taker: User,
    user: User | None,
    now: datetime,
) -> Review:
    """Withdraws one person's unsubmitted review of a case and gives the case to another.

    Sent again, it is done already.
    """
    release = Release.objects.locked(release)
    require_reviewing(release)
    sampled = find_sampled(release, case_key)
    taken = Review.objects.filter(case=sampled.case_id, reviewer=taker).exclude(status__in=OVER)
    theirs = taken.first()
    if theirs and is_withdrawn(sampled, giver):
        return theirs
    if theirs:
        raise OnTheCase(
            gettext("%(person)s has %(case)s already.")
            % {"person": taker.get_username(), "case": sampled.case.case_key}
        )
    reason = gettext("moved to %(person)s") % {"person": taker.get_username()}
    end(release, sampled, giver, reason=reason, user=user, now=now)
    return give(release, sampled, taker, user=user, now=now)


@transaction.atomic
def move_many(
    *, reviews: Collection[int], taker: User, user: User | None, now: datetime
) -> list[Review]:
    """Moves each of the reviews to one person, of whatever releases; the reviews that person has.

    All or none: whatever cannot be moved refuses the whole, with every reason. Sent again, it is
    done already.
    """
    rows = Review.objects.filter(pk__in=reviews).select_related("release", "case", "reviewer")
    moved, refused = [], {}
    # By release first, so that two admins do not wait for each other.
    for review in rows.defer("case__data", "draft").order_by("release", "pk"):
        try:
            given = move(
                release=review.release,
                case_key=review.case.case_key,
                giver=review.reviewer,
                taker=taker,
                user=user,
                now=now,
            )
            moved.append(given)
        except Refused as refusal:
            refused[review.pk] = refusal
    if refused:
        raise NotMoved(refused)
    return moved


@transaction.atomic
def withdraw(
    *,
    release: Release,
    case_key: str,
    reviewer: User,
    reason: str,
    user: User | None,
    now: datetime,
) -> None:
    """Takes an unsubmitted review back. The row and its draft stay. Twice is once."""
    reason = require_reason(reason)
    release = Release.objects.locked(release)
    require_reviewing(release)
    sampled = find_sampled(release, case_key)
    if not is_withdrawn(sampled, reviewer):
        end(release, sampled, reviewer, reason=reason, user=user, now=now)


def is_withdrawn(sampled: SampledCase, reviewer: User) -> bool:
    own = Review.objects.filter(case=sampled.case_id, reviewer=reviewer)
    return own.filter(status=ReviewStatus.WITHDRAWN).exists()


def give(
    release: Release, sampled: SampledCase, reviewer: User, *, user: User | None, now: datetime
) -> Review:
    check_may_take(release, sampled, reviewer)
    new = new_review(release, sampled.case, reviewer, now=now)
    review, is_new = Review.objects.get_or_create(
        case=sampled.case,
        reviewer=reviewer,
        defaults={"release": release, "assigned_at": now, "place": new.place},
    )
    if not is_new:
        again = Review.objects.filter(pk=review.pk, status__in=OVER)
        is_new = bool(
            again.update(
                status=ReviewStatus.ASSIGNED, assigned_at=now, declined_for="", decline_reason=""
            )
        )
        review.refresh_from_db()
    if is_new:
        data = {"case": sampled.case.case_key, "reviewer": reviewer.get_username()}
        ledger.append(release=release, kind="review-assigned", data=data, user=user, now=now)
    return review


def check_may_take(release: Release, sampled: SampledCase, reviewer: User) -> None:
    """Somebody who cannot review would wait for the others' scores for ever: see opening.py."""
    named = {"person": reviewer.get_username(), "case": sampled.case.case_key}
    if not reviewer.is_active:
        raise NotAReviewer(Missing("to", gettext("%(person)s is deactivated.") % named))
    if not active_reviewers().filter(pk=reviewer.pk).exists():
        raise NotAReviewer(Missing("to", gettext("%(person)s is no active reviewer.") % named))
    if reviewer.get_username() in sampled.case.produced_by:
        raise MadeTheCase(gettext("%(person)s made %(case)s and does not review it.") % named)
    if has_seen_scores(release, reviewer):
        raise SeenScores(
            gettext("%(person)s has seen others' scores in this release and cannot be assigned.")
            % named
        )


def end(
    release: Release,
    sampled: SampledCase,
    reviewer: User,
    *,
    reason: str,
    user: User | None,
    now: datetime,
) -> None:
    own = Review.objects.filter(case=sampled.case_id, reviewer=reviewer)
    if not close_open(release, own, reason, user=user, now=now):
        raise nothing_open(reviewer.get_username())


def nothing_open(username: str) -> NothingOpen:
    return NothingOpen(
        gettext("%(person)s has no unsubmitted review there.") % {"person": username}
    )
