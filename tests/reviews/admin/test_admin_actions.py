"""What the admin site does with many rows at once: who may, what it refuses and in which words, and
that it leaves the same rows and events as the pages and the API."""

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Model
from django.test import Client

from cases.models import Event, Release
from evalsite.permissions import Role
from reviews.adjudication.visibility import open_scores
from reviews.admin import base
from reviews.assignments import workflow as assignments_workflow
from reviews.models import Review, SampledCase
from reviews.releases import lifecycle as releases_lifecycle
from reviews.sample import amendments
from tests.bed import reviewed as bed
from tests.bed.api import Script
from tests.bed.cases import NOW
from tests.people import AsUser, make_person

pytestmark = pytest.mark.usefixtures("rubric")

SAMPLE = "/admin/reviews/sampledcase/"
REVIEWS = "/admin/reviews/review/"
NAME = "wanderer-1"
PEOPLE = ["lin", "omar", "rita"]


@pytest.fixture
def team(rita: User, omar: User) -> list[User]:
    return [rita, omar, make_person("lin", Role.REVIEWER)]


@pytest.fixture
def release(team: list[User]) -> Release:
    """In review, with five cases and nothing assigned."""
    return bed.started()


def words(response: Any) -> str:
    page = re.sub(r"<head>.*?</head>", " ", response.content.decode(), flags=re.DOTALL)
    return re.sub(r"\s+", " ", unescape(re.sub("<[^>]*>", " ", page)))


def act(client: Client, path: str, action: str, rows: Any, **data: Any) -> Any:
    """Chooses the rows in a list and sends the action, or the form that comes after it."""
    chosen = [row.pk if isinstance(row, Model) else row for row in rows]
    return client.post(path, {"action": action, "_selected_action": chosen} | data)


def assign(client: Client, rows: Any, **data: Any) -> Any:
    return act(client, SAMPLE, "assign_to_reviewers", rows, **data)


def move(client: Client, rows: Any, **data: Any) -> Any:
    return act(client, REVIEWS, "move_to_another", rows, **data)


def take_back(client: Client, rows: Any, **data: Any) -> Any:
    return act(client, REVIEWS, "take_back", rows, **data)


def sample(release: Release, *keys: str) -> list[SampledCase]:
    rows = SampledCase.objects.of(release).order_by("pk")
    return list(rows.filter(case__case_key__in=keys) if keys else rows)


def seen_on(page: Any) -> str:
    [digest] = re.findall(r'name="seen" value="([0-9a-f]{64})"', page.content.decode())
    return str(digest)


def chosen_on(page: Any) -> list[str]:
    """The rows that the form sends again."""
    return re.findall(r'name="_selected_action" value="(\d+)"', page.content.decode())


def rows_in(release: Release) -> list[tuple[str, str, str]]:
    found = Review.objects.of(release).order_by("case__case_key", "reviewer__username")
    return list(found.values_list("case__case_key", "reviewer__username", "status"))


def told(client: Client, path: str = SAMPLE) -> str:
    return words(client.get(path))


# --- Who may --------------------------------------------------------------------------------------

ACTIONS = [
    (SAMPLE, "assign_to_reviewers"),
    (REVIEWS, "move_to_another"),
    (REVIEWS, "take_back"),
]


@pytest.mark.parametrize(("path", "action"), ACTIONS)
def test_only_admins_act(
    release: Release,
    as_user: AsUser,
    rita: User,
    mina: User,
    sam: User,
    root: User,
    ada: User,
    path: str,
    action: str,
) -> None:
    own = bed.assign(release, "feast", rita)
    rows = [own] if path == REVIEWS else sample(release)
    before = bed.everything()
    data = {"confirm": "1", "taker": "omar", "reason": "r"}
    for user, expected in ((rita, 403), (mina, 403), (sam, 404), (None, 302)):
        client = as_user(user)
        assert client.get(path).status_code == expected
        assert act(client, path, action, rows, **data).status_code == expected
    for user in (ada, root):
        assert act(as_user(user), path, action, rows).status_code == 200
    assert bed.everything() == before


