"""Start, close, abandon and reopen a release. A refusal lists everything that is missing."""

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
from reviews.adjudication.disagreements import list_open_disagreements
from reviews.adjudication.visibility import has_opened, require_sight
from reviews.assignments.queries import load_unwaived_missing
from reviews.assignments.workflow import take_back_open
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
from reviews.escapes.workflow import open_escapes, void_escapes
from reviews.models import Closing, Draw, Review, Waiver
from reviews.models.reviews import SEEN
from reviews.pairings import workflow as pairings_workflow
from reviews.pairings.queries import decides_by_pairs, load_unwaived_pairings
from reviews.releases.prior import load_prior
from reviews.releases.waivers import NoSuchRule, NothingToWaive, waive_rules
from reviews.report import summary
from reviews.report.headline import headline
from reviews.sample.looks import count_reachable
from reviews.sample.matching import Sampled, find_uncovered
from reviews.sample.pool import Changes, Named, build_record, digest_pool
from reviews.sample.queries import load_pool, load_sample
from reviews.sample.replay import retrace
from reviews.sample.rule import KIND, Rule, load_rule
from reviews.sample.workflow import find_pool_changes, settle_kinds


class CannotStart(Refused):
    code = "cannot_start"


class CannotClose(Refused):
    code = "cannot_close"


# --- Start ----------------------------------------------------------------------------------------


@transaction.atomic
def start(*, release: Release, user: User | None, now: datetime) -> Release:
    """Start the review: from here on cases, tags, exclusions, rubric and policy are frozen."""
    release = Release.objects.locked(release)
    require_draft(release)
    missing = list(find_missing_for_start(release))
    if missing:
        raise CannotStart(*missing)
    last = Draw.objects.of(release).last()
    assert last is not None
    settle_kinds(release)
    metrics = [metric.key for metric in release.rubric.document.metrics]
    sample = load_sample(release)
    wished, available = policy.from_data(release.policy), count_reachable(release)
    release.policy = policy.freeze(
        wished,
        metrics,
        drawn=len(sample),
        available=available,
        prior=load_prior(release),
    )
    release.status = Status.REVIEWING
    release.save(update_fields=["status", "policy"])
    ledger.append(
        release=release,
        kind="review-started",
        data={
            "draw": last.number,
            "pool": last.pool_digest,
            "sample": [[sampled.case_key, sampled.kind] for sampled in sample],
            "rubric": release.rubric.number,
            "rubric_digest": release.rubric.digest,
            "reviews_per_case": release.reviews_per_case,
            "policy": release.policy,
            # Wished sizes that are not in the plan dropped out.
            "looks": wished.looks,
            "available": available,
        },
        user=user,
        now=now,
    )
    return release


def find_missing_for_start(release: Release) -> Iterator[Missing]:
    last = Draw.objects.of(release).order_by("-number").first()
    if last is None:
        yield Missing("draw", gettext("No sample is drawn yet."))
        return
    if last.rubric_digest != release.rubric.digest:
        yield Missing(
            "draw",
            gettext("The sample was drawn with another rubric version. Draw again."),
        )
    if last.accept != release.accept:
        yield Missing("draw", describe_other_accept(release))
    pool = load_pool(release)
    changes = find_pool_changes(last, pool, digest_pool(build_record(pool)))
    if changes:
        yield Missing("draw", describe_pool_changes(changes))
    sample = load_sample(release)
    yield from find_lost_cases(release, sample)
    yield from find_ineligible_cases(sample)
    yield from find_missing_of_rule(load_rule(release), sample)


def describe_other_accept(release: Release) -> str:
    if release.accepts_warnings:
        return gettext(
            "The sample was drawn from passed cases only, and the release now accepts warnings "
            "as well. Draw again."
        )
    return gettext(
        "The sample was drawn with cases that passed with a warning, and the release no longer "
        "accepts them. Draw again."
    )


def find_lost_cases(release: Release, sample: Sequence[Sampled]) -> Iterator[Missing]:
    """Find cases that left the sample without an event, for example with an undone import."""
    retraced = retrace(release)
    lost = sorted(
        set(retraced.sample if retraced else ()) - {sampled.case_key for sampled in sample}
    )
    if lost:
        sentence = gettext("Cases of the sample were deleted: %(cases)s. Draw again.")
        yield Missing("draw", sentence % {"cases": join_keys(lost)}, tuple(lost))


def find_ineligible_cases(sample: Sequence[Sampled]) -> Iterator[Missing]:
    keys = tuple(sampled.case_key for sampled in sample if not sampled.is_eligible)
    if keys:
        sentence = gettext(
            "Cases of the sample are no longer eligible: %(cases)s. Draw again or remove them."
        )
        yield Missing("draw", sentence % {"cases": join_keys(keys)}, keys)


def describe_pool_changes(changes: Changes) -> str:
    parts = [
        describe_changed_part(gettext("new"), changes.new),
        describe_changed_part(gettext("gone"), changes.gone),
        describe_changed_part(gettext("other content"), changes.content),
        describe_changed_part(gettext("other tags"), changes.tags),
    ]
    what = gettext("; ").join(part for part in parts if part)
    return gettext("The pool changed since the sample was drawn (%(what)s). Draw again.") % {
        "what": what
    }


def describe_changed_part(name: str, changed: Named) -> str:
    if not changed.count:
        return ""
    cases = ", ".join(changed.cases) + (" …" if changed.count > len(changed.cases) else "")
    return f"{name} {changed.count}: {cases}"


