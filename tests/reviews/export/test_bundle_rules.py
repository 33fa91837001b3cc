"""Rules in a bundle: the same hits as on the site, byte for byte; found anew when it is checked."""

import json
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from cases.models import Release, RuleHit, RuleState
from cases.rules import workflow
from cases.rules.queries import export_rules
from reviews.export.archive import NotReadable
from reviews.export.verify import verify as verify_bundle
from reviews.releases import lifecycle
from tests.bed import reviewed
from tests.bed.cases import NOW
from tests.bed.exported import Forged, bundled
from tests.bed.rules import OVER_LUNCH, propose

pytestmark = pytest.mark.usefixtures("rubric")


@pytest.fixture
def closed(rita: User, omar: User) -> Release:
    """Closed, with a meal over a visit in two cases of the sample."""
    release = reviewed.filled()
    tags = reviewed.FILLING
    rows = (reviewed.row(key, *tags[key], plan=OVER_LUNCH) for key in ("kids", "ramp"))
    reviewed.bring(release, *rows)
    reviewed.draw(release)
    lifecycle.start(release=reviewed.current(release), user=None, now=NOW)
    reviewed.review_all(reviewed.current(release), rita, omar)
    lifecycle.close(release=reviewed.current(release), user=None, now=NOW)
    return reviewed.current(release)


def adopt() -> None:
    workflow.move(version=propose(), to=RuleState.ADOPTED, user=None, now=NOW)


def test_a_bundle_has_the_adopted_rules_and_their_hits_byte_for_byte(closed: Release) -> None:
    adopt()
    forged = Forged(bundled(closed))
    assert forged.files["rules.json"] == export_rules("wanderer")
    lines = forged.files["hits.jsonl"].splitlines()
    assert [json.loads(line)["case_key"] for line in lines] == ["kids", "ramp"]
    stored = RuleHit.objects.order_by("case__case_key").values_list("hits", flat=True)
    assert all(hits.encode() in line for hits, line in zip(stored, lines, strict=True))


def verify(forged: Forged, path: Path) -> list[str]:
    return verify_bundle(forged.write(path / "bundle.zip")).problems


def test_a_bundle_with_rules_is_verified(closed: Release, tmp_path: Path) -> None:
    adopt()
    found = verify(Forged(bundled(closed)), tmp_path)
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("hits.jsonl", "Copper Mill", "Copper Mall"),
        ("hits.jsonl", "/plan/days/0/items/1", "/plan/days/0/items/0"),
        ("rules.json", '"version": 1', '"version": 2'),
        ("rules.json", '"meal-over-visit",\n', '"meal-over-meal",\n'),
    ],
)
def test_a_hit_or_a_rule_that_was_changed_is_found(
    closed: Release, tmp_path: Path, file: str, old: str, new: str
) -> None:
    adopt()
    forged = Forged(bundled(closed)).text(file, old, new).repaired()
    assert any(problem.startswith("hits.jsonl") for problem in verify(forged, tmp_path))


def test_a_hit_that_was_left_out_is_found(closed: Release, tmp_path: Path) -> None:
    adopt()
    forged = Forged(bundled(closed))
    forged.put("hits.jsonl", forged.rows("hits.jsonl")[1:]).repaired()
    assert any(problem.startswith("hits.jsonl") for problem in verify(forged, tmp_path))


def test_rules_that_cannot_be_read_are_named(closed: Release, tmp_path: Path) -> None:
    adopt()
    forged = Forged(bundled(closed)).text("rules.json", "meal-over-visit", "meal-over-moon")
    with pytest.raises(NotReadable, match=r"rules\.json: "):
        verify(forged.text("rules.json", "meal-over-visit", "meal-over-moon").repaired(), tmp_path)


def test_without_an_adopted_rule_a_bundle_has_no_such_files(closed: Release) -> None:
    propose()
    assert {"rules.json", "hits.jsonl"}.isdisjoint(Forged(bundled(closed)).files)
