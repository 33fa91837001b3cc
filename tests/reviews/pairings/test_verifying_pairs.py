"""Pairs in the ledger and in the bundle: what does not match is found."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from cases.ledger import LedgerBroken
from cases.models import Release
from reviews.export.verify import verify
from reviews.models import PairAnswer, Pairing
from reviews.pairings.verify import find_mismatches
from reviews.releases import lifecycle
from reviews.releases.verify import verify_ledger
from tests.bed import pairs
from tests.bed.cases import NOW
from tests.bed.databases import without_triggers
from tests.bed.reviewed import current

pytestmark = pytest.mark.django_db


@pytest.fixture
def release(rita: User, omar: User) -> Release:
    """Closed, with every pair read, one of them twice."""
    release = pairs.beside_baseline(rita, omar, events=True)
    planned = pairs.plan(release)
    for pairing in planned:
        pairs.read(pairing, pairs.prefer_new(pairing, 1))
    pairs.read(planned[0], pairs.say(0))
    lifecycle.close(release=current(release), user=None, now=NOW)
    return current(release)


def test_pairs_as_they_were_read_match(release: Release) -> None:
    assert list(find_mismatches(release)) == []
    assert verify_ledger(release)


@pytest.mark.sqlite
def test_an_answer_that_was_changed_is_found(release: Release) -> None:
    answer = PairAnswer.objects.filter(release=release).exclude(step=None).first()
    assert answer is not None
    with without_triggers():
        PairAnswer.objects.filter(pk=answer.pk).update(step=-3)
    assert len(list(find_mismatches(release))) == 1
    with pytest.raises(LedgerBroken, match="says something else"):
        verify_ledger(release)


@pytest.mark.sqlite
def test_a_side_that_was_turned_is_found(release: Release) -> None:
    pairing = Pairing.objects.of(release)[0]
    with without_triggers():
        Pairing.objects.filter(pk=pairing.pk).update(is_new_left=not pairing.is_new_left)
    assert any("does not follow" in sentence for sentence in find_mismatches(release))


@pytest.mark.sqlite
def test_a_pairing_that_was_removed_is_found(release: Release) -> None:
    pairing = Pairing.objects.of(release)[0]
    with without_triggers():
        pairing.delete()
    assert any("missing, but it is in the ledger" in each for each in find_mismatches(release))


def test_a_bundle_with_pairs_verifies(release: Release, tmp_path: Path) -> None:
    path = tmp_path / "bundle.zip"
    call_command("export_release", release.name, "--out", str(path))
    found = verify(path)
    assert found.problems == []


@pytest.mark.sqlite
def test_a_reading_that_was_taken_out_of_the_report_is_found(release: Release) -> None:
    pairing = Pairing.objects.of(release)[0]
    with without_triggers():
        Pairing.objects.filter(pk=pairing.pk).update(status="withdrawn")
    [found] = find_mismatches(release)
    assert "was submitted, but is not any more" in found
