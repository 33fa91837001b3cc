"""The pages of who reviews what: who may, what they show, and what becomes of bad or late input."""

import re
from datetime import date, timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from cases.models import Case, Release
from cases.releases import workdays
from evalsite.permissions import READ, ROUTES, Role
from reviews.adjudication.visibility import open_scores
from reviews.assignments import workflow as assignments_workflow
from reviews.assignments.plan import Reason, Why
from reviews.assignments.reasons import describe_reason, describe_uneven_reason
from reviews.desk import workflow as desk_workflow
from reviews.models import Absence, Review, Reviewer
from reviews.people import workflow as people_workflow
from reviews.releases import lifecycle as releases_lifecycle
from reviews.releases import waivers as releases_waivers
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.people import AsUser, make_person

pytestmark = pytest.mark.usefixtures("rubric")

NAME = "wanderer-1"
HERE = f"/releases/{NAME}/assignments/"
PLAN = f"{HERE}plan/"

PAGES = [
    *("assignments", "assignments-plan", "assignments-due-date", "assignments-hand-on"),
    "assignments-remind",
    *("assignment-again", "assignment-give", "assignment-move", "assignment-withdraw"),
]
WITH_A_CASE = ["assignment-again", "assignment-give", "assignment-move", "assignment-withdraw"]
WITH_A_PERSON = [
    *("assignments-hand-on", "assignments-remind"),
    *("assignment-move", "assignment-withdraw"),
]


@pytest.fixture
def team(rita: User, omar: User) -> list[User]:
    return [rita, omar, make_person("lin", Role.REVIEWER)]


@pytest.fixture
def release(team: list[User]) -> Release:
    """In review; rita has feast, and nobody has anything else."""
    release = bed.started()
    bed.assign(release, "feast", team[0])
    return bed.current(release)


def address(
    page: str, *, name: str = NAME, case: str = "feast", code: str = "", username: str = "rita"
) -> str:
    values: dict[str, Any] = {"name": name}
    if page in WITH_A_CASE:
        values["code"] = code or Case.objects.get(case_key=case, release__name=NAME).code
    if page in WITH_A_PERSON:
        values["username"] = username
    return reverse(page, kwargs=values)


def words(response: Any) -> str:
    page = re.sub(r"<head>.*?</head>", " ", response.content.decode(), flags=re.DOTALL)
    return re.sub(r"\s+", " ", unescape(re.sub("<[^>]*>", " ", page)))


def section(response: Any, marker: str) -> str:
    found = re.search(
        rf"<section[^>]*{marker}[^>]*>(.*?)</section>", response.content.decode(), re.DOTALL
    )
    if not found:
        return ""
    return re.sub(r"\s+", " ", unescape(re.sub("<[^>]*>", " ", found[1])))


def rows(release: Release) -> list[tuple[str, str, str]]:
    found = Review.objects.of(release).order_by("case__case_key", "reviewer__username")
    return list(found.values_list("case__case_key", "reviewer__username", "status"))


def seen_on(response: Any) -> dict[str, str]:
    """What the form of the preview sends."""
    page = response.content.decode()
    [form] = re.findall(r'<form method="post" action="[^"]*plan/">.*?</form>', page, re.DOTALL)
    found = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', form)
    return {name: unescape(value) for name, value in found if name != "csrfmiddlewaretoken"}


def due(release: Release, day: date) -> None:
    bed.make_due(release, day)


# --- Who may --------------------------------------------------------------------------------------


def test_each_page_opens_for_those_it_is_for(
    release: Release, admin: Client, manager: Client
) -> None:
    for role, client in ((Role.ADMIN, admin), (Role.MANAGER, manager)):
        pages = [page for page in PAGES if READ in ROUTES[page]]
        answers = {page: client.get(address(page)).status_code for page in pages}
        assert answers == {page: 200 if role in ROUTES[page][READ] else 403 for page in pages}


