"""Pairings by script: one's own, blind to the release and to the sides."""

import json
from typing import Any

import msgspec
import pytest
from django.contrib.auth.models import User

from cases.models import Release
from reviews.models import Pairing
from reviews.pairings import judgement
from reviews.pairings.api import PairingWhole
from reviews.releases import lifecycle
from tests.bed import pairs
from tests.bed.api import Script, code
from tests.bed.cases import NOW

pytestmark = pytest.mark.django_db
KEY = {"Idempotency_Key": "once"}


@pytest.fixture
def rest(rita: User) -> Script:
    return Script(session=rita)


@pytest.fixture
def release(rita: User, omar: User) -> Release:
    return pairs.beside_baseline(rita, omar)


@pytest.fixture
def mine(release: Release, rita: User) -> Pairing:
    return next(own for own in pairs.plan(release) if own.reader == rita)


def complete(version: int, step: int = 0) -> dict[str, Any]:
    return {"version": version, **judgement.to_data(pairs.say(step))}


def test_the_next_pair_comes_whole_until_there_is_none(
    rest: Script, release: Release, rita: User
) -> None:
    assert rest.get("pairings/next/").status_code == 204
    pairs.plan(release)
    answer = rest.get("pairings/next/")
    own = answer.json()["id"]
    assert answer.json() == rest.get(f"pairings/{own}/").json()
    msgspec.json.decode(answer.content, type=PairingWhole)
    for pairing in Pairing.objects.by(rita):
        pairs.read(pairing)
    assert rest.get("pairings/next/").status_code == 204


def test_a_pair_names_neither_release_nor_case(rest: Script, mine: Pairing) -> None:
    text = rest.get(f"pairings/{mine.pk}/").content.decode()
    assert "Paper mill" in text
    for hidden in (
        mine.release.name,
        mine.release.product,
        mine.case.case_key,
        mine.case.code,
        mine.old_case.code,
    ):
        assert hidden not in text
    assert f'"id":{mine.case_id}' not in text


def test_each_side_shows_its_plan(rest: Script, mine: Pairing) -> None:
    shown = rest.get(f"pairings/{mine.pk}/").json()
    for side, case in (("left", mine.left), ("right", mine.right)):
        assert shown[side]["plan"]["summary"] == json.loads(case.data)["plan"]["summary"]


def test_a_draft_is_saved_and_a_pair_submitted_once(rest: Script, mine: Pairing) -> None:
    saved = rest.put(f"pairings/{mine.pk}/draft/", {"version": 0, "newer": "left"})
    assert (saved.status_code, saved.json()["version"]) == (200, 1)
    first = rest.post(f"pairings/{mine.pk}/submit/", complete(1), **KEY)
    assert first.json()["version"] == 2
    assert rest.post(f"pairings/{mine.pk}/submit/", complete(1), **KEY).json() == first.json()
    other = rest.post(f"pairings/{mine.pk}/submit/", complete(1, 2), **KEY)
    assert code(other) == (409, "idempotency_key_reused")


def test_a_stale_save_answers_with_what_is_stored(rest: Script, mine: Pairing) -> None:
    rest.put(f"pairings/{mine.pk}/draft/", {"version": 0, "newer": "left"})
    stale = rest.put(f"pairings/{mine.pk}/draft/", {"version": 0, "newer": "right"})
    assert code(stale) == (409, "stale_version")
    assert stale.json()["draft"] == {"newer": "left"}


@pytest.mark.parametrize(
    "body",
    [
        {"version": 0, "release": "x"},
        {"version": 0, "steps": {"personalization": {"step": 4}}},
        {"version": 0, "steps": {"personalization": {"step": 0.5}}},
        {"version": 0, "newer": "both"},
        {"version": -1},
        {},
    ],
)
def test_a_body_that_is_wrong_is_refused_by_name(
    rest: Script, mine: Pairing, body: dict[str, Any]
) -> None:
    assert rest.put(f"pairings/{mine.pk}/draft/", body).status_code == 400
    mine.refresh_from_db()
    assert mine.version == 0


def test_nobody_else_learns_of_a_pairing(mine: Pairing, omar: User, ada: User) -> None:
    for user, status in ((omar, 404), (ada, 403)):
        script = Script(session=user)
        assert script.get(f"pairings/{mine.pk}/").status_code == status
        answer = script.put(f"pairings/{mine.pk}/draft/", {"version": 7, "odd": 1})
        assert answer.status_code == status


def test_a_pair_of_a_closed_release_is_read_only(
    rest: Script, mine: Pairing, release: Release
) -> None:
    lifecycle.close(release=release, user=None, now=NOW)
    assert rest.get(f"pairings/{mine.pk}/").json()["can_be_written"] is False
    refused = rest.put(f"pairings/{mine.pk}/draft/", {"version": 0})
    assert refused.status_code == 409
    assert release.name not in refused.content.decode()


def test_a_declined_pair_does_not_come_back(rest: Script, mine: Pairing) -> None:
    assert rest.post(f"pairings/{mine.pk}/decline/", {"reason": ""}).status_code == 400
    declined = rest.post(f"pairings/{mine.pk}/decline/", {"reason": "I made one."})
    assert declined.json() == {"status": "declined"}
    assert rest.get("pairings/next/").json()["id"] != mine.pk


def test_dates_that_the_product_chose_are_left_out(rest: Script, mine: Pairing) -> None:
    """The request states none, so the later dates would be those of the newer plan."""
    assert "2026-05-12" in mine.case.data
    assert "2026-05-12" not in rest.get(f"pairings/{mine.pk}/").content.decode()
