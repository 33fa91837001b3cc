"""Samples of real releases, which are read from beside us: refused, drawn, and drawn the same."""

import os
import random
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import pytest
from django.core.management import call_command

from cases import imports, ledger
from cases.models import Release, Rubric
from reviews.models import SampledCase
from reviews.sample import workflow as sample_workflow
from reviews.sample.workflow import CannotDraw
from tests.bed import soak
from tests.bed.cases import NOW, import_lines, make_release

FILE = "itineraries/dev_trip_agent_zh.jsonl"
REFUSED, *DRAWN = "2026-02-14", "2026-02-22", "2026-02-28"
KINDS = [
    "beijing-spring-festival-peak-case",
    "low-budget-feasibility-warning-case",
    "family-parent-child-case",
    "mobility-limited-case",
    "tight-schedule-must-visit-case",
]


@pytest.fixture(scope="module")
def content() -> bytes:
    folder = os.environ.get("SPOTCHECK_REAL_DATA")
    if not folder:
        pytest.skip("SPOTCHECK_REAL_DATA is not set, so the real cases are not at hand")
    return (Path(folder) / FILE).read_bytes()


class Outcome(NamedTuple):
    sample: list[tuple[str, str]]
    pool_digest: str
    order: list[str]


def release_of(version: str, content: bytes, rubric: Rubric) -> Release:
    release = make_release(f"trip-agent@{version}", product="trip-agent", rubric=rubric)
    import_lines(release, content, version=version)
    return release


def draw(release: Release, size: int | None = None) -> Outcome:
    drawn = sample_workflow.draw(release=release, size=size, user=None, now=NOW)
    rows = SampledCase.objects.of(release).standing().in_order()
    return Outcome(
        list(rows.values_list("case__case_key", "kind")), drawn.pool_digest, drawn.order.keys
    )


def import_again(release: Release, content: bytes, version: str) -> None:
    """The last import is taken back, and this one comes instead."""
    last = release.batches.count()
    imports.undo_import(release=release, number=last, user=None, now=NOW)
    assert not release.cases.exists()
    import_lines(release, content, version=version)


def shuffled(content: bytes, chance: random.Random) -> bytes:
    rows = content.splitlines(keepends=True)
    chance.shuffle(rows)
    return b"".join(rows)


def test_a_release_of_which_no_case_passed_with_a_plan_is_refused_with_the_reason_for_each_kind(
    content: bytes, rubric: Rubric
) -> None:
    release = release_of(REFUSED, content, rubric)
    with pytest.raises(CannotDraw) as refused:
        draw(release)
    rule, *kinds = refused.value.missing
    assert (rule.rule, rule.sentence) == (
        "cases",
        "Only 0 cases can be sampled; 5 are wanted. 29 more cases fit if warnings are accepted.",
    )
    texts = {one.key: one.text for one in rubric.document.sampling.kinds}
    assert [one.rule for one in kinds] == [f"kind:{key}" for key in KINDS]
    for key, one in zip(KINDS, kinds, strict=True):
        assert one.sentence.startswith(f"{texts[key]}: ")
        assert "sampled" in one.sentence or "no case has its tags" in one.sentence
    assert not release.draws.exists()
    assert not release.sample.exists()


@pytest.mark.parametrize("version", DRAWN)
def test_a_real_release_is_drawn_with_a_case_of_its_own_for_each_kind(
    content: bytes, rubric: Rubric, version: str
) -> None:
    release = release_of(version, content, rubric)
    found = draw(release)
    assert [kind for _key, kind in found.sample] == KINDS
    assert len({key for key, _kind in found.sample}) == 5
    by_kind = {kind: key for key, kind in found.sample}
    assert by_kind["low-budget-feasibility-warning-case"].startswith("c06")
    assert by_kind["beijing-spring-festival-peak-case"].startswith("c01")
    for case_key, kind in found.sample:
        wanted = next(one for one in rubric.document.sampling.kinds if one.key == kind)
        case = release.cases.prefetch_related("tags").get(case_key=case_key)
        assert set(case.standing_tags) >= set(wanted.required_tags)
    call_command("verify_sample", release.name, stdout=StringIO())
    ledger.verify(release)


@pytest.mark.soak
@pytest.mark.parametrize("version", DRAWN)
def test_shuffled_rows_give_the_same_sample(content: bytes, rubric: Rubric, version: str) -> None:
    tries = soak.size(short=3, long=100)
    release = release_of(version, content, rubric)
    expected = draw(release, 12)
    chance = random.Random(version)
    found = []
    for _ in range(tries):
        import_again(release, shuffled(content, chance), version)
        found.append(draw(release, 12))
    bad = sum(one != expected for one in found)
    soak.report(f"the sample of {version} with its rows shuffled", tried=tries, bad=bad)
    assert bad == 0


@pytest.mark.parametrize("version", DRAWN)
def test_a_real_release_that_is_taken_back_and_imported_again_has_the_same_sample(
    content: bytes, rubric: Rubric, version: str
) -> None:
    release = release_of(version, content, rubric)
    expected = draw(release)
    import_again(release, content, version)
    assert not release.sample.exists()
    assert draw(release) == expected
    assert release.draws.count() == 2


def test_another_version_imported_over_it_is_another_pool(content: bytes, rubric: Rubric) -> None:
    first, second = DRAWN
    release = release_of(first, content, rubric)
    expected = draw(release)
    import_lines(release, content, version=second)
    changed = draw(release)
    assert changed.pool_digest != expected.pool_digest
    said = release.draws.get(number=2).changes
    assert said["new"]["count"] == 14
    assert "gone" not in said
    imports.undo_import(release=release, number=2, user=None, now=NOW)
    assert draw(release) == expected
