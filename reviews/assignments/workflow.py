"""Assign reviews by plan or by hand, move them and take them back.

A plan never changes existing reviews.
"""

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
from reviews.assignments.inputs import active_reviewers, make_plan
from reviews.assignments.plan import Plan
from reviews.errors import Missing, Refused, join_keys, require_reason, require_reviewing
from reviews.models import Pairing, Review, SampledCase
from reviews.models.reviews import OPEN, OVER, ReviewStatus
from reviews.questions.names import is_named
from reviews.questions.workflow import NamesTheCase
from reviews.sample.amendments import build_not_in_sample, find_sampled

# How many cases or reviews the admin site lists on one page.
MOST_AT_ONCE = 500


class MadeTheCase(Refused):
    code = "made_the_case"


class SeenScores(Refused):
    """The person has seen others' scores, so they cannot judge independently in this release."""

    code = "seen_scores"


class ReadsPairs(Refused):
    """The person reads plans of the release side by side, so their reviews of it are over."""

    code = "reads_pairs"


class NotAReviewer(Refused):
    code = "not_a_reviewer"
    status = 400


class NotDeclined(Refused):
    """The review cannot be given back: its owner has not declined it."""

    code = "not_declined"


class BadPerCase(Refused):
    """The number of reviewers per case is out of range."""

    code = "bad_per_case"
    status = 400


class OnTheCase(Refused):
    """The person has the case already; moving it to them would lose a reviewer."""

    code = "on_the_case"


class NothingOpen(Refused):
    """The person has no unsubmitted review to move or take back."""

    code = "nothing_open"


class NoOneCan(Refused):
    """No one else can take any of the person's open reviews."""

    code = "nobody_can"


class NotMoved(Refused):
    """Some reviews cannot be moved, so none is. `by_review` has the refusals by primary key."""

    code = "not_moved"

    def __init__(self, by_review: Mapping[int, Refused]) -> None:
        super().__init__(
            *(missing for refusal in by_review.values() for missing in refusal.missing)
        )
        self.by_review = dict(by_review)


class NotAssigned(Refused):
    """Some cases cannot be assigned to the person, so none is."""

    code = "not_assigned"


class PlanChanged(Refused):
    """The plan has changed since it was shown."""

    code = "plan_changed"


# --- By plan --------------------------------------------------------------------------------------


def digest_plan(plan: Plan) -> str:
    """Digest the assignments of a plan, to assign only what was shown."""
    text = "\n".join(
        f"{assignment.case_key}\0{assignment.username}" for assignment in plan.assignments
    )
    return sha256(text.encode()).hexdigest()


def preview_plan(
    *,
    release: Release,
    usernames: Collection[str] | None,
    per_case: int | None,
    now: datetime,
    only: Collection[str] | None = None,
) -> Plan:
    """Return what `assign_by_plan` would assign. Writes nothing; refuses in the same cases."""
    require_reviewing(release)
    if usernames is not None:
        require_reviewers(usernames)
    if per_case is not None and not 1 <= per_case <= MOST_REVIEWS_PER_CASE:
        sentence = gettext("A case has 1 to %(most)d reviewers.") % {"most": MOST_REVIEWS_PER_CASE}
        raise BadPerCase(Missing("per_case", sentence))
    return make_plan(release, usernames=usernames, per_case=per_case, now=now, only=only)


def require_reviewers(usernames: Collection[str]) -> None:
    if not usernames:
        raise NotAReviewer(Missing("reviewers", gettext("Choose at least one person.")))
    known = set(active_reviewers().values_list("username", flat=True))
    unknown = sorted(set(usernames) - known)
    if unknown:
        sentence = gettext("%(person)s is not an active reviewer.")
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
    """Plan the assignments and create them.

    `seen` is the digest of the plan that was shown; None accepts any plan. `only` are the keys of
    the cases to plan for; None: the whole sample.
    """
    release = Release.objects.locked(release)
    plan = preview_plan(release=release, usernames=usernames, per_case=per_case, now=now, only=only)
    if seen is not None and seen != digest_plan(plan):
        raise build_plan_changed()
    carry_out(release, plan, missing=plan.missing, user=user, now=now)
    return plan


def build_plan_changed() -> PlanChanged:
    return PlanChanged(gettext("The plan has changed since you opened this page. Check it again."))


@dataclass(frozen=True)
class Reassignment:
    """Where one person's open reviews go. `kept` are cases that no one else can take; they stay.
    `missing` counts the reviews that are not assigned afterwards."""

    plan: Plan
    taken: tuple[str, ...]
    kept: tuple[str, ...]

    @property
    def missing(self) -> int:
        return self.plan.missing - len(self.kept)