def test_reviewers_are_refused_before_anything_is_looked_up(
    release: Release, as_user: AsUser, rita: User
) -> None:
    """What else is refused to whom is walked in tests/security/test_permissions.py."""
    before, client = bed.everything(), as_user(rita)
    for page in PAGES:
        there = address(page)
        for path in (there, there.replace(NAME, "no-such-release")):
            assert client.generic(next(iter(ROUTES[page])), path).status_code == 403, page
    assert bed.everything() == before


def test_a_release_case_or_person_that_is_not_there_is_not_found(
    release: Release, root: User, sam: User
) -> None:
    other = bed.started("other").cases.get(case_key="feast").code
    spare = Case.objects.get(case_key="spare-1", release=release).code
    client = Client()
    client.force_login(root)
    paths = [(page, address(page, name="no-such-release")) for page in PAGES]
    paths += [
        (page, address(page, code=code)) for page in WITH_A_CASE for code in ("BBBBB", other, spare)
    ]
    paths += [
        (page, address(page, username=username))
        for page in WITH_A_PERSON
        for username in ("nobody", "sam", "omar")
    ]
    found = [
        (method, path)
        for page, path in paths
        for method in ROUTES[page]
        if client.generic(method, path).status_code != 404
    ]
    assert found == []


def test_a_manager_reads_and_is_shown_no_control(release: Release, manager: Client) -> None:
    due(release, date(2020, 1, 1))
    page = manager.get(HERE)
    assert "An admin does this." in section(page, "next-step")
    assert page.content.decode().split('id="content"')[1].count("<form") == 1  # the search
    assert "/give/" not in page.content.decode()
    assert "/move/" not in page.content.decode()


# --- The grid -------------------------------------------------------------------------------------


def cells(response: Any) -> dict[str, dict[str, str]]:
    """Case key -> person -> what the cell says."""
    page = response.content.decode()
    table = re.search(r'<table class="list cards case-grid">.*?</table>', page, re.DOTALL)
    assert table
    found: dict[str, dict[str, str]] = {}
    for row in re.findall(r"<tr>(.*?)</tr>", table[0].split("<tbody>")[1], re.DOTALL):
        key = re.findall(r"<bdi>([^<]*)</bdi>", row)[0]
        own = re.findall(r'<td data-label="([^"]*)"[^>]*>(.*?)</td>', row, re.DOTALL)
        found[key] = {
            who: re.sub(r"\s+", " ", unescape(re.sub("<[^>]*>", " ", said))).strip()
            for who, said in own
        }
    return found


def test_the_grid_says_of_every_review_how_far_it_is(
    release: Release, team: list[User], admin: Client
) -> None:
    rita, omar = team[:2]
    bed.review(release, "kids", rita)
    draft = bed.assign(release, "kids", omar)
    said = bed.judgement(3)
    desk_workflow.save_draft(review=draft.pk, user=omar, version=0, said=said, now=NOW)
    gone = bed.assign(release, "ramp", omar)
    desk_workflow.decline(review=gone.pk, user=omar, cause="conflict", reason="My trip.", now=NOW)
    bed.assign(release, "rush", omar)
    assignments_workflow.withdraw(
        release=release, case_key="rush", reviewer=omar, reason="r", user=None, now=NOW
    )
    page = admin.get(HERE)
    grid = cells(page)
    assert grid["feast"]["rita"] == "assigned Move Take back"
    assert grid["kids"]["rita"] == "submitted"
    assert grid["kids"]["omar"] == "begun Move Take back"
    assert grid["ramp"]["omar"] == "declined conflict of interest Reason My trip."
    assert grid["rush"]["omar"] == "withdrawn"
    assert "lin" not in grid["feast"]
    assert grid["kids"]["Reviews"] == "1 of 2 in Assign …"
    assert grid["feast"]["Reviews"] == "0 of 2 in 1 missing Assign …"
    code = Case.objects.get(case_key="feast", release=release).code
    assert code in words(page)
    assert bed.TEXT_OF["feast"] in grid["feast"]["Kind"]


