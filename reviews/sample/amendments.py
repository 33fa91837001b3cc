"""Change the sample by hand: add, remove, swap, withdraw. Every change needs a reason."""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from cases import ledger
from cases.models import Case, Release
from cases.releases.policy import OLD_RULES
from reviews.errors import (
    Missing,
    NoSuchCase,
    Refused,
    require_draft,
    require_not_closed,
    require_reason,
    require_reviewing,
)
from reviews.models import Draw, Pairing, Review, SampledCase
from reviews.models.reviews import ReviewStatus
from reviews.models.samples import Cause, Origin
from reviews.sample.looks import list_line
from reviews.sample.matching import choose_successor
from reviews.sample.order import Entry
from reviews.sample.queries import load_sample
from reviews.sample.reasons import explain_not_eligible
from reviews.sample.rule import load_rule
from reviews.sample.workflow import settle_kinds, store_next


class NotEligible(Refused):
    """The case cannot be sampled; the sentence gives the reason."""

    code = "not_eligible"


class AlreadySampled(Refused):
    code = "already_sampled"


class NoSuchCause(Refused):
    code = "no_such_cause"
    status = 400


class HasReviews(Refused):
    """The case has a submitted review, so it can be withdrawn but not swapped out."""

    code = "has_reviews"


class PlanFixed(Refused):
    """The plan of looks is fixed at the start: nobody chooses which cases count afterwards."""

    code = "plan_fixed"


WITHDRAWN_FOR = (Cause.BROKEN, Cause.WRONG_DATA, Cause.DUPLICATE)


@transaction.atomic
def add(
    *, release: Release, case_key: str, reason: str, user: User | None, now: datetime
) -> SampledCase:
    """Add a case of the admin's choice to the sample.

    After the start of a release with planned looks it is outside the plan: it is read and shown,
    but enters no figure that decides.
    """
    reason = require_reason(reason)
    release = Release.objects.locked(release)
    require_not_closed(release)
    is_outside = is_plan_fixed(release)
    added = take_in(release, case_key, reason=reason, is_outside=is_outside, now=now)
    settle_kinds(release)
    data: dict[str, Any] = {"case": added.case.case_key, "reason": reason}
    if is_outside:
        data["outside"] = True
    ledger.append(release=release, kind="case-added", data=data, user=user, now=now)
    return added


def is_plan_fixed(release: Release) -> bool:
    """Return whether a case chosen by hand is outside the plan from now on."""
    return release.rules > OLD_RULES and not release.is_draft


@transaction.atomic
def remove(
    *, release: Release, case_key: str, reason: str, user: User | None, now: datetime
) -> None:
    """Remove a case from the sample of a draft. After the start, use `withdraw`."""
    reason = require_reason(reason)
    release = Release.objects.locked(release)
    require_draft(release)
    leaving = find_sampled(release, case_key)
    leaving.delete()
    settle_kinds(release)
    data = {"case": leaving.case.case_key, "reason": reason}
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
    """Replace one case by another of the admin's choice. The report shows the swap."""
    reason = require_reason(reason)
    release = Release.objects.locked(release)
    require_not_closed(release)
    if is_plan_fixed(release):
        raise PlanFixed(
            gettext(
                "After the start a case cannot be swapped: the plan is fixed. If the case is "
                "broken, withdraw it, and the next of the draw comes in; or add another case "
                "outside the plan."
            )
        )
    leaving = find_sampled(release, out, "out")
    if find_case(release, into, "in").pk == leaving.case_id:
        raise AlreadySampled(
            gettext("%(case)s is in the sample already.") % {"case": leaving.case.case_key}
        )
    if release.is_draft:
        leaving.delete()
    else:
        if Review.objects.submitted().filter(case=leaving.case_id).exists():
            raise HasReviews(
                gettext(
                    "%(case)s has a submitted review, so it cannot be swapped out. If it is "
                    "broken, wrong or a duplicate, withdraw it."
                )
                % {"case": leaving.case.case_key}
            )
        take_out(leaving, cause=Cause.SWAPPED, reason=reason, now=now)
    added = take_in(release, into, reason=reason, is_outside=False, now=now)
    settle_kinds(release)
    data = {"out": leaving.case.case_key, "in": added.case.case_key, "reason": reason}
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
    """Withdraw a case that should never have been sampled, and take in the next in line.

    Its submitted reviews are kept but not counted. Return the key of the case that came in. A case
    outside the plan is not replaced.
    """
    reason = require_reason(reason)
    if cause not in WITHDRAWN_FOR:
        sentence = gettext("Say what is wrong: broken, wrong data or a duplicate.")
        raise NoSuchCause(Missing("cause", sentence))
    release = Release.objects.locked(release)
    require_reviewing(release)
    leaving = find_sampled(release, case_key)
    stopped = take_out(leaving, cause=cause, reason=reason, now=now)
    coming = None if leaving.is_outside else find_next_in_line(release)
    if coming is not None:
        # Which kind it fills is settled below.
        store_next(release, [coming._replace(kind="")], now=now)
    settle_kinds(release)
    came_in = coming.case_key if coming else None
    data: dict[str, Any] = {
        "case": leaving.case.case_key,
        "cause": cause,
        "reason": reason,
        "in": came_in,
        "reviews_stopped": stopped,
        "reviews_not_counted": Review.objects.submitted().filter(case=leaving.case_id).count(),
    }
    if leaving.is_outside:
        data["outside"] = True
    ledger.append(release=release, kind="case-withdrawn", data=data, user=user, now=now)
    return came_in