def find_missing_of_rule(rule: Rule, sample: Sequence[Sampled]) -> Iterator[Missing]:
    """Find kinds without a case of their own, and too few cases, unless waived."""
    for key in find_uncovered(sample, rule.required):
        sentence = gettext("%(kind)s: no case in the sample.")
        yield Missing(KIND + key, sentence % {"kind": rule.texts[key]})
    count = sum(sampled.is_eligible for sampled in sample)
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
    """Close the release and store its report. `waived` are rules to waive first, for one reason.

    Raise StillJudging if the user has an open review here: the answer would reveal whether
    others disagree.
    """
    release = Release.objects.locked(release)
    require_reviewing(release)
    if user:
        require_sight(release, user)
    if waived:
        try:
            waive_rules(release, waived, reason=reason, user=user, now=now)
        except (NoSuchRule, NothingToWaive) as refusal:
            raise CannotClose(*refusal.sentences) from refusal
    missing = list(find_missing_for_close(release, user))
    if missing:
        raise CannotClose(*missing)
    return store_closing(release, user=user, now=now, is_abandoned=False, reason="")


@transaction.atomic
def abandon(*, release: Release, reason: str, user: User | None, now: datetime) -> Closing:
    """End a release without a verdict; it stays out of trends."""
    reason = require_reason(reason)
    release = Release.objects.locked(release)
    require_not_closed(release)
    return store_closing(release, user=user, now=now, is_abandoned=True, reason=reason)


def find_missing_for_close(release: Release, viewer: User | None = None) -> Iterator[Missing]:
    """List what closing needs. Cases in disagreement are named only to viewers who saw scores."""
    rule = load_rule(release)
    yield from find_missing_of_rule(rule, load_sample(release))
    yield from find_missing_reviews(release, rule.waivers.get("reviews"))
    may_name = viewer is None or has_opened(release, viewer)
    yield from find_open_adjudications(
        release, rule.waivers.get("adjudications"), may_name=may_name
    )
    if decides_by_pairs(release):
        yield from find_missing_pairings(release, rule.waivers.get("pairings"))


def find_missing_pairings(release: Release, waiver: Waiver | None) -> Iterator[Missing]:
    missing = load_unwaived_pairings(release, waiver)
    if missing:
        total = len(missing)
        yield Missing(
            "pairings",
            ngettext(
                "%(count)d pair is not read yet: %(cases)s.",
                "%(count)d pairs are not read yet: %(cases)s.",
                total,
            )
            % {"count": total, "cases": join_keys(list(missing))},
            tuple(missing),
        )


def find_missing_reviews(release: Release, waiver: Waiver | None) -> Iterator[Missing]:
    missing = load_unwaived_missing(release, waiver)
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


def find_open_adjudications(
    release: Release, waiver: Waiver | None, *, may_name: bool = True
) -> Iterator[Missing]:
    waived = waiver.covers["cases"] if waiver else {}
    waiting = [
        disagreement.case_key
        for disagreement in list_open_disagreements(release)
        if waived.get(disagreement.case_key) != disagreement.to_data()
    ]
    if waiting and not may_name:
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


def store_closing(
    release: Release, *, user: User | None, now: datetime, is_abandoned: bool, reason: str
) -> Closing:
    """Store the current report and close the release; nothing in it can change afterwards."""
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
    if not is_abandoned:
        open_escapes(closing=closing, report=report, user=user, now=now)
    return closing


@transaction.atomic
def reopen(*, release: Release, reason: str, user: User | None, now: datetime) -> Release:
    """Reopen a closed release. Its report and decision are kept, marked as reopened and void."""
    reason = require_reason(reason)
    release = Release.objects.locked(release)
    if not release.is_closed:
        raise NotClosed(gettext("%(release)s is not closed.") % {"release": release.name})
    closing = release.closings.standing().defer("summary").get()
    closing.release = release
    # Mark the closing first: a trigger keeps the release closed as long as it has one.
    release.closings.standing().update(reopened_at=now)
    release.status = closing.closed_from
    release.save(update_fields=["status"])
    voided = release.decisions.standing().update(voided_at=now)
    if release.is_reviewing:
        bar_people_who_saw_scores(release, closing, user=user, now=now)
    ledger.append(
        release=release,
        kind="release-reopened",
        data={"closing": closing.number, "reason": reason, "decision_voided": bool(voided)},
        user=user,
        now=now,
    )
    if not closing.is_abandoned:
        void_escapes(closing=closing, user=user, now=now)
    return release


def bar_people_who_saw_scores(
    release: Release, closing: Closing, *, user: User | None, now: datetime
) -> None:
    """At reopening, bar everyone who could read the closed release from judging in it.

    Reviewers who did not open their mirror continue as before.
    """
    people = select_people_who_saw_scores(closing)
    seen = set(release.events.filter(kind=SEEN).values_list("by", flat=True))
    for person in people:
        if person.get_username() not in seen:
            data = {"closing": closing.number}
            ledger.append(release=release, kind=SEEN, data=data, user=person, now=now)
    reason = gettext("could read others' scores while the release was closed")
    among = Review.objects.filter(reviewer__in=people)
    take_back_open(release, among, reason, user=user, now=now)
    names = [person.get_username() for person in people]
    pairings_workflow.take_back_open(release, names, reason, user=user, now=now)


def select_people_who_saw_scores(closing: Closing) -> QuerySet[User]:
    staff = [GROUP_OF[Role.ADMIN], GROUP_OF[Role.MANAGER]]
    could = Q(is_superuser=True) | Q(groups__name__in=staff)
    did = Q(mirror_looks__closing=closing)
    return User.objects.filter(could | did).distinct().order_by("username")
