"""The spread that a release assumes: the usual one, or that of earlier releases of its product."""

import pytest
from django.contrib.auth.models import User

from cases.models import Release
from cases.releases.policy import Prior
from reviews.releases import lifecycle
from reviews.releases.prior import FEWEST_RELEASES, MOST_RELEASES, load_prior
from tests.bed import reviewed as bed
from tests.bed.cases import NOW

pytestmark = pytest.mark.django_db


def close(name: str, *people: User, values: tuple[int, ...] = (4,)) -> Release:
    release = bed.started(name)
    for person, value in zip(people, values * len(people), strict=False):
        bed.put_reviews(release, person, value=value)
    lifecycle.close(release=release, user=None, now=NOW)
    return bed.current(release)


def test_two_closed_releases_are_too_few(rita: User, omar: User) -> None:
    for number in range(FEWEST_RELEASES - 1):
        close(f"wanderer-{number}", rita, omar)
    assert load_prior(bed.filled("wanderer-new")) == Prior()


def test_three_closed_releases_are_named_and_never_narrow_it(rita: User, omar: User) -> None:
    for number in range(FEWEST_RELEASES):
        close(f"wanderer-{number}", rita, omar)
    found = load_prior(bed.filled("wanderer-new"))
    assert found == Prior(0.9, 8, ["wanderer-0", "wanderer-1", "wanderer-2"])


def test_only_the_newest_releases_count(rita: User, omar: User) -> None:
    for number in range(MOST_RELEASES + 1):
        close(f"wanderer-{number}", rita, omar)
    assert len(load_prior(bed.filled("wanderer-new")).releases) == MOST_RELEASES


def test_open_abandoned_and_other_products_releases_do_not_count(rita: User, omar: User) -> None:
    for number in range(FEWEST_RELEASES - 1):
        close(f"wanderer-{number}", rita, omar)
    bed.started("wanderer-open")
    lifecycle.abandon(release=bed.started("wanderer-lost"), reason="Wrong.", user=None, now=NOW)
    assert load_prior(bed.filled("wanderer-new")) == Prior()


def test_the_start_freezes_what_was_estimated(rita: User, omar: User) -> None:
    for number in range(FEWEST_RELEASES):
        close(f"wanderer-{number}", rita, omar)
    release = bed.started("wanderer-new")
    assert release.policy["prior"]["releases"] == ["wanderer-0", "wanderer-1", "wanderer-2"]
    close("wanderer-later", rita, omar)
    assert len(bed.current(release).policy["prior"]["releases"]) == FEWEST_RELEASES