def test_cases_are_found_by_key_code_and_person(
    release: Release, team: list[User], admin: Client
) -> None:
    bed.assign(release, "kids", team[1])
    code = Case.objects.get(case_key="rush", release=release).code
    found = {q: sorted(cells(admin.get(HERE, {"q": q}))) for q in ("fea", code.lower(), "omar")}
    assert found == {"fea": ["feast"], code.lower(): ["rush"], "omar": ["kids"]}
    assert sorted(cells(admin.get(HERE, {"show": "open"}))) == ["feast", "kids"]
    assert len(cells(admin.get(HERE, {"show": "lacking"}))) == 5
    assert "No case fits." in words(admin.get(HERE, {"show": "late"}))
    for odd in ("<b>x</b>", "x" * 3000, "%"):
        answer = admin.get(HERE, {"q": odd, "show": odd, "page": odd})
        assert answer.status_code == 200
        assert "<b>x" not in answer.content.decode()


def test_a_draft_and_a_closed_release_have_no_controls(rita: User, admin: Client) -> None:
    release = bed.drawn()
    page = admin.get(HERE)
    assert "Start the review first" in section(page, "next-step")
    assert "Give to" not in words(page)
    releases_lifecycle.start(release=release, user=None, now=NOW)
    bed.assign(release, "feast", rita)
    releases_lifecycle.abandon(release=release, reason="r", user=None, now=NOW)
    page = admin.get(HERE)
    assert cells(page)["feast"]["rita"] == "assigned"
    assert section(page, "next-step") == ""
    assert "Remind" not in words(page)


# --- What stands out ------------------------------------------------------------------------------


def test_the_next_step_counts_what_is_missing_until_nothing_is(
    release: Release, admin: Client
) -> None:
    assert "5 cases lack reviewers. 9 reviews are not assigned yet." in section(
        admin.get(HERE), "next-step"
    )
    assignments_workflow.assign_by_plan(
        release=release, usernames=None, per_case=None, user=None, now=NOW
    )
    page = admin.get(HERE)
    assert section(page, "next-step") == ""
    assert "Every case has its reviewers." in words(page)


def test_only_the_day_after_the_due_date_is_late(release: Release, admin: Client) -> None:
    today = timezone.localdate()
    due(release, today)
    assert section(admin.get(HERE), "attention") == ""
    due(release, today - timedelta(days=1))
    page = admin.get(HERE)
    assert "rita 1 open review" in section(page, "attention")
    assert cells(page)["feast"]["rita"] == "assigned, late Move Take back"


def test_late_work_is_planned_again_with_one_click(
    release: Release, admin: Client, team: list[User]
) -> None:
    due(release, date(2020, 1, 1))
    answer = admin.post(address("assignments-hand-on"), {"reason": "late"})
    assert answer.headers["Location"] == HERE
    assert ("feast", "rita", "withdrawn") in rows(release)
    assert "2 reviews are assigned." in words(admin.get(HERE))
    # What nobody else can take stays, and is said not as a success.
    assignments_workflow.assign(
        release=release, case_key="kids", reviewer=team[0], user=None, now=NOW
    )
    Reviewer.objects.exclude(user=team[0]).update(capacity=1)
    looked = words(admin.get(address("assignments-hand-on")))
    assert "No one else can take kids, so these stay with rita." in looked
    assert "No room left: lin, omar." in looked
    stays = admin.post(address("assignments-hand-on"), {"reason": "late"})
    assert stays.status_code == 409
    assert "No one else can take kids, so all reviews stay with rita." in words(stays)
    assignments_workflow.assign(
        release=release, case_key="ramp", reviewer=team[0], user=None, now=NOW
    )
    Reviewer.objects.filter(user=team[1]).update(capacity=2)
    admin.post(address("assignments-hand-on"), {"reason": "late"})
    page = admin.get(HERE)
    assert "1 review is assigned." in words(page)
    assert re.search(
        r'class="warning">\s*No one else can take (kids|ramp), so these stay', page.content.decode()
    )
    Reviewer.objects.update(capacity=20)
    admin.post(address("assignments-hand-on"), {"reason": "late"})
    before = bed.everything()
    again = admin.post(address("assignments-hand-on"), {"reason": "late"})
    assert again.status_code == 409
    assert "rita has no unsubmitted review there." in words(again)
    assert bed.everything() == before


