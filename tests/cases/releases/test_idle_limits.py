"""Limits that no release can miss need a reason, which is kept and shown."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from cases.releases import policy
from reviews.releases import lifecycle as releases_lifecycle
from tests.bed import reviewed as bed
from tests.bed.api import Script, code
from tests.bed.cases import NOW
from tests.people import AsUser
from tests.reviews.adjudication.settling_pages import words
from tests.reviews.releases.life_pages import address, edits

pytestmark = pytest.mark.usefixtures("rubric")

FLOOR = "No mean can be below the floor of Personalization, 0."
MARGIN = "With a margin of 5 points almost no drop is a regression."
AGREEMENT = "If no case needs scores within one point, any scores agree well enough."
WHY = "The first release of a new product."


@pytest.mark.parametrize(
    ("given", "idle"),
    [
        ({}, []),
        ({"floors": {"a": 0}}, ["a"]),
        ({"floors": {"a": 0.1}}, []),
        ({"floors": {"b": 1}}, ["b"]),
        ({"floors": {"a": 0, "b": 0, "other": 0}}, ["a", "b"]),
    ],
)
def test_a_floor_at_the_end_of_its_scale_is_idle(given: Any, idle: list[str]) -> None:
    assert policy.from_data(given).list_idle_floors({"a": 0, "b": 1}) == idle


@pytest.mark.parametrize(("margin", "idle"), [(0, False), (4.9, False), (5, True), (100, True)])
def test_a_margin_from_5_on_is_idle(margin: float, idle: bool) -> None:
    assert policy.Policy(margin=margin).has_idle_margin is idle


@pytest.mark.parametrize(("share", "idle"), [(0, True), (0.01, False), (1, False)])
def test_an_agreement_of_0_percent_is_idle(share: float, idle: bool) -> None:
    assert policy.Policy(within_one=share).has_idle_agreement is idle


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        ({"floors": {"personalization": 0}}, FLOOR),
        ({"margin": 5}, MARGIN),
        ({"within_one": 0}, AGREEMENT),
    ],
)
def test_scripts_give_a_reason(ada: User, limits: dict[str, Any], sentence: str) -> None:
    release, script = bed.filled(), Script(session=ada)
    before = bed.everything()
    for reason in ({}, {"reason": " "}):
        refused = script.patch("releases/wanderer-1/", {"policy": limits | reason})
        assert code(refused) == (400, "invalid")
        assert [error["message"] for error in refused.json()["errors"]] == [
            sentence,
            "Give a reason for this.",
        ]
    new = {"name": "wanderer-2", "policy": limits}
    assert code(script.post("releases/", new)) == (400, "invalid")
    assert bed.everything() == before
    body = {"policy": limits | {"reason": WHY}}
    assert script.patch("releases/wanderer-1/", body).json()["policy"] == limits | {"reason": WHY}
    event = release.events.order_by("-number")[0]
    assert event.data["to"]["policy"]["reason"] == WHY


def test_the_page_asks_for_the_reason_only_when_there_is_something_to_say(
    as_user: AsUser, ada: User
) -> None:
    bed.filled()
    admin, path = as_user(ada), address("release-edit")
    asked = '<textarea name="reason"'
    assert asked not in admin.get(path).content.decode()
    weak = edits(margin="5", within_one="0", floor_personalization="0")
    late = admin.post(path, weak | {"due_date": "2020-01-01"})
    assert "Jan. 1, 2020 is in the past." in words(late)
    assert MARGIN in words(late)
    refused = admin.post(path, weak)
    assert refused.status_code == 422
    assert asked in refused.content.decode()
    for sentence in (FLOOR, MARGIN, AGREEMENT, "Give a reason for this."):
        assert sentence in words(refused)
    assert admin.post(path, weak | {"reason": WHY}).status_code == 302
    page = admin.get(path).content.decode()
    assert asked in page
    assert WHY in page


def test_the_report_shows_the_reason_beside_the_rules(
    as_user: AsUser, ada: User, mina: User, rita: User, omar: User
) -> None:
    release = bed.drawn()
    idle = {"margin": 5, "reason": WHY}
    answer = Script(session=ada).patch("releases/wanderer-1/", {"policy": idle})
    assert answer.status_code == 200
    releases_lifecycle.start(release=release, user=None, now=NOW)
    release = bed.current(release)
    assert release.policy["reason"] == WHY
    bed.put_reviews(release, rita, omar)
    client, report = as_user(mina), "/releases/wanderer-1/report/"
    client.post("/releases/wanderer-1/adjudications/look/", {"next": report})
    page = words(client.get(report))
    assert f"reason for the limits: {WHY}" in page
