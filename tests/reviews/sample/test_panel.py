"""Since when a request has been in the panel, and where the draw has no choice."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from cases.models import Release
from reviews.sample import amendments
from reviews.sample.panel import Run, count_run, has_one_candidate, load_runs
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.people import AsUser

pytestmark = pytest.mark.usefixtures("rubric")

BEFORE = [(3, "third"), (2, "second"), (1, "first")]


@pytest.mark.parametrize(
    ("sampled_in", "expected"),
    [
        (set(), Run(1, "now")),
        ({3, 2}, Run(3, "second")),
        ({3, 1}, Run(2, "third")),
        ({2, 1}, Run(1, "now")),
        ({3, 2, 1}, Run(4, "first")),
    ],
)
def test_a_run_ends_with_the_first_release_without_the_request(
    sampled_in: set[int], expected: Run
) -> None:
    assert count_run(Release(name="now"), BEFORE, sampled_in) == expected


@pytest.mark.parametrize(
    ("fitting", "releases", "pool_size", "expected"),
    [
        (1, 1, 6, True),
        (1, 1, 5, False),
        (1, 2, 5, True),
        (2, 2, 6, False),
        (0, 1, 6, False),
        (None, 1, 6, False),
    ],
)
def test_one_candidate_counts_where_there_could_be_a_choice_or_it_comes_back(
    fitting: int | None, releases: int, pool_size: int, *, expected: bool
) -> None:
    run = Run(releases, "then")
    found = has_one_candidate(fitting, run, pool_size=pool_size, sample_size=5)
    assert found is expected


def test_a_kind_that_nothing_fills_yet_has_no_run() -> None:
    assert has_one_candidate(1, None, pool_size=6, sample_size=5)
    assert not has_one_candidate(1, None, pool_size=5, sample_size=5)


def make_three() -> list[Release]:
    """Make three releases with the same cases, one day after the other; the last is a draft."""
    releases = [bed.started("one"), bed.started("two"), bed.drawn("three")]
    for days, release in enumerate(releases):
        Release.objects.filter(pk=release.pk).update(created_at=NOW + timedelta(days=days))
    return [Release.objects.get(pk=release.pk) for release in releases]


def test_a_release_counts_itself_and_those_before_it() -> None:
    one, two, three = make_three()
    runs = load_runs({release: {"kids"} for release in (one, two, three)})
    assert list(runs.values()) == [Run(1, "one"), Run(2, "one"), Run(3, "one")]


def test_a_case_that_left_the_sample_or_is_of_another_product_ends_the_run() -> None:
    one, two, three = make_three()
    amendments.withdraw(
        release=one, case_key="kids", cause="broken", reason="r", user=None, now=NOW
    )
    assert load_runs({three: {"kids"}})[three.pk, "kids"] == Run(2, "two")
    Release.objects.filter(pk=two.pk).update(product="Another")
    assert load_runs({three: {"kids"}})[three.pk, "kids"] == Run(1, "three")


def test_a_draft_before_it_does_not_count() -> None:
    bed.drawn("draft")
    release = bed.drawn("now")
    assert load_runs({release: {"kids"}})[release.pk, "kids"] == Run(1, "now")


def test_the_page_of_a_release_says_both(as_user: AsUser, ada: User) -> None:
    make_three()
    page = as_user(ada).get("/releases/three/").content.decode()
    assert page.count("the same request for 3 releases") == len(bed.FILLING)
    assert "(since one)" in page
    assert page.count("One candidate: the draw has no choice here.") == len(bed.FILLING)
    assert "the same request for" not in as_user(ada).get("/releases/one/").content.decode()
