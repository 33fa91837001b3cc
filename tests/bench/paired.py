"""A release beside its closed baseline, with pairs that were read and a few that nobody began."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User

from cases.models import Release
from cases.releases import workflow as releases_workflow
from reviews.adjudication.visibility import open_scores
from reviews.assignments import planner
from reviews.assignments.plan import Person, ToReview
from reviews.models import Pairing
from reviews.pairings import judgement, reading
from reviews.pairings import workflow as pairings_workflow
from reviews.pairings.pairs import load_pairs
from reviews.releases import lifecycle, waivers
from reviews.releases.waivers import ADJUDICATIONS
from reviews.sample import workflow as sample_workflow
from tests.bench.draw_ours import waive_what_is_missing
from tests.bench.import_ours import NOW, import_file, open_release
from tests.bench.reviewed import Files, close, least_of, review, started, without_triggers
from tests.bench.target import Ask, asked_of

BEFORE, PAIRED = "bench-paired-before", "bench-paired"
PER_CASE = 2
READ, UNREAD = 300, 40


def add_paired(count: int, *, reviewers: Sequence[User], manager: User, seed: int) -> None:
    """As many pairs that are read, and others to read, where side by side decides."""
    if Release.objects.filter(name=PAIRED).exists():
        return
    size = -(-(count + UNREAD) // PER_CASE)
    with without_triggers(), Files(seed) as files:
        old = started(BEFORE, files.of(size), size)
        review(old, reviewers, submitted=PER_CASE, assigned=0, seed=seed)
        close(old)
        with_other_plans = files.place / "other-plans.jsonl"
        with_other_plans.write_text("".join(exchange_days(files.of(size))), encoding="utf-8")
        new = start_beside(old, with_other_plans, size)
        review(new, reviewers, submitted=PER_CASE, assigned=0, seed=seed + 1)
    plan_all(new, reviewers)
    for pairing in Pairing.objects.of(new).order_by("pk")[:count]:
        read(pairing)
    open_scores(release=new, user=manager, now=NOW)
    for rule in (ADJUDICATIONS, waivers.PAIRINGS):
        waivers.waive(release=new, rule=rule, reason="invented", user=None, now=NOW)


def exchange_days(file: Path) -> Iterator[str]:
    """Yield the cases of a file with the stops of the first day on the last, and the reverse."""
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            case = json.loads(line)
            first, *_others, last = case["plan"]["days"]
            first["items"], last["items"] = last["items"], first["items"]
            yield json.dumps(case, ensure_ascii=False) + "\n"


def start_beside(old: Release, file: Path, size: int) -> Release:
    """Start a release with all cases of a file in its only look."""
    release = open_release(PAIRED, old, reviews_per_case=PER_CASE)
    policy: dict[str, Any] = {"looks": [size], "regression_by": "side-by-side"}
    releases_workflow.change(release=release, policy=policy, user=None, now=NOW)
    import_file(file, release)
    waive_what_is_missing(release)
    sample_workflow.draw(release=release, size=max(size, least_of(release)), user=None, now=NOW)
    return lifecycle.start(release=release, user=None, now=NOW)


def plan_all(release: Release, readers: Sequence[User]) -> None:
    """Plan the pairs of people who have room for all of them and read every language."""
    found = load_pairs(release)
    people = [
        Person(
            reader.get_username(),
            capacity=None,
            open_reviews=0,
            languages=None,
            is_away=False,
            has_seen_scores=False,
        )
        for reader in readers
    ]
    cases = [ToReview(key, frozenset(), frozenset()) for key in found.keys]
    plan = planner.plan(cases, people, [], PER_CASE)
    locked = Release.objects.locked(release)
    pairings_workflow.carry_out(locked, found, plan, user=None, now=NOW)


def read(pairing: Pairing) -> None:
    """Half of the readers choose the left plan."""
    step = -1 if pairing.pk % 2 else 1
    metrics = [metric.key for metric in pairing.release.rubric.document.metrics]
    steps = {key: {"step": step, "why": "The days are in a better order."} for key in metrics}
    reading.submit(
        pairing=pairing.pk,
        user=pairing.reader,
        key=f"bench-{pairing.pk}",
        version=0,
        said=judgement.from_data({"steps": steps, "newer": "no"}),
        now=NOW,
    )


def unread_in(database_url: str) -> list[Ask]:
    """Pages of pairs that are not begun, each asked for by its reader."""
    return [
        Ask(f"/pairings/{pk}/", who=who)
        for pk, who in asked_of(
            database_url,
            "SELECT pairing.id, username FROM reviews_pairing AS pairing "
            "JOIN auth_user ON auth_user.id = reader_id "
            "WHERE pairing.status = 'assigned' ORDER BY username, pairing.id",
        )
    ]