@pytest.mark.parametrize(("path", "action"), ACTIONS)
def test_other_methods_do_nothing(
    release: Release, admin: Client, rita: User, path: str, action: str
) -> None:
    own = bed.assign(release, "feast", rita)
    rows = [own] if path == REVIEWS else sample(release)
    before = bed.everything()
    data = {"action": action, "confirm": "1", "taker": "omar", "reason": "r"}
    # An address that looks like the form: Django takes it for a filter that does not exist.
    answer = admin.get(path, data | {"_selected_action": [row.pk for row in rows]})
    assert answer.status_code == 400
    for method in ("PUT", "PATCH", "DELETE"):
        assert admin.generic(method, path).status_code == 405
    assert bed.everything() == before


@pytest.mark.parametrize(("path", "action"), ACTIONS)
def test_what_is_no_row_is_refused(release: Release, admin: Client, path: str, action: str) -> None:
    before = bed.everything()
    for odd in ("x", "-1", "1;2", "9" * 40, "", " "):
        assert act(admin, path, action, [odd], confirm="1").status_code == 400, odd
    # No row has this key, or has it any more.
    assert act(admin, path, action, ["987654"], confirm="1").status_code == 302
    assert "None of the chosen rows is in this list any more." in told(admin, path)
    assert bed.everything() == before


@pytest.mark.parametrize(("path", "action"), ACTIONS)
def test_more_rows_than_a_page_lists_are_refused(
    release: Release,
    admin: Client,
    rita: User,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
    action: str,
) -> None:
    rows: list[Any] = [bed.assign(release, key, rita) for key in ("feast", "kids")]
    rows = rows if path == REVIEWS else sample(release, "feast", "kids")
    monkeypatch.setattr(base, "MOST_AT_ONCE", 1)
    assert act(admin, path, action, rows[:1]).status_code == 200
    assert act(admin, path, action, rows).status_code == 302
    assert "Choose at most 1 at once." in told(admin, path)


# --- Assign ---------------------------------------------------------------------------------------


def test_chosen_cases_are_planned_looked_at_and_assigned(release: Release, admin: Client) -> None:
    rows = sample(release, "feast", "kids")
    before = bed.everything()
    page = assign(admin, rows)
    assert page.status_code == 200
    assert "4 reviews would be assigned" in words(page)
    assert bed.everything() == before
    few = assign(admin, rows, look="1", reviewers=["omar", "lin"], per_case="1")
    assert "2 reviews would be assigned" in words(few)
    assert "rita – – – not chosen" in words(few)
    data = {"reviewers": ["omar", "lin"], "per_case": "1", "seen": seen_on(few), "confirm": "1"}
    assert assign(admin, chosen_on(few), **data).status_code == 302
    assert "2 reviews are assigned." in told(admin)
    found = rows_in(release)
    assert [(key, state) for key, _name, state in found] == [
        ("feast", "assigned"),
        ("kids", "assigned"),
    ]
    assert {name for _key, name, _state in found} == {"lin", "omar"}
    event = release.events.order_by("-number")[0]
    assert (event.kind, event.by) == ("reviews-planned", "ada")
    after = bed.everything()
    assert assign(admin, chosen_on(few), **data).status_code == 302
    assert "Every case has its reviewers; nothing was to be assigned." in told(admin)
    assert bed.everything() == after


def test_all_cases_of_a_filtered_list_are_chosen_at_once(release: Release, admin: Client) -> None:
    bed.started("other")
    path = f"{SAMPLE}?release__id__exact={release.pk}"
    first = sample(release)[0]
    page = act(admin, path, "assign_to_reviewers", [first], select_across="1", index="0")
    assert "5 cases of wanderer-1 are chosen." in words(page)
    assert len(chosen_on(page)) == 5
    assert f'action="{path}"' in page.content.decode()


def test_a_case_that_somebody_may_not_take_is_refused_with_the_reason(
    team: list[User], admin: Client
) -> None:
    release = bed.filled()
    bed.bring(release, bed.row("feast", *bed.FILLING["feast"], produced_by=["rita"]))
    bed.draw(release)
    release = releases_lifecycle.start(release=release, user=None, now=NOW)
    rows = sample(release)
    page = assign(admin, rows, look="1", reviewers=["rita", "omar"], per_case="2")
    assert "feast: 1 reviewer is missing. Made the case: rita." in words(page)
    data = {"reviewers": ["rita", "omar"], "per_case": "2", "seen": seen_on(page), "confirm": "1"}
    assign(admin, rows, **data)
    assert ("feast", "rita", "assigned") not in rows_in(release)
    list_page = told(admin)
    assert "9 reviews are assigned." in list_page
    assert "1 place is still nobody's." in list_page


