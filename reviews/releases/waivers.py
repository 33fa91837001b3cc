"""Letting a rule go by name, with a reason. A waiver covers what is missing now, not more."""

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
from reviews.assignments.progress import missing_reviews
from reviews.errors import Missing, Refused, require_not_closed, require_reason
from reviews.models import Waiver
from reviews.sample.queries import load_sample
from reviews.sample.rule import KIND, kind_texts
from reviews.sample.workflow import settle_kinds

ADJUDICATIONS = "adjudications"
RULES = ("cases", "reviews", ADJUDICATIONS)


class NoSuchRule(Refused):
    code = "no_such_rule"
    status = 400


class NothingToWaive(Refused):
    code = "nothing_to_waive"


@transaction.atomic
def waive(*, release: Release, rule: str, reason: str, user: User | None, now: datetime) -> Waiver:
    """Raises NoSuchRule and NothingToWaive. Waiving again covers what is missing by now."""
    release = Release.objects.locked(release)
    require_not_closed(release)
    if user and rule == ADJUDICATIONS:
        # Whether there is something to waive tells whether others differ.
        require_sight(release, user)
    let_go(release, [rule], reason=reason, user=user, now=now)
    return release.waivers.get(rule=rule)


def let_go(
    release: Release, rules: Sequence[str], *, reason: str, user: User | None, now: datetime
) -> None:
    """Several rules for one reason, all or none. `release` is locked."""
    reason = require_reason(reason)
    wanted, refusals = [], []
    for rule in dict.fromkeys(rules):
        try:
            covers = covered_by(release, rule, together=rules)
        except Refused as refusal:
            refusals.append(refusal)
        else:
            by = user.get_username() if user else ""
            waiver = Waiver(release=release, rule=rule, covers=covers, reason=reason, by=by)
            waiver.waived_at = now
            wanted.append(waiver)
    if refusals:
        raise refusals[0].together_with(refusals[1:])
    standing = {one.rule: one for one in release.waivers.all()}
    fresh = [one for one in wanted if not says_the_same(one, standing.get(one.rule))]
    Waiver.objects.bulk_create(
        fresh,
        update_conflicts=True,
        unique_fields=["release", "rule"],
        update_fields=["covers", "reason", "by", "waived_at"],
    )
    for one in fresh:
        data = {"rule": one.rule, "covers": one.covers, "reason": reason}
        ledger.append(release=release, kind="rule-waived", data=data, user=user, now=now)
    settle_kinds(release)


def says_the_same(wanted: Waiver, standing: Waiver | None) -> bool:
    """The same waiver sent twice is one."""
    return standing is not None and all(
        getattr(wanted, name) == getattr(standing, name) for name in ("covers", "reason", "by")
    )


@transaction.atomic
def take_back(
    *, release: Release, rule: str, reason: str, user: User | None, now: datetime
) -> None:
    """The rule holds again."""
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


def covered_by(release: Release, rule: str, together: Sequence[str] = ()) -> dict[str, Any]:
    """What a waiver of this rule would cover now, with those of `together` given as well."""
    if rule.startswith(KIND):
        if rule.removeprefix(KIND) not in kind_texts(release):
            raise no_such_rule(release, rule)
        return {}
    if rule == "cases":
        if release.is_draft and not release.draws.exists():
            # There is no sample yet; it may become as small as the pool.
            return {"cases": Case.objects.of(release).eligible().count()}
        return {"cases": cases_to_judge(release, together)}
    if rule == "reviews":
        missing = missing_reviews(release)
        if not missing:
            raise NothingToWaive(gettext("No review is missing."))
        return {"reviews": missing}
    if rule == ADJUDICATIONS:
        waiting = {one.case_key: one.to_data() for one in list_open_disagreements(release)}
        if not waiting:
            raise NothingToWaive(gettext("No case is waiting for adjudication."))
        return {"cases": waiting}
    raise no_such_rule(release, rule)


def cases_to_judge(release: Release, together: Sequence[str]) -> int:
    """The cases of the sample, less those that nobody judged and whose reviews are waived."""
    missing = {} if release.is_draft else missing_reviews(release)
    k, waived = release.reviews_per_case, missing
    if "reviews" not in together:
        waiver = release.waivers.filter(rule="reviews").first()
        waived = waiver.covers["reviews"] if waiver else {}
    given_up = sum(lack == k and waived.get(key, 0) >= k for key, lack in missing.items())
    return sum(one.is_eligible for one in load_sample(release)) - given_up


def no_such_rule(release: Release, rule: str) -> NoSuchRule:
    known = [*(KIND + key for key in kind_texts(release)), *RULES]
    sentence = gettext("There is no rule “%(rule)s”. Those that can be waived: %(known)s.")
    return NoSuchRule(Missing("rule", sentence % {"rule": rule, "known": ", ".join(known)}))
