"""The first page after signing in: for each role its own part, saying what to do next."""

import re
from datetime import timedelta
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from cases.models import Rubric
from evalsite.permissions import Role
from tests.bed import reviewed as bed
from tests.people import AsUser, make_person

REVIEWING, SETTING_UP, UNDER_WAY = "my-reviews", "set-up", "under-way"
WHO = ["rita", "ada", "mina", "root"]


@pytest.fixture
def team(rita: User, ada: User, mina: User, root: User) -> dict[str, User]:
    return {"rita": rita, "ada": ada, "mina": mina, "root": root}


def home_of(user: User, *, language: str = "en") -> str:
    client = Client()
    client.force_login(user)
    client.cookies["django_language"] = language
    response = client.get("/")
    assert response.status_code == 200
    return response.content.decode()


def parts(page: str) -> list[str]:
    return re.findall(r'<section class="role" aria-labelledby="([^"]*)"', page)


def links(page: str) -> set[str]:
    """Where the content leads; the header is the same on every page."""
    return set(re.findall(r'href="(/[^"]*)"', page.split("<main")[1]))


# --- Whose part -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("who", "expected"),
    [
        ("rita", [REVIEWING]),
        ("ada", [SETTING_UP]),
        ("mina", [UNDER_WAY]),
        ("root", [SETTING_UP, UNDER_WAY]),
    ],
)
def test_each_role_has_a_part_of_its_own(
    team: dict[str, User], rubric: Rubric, who: str, expected: list[str]
) -> None:
    assert parts(home_of(team[who])) == expected


@pytest.mark.django_db
def test_several_roles_have_several_parts() -> None:
    assert parts(home_of(make_person("two", Role.MANAGER, Role.REVIEWER))) == [REVIEWING, UNDER_WAY]
    every = make_person("all", Role.ADMIN, Role.MANAGER, Role.REVIEWER)
    assert parts(home_of(every)) == [REVIEWING, SETTING_UP, UNDER_WAY]


def test_once_a_release_is_there_the_tasks_come_first_and_the_set_up_is_folded(
    ada: User, mina: User, rita: User, omar: User
) -> None:
    assert '<details class="set-up">' not in home_of(ada)
    bed.started()
    page = home_of(ada)
    assert parts(page) == ["tasks", UNDER_WAY, SETTING_UP]
    assert '<details class="set-up">' in page
    assert parts(home_of(mina)) == ["tasks", UNDER_WAY]


def test_every_part_has_a_heading_that_names_it(team: dict[str, User], rubric: Rubric) -> None:
    for user in team.values():
        page = home_of(user)
        for part in parts(page):
            assert page.count(f'id="{part}"') == 1


@pytest.mark.parametrize(("who", "status"), [("sam", 404), ("nobody", 302)])
def test_without_a_role_there_is_no_first_page(
    as_user: AsUser, sam: User, who: str, status: int
) -> None:
    assert as_user(sam if who == "sam" else None).get("/").status_code == status


def test_nothing_can_be_sent_to_the_first_page(as_user: AsUser, rita: User) -> None:
    assert as_user(rita).post("/").status_code == 405


def test_everybody_is_greeted_by_the_name_they_have(rita: User) -> None:
    assert "Hello, rita" in home_of(rita)
    rita.first_name = "Rita <Riveter>"
    rita.save()
    assert "Hello, Rita &lt;Riveter&gt;" in home_of(rita)


def test_the_header_leads_only_where_one_may_go(team: dict[str, User]) -> None:
    seen = {}
    for who, user in team.items():
        [bar] = re.findall(r'<nav class="places".*?</nav>', home_of(user), re.DOTALL)
        seen[who] = re.findall(r'href="([^"]*)"', bar)
    team_bar = ["/", "/releases/", "/escapes/", "/scoring/"]
    assert seen == {
        "rita": ["/", "/reviews/", "/scoring/", "/mirror/"],
        "ada": [*team_bar, "/questions/", "/people/", "/admin/"],
        "mina": team_bar,
        "root": [*team_bar, "/questions/", "/people/", "/admin/"],
    }


def test_every_link_of_the_page_opens_for_whoever_sees_it(
    as_user: AsUser, team: dict[str, User], rubric: Rubric
) -> None:
    for user in team.values():
        client = as_user(user)
        for link in links(home_of(user)):
            assert client.get(link).status_code == 200, link


# --- What to do -----------------------------------------------------------------------------------


def test_without_a_rubric_each_role_is_told_so_or_what_to_do(team: dict[str, User]) -> None:
    pages = {who: home_of(user) for who, user in team.items()}
    assert "No rubric is published yet. An admin has to publish one first." in pages["rita"]
    assert "/rubrics/new/" not in links(pages["rita"])
    assert "Publish the first version" in pages["ada"]
    assert "/rubrics/new/" in links(pages["ada"])
    assert "/rubrics/new/" not in links(pages["mina"])


def test_without_a_rubric_how_we_score_says_so(as_user: AsUser, rita: User) -> None:
    assert "No rubric is published yet" in as_user(rita).get("/scoring/").content.decode()


