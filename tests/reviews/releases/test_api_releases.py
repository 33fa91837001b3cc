"""The sample, the life of a release and who reviews what, by script."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from evalsite.permissions import Role
from reviews.models import Review
from reviews.models.reviews import SEEN
from reviews.releases import lifecycle as releases_lifecycle
from tests.bed import reviewed as bed
from tests.bed.api import Script, code, problems
from tests.bed.cases import NOW
from tests.people import also

R = "releases/wanderer-1/"


@pytest.fixture
def admin(ada: User) -> Script:
    return Script(session=ada)


@pytest.fixture
def manager(mina: User) -> Script:
    return Script(session=mina)


# --- The sample -----------------------------------------------------------------------------------


def test_a_sample_is_drawn_and_looked_at(admin: Script) -> None:
    bed.filled()
    empty = admin.get(f"{R}sample/").json()
    assert (empty["draw"], empty["sample"]) == (None, [])
    drawn = admin.post(f"{R}sample/draw/", b"").json()
    assert {one["case_key"] for one in drawn["sample"]} == set(bed.FILLING)
    assert all(one["reason"] for one in drawn["sample"])
    assert admin.post(f"{R}sample/draw/", {"size": 5}).json() == drawn
    assert admin.get(f"{R}sample/").json() == drawn


def test_kinds_that_cannot_be_filled_are_named(admin: Script) -> None:
    bed.filled(without=("kids", "ramp"))
    answer = admin.post(f"{R}sample/draw/", {})
    assert code(answer) == (409, "cannot_draw")
    assert {f"kind:{bed.KIND_OF[one]}" for one in ("kids", "ramp")} <= set(problems(answer))


def test_a_case_is_swapped_with_a_reason(admin: Script) -> None:
    bed.drawn()
    body = {"out": "kids", "in": "spare-1", "reason": "Same trip as in May."}
    answer = admin.post(f"{R}sample/swap/", body)
    keys = {one["case_key"]: one for one in answer.json()["sample"]}
    assert "kids" not in keys
    assert keys["spare-1"]["reason"] == "Same trip as in May."
    for changes, expected, path in (
        ({"reason": " "}, "reason_required", "reason"),
        ({}, "no_such_case", "out"),
        ({"out": "feast", "in": "nothing"}, "no_such_case", "in"),
    ):
        refused = admin.post(f"{R}sample/swap/", body | changes)
        assert code(refused) == (400, expected)
        assert list(problems(refused)) == [path]


def test_a_broken_case_is_withdrawn_and_the_next_comes_in(admin: Script) -> None:
    bed.started(more={"kids-2": ("family",)}, size=5)
    before = {one["case_key"] for one in admin.get(f"{R}sample/").json()["sample"]}
    gone = "kids" if "kids" in before else "kids-2"
    answer = admin.post(f"{R}sample/withdraw/", {"case_key": gone, "reason": "Cut off."}).json()
    assert [one["case_key"] for one in answer["withdrawn"]] == [gone]
    assert len(answer["sample"]) == 5


# --- The life -------------------------------------------------------------------------------------


def test_a_release_starts_when_nothing_is_missing(admin: Script) -> None:
    bed.filled()
    refused = admin.post(f"{R}start/", b"")
    assert code(refused) == (409, "cannot_start")
    assert list(problems(refused)) == ["draw"]
    admin.post(f"{R}sample/draw/", b"")
    assert admin.post(f"{R}start/", b"").json()["status"] == "reviewing"


def test_too_early_is_told_from_too_late(admin: Script, manager: Script) -> None:
    release = bed.drawn()
    why = {"reason": "Time."}
    sign = why | {"decision": "ship"}
    withdraw = why | {"case_key": "kids"}
    for answer in (
        manager.post(f"{R}close/", b""),
        admin.post(f"{R}assignments/", b""),
        admin.post(f"{R}sample/withdraw/", withdraw),
    ):
        assert code(answer) == (409, "release_not_started")
    releases_lifecycle.start(release=release, user=None, now=NOW)
    for answer in (manager.post(f"{R}reopen/", why), manager.post(f"{R}decision/", sign)):
        assert code(answer) == (409, "release_not_closed")
    assert code(admin.post(f"{R}start/", b"")) == (409, "release_frozen")
    manager.post(f"{R}close/", why | {"abandon": True})
    for answer in (
        manager.post(f"{R}close/", b""),
        admin.post(f"{R}assignments/", b""),
        admin.post(f"{R}sample/withdraw/", withdraw),
    ):
        assert code(answer) == (409, "release_frozen")


def test_a_release_closes_with_what_is_waived_and_is_signed(
    manager: Script, rita: User, omar: User
) -> None:
    bed.put_reviews(bed.started(), rita, omar, but=("rush",))
    refused = manager.post(f"{R}close/", b"")
    assert code(refused) == (409, "cannot_close")
    assert list(problems(refused)) == ["reviews"]
    assert code(manager.post(f"{R}close/", {"waive": ["reviews"]})) == (400, "reason_required")
    closed = manager.post(f"{R}close/", {"waive": ["reviews"], "reason": "Wei is ill."}).json()
    assert (closed["status"], closed["is_abandoned"]) == ("closed", False)
    wrong = {"decision": "ship", "reason": "Fine.", "digest": "0" * 64}
    assert code(manager.post(f"{R}decision/", wrong)) == (409, "cannot_sign")
    signed = manager.post(f"{R}decision/", wrong | {"digest": closed["digest"]}).json()
    assert (signed["decision"], signed["digest"], signed["by"]) == (
        "ship",
        closed["digest"],
        "mina",
    )
    reopened = manager.post(f"{R}reopen/", {"reason": "A flag was missed."})
    assert reopened.json()["status"] == "reviewing"


def test_a_release_is_abandoned_with_a_reason(manager: Script) -> None:
    bed.started()
    assert code(manager.post(f"{R}close/", {"abandon": True})) == (400, "reason_required")
    body = {"abandon": True, "reason": "Superseded."}
    assert manager.post(f"{R}close/", body).json()["is_abandoned"] is True


def test_a_rule_is_waived_by_name(manager: Script) -> None:
    bed.filled()
    body = {"rule": f"kind:{bed.KIND_OF['ramp']}", "reason": "Not in this product."}
    assert manager.post(f"{R}waive/", body).json()["by"] == "mina"
    unknown = manager.post(f"{R}waive/", body | {"rule": "x"})
    assert code(unknown) == (400, "no_such_rule")
    assert list(problems(unknown)) == ["rule"]
    assert code(manager.post(f"{R}waive/", body | {"rule": "reviews"})) == (409, "nothing_to_waive")


# --- Who reviews what -----------------------------------------------------------------------------


def test_reviews_are_planned_and_listed(admin: Script, rita: User, omar: User) -> None:
    bed.started()
    planned = admin.post(f"{R}assignments/", {"dry_run": True}).json()
    assert (len(planned["assignments"]), planned["is_written"]) == (10, False)
    assert not Review.objects.exists()
    done = admin.post(f"{R}assignments/", b"").json()
    assert done == planned | {"is_written": True}
    page = admin.get(f"{R}assignments/?reviewer=rita&limit=3").json()
    assert [one["status"] for one in page["results"]] == ["assigned"] * 3
    rest = admin.get(page["next"].partition("/api/v1/")[2]).json()
    assert len(rest["results"]) == 2


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"reviewers": ["ada"]}, (400, "not_a_reviewer")),
        ({"reviewers": []}, (400, "not_a_reviewer")),
        ({"per_case": 0}, (400, "bad_per_case")),
        ({"per_case": 10**30}, (400, "bad_per_case")),
        ({"reviewers": "rita"}, (400, "bad_body")),
    ],
)
def test_a_plan_with_nobody_is_refused(
    body: dict[str, Any], expected: tuple[int, str], admin: Script, rita: User
) -> None:
    bed.started()
    refused = admin.post(f"{R}assignments/", body)
    assert code(refused) == expected
    assert list(problems(refused)) == list(body)


def test_a_case_is_moved_and_taken_back(admin: Script, rita: User, omar: User, mina: User) -> None:
    release = bed.started()
    bed.assign(release, "feast", rita)
    move = {"case_key": "feast", "from": "rita", "to": "omar"}
    for taker in ("mina", "ada", "nobody"):
        refused = admin.post(f"{R}assignments/move/", move | {"to": taker})
        assert code(refused) == (400, "not_a_reviewer")
        assert problems(refused) == {"to": f"{taker} is not an active reviewer."}
    moved = admin.post(f"{R}assignments/move/", move).json()
    assert (moved["reviewer"], moved["status"]) == ("omar", "assigned")
    body = {"case_key": "feast", "reviewer": "omar", "reason": "On leave."}
    assert admin.post(f"{R}assignments/withdraw/", body).json()["status"] == "withdrawn"
    nobody = admin.post(f"{R}assignments/withdraw/", body | {"reviewer": "nobody"})
    assert list(problems(nobody)) == ["reviewer"]


# --- Settling -------------------------------------------------------------------------------------


def test_what_reviewers_differ_on_is_listed_and_settled(
    ada: User, rita: User, omar: User, mina: User
) -> None:
    release = bed.started()
    bed.review(release, "feast", rita, 5)
    bed.review(release, "feast", omar, 2, personalization=5)
    script = Script(session=ada)
    [one] = script.get(f"{R}adjudications/").json()["results"]
    assert (one["case_key"], one["state"]) == ("feast", "waiting")
    assert one["differences"] == [{"metric": "usability-value", "low": 2, "high": 5}]
    body = {
        "case_key": "feast",
        "agreed": {"usability-value": 3},
        "cause": "taste",
        "note": "Both read the same page.",
        "seen": one["seen"],
    }
    for changes, expected, paths in (
        ({"agreed": {}}, "bad_agreement", ["agreed.usability-value"]),
        (
            {"agreed": {"usability-value": 99, "x": 1}},
            "bad_agreement",
            ["agreed.usability-value", "agreed.x"],
        ),
        ({"note": " "}, "reason_required", ["note"]),
    ):
        refused = script.post(f"{R}adjudications/", body | changes)
        assert code(refused) == (400, expected)
        assert list(problems(refused)) == paths
    assert code(script.post(f"{R}adjudications/", body | {"seen": "x"})) == (409, "reviews_changed")
    assert script.post(f"{R}adjudications/", body).json()["by"] == "ada"
    [one] = script.get(f"{R}adjudications/").json()["results"]
    assert (one["state"], one["adjudication"]["agreed"]) == ("settled", {"usability-value": 3})


def test_what_reviewers_differ_on_comes_in_pages(admin: Script, rita: User, omar: User) -> None:
    release = bed.started()
    gaps = {"feast": 2, "kids": 1, "ramp": 0, "rush": 2}
    for key, low in gaps.items():
        bed.review(release, key, rita, 4)
        bed.review(release, key, omar, low, personalization=4)
    pages = [admin.get(f"{R}adjudications/?limit=3").json()]
    while pages[-1]["next"]:
        pages.append(admin.get(pages[-1]["next"].partition("/api/v1/")[2]).json())
    found = [[one["case_key"] for one in page["results"]] for page in pages]
    assert found == [["ramp", "kids", "feast"], ["rush"]]
    assert [one for page in pages for one in page["results"]] == admin.get(
        f"{R}adjudications/"
    ).json()["results"]
    for bad in ("limit=0", "cursor=WzFd", "cursor=WzEsMiwiYQBiIl0="):
        assert code(admin.get(f"{R}adjudications/?{bad}")) == (400, "bad_parameter")


def test_the_first_look_is_an_event_and_ends_judging(ada: User, rita: User) -> None:
    release = bed.started()
    script = Script(session=ada)
    for _look in range(2):
        assert script.get(f"{R}adjudications/").status_code == 200
    assert list(release.events.filter(by="ada").values_list("kind", flat=True)) == [SEEN]
    bed.assign(release, "feast", rita)
    also(ada, Role.REVIEWER)
    body = {"case_key": "feast", "from": "rita", "to": "ada"}
    assert code(script.post(f"{R}assignments/move/", body)) == (409, "seen_scores")
