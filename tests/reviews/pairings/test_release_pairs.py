"""The pairs of a release: its page, the plan to confirm, taking back, the call, the command."""

from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from cases.models import Release
from evalsite.permissions import Role
from reviews.models import Pairing
from reviews.pairings.pairs import load_pairs
from tests.bed import pairs, reviewed
from tests.bed.api import Script, code
from tests.people import AsUser, also

pytestmark = pytest.mark.django_db


@pytest.fixture
def release(rita: User, omar: User) -> Release:
    return pairs.beside_baseline(rita, omar)


def test_the_page_says_what_is_missing_and_leads_to_the_plan(
    admin: Client, release: Release
) -> None:
    page = admin.get(reverse("pairings", args=[release.name]))
    assert "10 readings are missing." in page.content.decode()
    plan = admin.get(reverse("pairings-plan", args=[release.name]))
    assert "Assign 10 readings" in plan.content.decode()
    assert not Pairing.objects.exists()
    answer = admin.post(
        reverse("pairings-plan", args=[release.name]), {"seen": plan.context["seen"]}, follow=True
    )
    assert "10 readings were assigned." in answer.content.decode()
    assert Pairing.objects.of(release).count() == 10


def test_a_plan_that_was_not_shown_is_not_carried_out(admin: Client, release: Release) -> None:
    answer = admin.post(reverse("pairings-plan", args=[release.name]), follow=True)
    assert "The plan has changed" in answer.content.decode()
    assert not Pairing.objects.exists()


def test_a_release_that_is_too_early_says_why(admin: Client, rita: User, omar: User) -> None:
    release = reviewed.started()
    page = admin.get(reverse("pairings", args=[release.name])).content.decode()
    assert "has no baseline" in page
    assert "Plan the readings" not in page


def test_a_manager_reads_the_page_and_plans_nothing(manager: Client, release: Release) -> None:
    assert manager.get(reverse("pairings", args=[release.name])).status_code == 200
    assert manager.get(reverse("pairings-plan", args=[release.name])).status_code == 403


def test_taking_back_asks_for_a_reason(admin: Client, release: Release) -> None:
    pairs.plan(release)
    address = reverse("pairings-take-back", args=[release.name])
    assert admin.post(address, {"reason": ""}).status_code == 422
    answer = admin.post(address, {"reason": "Another baseline."}, follow=True)
    assert "10 readings were taken back." in answer.content.decode()
    assert not Pairing.objects.of(release).open().exists()


def count_queries(client: Client, *paths: str) -> list[int]:
    counts = []
    for path in paths:
        client.get(path)  # what a process keeps
        with CaptureQueriesContext(connection) as queries:
            assert client.get(path).status_code == 200
        counts.append(len(queries))
    return counts


@pytest.mark.parametrize("is_planned", [False, True])
def test_the_page_has_a_fixed_number_of_queries(
    admin: Client, release: Release, rita: User, omar: User, *, is_planned: bool
) -> None:
    address = reverse("pairings", args=[release.name])
    counts = []
    for count in (10, 100):
        pairs.grow(release, count, rita, omar)
        if is_planned:
            assert len(pairs.plan(release)) == 2 * count
        counts.append(count_queries(admin, address))
        assert len(load_pairs(release).pairs) == count
    assert counts[0] == counts[1]


def test_the_pages_of_a_reader_have_a_fixed_number_of_queries(
    as_user: AsUser, release: Release, rita: User, omar: User
) -> None:
    client, counts = as_user(rita), []
    for count in (10, 100):
        pairs.grow(release, count, rita, omar)
        pairs.plan(release)
        own = Pairing.objects.by(rita).order_by("pk")
        assert own.count() == count
        paths = [own[0].get_absolute_url(), reverse("my-reviews"), reverse("home")]
        paths += [reverse("api-pairing", args=[own[0].pk]), reverse("api-pairing-next")]
        counts.append(count_queries(client, *paths))
    assert counts[0] == counts[1]
    assert counts[0][0] <= 10


def test_the_call_plans_and_lists(ada: User, release: Release) -> None:
    script = Script(session=ada)
    dry = script.post(f"releases/{release.name}/pairings/", {"dry_run": True})
    assert (dry.json()["is_written"], len(dry.json()["pairings"])) == (False, 10)
    done = script.post(f"releases/{release.name}/pairings/", {"reviewers": ["rita", "omar"]})
    assert len(done.json()["pairings"]) == 10
    listed = script.get(f"releases/{release.name}/pairings/").json()["results"]
    assert {row["new_side"] for row in listed} == {"left", "right"}
    assert len(listed) == 10
    again = script.post(f"releases/{release.name}/pairings/", {})
    assert again.json()["pairings"] == []


def test_the_call_takes_back_of_one_person_and_repeats_safely(ada: User, release: Release) -> None:
    pairs.plan(release)
    script = Script(session=ada)
    address = f"releases/{release.name}/pairings/take-back/"
    assert script.post(address, {"reviewers": ["omar"], "reason": ""}).status_code == 400
    assert Pairing.objects.open().count() == 10
    wanted = {"reviewers": ["omar"], "reason": "Away."}
    assert script.post(address, wanted).json() == {"taken": 5}
    assert script.post(address, wanted).json() == {"taken": 0}
    assert set(Pairing.objects.open().values_list("reader__username", flat=True)) == {"rita"}
    assert script.post(address, {"reason": "All."}).json() == {"taken": 5}
    assert release.events.filter(kind="pairings-taken-back").count() == 2


def test_an_admin_who_reads_pairs_is_not_told_which_side_is_new(rita: User, omar: User) -> None:
    release = pairs.beside_baseline(rita, omar)
    also(rita, Role.ADMIN)
    own = [pairing for pairing in pairs.plan(release) if pairing.reader == rita]
    listing = f"releases/{release.name}/pairings/"
    script = Script(session=rita)
    assert {row["new_side"] for row in script.get(listing).json()["results"]} == {None}
    for pairing in own:
        pairs.read(pairing)
    assert None not in {row["new_side"] for row in script.get(listing).json()["results"]}


def test_the_call_refuses_a_release_without_baseline(ada: User, rita: User) -> None:
    release = reviewed.started()
    answer = Script(session=ada).post(f"releases/{release.name}/pairings/", {})
    assert code(answer) == (409, "not_pairable")


def test_the_command_prints_who_reads_what(release: Release) -> None:
    out = StringIO()
    call_command("plan_pairings", release.name, stdout=out)
    assert out.getvalue().splitlines()[-1] == "10 assigned, 0 missing."
    assert Pairing.objects.of(release).count() == 10


def test_the_command_refuses_in_words(rita: User) -> None:
    release = reviewed.started()
    with pytest.raises(CommandError, match="has no baseline"):
        call_command("plan_pairings", release.name)


def test_what_was_said_is_shown_only_to_those_who_may_see_scores(
    manager: Client, mina: User, release: Release
) -> None:
    for pairing in pairs.plan(release):
        pairs.read(pairing, pairs.prefer_new(pairing, 2))
    address = reverse("pairings", args=[release.name])
    assert "The day is calmer." not in manager.get(address).content.decode()
    reviewed.look(release, mina)
    shown = manager.get(address).content.decode()
    assert shown.count("The day is calmer.") == 20
    assert "+2.0" in shown
