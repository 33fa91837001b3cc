"""Waive a rule with a reason. A waiver covers only what is missing now."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from cases import ledger
from cases.models import Case, Release
from reviews.adjudication.disagreements import list_open_disagreements
from reviews.adjudication.visibility import require_sight
from reviews.assignments.queries import load_missing_reviews
from reviews.errors import Missing, Refused, require_not_closed, require_reason
from reviews.models import Waiver
from reviews.pairings.queries import load_missing_pairings
from reviews.sample.queries import load_sample
from reviews.sample.rule import KIND, kind_texts
from reviews.sample.workflow import settle_kinds

ADJUDICATIONS = "adjudications"
PAIRINGS = "pairings"
RULES = ("cases", "reviews", ADJUDICATIONS, PAIRINGS)


class NoSuchRule(Refused):
    code = "no_such_rule"
    status = 400


class NothingToWaive(Refused):
    code = "nothing_to_waive"


@transaction.atomic
def waive(*, release: Release, rule: str, reason: str, user: User | None, now: datetime) -> Waiver:
    """Waive one rule; waiving it again covers what is missing by then.

    Raise NoSuchRule or NothingToWaive.
    """
    release = Release.objects.locked(release)
    require_not_closed(release)
    if user and rule == ADJUDICATIONS:
        # Whether there is something to waive reveals whether others disagree.
        require_sight(release, user)
    waive_rules(release, [rule], reason=reason, user=user, now=now)
    return release.waivers.get(rule=rule)


def waive_rules(
    release: Release, rules: Sequence[str], *, reason: str, user: User | None, now: datetime
) -> None:
    """Waive several rules for one reason, all or none. `release` must be locked."""
    reason = require_reason(reason)
    wanted, refusals = [], []
    for rule in dict.fromkeys(rules):
        try:
            covers = find_covered(release, rule, together=rules)
        except Refused as refusal:
            refusals.append(refusal)
        else:
            by = user.get_username() if user else ""
            waiver = Waiver(release=release, rule=rule, covers=covers, reason=reason, by=by)
            waiver.waived_at = now
            wanted.append(waiver)
    if refusals:
        raise refusals[0].together_with(refusals[1:])
    standing = {waiver.rule: waiver for waiver in release.waivers.all()}
    fresh = [waiver for waiver in wanted if not is_same_waiver(waiver, standing.get(waiver.rule))]
    Waiver.objects.bulk_create(
        fresh,
        update_conflicts=True,
        unique_fields=["release", "rule"],
        update_fields=["covers", "reason", "by", "waived_at"],
    )
    for waiver in fresh:
        data = {"rule": waiver.rule, "covers": waiver.covers, "reason": reason}
        ledger.append(release=release, kind="rule-waived", data=data, user=user, now=now)
    settle_kinds(release)


def is_same_waiver(wanted: Waiver, standing: Waiver | None) -> bool:
    """Return whether the same waiver exists already."""
    return standing is not None and all(
        getattr(wanted, name) == getattr(standing, name) for name in ("covers", "reason", "by")
    )


@transaction.atomic
def take_back(
    *, release: Release, rule: str, reason: str, user: User | None, now: datetime
) -> None:
    """Take a waiver back, so that the rule applies again."""
    reason = require_reason(reason)
    release = Release.objects.locked(release)
    require_not_closed(release)
    waiver = release.waivers.filter(rule=rule.replace("\0", "")).first()
    if waiver is None:
        raise NothingToWaive(gettext("%(rule)s is not waived.") % {"rule": rule})
    waiver.delete()
    settle_kinds(release)
    data = {"rule": rule, "reason": reason}
    ledger.append(release=release, kind="waiver-taken-back", data=data, user=user, now=now)


def find_covered(release: Release, rule: str, together: Sequence[str] = ()) -> dict[str, Any]:
    """Return what a waiver of this rule would cover now, if those of `together` are given too."""
    if rule.startswith(KIND):
        if rule.removeprefix(KIND) not in kind_texts(release):
            raise build_no_such_rule(release, rule)
        return {}
    if rule == "cases":
        if release.is_draft and not release.draws.exists():
            # There is no sample yet; it may become as small as the pool.
            return {"cases": Case.objects.eligible(release).count()}
        return {"cases": count_cases_to_judge(release, together)}
    if rule == "reviews":
        missing = load_missing_reviews(release)
        if not missing:
            raise NothingToWaive(gettext("No review is missing."))
        return {"reviews": missing}
    if rule == ADJUDICATIONS:
        waiting = {
            disagreement.case_key: disagreement.to_data()
            for disagreement in list_open_disagreements(release)
        }
        if not waiting:
            raise NothingToWaive(gettext("No case is waiting for adjudication."))
        return {"cases": waiting}
    if rule == PAIRINGS:
        unread = load_missing_pairings(release)
        if not unread:
            raise NothingToWaive(gettext("No pair is waiting to be read."))
        return {"pairings": unread}
    raise build_no_such_rule(release, rule)


def count_cases_to_judge(release: Release, together: Sequence[str]) -> int:
    """Count the cases of the sample without those that have no review and need none."""
    missing = {} if release.is_draft else load_missing_reviews(release)
    k, waived = release.reviews_per_case, missing
    if "reviews" not in together:
        waiver = release.waivers.filter(rule="reviews").first()
        waived = waiver.covers["reviews"] if waiver else {}
    given_up = sum(lack == k and waived.get(key, 0) >= k for key, lack in missing.items())
    return sum(sampled.is_eligible for sampled in load_sample(release)) - given_up


def build_no_such_rule(release: Release, rule: str) -> NoSuchRule:
    known = [*(KIND + key for key in kind_texts(release)), *RULES]
    sentence = gettext("There is no rule “%(rule)s”. Those that can be waived: %(known)s.")
    return NoSuchRule(Missing("rule", sentence % {"rule": rule, "known": ", ".join(known)}))