@pytest.mark.parametrize("left", ["deactivated", "no longer a reviewer"])
def test_open_work_of_somebody_who_left_stands_out_and_goes_to_others(
    release: Release, admin: Client, team: list[User], ada: User, left: str
) -> None:
    bed.review(release, "kids", team[0])
    if left == "deactivated":
        people_workflow.deactivate(by=ada, user=team[0])
    else:
        team[0].groups.clear()
    page = admin.get(HERE)
    assert f"rita {left} 1 open review" in section(page, "attention")
    assert f'name="reason" value="{left}"' in page.content.decode()
    admin.post(address("assignments-hand-on"), {"reason": left})
    assert ("kids", "rita", "submitted") in rows(release)
    assert ("feast", "rita", "withdrawn") in rows(release)
    assert {who for case, who, how in rows(release) if case == "feast" and how == "assigned"} == {
        "omar",
        "lin",
    }
    assert section(admin.get(HERE), "attention") == ""


def test_a_declined_case_stands_out_until_somebody_came_in(
    release: Release, admin: Client, team: list[User]
) -> None:
    own = Review.objects.get()
    desk_workflow.decline(
        review=own.pk, user=team[0], cause="conflict", reason="<i>Mine</i>.", now=NOW
    )
    page = admin.get(HERE)
    assert "rita conflict of interest <i>Mine</i>." in section(page, "attention")
    assert "<i>Mine" not in page.content.decode()
    answer = admin.post(address("assignment-again"))
    assert answer.headers["Location"] == HERE
    page = admin.get(HERE)
    assert "feast is assigned to lin, omar." in words(page)
    assert section(page, "attention") == ""
    before = bed.everything()
    assert admin.post(address("assignment-again")).status_code == 302
    assert bed.everything() == before


def test_when_nobody_can_take_a_declined_case_the_plan_says_why(rita: User, admin: Client) -> None:
    release = bed.started(k=1)
    own = bed.assign(release, "feast", rita)
    desk_workflow.decline(review=own.pk, user=rita, cause="language", reason="r", now=NOW)
    answer = admin.post(address("assignment-again"), follow=True)
    assert answer.redirect_chain[-1][0] == PLAN
    assert "No one can take feast. The plan gives the reasons." in words(answer)
    assert "feast: 1 reviewer is missing. Declined it: rita." in words(answer)


# --- Progress and messages ------------------------------------------------------------------------


def person(response: Any, username: str) -> str:
    page = response.content.decode()
    found = re.search(
        rf'<tr id="person-\d+"[^>]*>\s*<th scope="row"><bdi>{username}</bdi>.*?</tr>',
        page,
        re.DOTALL,
    )
    assert found
    return re.sub(r"\s+", " ", unescape(re.sub("<[^>]*>", " ", found[0]))).strip()


def test_progress_counts_reviews_and_tells_no_score(
    release: Release, team: list[User], admin: Client
) -> None:
    bed.review(release, "kids", team[0], 0)
    other = bed.started("other")
    bed.assign(other, "feast", team[0])
    assert person(admin.get(HERE), "rita").startswith("rita 1 of 2 – 1 – 2 of 20")
    low = admin.get(HERE).content
    bed.review(release, "kids", team[0], 5)
    high = admin.get(HERE).content
    assert strip_tokens(low) == strip_tokens(high)


def strip_tokens(page: bytes) -> bytes:
    return re.sub(rb'name="csrfmiddlewaretoken" value="[^"]*"', b"", page)


# --- The due date ---------------------------------------------------------------------------------


def test_the_due_date_is_changed_here_and_warned_about_never_refused(
    release: Release, admin: Client
) -> None:
    answer = admin.post(address("assignments-due-date"), {"due_date": "2035-10-01"})
    assert answer.headers["Location"] == HERE
    page = words(admin.get(HERE))
    assert "Saved. Oct. 1, 2035 is a public holiday in China: National Day." in page
    assert bed.current(release).due_date == date(2035, 10, 1)
    before = bed.everything()
    admin.post(address("assignments-due-date"), {"due_date": "2035-10-01"})
    assert bed.everything() == before
    admin.post(address("assignments-due-date"), {"due_date": ""})
    assert bed.current(release).due_date is None