def preview_reassignment(*, release: Release, username: str, now: datetime) -> Reassignment:
    """Return what `reassign` would do. Writes nothing; refuses in the same cases."""
    require_reviewing(release)
    own = Review.objects.of(release).open().filter(reviewer__username=username)
    keys = sorted(own.values_list("case__case_key", flat=True))
    if not keys:
        raise build_nothing_open(username)
    plan = make_plan(release, usernames=None, per_case=None, now=now, only=keys, leaving=username)
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
    """Reassign one person's open reviews to others; reviews that no one can take stay.

    `seen` is the digest of the plan that was shown; None accepts any plan.
    """
    reason = require_reason(reason)
    release = Release.objects.locked(release)
    reassignment = preview_reassignment(release=release, username=username, now=now)
    if seen is not None and seen != digest_plan(reassignment.plan):
        raise build_plan_changed()
    if not reassignment.taken:
        raise NoOneCan(
            gettext("No one else can take %(cases)s, so all reviews stay with %(person)s.")
            % {"cases": join_keys(reassignment.kept), "person": username}
        )
    own = Review.objects.filter(reviewer__username=username, case__case_key__in=reassignment.taken)
    take_back_open(release, own, reason, user=user, now=now)
    carry_out(release, reassignment.plan, missing=reassignment.missing, user=user, now=now)
    return reassignment


@transaction.atomic
def take_back(*, reviews: Collection[int], reason: str, user: User | None, now: datetime) -> int:
    """Take back the open ones among the reviews, in any releases. Return how many.

    All or none: if one release is not in review, nothing is taken back.
    """
    reason = require_reason(reason)
    chosen = Review.objects.filter(pk__in=reviews)
    taken = 0
    # A fixed lock order, so that two admins cannot deadlock.
    for unlocked in Release.objects.filter(reviews__in=chosen.open()).distinct().order_by("pk"):
        release = Release.objects.locked(unlocked)
        require_reviewing(release)
        taken += len(take_back_open(release, chosen, reason, user=user, now=now))
    return taken


def take_back_open(
    release: Release, among: QuerySet[Review], reason: str, *, user: User | None, now: datetime
) -> list[str]:
    """Take back open reviews, with one event for each person. Return the case keys."""
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
        build_review(release, cases[assignment.case_key], people[assignment.username], now=now)
        for assignment in plan.assignments
    )
    pairs = [[assignment.case_key, assignment.username] for assignment in plan.assignments]
    data = {"assignments": pairs, "missing": missing}
    ledger.append(release=release, kind="reviews-planned", data=data, user=user, now=now)


def build_review(release: Release, case: Case, reviewer: User, *, now: datetime) -> Review:
    return Review(
        release=release,
        case=case,
        reviewer=reviewer,
        assigned_at=now,
        place=shuffle_place(reviewer.get_username(), case.code),
    )


def shuffle_place(username: str, code: str) -> int:
    """Return the place of a case in a reviewer's queue: shuffled but stable, at most 31 bits."""
    return int.from_bytes(sha256(f"{username}\0{code}".encode()).digest()[:4]) >> 1


# --- By hand --------------------------------------------------------------------------------------


@transaction.atomic
def assign(
    *, release: Release, case_key: str, reviewer: User, user: User | None, now: datetime
) -> Review:
    """Create the person's review of the case, or reopen it. Repeating it changes nothing."""
    release = Release.objects.locked(release)
    require_reviewing(release)
    return give(release, find_sampled(release, case_key), reviewer, user=user, now=now)


@transaction.atomic
def assign_many(
    *,
    release: Release,
    codes: Collection[str],
    reviewer: User,
    user: User | None,
    now: datetime,
) -> list[Review]:
    """Assign the cases with these codes to one person.

    All or none: if one cannot be assigned, none is, and the refusal has every reason. Repeating it
    changes nothing.
    """
    release = Release.objects.locked(release)
    require_reviewing(release)
    sampled = SampledCase.objects.of(release).standing().with_cases()
    rows = list(sampled.filter(case__code__in=codes).order_by("case__case_key"))
    known = {row.case.code for row in rows}
    given = []
    refused = [
        reason
        for code in codes
        if code not in known
        for reason in build_not_in_sample(code).missing
    ]
    for row in rows:
        try:
            given.append(give(release, row, reviewer, user=user, now=now))
        except Refused as refusal:
            refused += refusal.missing
    if refused:
        raise NotAssigned(*refused)
    return given