def test_a_case_that_left_the_sample_is_left_out_in_the_words_of_the_workflow(
    release: Release, admin: Client
) -> None:
    amendments.withdraw(
        release=release, case_key="kids", cause="broken", reason="r", user=None, now=NOW
    )
    page = assign(admin, sample(release, "kids", "feast"))
    assert "1 of the chosen is left out kids : kids is not in the sample." in words(page)
    assert chosen_on(page) == [str(row.pk) for row in sample(release, "feast")]
    alone = assign(admin, sample(release, "kids"))
    assert "kids is not in the sample." in words(alone)
    assert chosen_on(alone) == []


@pytest.mark.parametrize("state", ["draft", "closed"])
def test_a_release_that_is_not_in_review_refuses_in_the_words_of_the_api(
    team: list[User], admin: Client, ada: User, state: str
) -> None:
    release = bed.drawn() if state == "draft" else bed.judged(team[0], team[1], *bed.GOOD)
    before = bed.everything()
    answer = Script(session=ada).post(f"releases/{NAME}/assignments/", {})
    for data in ({}, {"confirm": "1", "seen": "x", "reviewers": PEOPLE}):
        page = assign(admin, sample(release), **data)
        assert page.status_code == answer.status_code == 409
        assert answer.json()["detail"] in words(page)
        assert chosen_on(page) == []
    assert bed.everything() == before


def test_cases_of_several_releases_are_not_planned_together(
    release: Release, admin: Client
) -> None:
    rows = [*sample(release), *sample(bed.started("other"))]
    assert assign(admin, rows).status_code == 302
    assert "The chosen cases belong to other, wanderer-1." in told(admin)


def test_a_plan_that_changed_or_that_nobody_looked_at_is_not_written(
    release: Release, admin: Client, rita: User
) -> None:
    rows = sample(release)
    seen = seen_on(assign(admin, rows))
    bed.assign(release, "feast", rita)
    before = bed.everything()
    for digest in (seen, "", "x"):
        page = assign(admin, rows, reviewers=PEOPLE, per_case="2", seen=digest, confirm="1")
        assert page.status_code == 409
        assert "Something changed since you looked" in words(page)
    # Other people than those of the plan that was looked at.
    other = seen_on(assign(admin, rows))
    page = assign(admin, rows, reviewers=["rita", "lin"], per_case="2", seen=other, confirm="1")
    assert page.status_code == 409
    assert bed.everything() == before


def test_bad_wishes_are_refused_in_the_words_of_the_api(
    release: Release, admin: Client, ada: User, mina: User
) -> None:
    before = bed.everything()
    api = Script(session=ada)
    for names in ([], ["mina"], ["nobody", "rita"]):
        answer = api.post(f"releases/{NAME}/assignments/", {"reviewers": names})
        for step in ("look", "confirm"):
            page = assign(admin, sample(release), **{step: "1"}, reviewers=names, per_case="2")
            assert page.status_code == 409
            assert answer.json()["detail"] in words(page)
    for per_case in ("0", "21", "-1", "two", "1.5"):
        page = assign(admin, sample(release), look="1", reviewers=PEOPLE, per_case=per_case)
        assert page.status_code == 422, per_case
        assert "errorlist" in page.content.decode()
    assert bed.everything() == before


# --- Move -----------------------------------------------------------------------------------------


def test_many_reviews_move_to_one_person(release: Release, team: list[User], admin: Client) -> None:
    rita, omar, _lin = team
    own = [bed.assign(release, "feast", rita), bed.assign(release, "kids", omar)]
    page = move(admin, own)
    assert "2 reviews are chosen" in words(page)
    data = {"taker": "lin", "confirm": "1"}
    assert move(admin, chosen_on(page), **data).status_code == 302
    assert "2 reviews are moved to lin." in told(admin, REVIEWS)
    assert rows_in(release) == [
        ("feast", "lin", "assigned"),
        ("feast", "rita", "withdrawn"),
        ("kids", "lin", "assigned"),
        ("kids", "omar", "withdrawn"),
    ]
    after = bed.everything()
    assert move(admin, own, **data).status_code == 302
    assert move(admin, own).status_code == 302
    assert "None of them is open; nothing changed." in told(admin, REVIEWS)
    assert bed.everything() == after