def test_a_due_date_that_cannot_be_is_said_in_words_and_stays(
    release: Release, admin: Client
) -> None:
    before = bed.everything()
    answer = admin.post(address("assignments-due-date"), {"due_date": "soon<b>"})
    assert answer.status_code == 422
    assert "Due date : Enter a valid date." in words(answer)
    assert 'value="soon&lt;b&gt;"' in answer.content.decode()
    releases_lifecycle.abandon(release=release, reason="r", user=None, now=NOW)
    after = bed.everything()
    late = admin.post(address("assignments-due-date"), {"due_date": "2035-10-01"})
    assert late.status_code == 409
    assert "is closed, so nothing in it can change" in words(late)
    assert bed.everything() == after != before


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_the_edit_page_warns_and_shows_a_date_that_browsers_take(
    release: Release, admin: Client, language: str
) -> None:
    admin.cookies["django_language"] = language
    path = reverse("release-edit", args=[NAME])
    answer = admin.post(path, {"due_date": "2035-11-17"}, follow=True)
    assert '<li class="warning">' in answer.content.decode()
    page = admin.get(path).content.decode()
    assert '<p class="warn">' in page
    assert 'value="2035-11-17"' in page


@pytest.mark.parametrize(
    ("day", "said"),
    [
        (date(2026, 11, 20), ""),
        (date(2026, 11, 21), "Nov. 21, 2026 is a Saturday."),
        (date(2026, 11, 22), "Nov. 22, 2026 is a Sunday."),
        (date(2026, 10, 1), "Oct. 1, 2026 is a public holiday in China: National Day."),
        (date(2026, 10, 10), ""),  # a Saturday on which China works
        (date(2200, 10, 1), ""),  # a Wednesday that the calendar does not know
        (date(9999, 12, 31), ""),
        (None, ""),
    ],
)
def test_weekends_and_holidays_in_china_are_known(day: date | None, said: str) -> None:
    assert workdays.warning_about(day) == said


# --- The plan -------------------------------------------------------------------------------------


def test_a_plan_is_seen_first_and_written_as_it_was_seen(
    release: Release, team: list[User], admin: Client
) -> None:
    before = bed.everything()
    page = admin.get(PLAN)
    assert "9 reviews would be assigned" in words(page)
    assert bed.everything() == before
    seen = seen_on(page)
    answer = admin.post(PLAN, seen)
    assert answer.headers["Location"] == HERE
    assert "9 reviews are assigned." in words(admin.get(HERE))
    assert len(rows(release)) == 10
    event = release.events.order_by("-number")[0]
    assert (event.kind, event.by) == ("reviews-planned", "ada")
    after = bed.everything()
    again = admin.post(PLAN, seen)
    assert again.status_code == 302
    assert "there was nothing to assign" in words(admin.get(HERE))
    assert bed.everything() == after


def test_loads_before_and_after_stand_against_the_capacity(
    release: Release, team: list[User], admin: Client
) -> None:
    Reviewer.objects.filter(user=team[2]).update(capacity=1)
    page = words(admin.get(PLAN))
    assert re.search(r"lin 0 \+1 1 1 of 1 fewer than others \(up to 5\): no room left", page)
    assert re.search(r"rita 1 \+\d \d \d of 20 –", page)


def test_a_plan_that_changed_since_is_said_and_shown_anew(
    release: Release, team: list[User], admin: Client
) -> None:
    seen = seen_on(admin.get(PLAN))
    bed.assign(release, "kids", team[1])
    before = bed.everything()
    answer = admin.post(PLAN, seen)
    assert answer.status_code == 409
    assert "The plan has changed since you opened this page" in words(answer)
    assert "8 reviews would be assigned" in words(answer)
    assert bed.everything() == before
    assert admin.post(PLAN, seen_on(answer)).status_code == 302
    assert len(rows(release)) == 10