def find_next_in_line(release: Release) -> Entry | None:
    """Find the next case in the order of the draw that keeps all kinds covered."""
    line = {entry.case_key: entry for entry in list_line(release)}
    chosen = choose_successor(
        load_sample(release),
        load_rule(release).required,
        ((key, frozenset(entry.tags)) for key, entry in line.items()),
    )
    return line[chosen] if chosen else None


def take_out(leaving: SampledCase, *, cause: str, reason: str, now: datetime) -> list[str]:
    """Withdraw the row and its unsubmitted reviews. Return the usernames of their reviewers.

    Unread pairs end too: their readers would stay blind, because nobody can submit them.
    """
    SampledCase.objects.filter(pk=leaving.pk).update(
        withdrawn_at=now, cause=cause, withdrawal_reason=reason
    )
    unfinished = Review.objects.open().filter(case=leaving.case_id)
    names = sorted(unfinished.values_list("reviewer__username", flat=True))
    unfinished.update(status=ReviewStatus.WITHDRAWN)
    Pairing.objects.open().filter(case=leaving.case_id).update(status=ReviewStatus.WITHDRAWN)
    return names


def take_in(
    release: Release, case_key: str, *, reason: str, is_outside: bool, now: datetime
) -> SampledCase:
    """Put a case chosen by hand into the sample.

    Raise NoSuchCase, NotEligible or AlreadySampled.
    """
    case = find_case(release, case_key)
    why_not = explain_not_eligible(case)
    if why_not:
        raise NotEligible(why_not)
    known = release.sample.filter(case=case).first()
    if known and known.withdrawn_at is None:
        raise AlreadySampled(
            gettext("%(case)s is in the sample already.") % {"case": case.case_key}
        )
    if known and known.cause != Cause.SWAPPED:
        raise NotEligible(
            gettext("%(case)s was withdrawn (%(cause)s), so it does not come back.")
            % {"case": case.case_key, "cause": known.get_cause_display()}
        )
    values = {
        "kind": "",
        "origin": Origin.HAND,
        "place": find_place_in_draw(release, case.case_key),
        "is_outside": is_outside,
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


def find_place_in_draw(release: Release, case_key: str) -> int | None:
    last = Draw.objects.of(release).order_by("-number").first()
    entry = last.order.find(case_key) if last else None
    return entry.place if entry else None


def find_sampled(release: Release, case_key: str, path: str = "case_key") -> SampledCase:
    """Find the case in the sample. `path` names the key in the refusal, as the caller names it."""
    rows = SampledCase.objects.of(release).standing().with_cases()
    found = {
        sampled.case.case_key: sampled
        for sampled in rows.filter(case__case_key__in=list_spellings(case_key))
    }
    if not found:
        raise build_not_in_sample(case_key, path)
    return found.get(case_key) or found[case_key.strip()]


def build_not_in_sample(case_key: str, path: str = "case_key") -> NoSuchCase:
    sentence = gettext("%(case)s is not in the sample.") % {"case": case_key}
    return NoSuchCase(Missing(path, sentence))


def find_case(release: Release, case_key: str, path: str = "case_key") -> Case:
    rows = release.cases.filter(case_key__in=list_spellings(case_key)).defer("data")
    found = {case.case_key: case for case in rows}
    if not found:
        words = {"release": release.name, "case": case_key}
        raise NoSuchCase(Missing(path, gettext("%(release)s has no case %(case)s.") % words))
    return found.get(case_key) or found[case_key.strip()]


def list_spellings(case_key: str) -> list[str]:
    """List the key as it was given, and the key without surrounding spaces.

    No key contains NUL, and PostgreSQL refuses it in a query.
    """
    return [] if "\0" in case_key else [case_key, case_key.strip()]