def test_what_cannot_move_refuses_the_whole_and_says_why_of_each(
    team: list[User], admin: Client
) -> None:
    rita, _omar, lin = team
    release = bed.filled()
    bed.bring(release, bed.row("ramp", *bed.FILLING["ramp"], produced_by=["lin"]))
    bed.draw(release)
    release = releases_lifecycle.start(release=release, user=None, now=NOW)
    own = {key: bed.assign(release, key, rita) for key in ("feast", "kids", "ramp", "rush")}
    bed.assign(release, "kids", lin)
    listed = words(move(admin, own.values()))
    assert "ramp: made the case" in listed
    assert "kids: on the case already" in listed
    bed.submit(own["rush"])
    before = bed.everything()
    page = move(admin, own.values(), taker="lin", confirm="1")
    assert page.status_code == 409
    assert bed.everything() == before
    text = words(page)
    assert "3 reviews cannot be moved, so nothing was moved" in text
    for key, sentence in (
        ("kids", "lin has kids already."),
        ("ramp", "lin made ramp and does not review it."),
        ("rush", "rita has no unsubmitted review there."),
    ):
        assert f"{key} , rita : {sentence}" in text
    # The form sends the rest, for the same person.
    assert chosen_on(page) == [str(own["feast"].pk)]
    assert 'value="lin" checked' in page.content.decode()
    assert move(admin, chosen_on(page), taker="lin", confirm="1").status_code == 302
    assert ("feast", "lin", "assigned") in rows_in(release)


def test_reviews_that_are_not_open_are_left_out_of_moving(
    release: Release, team: list[User], admin: Client
) -> None:
    own = [bed.assign(release, "feast", team[0]), bed.review(release, "kids", team[1])]
    page = move(admin, own)
    assert "kids : omar has no unsubmitted review there." in words(page)
    assert chosen_on(page) == [str(own[0].pk)]


def test_nobody_moves_a_review_to_somebody_who_has_seen_scores(
    release: Release, team: list[User], admin: Client
) -> None:
    own = bed.assign(release, "feast", team[0])
    open_scores(release=release, user=team[2], now=NOW)
    before = bed.everything()
    page = move(admin, [own], taker="lin", confirm="1")
    assert page.status_code == 409
    assert "lin has seen others' scores in this release and cannot be assigned." in words(page)
    assert bed.everything() == before


def test_moving_takes_an_active_reviewer(
    release: Release, team: list[User], admin: Client, mina: User
) -> None:
    own = bed.assign(release, "feast", team[0])
    User.objects.filter(username="lin").update(is_active=False)
    before = bed.everything()
    for taker in ("mina", "lin", "nobody", ""):
        page = move(admin, [own], taker=taker, confirm="1")
        assert page.status_code == 422
        if taker:
            assert f"{taker} is no active reviewer." in words(page)
    assert bed.everything() == before


# --- Take back ------------------------------------------------------------------------------------


def test_chosen_reviews_are_taken_back_with_a_reason(
    release: Release, team: list[User], admin: Client
) -> None:
    rita, omar, _lin = team
    open_ones = [bed.assign(release, "feast", rita), bed.assign(release, "kids", rita)]
    done = bed.review(release, "kids", omar)
    page = take_back(admin, [*open_ones, done])
    assert "kids : omar has no unsubmitted review there." in words(page)
    before = bed.everything()
    for reason in ("", " ", "x" * 501):
        answer = take_back(admin, open_ones, reason=reason, confirm="1")
        assert answer.status_code == 422
    assert bed.everything() == before
    data = {"reason": "too much at once", "confirm": "1"}
    assert take_back(admin, chosen_on(page), **data).status_code == 302
    assert "2 reviews are taken back." in told(admin, REVIEWS)
    assert rows_in(release) == [
        ("feast", "rita", "withdrawn"),
        ("kids", "omar", "submitted"),
        ("kids", "rita", "withdrawn"),
    ]
    event = release.events.order_by("-number")[0]
    assert (event.kind, event.by, event.data["cases"]) == (
        "reviews-taken-back",
        "ada",
        ["feast", "kids"],
    )
    after = bed.everything()
    assert take_back(admin, [*open_ones, done], **data).status_code == 302
    assert "None of them is open; nothing changed." in told(admin, REVIEWS)
    assert bed.everything() == after