def test_people_and_number_are_chosen_and_kept_through_the_write(
    release: Release, team: list[User], admin: Client
) -> None:
    page = admin.get(PLAN, {"chosen": "1", "reviewers": ["omar", "lin"], "per_case": "1"})
    assert "4 reviews would be assigned" in words(page)
    ticked = re.findall(r'value="(\w+)" checked', page.content.decode())
    assert ticked == ["lin", "omar"]
    assert "rita – – – – not chosen" in words(page)
    admin.post(PLAN, seen_on(page))
    assert {who for _case, who, _how in rows(release)} == {"rita", "omar", "lin"}
    assert len(rows(release)) == 5
    same = admin.get(PLAN, {"reviewers": "omar,lin", "per_case": "2"})
    assert re.findall(r'value="(\w+)" checked', same.content.decode()) == ["lin", "omar"]


WISHES = [
    ({"per_case": "many"}, "Enter a whole number."),
    ({"per_case": "0"}, "greater than or equal to 1"),
    ({"per_case": "21"}, "less than or equal to 20"),
    ({"reviewers": "ghost"}, "ghost is not an active reviewer."),
    ({"reviewers": "ada"}, "ada is not an active reviewer."),
    ({"reviewers": "<b>"}, "<b> is not an active reviewer."),
    ({"chosen": "1"}, "Choose at least one person."),
]


def test_wishes_that_cannot_be_are_said_and_nothing_is_written(
    release: Release, admin: Client
) -> None:
    before = bed.everything()
    for asked, sentence in WISHES:
        for answer in (admin.get(PLAN, asked), admin.post(PLAN, asked)):
            assert answer.status_code in (409, 422), asked
            page, text = answer.content.decode(), words(answer)
            assert sentence in text, asked
            assert 'role="alert"' in page, asked
            assert "<b>" not in page, asked
            if "per_case" in asked:
                assert f'value="{asked["per_case"]}"' in page
            assert "rita" in text
    assert bed.everything() == before


def test_a_plan_without_a_look_is_not_written(release: Release, admin: Client) -> None:
    before = bed.everything()
    for seen in ({}, {"seen": ""}, {"seen": "f" * 64}):
        assert admin.post(PLAN, seen).status_code == 409
    assert bed.everything() == before


@pytest.mark.parametrize("state", ["drawn", "ended"])
def test_a_release_that_is_not_in_review_is_not_planned(
    rita: User, admin: Client, state: str
) -> None:
    release = bed.drawn()
    if state == "ended":
        releases_lifecycle.abandon(release=release, reason="r", user=None, now=NOW)
    before = bed.everything()
    for answer in (admin.get(PLAN), admin.post(PLAN, {"seen": "x"})):
        assert answer.status_code in (409, 422)
        assert re.search("still a draft|is closed, so", words(answer))
    assert bed.everything() == before


def test_every_gap_has_its_reason_in_words(rita: User, omar: User, admin: Client) -> None:
    make_person("lin", Role.REVIEWER, languages=("ja",))
    away = make_person("noor", Role.REVIEWER)
    full = make_person("pia", Role.REVIEWER)
    Reviewer.objects.filter(user=full).update(capacity=0)
    Absence.objects.create(
        reviewer=away.reviewer,
        first_date=timezone.localdate() - timedelta(days=1),
        last_date=timezone.localdate() + timedelta(days=9),
    )
    release = bed.filled(without=["feast"])
    bed.bring(release, bed.row("feast", *bed.FILLING["feast"], produced_by=["omar"]))
    bed.draw(release)
    release = releases_lifecycle.start(release=bed.current(release), user=None, now=NOW)
    open_scores(release=release, user=rita, now=NOW)
    text = words(admin.get(PLAN))
    assert "feast: 2 reviewers are missing." in text
    assert "Cannot read English, Chinese: lin." in text
    assert "Away today: noor." in text
    assert "No room left: pia." in text
    assert "Made the case: omar." in text
    assert "Saw others' scores in this release: rita." in text
    assert "kids, ramp, rush, thrift: 1 reviewer is missing." in text


