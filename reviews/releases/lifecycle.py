"""The life of a release: draft -> reviewing -> closed, and back. What is missing is all listed."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max, Q, QuerySet
from django.utils.translation import gettext, ngettext

from cases import ledger
from cases.models import Release
from cases.models.releases import Status
from cases.releases import policy
from evalsite.permissions import GROUP_OF, Role
from reviews.adjudication.disagreements import open_disagreements
from reviews.adjudication.visibility import has_opened, require_sight
from reviews.assignments.progress import still_missing
from reviews.assignments.workflow import close_open
from reviews.errors import (
    Missing,
    NotClosed,
    Refused,
    join_keys,
    require_draft,
    require_not_closed,
    require_reason,
    require_reviewing,
)
from reviews.models import Closing, Draw, Review, Waiver
from reviews.models.reviews import SEEN
from reviews.releases.waivers import NoSuchRule, NothingToWaive, let_go
from reviews.report import summary
from reviews.report.headline import headline
from reviews.sample.matching import Sampled, uncovered
from reviews.sample.pool import Changes, Named, build_record, digest_pool
from reviews.sample.queries import load_pool, load_sample
from reviews.sample.replay import retrace
from reviews.sample.rule import KIND, Rule, load_rule
from reviews.sample.workflow import pool_changes, settle_kinds


class CannotStart(Refused):
    code = "cannot_start"


class CannotClose(Refused):
    code = "cannot_close"


# --- Start ----------------------------------------------------------------------------------------


@transaction.atomic
def start(*, release: Release, user: User | None, now: datetime) -> Release:
    """Cases, tags, exclusions, rubric and policy stay as they are from here on."""
    release = Release.objects.locked(release)
    require_draft(release)
    missing = list(missing_for_start(release))
    if missing:
        raise CannotStart(*missing)
    last = Draw.objects.of(release).last()
    assert last is not None
    settle_kinds(release)
    metrics = [metric.key for metric in release.rubric.document.metrics]
    release.policy = policy.spelled_out(policy.from_data(release.policy), metrics)
    release.status = Status.REVIEWING
    release.save(update_fields=["status", "policy"])
    ledger.append(
        release=release,
        kind="review-started",
        data={
            "draw": last.number,
            "pool": last.pool_digest,
            "sample": [[one.case_key, one.kind] for one in load_sample(release)],
            "rubric": release.rubric.number,
            "rubric_digest": release.rubric.digest,
            "reviews_per_case": release.reviews_per_case,
            "policy": release.policy,
        },
        user=user,
        now=now,
    )
    return release


def missing_for_start(release: Release) -> Iterator[Missing]:
    last = Draw.objects.of(release).order_by("-number").first()
    if last is None:
        yield Missing("draw", gettext("No sample is drawn yet."))
        return
    if last.rubric_digest != release.rubric.digest:
        yield Missing(
            "draw",
            gettext("The sample was drawn by another rubric version. Draw again."),
        )
    pool = load_pool(release)
    changes = pool_changes(last, pool, digest_pool(build_record(pool)))
    if changes:
        yield Missing("draw", pool_changed_in_words(changes))
    sample = load_sample(release)
    yield from lost_from_the_sample(release, sample)
    yield from no_longer_eligible(sample)
    yield from missing_of_the_rule(load_rule(release), sample)


def lost_from_the_sample(release: Release, sample: Sequence[Sampled]) -> Iterator[Missing]:
    """A case that went out by no act of its own, such as with an import that was undone."""
    retraced = retrace(release)
    lost = sorted(set(retraced.sample if retraced else ()) - {one.case_key for one in sample})
    if lost:
        sentence = gettext("The sample lost cases that nobody took out: %(cases)s. Draw again.")
        yield Missing("draw", sentence % {"cases": join_keys(lost)}, tuple(lost))


def no_longer_eligible(sample: Sequence[Sampled]) -> Iterator[Missing]:
    keys = tuple(one.case_key for one in sample if not one.is_eligible)
    if keys:
        sentence = gettext(
            "Cases of the sample can no longer be sampled: %(cases)s. Draw again, or take them out."
        )
        yield Missing("draw", sentence % {"cases": join_keys(keys)}, keys)


def pool_changed_in_words(changes: Changes) -> str:
    parts = [
        part_in_words(gettext("new"), changes.new),
        part_in_words(gettext("gone"), changes.gone),
        part_in_words(gettext("other content"), changes.content),
        part_in_words(gettext("other tags"), changes.tags),
    ]
    what = gettext("; ").join(part for part in parts if part)
    return gettext("The pool changed since the sample was drawn (%(what)s). Draw again.") % {
        "what": what
    }


def part_in_words(name: str, changed: Named) -> str:
    if not changed.count:
        return ""
    cases = ", ".join(changed.cases) + (" …" if changed.count > len(changed.cases) else "")
    return f"{name} {changed.count}: {cases}"


def missing_of_the_rule(rule: Rule, sample: Sequence[Sampled]) -> Iterator[Missing]:
    """Kinds without a case of their own and too few cases, unless waived."""
    for key in uncovered(sample, rule.required):
        sentence = gettext("%(kind)s: no case of the sample fills it.")
        yield Missing(KIND + key, sentence % {"kind": rule.texts[key]})
    count = sum(one.is_eligible for one in sample)
    if count < rule.least:
        yield Missing(
            "cases",
            ngettext(
                "The sample has %(count)d case; at least %(least)d are needed.",
                "The sample has %(count)d cases; at least %(least)d are needed.",
                count,
            )
            % {"count": count, "least": rule.least},
        )


# --- Close ----------------------------------------------------------------------------------------


@transaction.atomic
def close(
    *,
    release: Release,
    user: User | None,
    now: datetime,
    waived: Sequence[str] = (),
    reason: str = "",
) -> Closing:
    """Decided inside the transaction. `waived` are rules to let go first, for one reason.

    Raises StillJudging: the answer would tell whether others differ.
    """
    release = Release.objects.locked(release)
    require_reviewing(release)
    if user:
        require_sight(release, user)
    if waived:
        try:
            let_go(release, waived, reason=reason, user=user, now=now)
        except (NoSuchRule, NothingToWaive) as refusal:
            raise CannotClose(*refusal.sentences) from refusal
    missing = list(missing_for_close(release, user))
    if missing:
        raise CannotClose(*missing)
    return end(release, user=user, now=now, is_abandoned=False, reason="")


@transaction.atomic
def abandon(*, release: Release, reason: str, user: User | None, now: datetime) -> Closing:
    """Ends a release without a verdict; it stays out of trends."""
    reason = require_reason(reason)
    release = Release.objects.locked(release)
    require_not_closed(release)
    return end(release, user=user, now=now, is_abandoned=True, reason=reason)


def missing_for_close(release: Release, viewer: User | None = None) -> Iterator[Missing]:
    """Which cases reviewers differ on is told to nobody who has not looked at the scores."""
    rule = load_rule(release)
    yield from missing_of_the_rule(rule, load_sample(release))
    yield from reviews_still_missing(release, rule.waivers.get("reviews"))
    is_told = viewer is None or has_opened(release, viewer)
    yield from adjudications_still_open(release, rule.waivers.get("adjudications"), is_told=is_told)


def reviews_still_missing(release: Release, waiver: Waiver | None) -> Iterator[Missing]:
    missing = still_missing(release, waiver)
    if missing:
        total = sum(missing.values())
        yield Missing(
            "reviews",
            ngettext(
                "%(count)d review is missing: %(cases)s.",
                "%(count)d reviews are missing: %(cases)s.",
                total,
            )
            % {"count": total, "cases": join_keys(list(missing))},
            tuple(missing),
        )


def adjudications_still_open(
    release: Release, waiver: Waiver | None, *, is_told: bool = True
) -> Iterator[Missing]:
    waived = waiver.covers["cases"] if waiver else {}
    waiting = [
        one.case_key
        for one in open_disagreements(release)
        if waived.get(one.case_key) != one.to_data()
    ]
    if waiting and not is_told:
        yield Missing(
            "adjudications",
            ngettext(
                "%(count)d case is waiting for adjudication; look at the scores to see which.",
                "%(count)d cases are waiting for adjudication; look at the scores to see which.",
                len(waiting),
            )
            % {"count": len(waiting)},
        )
    elif waiting:
        yield Missing(
            "adjudications",
            ngettext(
                "%(count)d case is waiting for adjudication: %(cases)s.",
                "%(count)d cases are waiting for adjudication: %(cases)s.",
                len(waiting),
            )
            % {"count": len(waiting), "cases": join_keys(waiting)},
            tuple(waiting),
        )


def end(
    release: Release, *, user: User | None, now: datetime, is_abandoned: bool, reason: str
) -> Closing:
    """The report is stored as it stands, then nothing in the release can change."""
    settle_kinds(release)
    report = summary.compute(release)
    text, digest = summary.serialize(report)
    number = (release.closings.aggregate(last=Max("number"))["last"] or 0) + 1
    event = ledger.append(
        release=release,
        kind="release-abandoned" if is_abandoned else "release-closed",
        data={"closing": number, "summary": digest, "reason": reason},
        user=user,
        now=now,
    )
    closing = Closing.objects.create(
        release=release,
        number=number,
        closed_at=now,
        by=user.get_username() if user else "",
        closed_from=release.status,
        is_abandoned=is_abandoned,
        reason=reason,
        summary=text,
        digest=digest,
        headline=headline(report, is_abandoned=is_abandoned),
        event=event.number,
        head=event.digest,
    )
    release.status = Status.CLOSED
    release.save(update_fields=["status"])
    return closing


@transaction.atomic
def reopen(*, release: Release, reason: str, user: User | None, now: datetime) -> Release:
    """The stored report and the decision stay, marked; a closing later on makes a new report."""
    reason = require_reason(reason)
    release = Release.objects.locked(release)
    if not release.is_closed:
        raise NotClosed(gettext("%(release)s is not closed.") % {"release": release.name})
    closing = release.closings.standing().get()
    # The mark first: while a closing stands the database keeps the release closed.
    release.closings.standing().update(reopened_at=now)
    release.status = closing.closed_from
    release.save(update_fields=["status"])
    voided = release.decisions.standing().update(voided_at=now)
    if release.is_reviewing:
        bar_who_was_shown(release, closing, user=user, now=now)
    ledger.append(
        release=release,
        kind="release-reopened",
        data={"closing": closing.number, "reason": reason, "decision_voided": bool(voided)},
        user=user,
        now=now,
    )
    return release


def bar_who_was_shown(
    release: Release, closing: Closing, *, user: User | None, now: datetime
) -> None:
    """At reopening: who could read the closed release judges nothing in it any more.

    Reviewers who did not look into their mirror go on as before.
    """
    shown = who_was_shown(closing)
    seen = set(release.events.filter(kind=SEEN).values_list("by", flat=True))
    for person in shown:
        if person.get_username() not in seen:
            data = {"closing": closing.number}
            ledger.append(release=release, kind=SEEN, data=data, user=person, now=now)
    reason = gettext("could read others' scores while the release was closed")
    among = Review.objects.filter(reviewer__in=shown)
    close_open(release, among, reason, user=user, now=now)


def who_was_shown(closing: Closing) -> QuerySet[User]:
    staff = [GROUP_OF[Role.ADMIN], GROUP_OF[Role.MANAGER]]
    could = Q(is_superuser=True) | Q(groups__name__in=staff)
    did = Q(mirror_looks__closing=closing)
    return User.objects.filter(could | did).distinct().order_by("username")