def test_what_a_closed_release_left_open_is_not_taken_back(
    release: Release, team: list[User], admin: Client
) -> None:
    own = bed.assign(release, "feast", team[0])
    releases_lifecycle.abandon(release=release, reason="r", user=None, now=NOW)
    before = bed.everything()
    page = take_back(admin, [own], reason="enough", confirm="1")
    assert page.status_code == 409
    assert "wanderer-1 is closed, so nothing in it can change." in words(page)
    refused = move(admin, [own], taker="lin", confirm="1")
    assert refused.status_code == 409
    assert "wanderer-1 is closed, so nothing in it can change." in words(refused)
    assert bed.everything() == before


# --- The same by page, by API and here ------------------------------------------------------------


def left_by(release: Release, do: Callable[[], object]) -> tuple[list[Any], list[Any]]:
    """The rows and events that an act leaves, without keys and moments; then it is forgotten."""
    with transaction.atomic():
        do()
        events = Event.objects.filter(release=release).order_by("number")
        found = (
            rows_in(release),
            list(events.values_list("number", "kind", "by", "data")),
        )
        transaction.set_rollback(True)
    return found


def test_page_api_and_admin_site_leave_the_same_rows_and_events(
    release: Release, team: list[User], admin: Client, ada: User
) -> None:
    api = Script(session=ada)
    rita, _omar, _lin = team

    def by_page() -> None:
        plan = f"/releases/{NAME}/assignments/plan/"
        asked = {"chosen": "1", "reviewers": ",".join(PEOPLE), "per_case": "2"}
        admin.post(plan, asked | {"seen": seen_on(admin.get(plan, asked))})

    def by_api() -> None:
        api.post(f"releases/{NAME}/assignments/", {"reviewers": PEOPLE, "per_case": 2})

    def here() -> None:
        data = {"reviewers": PEOPLE, "per_case": "2"}
        page = assign(admin, sample(release), look="1", **data)
        assign(admin, sample(release), confirm="1", seen=seen_on(page), **data)

    done = left_by(release, here)
    assert len(done[0]) == 10
    assert left_by(release, by_api) == done
    assert left_by(release, by_page) == done

    own = bed.assign(release, "feast", rita)
    by_hand = f"/releases/{NAME}/assignments/{own.case.code}/rita/"
    call = f"releases/{NAME}/assignments/"
    reason = {"reason": "enough"}
    moving = {"case_key": "feast", "from": "rita", "to": "lin"}
    done = left_by(release, lambda: move(admin, [own], taker="lin", confirm="1"))
    assert ("feast", "lin", "assigned") in done[0]
    assert left_by(release, lambda: api.post(f"{call}move/", moving)) == done
    assert left_by(release, lambda: admin.post(f"{by_hand}move/", {"taker": "lin"})) == done

    ending = {"case_key": "feast", "reviewer": "rita"} | reason
    done = left_by(release, lambda: take_back(admin, [own], confirm="1", **reason))
    assert ("feast", "rita", "withdrawn") in done[0]
    assert left_by(release, lambda: api.post(f"{call}withdraw/", ending)) == done
    assert left_by(release, lambda: admin.post(f"{by_hand}withdraw/", reason)) == done


def test_moving_many_is_all_or_none(release: Release, team: list[User], ada: User) -> None:
    rita, omar, lin = team
    own = [bed.assign(release, "feast", rita), bed.assign(release, "feast", omar)]
    before = bed.everything()
    keys = [review.pk for review in own]
    with pytest.raises(assignments_workflow.NotMoved) as refused:
        assignments_workflow.move_many(reviews=keys, taker=lin, user=ada, now=NOW)
    # The first could move; then lin has the case.
    assert list(refused.value.by_review) == [own[1].pk]
    assert refused.value.sentences == ["lin has feast already."]
    assert bed.everything() == before
    assert assignments_workflow.move_many(reviews=[], taker=lin, user=ada, now=NOW) == []
    [moved] = assignments_workflow.move_many(reviews=keys[:1], taker=lin, user=ada, now=NOW)
    assert (moved.reviewer, moved.status) == (lin, "assigned")