@pytest.mark.parametrize("who", WHO)
def test_with_a_rubric_each_role_is_led_to_it(
    team: dict[str, User], rubric: Rubric, who: str
) -> None:
    page = home_of(team[who])
    assert ("/scoring/" if who == "rita" else "/rubrics/1/") in links(page)
    assert "No rubric is published yet" not in page


def test_a_reviewer_reads_the_scale_in_the_interface_language(rita: User, rubric: Rubric) -> None:
    english, chinese = (rubric.text_for(one).document for one in ("en", "zh-hans"))
    for language, document, other in [
        ("en", english, chinese),
        ("zh-hans", chinese, english),
    ]:
        page = unescape(home_of(rita, language=language))
        for metric, foreign in zip(document.metrics, other.metrics, strict=True):
            assert f"<strong>{metric.name}</strong>" in page
            assert f"<strong>{foreign.name}</strong>" not in page


def test_the_scale_is_folded_after_the_third_review(rita: User) -> None:
    release = bed.started()
    client = Client()
    client.force_login(rita)
    for key in ("feast", "rush", "kids"):
        assert '<details class="card scale" open>' in client.get("/").content.decode()
        bed.submit(bed.assign(release, key, rita))
    assert '<details class="card scale">' in client.get("/").content.decode()


def test_a_manager_sees_every_kind_that_the_sample_must_hold(mina: User, rubric: Rubric) -> None:
    page = unescape(home_of(mina))
    for kind in rubric.document.sampling.kinds:
        assert kind.text in page


def steps(page: str) -> list[str]:
    """Which of an admin's three steps are done: the rubric, the people, the release."""
    return re.findall(r'<li class="card (done|next)', page)


def test_an_admin_sees_which_step_is_next(ada: User, rita: User, omar: User) -> None:
    User.objects.filter(pk=omar.pk).update(is_active=False)
    assert steps(home_of(ada)) == ["next", "next", "next"]
    User.objects.filter(pk=omar.pk).update(is_active=True)
    assert steps(home_of(ada)) == ["next", "done", "next"]


def test_a_published_rubric_is_a_step_that_is_done(ada: User, rubric: Rubric) -> None:
    assert steps(home_of(ada)) == ["done", "next", "next"]


@pytest.mark.parametrize(("reviewers", "asked"), [(0, True), (1, True), (2, False), (3, False)])
def test_an_admin_is_asked_for_reviewers_until_there_are_two(
    ada: User, reviewers: int, asked: bool
) -> None:
    for number in range(reviewers):
        make_person(f"person-{number}", Role.REVIEWER)
    page = home_of(ada)
    assert ("at least two reviewers" in page) is asked
    assert f"Reviewers: {reviewers}." in page


def test_people_are_counted_once_for_each_role_and_only_while_active(ada: User, root: User) -> None:
    make_person("both", Role.REVIEWER, Role.MANAGER)
    make_person("every", Role.REVIEWER, Role.MANAGER, Role.ADMIN)
    make_person("gone", Role.REVIEWER, Role.ADMIN)
    User.objects.filter(username="gone").update(is_active=False)
    assert "Reviewers: 2. Admins: 2. Managers: 2." in home_of(ada)


def test_an_admin_sees_how_many_have_never_signed_in(ada: User) -> None:
    assert "never signed in" not in home_of(ada)
    make_person("first", Role.REVIEWER, Role.MANAGER)
    assert "1 person has never signed in." in home_of(ada)
    make_person("second")
    assert "2 people have never signed in." in home_of(ada)
    User.objects.filter(username="second").update(is_active=False)
    assert "1 person has never signed in." in home_of(ada)


# --- Days away ------------------------------------------------------------------------------------


def test_a_reviewer_sees_own_days_away_until_they_are_over(rita: User, omar: User) -> None:
    today = timezone.localdate()
    yesterday = today - timedelta(days=1)
    rita.reviewer.absences.create(first_date=yesterday, last_date=yesterday)
    omar.reviewer.absences.create(first_date=today, last_date=today)
    assert "None entered." in home_of(rita)
    rita.reviewer.absences.create(first_date=yesterday, last_date=today)
    page = home_of(rita)
    assert "None entered." not in page
    [listed] = re.findall(r'<ul class="plain">(.*?)</ul>', page, re.DOTALL)
    assert listed.count("<li>") == 1


# --- Cost -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("published", [False, True])
def test_the_page_takes_the_same_queries_for_4_people_and_for_14(
    as_user: AsUser, team: dict[str, User], published: bool, request: pytest.FixtureRequest
) -> None:
    if published:
        request.getfixturevalue("rubric")
    today = timezone.localdate()
    clients = {who: as_user(team[who]) for who in WHO}
    for_few = {who: queries_of(client) for who, client in clients.items()}
    for number in range(10):
        person = make_person(f"person-{number}", Role.REVIEWER, Role.MANAGER)
        person.reviewer.absences.create(first_date=today, last_date=today)
        last_date = today + timedelta(days=number)
        team["rita"].reviewer.absences.create(first_date=today, last_date=last_date)
    assert {who: queries_of(client) for who, client in clients.items()} == for_few


def queries_of(client: Client) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get("/").status_code == 200
    return len(queries)