def test_every_reason_of_the_planner_has_words() -> None:
    today = date(2026, 11, 17)
    said = [
        tell(Reason(one, 3, ("zh", "ja")), due=due, today=today)
        for one in Why
        for tell in (describe_reason, describe_uneven_reason)
        for due in (None, today)
    ]
    assert all(said)
    assert "cannot read Chinese, Japanese (3 reviews)" in said
    assert "away until the due date" in said


# --- By hand --------------------------------------------------------------------------------------


def options(response: Any) -> list[str]:
    return re.findall(r'<option value="([^"]+)"', response.content.decode())


def test_a_case_is_given_by_hand_and_sent_twice_it_happens_once(
    release: Release, team: list[User], admin: Client
) -> None:
    page = admin.get(address("assignment-give"))
    assert options(page) == ["lin", "omar"]
    assert "Cannot take it: rita (has this case already)." in words(page)
    assert "omar, 0 of 20 open" in words(page)
    answer = admin.post(address("assignment-give"), {"taker": "omar"})
    assert answer.headers["Location"] == HERE
    assert "feast is assigned to omar." in words(admin.get(HERE))
    before = bed.everything()
    assert admin.post(address("assignment-give"), {"taker": "omar"}).status_code == 302
    assert bed.everything() == before


def test_what_speaks_against_somebody_is_said_but_an_admin_decides(
    release: Release, team: list[User], admin: Client
) -> None:
    Reviewer.objects.filter(user=team[2]).update(languages=["ja"], capacity=0)
    page = admin.get(address("assignment-give"))
    assert "lin, 0 of 0 open (cannot read English, Chinese; no room left)" in words(page)
    admin.post(address("assignment-give"), {"taker": "lin"})
    assert ("feast", "lin", "assigned") in rows(release)


@pytest.mark.parametrize("page", ["assignment-give", "assignment-move"])
def test_somebody_who_cannot_take_it_is_refused_and_stays_chosen(
    release: Release, team: list[User], admin: Client, page: str
) -> None:
    open_scores(release=release, user=team[1], now=NOW)
    before = bed.everything()
    for taker, code, sentence in (
        ("", 422, "This field is required."),
        ("ada", 422, "ada is not an active reviewer."),
        ("a\0b", 422, "Null characters are not allowed."),
        ("x" * 200, 422, "at most 150 characters"),
        ("omar", 409, "omar has seen others' scores in this release"),
    ):
        answer = admin.post(address(page), {"taker": taker})
        assert answer.status_code == code, ascii(taker[:9])
        assert sentence in words(answer)
    assert bed.everything() == before


def test_a_case_is_moved_and_sent_twice_it_happens_once(
    release: Release, team: list[User], admin: Client
) -> None:
    answer = admin.post(address("assignment-move"), {"taker": "omar"})
    assert answer.headers["Location"] == HERE
    assert rows(release) == [("feast", "omar", "assigned"), ("feast", "rita", "withdrawn")]
    assert "feast moved from rita to omar." in words(admin.get(HERE))
    before = bed.everything()
    assert admin.post(address("assignment-move"), {"taker": "omar"}).status_code == 302
    assert bed.everything() == before
    elsewhere = admin.post(address("assignment-move"), {"taker": "lin"})
    assert elsewhere.status_code == 409
    assert "rita has no unsubmitted review there." in words(elsewhere)
    assert bed.everything() == before


@pytest.mark.parametrize("page", ["assignment-withdraw", "assignments-hand-on"])
def test_taking_back_needs_a_reason_that_can_be_kept(
    release: Release, admin: Client, page: str
) -> None:
    before = bed.everything()
    for reason in ("", " \n ", "x" * 501, "a\0b"):
        answer = admin.post(address(page), {"reason": reason})
        assert answer.status_code == 422, ascii(reason[:9])
        assert re.search("Reason ?: ", words(answer))
    assert bed.everything() == before


