"""Read what waits in releases in draft or in review, for all of them at once.

The number of queries does not depend on the number of releases.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db.models import Count, Max, Q

from cases.models import Case, Event, Release, Rubric
from cases.models.cases import reviewable
from cases.releases.policy import OLD_RULES
from reviews.adjudication.queries import compare_reviews, count_flags
from reviews.assignments.queries import count_needed, find_missing, find_unassigned
from reviews.home.tasks import Scarce, Work
from reviews.models import Draw, Review, SampledCase, Waiver
from reviews.models.reviews import OPEN, ReviewStatus
from reviews.pairings.queries import Readings, count_open_pairings, load_readings
from reviews.releases.lifecycle import find_missing_of_rule
from reviews.releases.next_step import Facts
from reviews.sample.looks import Looks, load_looks_in
from reviews.sample.matching import Sampled
from reviews.sample.panel import has_one_candidate, load_runs
from reviews.sample.queries import load_samples
from reviews.sample.rule import Rule, build_rule, kind_texts
from reviews.sample.workflow import POOL_EVENTS, is_of_other_settings

# Of so many complete releases the next look is worked out; a home shows no more of them.
MOST_LOOKS = 100

NOTHING = Facts(
    cases=0,
    available=0,
    least=0,
    accepts_warnings=False,
    is_drawn=False,
    is_stale=False,
    unfillable=(),
    problems=(),
    is_fillable=True,
    reviews_in=0,
    reviews_expected=0,
    is_waiting=False,
    unassigned=0,
    is_blind=False,
    may_waive=False,
    adjudications_open=0,
    abandoned_in="",
    is_signed=False,
)


def read_work(releases: Sequence[Release]) -> Iterator[tuple[Release, Work]]:
    if not releases:
        return
    attach_rubrics(releases)
    rules, samples = load_rules(releases), load_samples(releases)
    problems = {
        release.pk: tuple(
            problem.sentence
            for problem in find_missing_of_rule(rules[release.pk], samples.get(release.pk, []))
        )
        for release in releases
    }
    drafts = [release for release in releases if release.is_draft]
    under_review = [release for release in releases if release.is_reviewing]
    found = [*read_drafts(drafts, rules, samples), *read_reviewing(under_review, rules)]
    for release, work in found:
        yield release, replace(work, facts=replace(work.facts, problems=problems[release.pk]))


def attach_rubrics(releases: Sequence[Release]) -> None:
    rubrics = Rubric.objects.prefetch_related("translations").in_bulk(
        {release.rubric_id for release in releases}
    )
    for release in releases:
        release.rubric = rubrics[release.rubric_id]


def load_rules(releases: Sequence[Release]) -> dict[int, Rule]:
    waivers = defaultdict[int, list[Waiver]](list)
    for waiver in Waiver.objects.filter(release__in=releases):
        waivers[waiver.release_id].append(waiver)
    return {
        release.pk: build_rule(
            release.rubric.document.sampling, kind_texts(release), waivers[release.pk]
        )
        for release in releases
    }


# --- Drafts ---------------------------------------------------------------------------------------


def read_drafts(
    drafts: Sequence[Release], rules: Mapping[int, Rule], samples: Mapping[int, list[Sampled]]
) -> Iterator[tuple[Release, Work]]:
    """Read the work of drafts. Which kinds cannot be filled shows on the page of the release."""
    if not drafts:
        return
    counts, draws = count_cases(drafts), load_last_draws(drafts)
    doubtful = find_doubtful(drafts, draws)
    scarce = find_scarce(drafts, rules, draws, samples)
    for release in drafts:
        total, available = counts.get(release.pk, (0, 0))
        facts = replace(
            NOTHING,
            cases=total,
            available=available,
            least=rules[release.pk].least,
            accepts_warnings=release.accepts_warnings,
            is_drawn=release.pk in draws,
            is_stale=release.pk in doubtful,
        )
        yield release, Work(facts, scarce=tuple(scarce[release.pk]))


def count_cases(drafts: Sequence[Release]) -> dict[int, tuple[int, int]]:
    """Count all cases and the eligible ones of each draft."""
    accepting = [draft for draft in drafts if draft.accepts_warnings]
    passed = reviewable(["pass"]) | (reviewable(["warn"]) & Q(release__in=accepting))
    rows = Case.objects.filter(release__in=drafts).order_by().values_list("release")
    counted = rows.annotate(
        total=Count("pk"), eligible=Count("pk", filter=passed & Q(exclusion=None))
    )
    return {release: (total, eligible) for release, total, eligible in counted}


def load_last_draws(drafts: Sequence[Release]) -> dict[int, Draw]:
    rows = Draw.objects.filter(release__in=drafts).defer("record").order_by("number")
    return {draw.release_id: draw for draw in rows}


def find_doubtful(drafts: Sequence[Release], draws: Mapping[int, Draw]) -> set[int]:
    """Find the drafts whose pool may have changed since it was last read, as `is_in_doubt`."""
    rows = (
        Event.objects.filter(release__in=draws, kind__in=("sample-confirmed", *POOL_EVENTS))
        .order_by()
        .values_list("release", "kind")
        .annotate(last=Max("number"))
    )
    seen = {release: draw.event for release, draw in draws.items()}
    changed = defaultdict[int, int](int)
    for release, kind, last in rows:
        newest = seen if kind == "sample-confirmed" else changed
        newest[release] = max(newest[release], last)
    return {
        draft.pk
        for draft in drafts
        if (draw := draws.get(draft.pk))
        and (is_of_other_settings(draft, draw) or changed[draft.pk] > seen[draft.pk])
    }


def find_scarce(
    drafts: Sequence[Release],
    rules: Mapping[int, Rule],
    draws: Mapping[int, Draw],
    samples: Mapping[int, list[Sampled]],
) -> Mapping[int, list[Scarce]]:
    """Find the kinds for which the draw had one case, and in how many releases it was this one."""
    filled = {
        draft: {
            kind.key: sampled.case_key
            for kind in rules[draft.pk].required
            for sampled in samples.get(draft.pk, ())
            if draws[draft.pk].fitting.get(kind.key) == 1 and sampled.kind == kind.key
        }
        for draft in drafts
        if draft.pk in draws
    }
    runs = load_runs({draft: set(alone.values()) for draft, alone in filled.items()})
    found = defaultdict[int, list[Scarce]](list)
    for draft, alone in filled.items():
        sizes = {
            "pool_size": draws[draft.pk].pool_size,
            "sample_size": len(samples.get(draft.pk, ())),
        }
        for kind_key, case_key in alone.items():
            run = runs[draft.pk, case_key]
            if has_one_candidate(1, run, **sizes):
                found[draft.pk].append(Scarce(rules[draft.pk].texts[kind_key], run.releases))
    return found


# --- Releases in review ---------------------------------------------------------------------------


@dataclass
class Reviewed:
    """The planned cases of a sample (primary key and case key), and counts of their reviews.

    `people` and `submitted` count by case; `declined` has the cases that someone declined, and
    `judging` everyone with an open review, also of cases that left the sample.
    """

    planned: list[tuple[int, str]] = field(default_factory=list)
    outside: dict[int, str] = field(default_factory=dict)
    submitted: Counter[int] = field(default_factory=Counter)
    people: Counter[int] = field(default_factory=Counter)
    declined: set[int] = field(default_factory=set)
    open_by: Counter[int] = field(default_factory=Counter)
    judging: set[int] = field(default_factory=set)


def read_reviewing(
    releases: Sequence[Release], rules: Mapping[int, Rule]
) -> Iterator[tuple[Release, Work]]:
    if not releases:
        return
    reviewed, compared = load_reviewed(releases), compare_reviews(releases)
    flags, broken = count_flags(releases)
    facts = {
        release.pk: read_facts(release, rules[release.pk], reviewed[release.pk])
        for release in releases
    }
    complete = [release for release in releases if not facts[release.pk].is_waiting]
    looks = load_looks_in(complete[:MOST_LOOKS])
    readings, pairs_by = load_readings(complete[:MOST_LOOKS]), count_open_pairings(releases)
    for release in releases:
        found, unsettled = reviewed[release.pk], compared[release.pk].unsettled
        known = replace(
            facts[release.pk],
            adjudications_open=len(unsettled - set(found.outside.values())),
            **describe_looks(looks.get(release.pk)),
            **describe_readings(readings.get(release.pk)),
        )
        own_pairs = pairs_by.get(release.pk, {})
        work = Work(
            known,
            open_by=dict(found.open_by),
            pairs_by=own_pairs,
            judging=frozenset(found.judging) | own_pairs.keys(),
            declined=count_declined(release, found),
            flags=flags[release.pk],
            broken=broken[release.pk],
            unsettled=len(unsettled),
        )
        yield release, work


def read_facts(release: Release, rule: Rule, found: Reviewed) -> Facts:
    wanted, waiver = release.reviews_per_case, rule.waivers.get("reviews")
    waived: dict[str, int] = waiver.covers["reviews"] if waiver else {}
    missing = find_missing(found.planned, found.submitted, wanted, waived)
    return replace(
        NOTHING,
        is_drawn=True,
        # With planned looks a case chosen by hand is outside the plan, so it fills nothing.
        is_fillable=release.rules == OLD_RULES,
        reviews_in=count_needed((found.submitted[pk] for pk, _key in found.planned), wanted),
        reviews_expected=len(found.planned) * wanted,
        is_waiting=bool(missing),
        unassigned=len(find_unassigned(found.planned, found.people, wanted, missing)),
    )


def count_declined(release: Release, found: Reviewed) -> int:
    """Count the cases that someone declined and that lack a reviewer."""
    lacking = {pk for pk, _key in found.planned if found.people[pk] < release.reviews_per_case}
    return len(lacking & found.declined)


def describe_looks(looks: Looks | None) -> dict[str, Any]:
    if looks is None:
        return {}
    size = looks.next_size if looks.has_further else None
    return {"look": looks.look, "looks": len(looks.sizes), "next_size": size}


def describe_readings(readings: Readings | None) -> dict[str, Any]:
    if readings is None:
        return {}
    return {
        "pairs_expected": readings.expected,
        "pairs_missing": readings.missing,
        "pairs_unplanned": readings.unplanned,
        "pairs_obstacle": readings.obstacle,
    }


def load_reviewed(releases: Sequence[Release]) -> dict[int, Reviewed]:
    """Load the samples of these releases with the counts of their reviews, in two queries."""
    found = {release.pk: Reviewed() for release in releases}
    cases = SampledCase.objects.standing().filter(release__in=releases)
    columns = ("release", "case", "case__case_key", "is_outside")
    for release, pk, key, is_outside in cases.order_by("pk").values_list(*columns):
        if is_outside:
            found[release].outside[pk] = key
        else:
            found[release].planned.append((pk, key))
    sampled = {pk for of in found.values() for pk in [*of.outside, *dict(of.planned)]}
    rows = Review.objects.filter(release__in=releases).order_by()
    for release, case, status, reviewer in rows.values_list(
        "release", "case", "status", "reviewer"
    ):
        if status in OPEN:
            found[release].judging.add(reviewer)
        if case in sampled:
            count_review(found[release], case, status, reviewer)
    return found


def count_review(found: Reviewed, case: int, status: str, reviewer: int) -> None:
    if status == ReviewStatus.DECLINED:
        found.declined.add(case)
    elif status in OPEN:
        found.open_by[reviewer] += 1
        found.people[case] += 1
    elif status == ReviewStatus.SUBMITTED:
        found.submitted[case] += 1
        found.people[case] += 1