def find_reviewer(username: str) -> User:
    """Find an active reviewer. Raises NotAReviewer."""
    require_reviewers([username])
    return User.objects.get(username=username)


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
    """Withdraw one person's unsubmitted review of a case and assign the case to another.

    Repeating it changes nothing.
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
    """Move the reviews, in any releases, to one person. Return that person's reviews.

    All or none: if one cannot be moved, none is, and the refusal has every reason. Repeating it
    changes nothing.
    """
    rows = Review.objects.filter(pk__in=reviews).select_related("release", "case", "reviewer")
    moved, refused = [], {}
    # By release first: a fixed lock order, so that two admins cannot deadlock.
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
    """Take an unsubmitted review back, keeping its draft. Repeating it changes nothing."""
    reason = require_reason(reason)
    release = Release.objects.locked(release)
    require_reviewing(release)
    sampled = find_sampled(release, case_key)
    if not is_withdrawn(sampled, reviewer):
        end(release, sampled, reviewer, reason=reason, user=user, now=now)


def is_withdrawn(sampled: SampledCase, reviewer: User) -> bool:
    own = Review.objects.filter(case=sampled.case_id, reviewer=reviewer)
    return own.filter(status=ReviewStatus.WITHDRAWN).exists()


@transaction.atomic
def give_back(
    *,
    release: Release,
    case_key: str,
    reviewer: User,
    answer: str,
    user: User | None,
    now: datetime,
) -> None:
    """Give a case that cannot be judged back to its reviewer, with an answer and their draft.

    Repeating it changes nothing.
    """
    answer = require_reason(answer)
    release = Release.objects.locked(release)
    require_reviewing(release)
    sampled = find_sampled(release, case_key)
    case = sampled.case
    named = [name for name in (case.case_key, release.name) if is_named(name, answer)]
    if named:
        raise NamesTheCase(
            gettext("The reviewer must not know %(names)s. Remove it from the answer.")
            % {"names": ", ".join(named)}
        )
    own = Review.objects.filter(case=case, reviewer=reviewer).defer("draft").first()
    if own and own.status in OPEN and own.given_back == answer:
        return
    if own is None or own.status != ReviewStatus.DECLINED:
        raise NotDeclined(
            gettext("%(person)s has not said that %(case)s cannot be judged.")
            % {"person": reviewer.get_username(), "case": case.case_key}
        )
    check_may_take(release, sampled, reviewer)
    Review.objects.filter(pk=own.pk).update(
        status=ReviewStatus.DRAFT if own.saved_at else ReviewStatus.ASSIGNED,
        declined_for="",
        decline_reason="",
        given_back=answer,
    )
    data = {"case": case.case_key, "reviewer": reviewer.get_username(), "reason": answer}
    ledger.append(release=release, kind="review-given-back", data=data, user=user, now=now)


def give(
    release: Release, sampled: SampledCase, reviewer: User, *, user: User | None, now: datetime
) -> Review:
    check_may_take(release, sampled, reviewer)
    new = build_review(release, sampled.case, reviewer, now=now)
    review, is_new = Review.objects.get_or_create(
        case=sampled.case,
        reviewer=reviewer,
        defaults={"release": release, "assigned_at": now, "place": new.place},
    )
    if not is_new:
        again = Review.objects.filter(pk=review.pk, status__in=OVER)
        is_new = bool(
            again.update(
                status=ReviewStatus.ASSIGNED,
                assigned_at=now,
                declined_for="",
                decline_reason="",
                given_back="",
            )
        )
        review.refresh_from_db()
    if is_new:
        data = {"case": sampled.case.case_key, "reviewer": reviewer.get_username()}
        ledger.append(release=release, kind="review-assigned", data=data, user=user, now=now)
    return review


def check_may_take(release: Release, sampled: SampledCase, reviewer: User) -> None:
    """Refuse people who cannot review the case.

    An inactive person with an open review would never be allowed to see others' scores.
    """
    named = {"person": reviewer.get_username(), "case": sampled.case.case_key}
    if not reviewer.is_active:
        raise NotAReviewer(Missing("to", gettext("%(person)s is deactivated.") % named))
    if not active_reviewers().filter(pk=reviewer.pk).exists():
        raise NotAReviewer(Missing("to", gettext("%(person)s is not an active reviewer.") % named))
    if reviewer.get_username() in sampled.case.produced_by:
        raise MadeTheCase(gettext("%(person)s made %(case)s, so they cannot review it.") % named)
    if has_seen_scores(release, reviewer):
        raise SeenScores(
            gettext("%(person)s has seen others' scores in this release and cannot be assigned.")
            % named
        )
    if has_pairings(release, reviewer):
        raise ReadsPairs(
            gettext("%(person)s reads pairs of this release, so no review can follow.") % named
        )


def has_pairings(release: Release, reviewer: User) -> bool:
    return Pairing.objects.of(release).by(reviewer).not_withdrawn().exists()


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
    if not take_back_open(release, own, reason, user=user, now=now):
        raise build_nothing_open(reviewer.get_username())


def build_nothing_open(username: str) -> NothingOpen:
    return NothingOpen(
        gettext("%(person)s has no unsubmitted review there.") % {"person": username}
    )
