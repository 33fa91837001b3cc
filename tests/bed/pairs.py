"""A release beside its closed baseline: the same requests with other plans, ready for pairs."""

from copy import copy
from typing import Any

from django.contrib.auth.models import User

from cases.models import Case, Release
from cases.releases import workflow as releases_workflow
from reviews.models import Pairing, Reviewer, SampledCase
from reviews.pairings import judgement, reading
from reviews.pairings import workflow as pairings_workflow
from reviews.pairings.judgement import PairJudgement
from reviews.releases import lifecycle
from reviews.sample import workflow as sample_workflow
from tests.bed.cases import NOW, PLAN, make_release
from tests.bed.reviewed import (
    FILLING,
    METRICS,
    bring,
    current,
    judged,
    put_reviews,
    review_all,
    row,
)

OTHER_PLAN: dict[str, Any] = {
    **PLAN,
    "summary": "第一天看纸坊和茶馆，第二天走河堤。",
    "days": [
        PLAN["days"][0],
        {"day": 2, "items": [{"kind": "sight", "title": "Tea museum", "note": "不用预约"}]},
    ],
}


def beside_baseline(
    *users: User,
    name: str = "wanderer-2",
    before: str = "wanderer-1",
    spare: int = 0,
    events: bool = False,
    **policy: Any,
) -> Release:
    """A started release at its last look, whose cases all have two reviews by these people.

    `spare` cases are not in its sample. `events`: reviews are as in use.
    """
    one, other = users[:2]
    baseline = judged(one, other, *[(4, 4)] * len(FILLING), name=before)
    release = make_release(name)
    releases_workflow.change(
        release=release,
        baseline=baseline,
        policy={"looks": [len(FILLING)], **policy},
        user=None,
        now=NOW,
    )
    tags = {**FILLING, **{f"spare-{number}": () for number in range(spare)}}
    bring(release, *(row(key, *own, plan=OTHER_PLAN) for key, own in tags.items()))
    sample_workflow.draw(release=release, size=len(FILLING), user=None, now=NOW)
    release = lifecycle.start(release=current(release), user=None, now=NOW)
    (review_all if events else put_reviews)(release, one, other)
    return current(release)


def grow(release: Release, pairs: int, *users: User) -> None:
    """Let the release have so many pairs, all with a review by each of these people, who can read
    them all."""
    assert release.baseline is not None
    Reviewer.objects.filter(user__in=users).update(capacity=pairs)
    lifecycle.reopen(release=release.baseline, reason="More.", user=None, now=NOW)
    there = release.sample.count()
    for one in (release.baseline, release):
        known = list(one.cases.values_list("case_key", flat=True))
        like = one.sample.select_related("case").order_by("pk")[0]
        cases = [copy(like.case) for _more in range(there, pairs)]
        for number, case in enumerate(cases, there):
            case.pk, case.case_key, case.code = None, f"more-{number}", f"{one.pk}M{number}"
        Case.objects.bulk_create(cases)
        rows = [copy(like) for _case in cases]
        for added, case in zip(rows, cases, strict=True):
            added.pk, added.case = None, case
        SampledCase.objects.bulk_create(rows)
        put_reviews(one, *users, but=known)
    lifecycle.close(release=current(release.baseline), user=None, now=NOW)


def plan(release: Release, *users: User) -> list[Pairing]:
    """Plan the pairings of a release; by these people, if any are named."""
    pairings_workflow.plan_pairings(
        release=release,
        usernames=[user.username for user in users] or None,
        per_case=None,
        user=None,
        now=NOW,
    )
    return list(Pairing.objects.of(release).select_related("case", "old_case", "reader"))


def say(step: int = 0, *, newer: str = "no", why: str = "The day is calmer.") -> PairJudgement:
    """Complete for the shipped rubric: the same step, right minus left, on each metric."""
    entry = {"step": step, "why": why} if step else {"step": 0}
    return judgement.from_data({"steps": dict.fromkeys(METRICS, entry), "newer": newer})


def prefer_new(pairing: Pairing, step: int, **options: Any) -> PairJudgement:
    """A step from the old plan to the new one, as this reader sees the sides."""
    return say(-step if pairing.is_new_left else step, **options)


def read(pairing: Pairing, what: PairJudgement | None = None, *, key: str = "") -> Pairing:
    pairing.refresh_from_db()
    reading.submit(
        pairing=pairing.pk,
        user=pairing.reader,
        key=key or f"key-{pairing.version}",
        version=pairing.version,
        said=what or say(),
        now=NOW,
    )
    pairing.refresh_from_db()
    return pairing
