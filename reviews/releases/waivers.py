"""Waive a rule with a reason. A waiver covers only what is missing now, or some cases of that."""

from collections.abc import Collection, Sequence
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
from reviews.errors import Missing, Refused, join_keys, require_not_closed, require_reason
from reviews.models import Waiver
from reviews.pairings.queries import load_missing_pairings
from reviews.sample.queries import load_sample
from reviews.sample.rule import KIND, kind_texts
from reviews.sample.workflow import settle_kinds

ADJUDICATIONS = "adjudications"
PAIRINGS = "pairings"
RULES = ("cases", "reviews", ADJUDICATIONS, PAIRINGS)
# The rules that can be waived for some cases alone, with the name of the cases in `covers`.
BY_CASE = {"reviews": "reviews", ADJUDICATIONS: "cases", PAIRINGS: "pairings"}


# How many cases can be chosen for a waiver at once.
MOST_CHOSEN = 500


class NoSuchRule(Refused):
    code = "no_such_rule"
    status = 400


class NothingToWaive(Refused):
    code = "nothing_to_waive"


class NotByCase(Refused):
    """The rule is not about single cases, so it cannot be waived for some of them."""

    code = "not_by_case"
    status = 400


@transaction.atomic
def waive(
    *,
    release: Release,
    rule: str,
    reason: str,
    cases: Collection[str] | None = None,
    user: User | None,
    now: datetime,
) -> Waiver:
    """Waive one rule; waiving it again covers what is missing by then.

    `cases` are the keys of the cases to waive it for, beside those that a waiver covers already;
    None: all. Raise NoSuchRule, NotByCase or NothingToWaive.
    """
    release = Release.objects.locked(release)
    require_not_closed(release)
    if user and rule == ADJUDICATIONS:
        # Whether there is something to waive reveals whether others disagree.
        require_sight(release, user)
    if cases is None:
        waive_rules(release, [rule], reason=reason, user=user, now=now)
    else:
        waive_some(release, rule, cases, reason=reason, user=user, now=now)
    return release.waivers.get(rule=rule)


def waive_some(
    release: Release,
    rule: str,
    cases: Collection[str],
    *,
    reason: str,
    user: User | None,
    now: datetime,
) -> None:
    """Add cases to what the waiver of a rule covers. `release` must be locked.

    The reason is added to that of the waiver so far, unless it is part of it.
    """
    reason = require_reason(reason)
    name, chosen = find_chosen(release, rule, cases)
    standing = release.waivers.filter(rule=rule).first()
    if standing:
        chosen = {**standing.covers[name], **chosen}
        is_new = reason not in standing.reason
        reason = gettext("; ").join([standing.reason, reason]) if is_new else standing.reason
    waiver = build_waiver(release, rule, {name: chosen}, require_reason(reason), user, now)
    store_waivers(release, [waiver], user=user, now=now)


def find_chosen(release: Release, rule: str, cases: Collection[str]) -> tuple[str, dict[str, Any]]:
    """Return what a waiver would cover for these cases, with its name in `covers`."""
    name = BY_CASE.get(rule)
    if name is None:
        if rule not in RULES:
            find_covered(release, rule)
        raise NotByCase(
            Missing("cases", gettext("This rule cannot be waived for some cases alone."))
        )
    covered = find_covered(release, rule)[name]
    wanted = {key.strip() for key in cases}
    strangers = sorted(wanted - covered.keys())
    if strangers or not wanted:
        sentence = gettext("There is nothing to waive for %(cases)s.")
        named = join_keys(strangers) if strangers else gettext("no case")
        raise NothingToWaive(Missing("cases", sentence % {"cases": named}))
    return name, {key: covered[key] for key in sorted(wanted)}


def list_unwaived(release: Release, rule: str) -> list[str]:
    """List the cases for which the rule could be waived and is not, by key."""
    name = BY_CASE.get(rule)
    if name is None:
        return []
    try:
        covered = find_covered(release, rule)[name]
    except NothingToWaive:
        return []
    standing = release.waivers.filter(rule=rule).first()
    waived = standing.covers[name] if standing else {}
    return sorted(key for key, what in covered.items() if waived.get(key) != what)


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
            wanted.append(build_waiver(release, rule, covers, reason, user, now))
    if refusals:
        raise refusals[0].together_with(refusals[1:])
    store_waivers(release, wanted, user=user, now=now)


def build_waiver(
    release: Release,
    rule: str,
    covers: dict[str, Any],
    reason: str,
    user: User | None,
    now: datetime,
) -> Waiver:
    by = user.get_username() if user else ""
    return Waiver(release=release, rule=rule, covers=covers, reason=reason, by=by, waived_at=now)


def store_waivers(
    release: Release, wanted: Sequence[Waiver], *, user: User | None, now: datetime
) -> None:
    """Store waivers, with one event for each that is new or changed."""
    standing = {waiver.rule: waiver for waiver in release.waivers.all()}
    fresh = [waiver for waiver in wanted if not is_same_waiver(waiver, standing.get(waiver.rule))]
    Waiver.objects.bulk_create(
        fresh,
        update_conflicts=True,
        unique_fields=["release", "rule"],
        update_fields=["covers", "reason", "by", "waived_at"],
    )
    for waiver in fresh:
        data = {"rule": waiver.rule, "covers": waiver.covers, "reason": waiver.reason}
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