def test_a_review_is_taken_back_with_its_reason_and_sent_twice_it_happens_once(
    release: Release, admin: Client
) -> None:
    data = {"reason": "on another project"}
    answer = admin.post(address("assignment-withdraw"), data)
    assert answer.headers["Location"] == HERE
    assert rows(release) == [("feast", "rita", "withdrawn")]
    assert release.events.order_by("-number")[0].data["reason"] == "on another project"
    before = bed.everything()
    assert admin.post(address("assignment-withdraw"), data).status_code == 302
    assert bed.everything() == before


def test_a_submitted_review_is_not_taken_back(release: Release, rita: User, admin: Client) -> None:
    bed.review(release, "feast", rita)
    before = bed.everything()
    answer = admin.post(address("assignment-withdraw"), {"reason": "r"})
    assert answer.status_code == 409
    assert bed.everything() == before


# --- The page of the release ----------------------------------------------------------------------


def test_the_page_of_the_release_leads_to_the_assignments_while_cases_lack_people(
    release: Release, admin: Client, manager: Client
) -> None:
    there = f"/releases/{NAME}/"
    page = admin.get(there)
    step = section(page, "next-step")
    assert "Assign the cases 5 cases lack reviewers. Look 1 of 2: 0 of 10 reviews are in." in step
    assert f'<a class="button primary" href="{HERE}">' in page.content.decode()
    assert "An admin does this." in section(manager.get(there), "next-step")
    assert f'<a class="button" href="{HERE}">' in manager.get(there).content.decode()
    assignments_workflow.assign_by_plan(
        release=release, usernames=None, per_case=None, user=None, now=NOW
    )
    assert "Reviews are being written" in section(admin.get(there), "next-step")


def test_a_case_whose_missing_reviews_are_waived_needs_nobody(
    release: Release, rita: User, omar: User, admin: Client, mina: User
) -> None:
    bed.put_reviews(release, omar, but=["kids"])
    bed.put_reviews(release, rita, but=["kids", "feast"])
    bed.review(release, "feast", rita)
    releases_waivers.waive(release=release, rule="reviews", reason="r", user=mina, now=NOW)
    assert "Close the release" in section(admin.get(f"/releases/{NAME}/"), "next-step")


# --- As many queries for much as for little -------------------------------------------------------


def queries_of(client: Client, path: str) -> int:
    client.get(path)
    with CaptureQueriesContext(connection) as queries:
        assert client.get(path).status_code == 200
    return len(queries)


def test_as_many_queries_for_12_cases_as_for_5_and_for_9_people_as_for_3(
    admin: Client, ada: User
) -> None:
    more = {f"more-{number:02}": () for number in range(4)}
    counts = []
    everybody: list[User] = []
    for name, size, people_count in (("little", 5, 3), ("much", 12, 9)):
        everybody += crowd_from(len(everybody), people_count)
        release = bed.started(name, size=size, more=more)
        assignments_workflow.assign_by_plan(
            release=release, usernames=None, per_case=None, user=None, now=NOW
        )
        due(release, date(2020, 1, 1))
        [*some] = Review.objects.of(release).order_by("pk")[: size // 2]
        for own in some:
            desk_workflow.decline(
                review=own.pk, user=own.reviewer, cause="conflict", reason="r", now=NOW
            )
        still = Review.objects.of(release).open().select_related("case", "reviewer").first()
        assert still
        User.objects.filter(pk__in=[one.pk for one in everybody[: people_count // 3]]).update(
            is_active=False
        )
        here = f"/releases/{name}/assignments/"
        own_page = f"{here}{still.case.code}/"
        pages = [
            *(f"/releases/{name}/", here, f"{here}?show=late", f"{here}plan/"),
            *(f"{own_page}give/", f"{own_page}{still.reviewer.username}/move/"),
            f"{here}people/{still.reviewer.username}/hand-on/",
        ]
        counts.append([queries_of(admin, path) for path in pages])
        User.objects.update(is_active=True)
    assert counts[0] == counts[1]
    assert max(counts[0][1:]) <= 20


def crowd_from(first: int, upto: int) -> list[User]:
    return [make_person(f"person-{number:02}", Role.REVIEWER) for number in range(first, upto)]
