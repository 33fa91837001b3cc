"""The lists and pages of the admin site: what they find, never tell, and cost."""

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

from cases.models import Case, Release, Rubric
from evalsite.permissions import Role
from reviews.models import ChecklistAnswer, Review, SampledCase
from reviews.models.reviews import SEEN
from reviews.releases import lifecycle as releases_lifecycle
from reviews.releases import waivers as releases_waivers
from reviews.sample import amendments
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.people import AsUser, also, make_person

pytestmark = pytest.mark.usefixtures("rubric")

RELEASES = "/admin/cases/release/"
CASES = "/admin/cases/case/"
SAMPLE = "/admin/reviews/sampledcase/"
REVIEWS = "/admin/reviews/review/"
ANSWERS = "/admin/reviews/checklistanswer/"
LISTS = [RELEASES, CASES, SAMPLE, REVIEWS, ANSWERS]


def words(response: Any) -> str:
    page = re.sub(r"<head>.*?</head>", " ", response.content.decode(), flags=re.DOTALL)
    return re.sub(r"\s+", " ", unescape(re.sub("<[^>]*>", " ", page)))


def listed(client: Client, path: str, **query: Any) -> list[str]:
    """The first words of each row."""
    page = client.get(path, query)
    assert page.status_code == 200, (path, query, page.status_code)
    found = re.findall(r'<th class="field-[^"]*"><a [^>]*>([^<]*)</a>', page.content.decode())
    return sorted(found)


@pytest.fixture
def release(rita: User, omar: User) -> Release:
    """In review: rita has feast and kids, of which she submitted kids; omar submitted kids."""
    release = bed.started()
    bed.assign(release, "feast", rita)
    for person in (rita, omar):
        bed.review(release, "kids", person)
    return bed.current(release)


def by_release(release: Release) -> dict[str, int]:
    return {"release__id__exact": release.pk}


# --- Who may --------------------------------------------------------------------------------------


def test_admins_find_the_admin_site_in_the_navigation_and_nobody_else(
    as_user: AsUser, ada: User, mina: User, rita: User, root: User
) -> None:
    for user, is_there in ((ada, True), (root, True), (mina, False), (rita, False)):
        client = as_user(user)
        page = client.get("/people/" if is_there else "/scoring/")
        assert ('href="/admin/"' in page.content.decode()) == is_there, user
        assert client.get("/admin/").status_code == (200 if is_there else 403)


@pytest.mark.parametrize("path", LISTS)
def test_the_lists_are_for_admins(
    as_user: AsUser, ada: User, mina: User, rita: User, sam: User, root: User, path: str
) -> None:
    expected = [(ada, 200), (root, 200), (mina, 403), (rita, 403), (sam, 404), (None, 302)]
    for user, status_code in expected:
        assert as_user(user).get(path).status_code == status_code, user


def test_no_row_can_be_added_changed_or_deleted(release: Release, admin: Client) -> None:
    before = bed.everything()
    rows: list[tuple[str, Any]] = [
        (RELEASES, release),
        (CASES, Case.objects.order_by("pk")[0]),
        (SAMPLE, SampledCase.objects.order_by("pk")[0]),
        (REVIEWS, Review.objects.order_by("pk")[0]),
        (ANSWERS, ChecklistAnswer.objects.order_by("pk")[0]),
    ]
    for path, row in rows:
        for part in ("add", f"{row.pk}/delete"):
            # Taken for the key of a row, which there is not.
            found = admin.get(f"{path}{part}/", follow=True)
            assert "doesn’t exist" in words(found)
        fields = {field.name: "1" for field in row._meta.concrete_fields} | {"_save": "Save"}
        for address in (f"{path}add/", f"{path}{row.pk}/change/", f"{path}{row.pk}/delete/"):
            assert admin.post(address, fields).status_code in (404, 405), address
        for data in (
            {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"},
            {"form-0-id": row.pk, "form-0-status": "withdrawn", "_save": "1"},
            {},
        ):
            assert admin.post(path, data).status_code in (200, 302, 405)
    assert bed.everything() == before


# --- What they find -------------------------------------------------------------------------------


def test_reviews_are_found_by_release_status_reviewer_kind_and_words(
    release: Release, admin: Client
) -> None:
    other = bed.started("other")
    bed.assign(other, "ramp", User.objects.get(username="rita"))
    code = Case.objects.get(release=release, case_key="feast").code
    for query, keys in (
        ({}, ["feast", "kids", "kids", "ramp"]),
        (by_release(release), ["feast", "kids", "kids"]),
        ({"status__exact": "assigned"}, ["feast", "ramp"]),
        ({"reviewer": "omar"}, ["kids"]),
        ({"kind": bed.KIND_OF["feast"]}, ["feast"]),
        ({"q": "fea"}, ["feast"]),
        ({"q": code}, ["feast"]),
        ({"q": "omar"}, ["kids"]),
        ({"assigned_at__year": NOW.year}, ["feast", "kids", "kids", "ramp"]),
        ({"assigned_at__year": NOW.year - 1}, []),
    ):
        assert listed(admin, REVIEWS, **query) == keys, query


def test_late_is_what_is_open_after_the_due_date(release: Release, admin: Client) -> None:
    today = timezone.localdate()
    for due, late in (
        (today, []),
        (today - timedelta(days=1), ["feast"]),
        (None, []),
    ):
        bed.make_due(release, due)
        assert listed(admin, REVIEWS, late="yes") == late
        assert listed(admin, SAMPLE, late="yes") == late
        assert len(listed(admin, REVIEWS, late="no")) == 3 - len(late)
        assert len(listed(admin, SAMPLE, late="no")) == 5 - len(late)
        past = ["wanderer-1"] if late else []
        assert listed(admin, RELEASES, late="yes") == past
        assert listed(admin, RELEASES, late="no") == ([] if past else ["wanderer-1"])
    bed.make_due(release, date(2020, 1, 1))
    releases_lifecycle.abandon(release=bed.current(release), reason="r", user=None, now=NOW)
    for path in (REVIEWS, SAMPLE, RELEASES):
        assert listed(admin, path, late="yes") == []


def test_sampled_cases_are_found_by_what_an_admin_asks(release: Release, admin: Client) -> None:
    amendments.withdraw(
        release=release, case_key="rush", cause="broken", reason="r", user=None, now=NOW
    )
    standing = bed.sampled(release)
    for query, keys in (
        ({"withdrawn": "yes"}, ["rush"]),
        ({"withdrawn": "no"}, standing),
        ({"missing": "yes"}, [key for key in standing if key != "kids"]),
        ({"missing": "no"}, ["kids", "rush"]),
        ({"reviewer": "rita"}, ["feast", "kids"]),
        ({"kind": bed.KIND_OF["kids"]}, ["kids"]),
        ({"q": "kid"}, ["kids"]),
        ({"origin__exact": "next"}, [key for key in standing if key.startswith("spare")]),
    ):
        assert listed(admin, SAMPLE, **query) == keys, query


def test_cases_are_found_by_sample_checks_and_words(release: Release, admin: Client) -> None:
    assert listed(admin, CASES, sampled="yes") == sorted(bed.FILLING)
    assert listed(admin, CASES, sampled="no") == sorted(bed.SPARE)
    assert len(listed(admin, CASES, check_status__exact="PASS")) == 8
    assert listed(admin, CASES, q="spare-1") == ["spare-1"]
    assert len(listed(admin, CASES, q="Yunxi tram")) == 8


@pytest.mark.parametrize("path", [CASES, SAMPLE, REVIEWS])
def test_kinds_have_the_words_of_the_rubric_in_columns_and_filters(
    release: Release, admin: Client, path: str
) -> None:
    page = words(admin.get(path))
    assert bed.TEXT_OF["feast"] in page
    assert bed.KIND_OF["feast"] not in page
    if path != CASES:
        assert page.count(bed.TEXT_OF["feast"]) == 2
        assert f"kind={bed.KIND_OF['feast']}" in admin.get(path).content.decode()


def test_the_records_link_to_each_other(release: Release, admin: Client) -> None:
    own = Review.objects.get(case__case_key="feast")
    sampled = SampledCase.objects.get(case=own.case)
    pages = {
        f"{RELEASES}{release.pk}/change/": [
            *(f"{path}?release__id__exact={release.pk}" for path in (CASES, SAMPLE, REVIEWS)),
            f"{ANSWERS}?release__id__exact={release.pk}",
            f"/releases/{release.name}/",
        ],
        f"{CASES}{own.case_id}/change/": [
            f"{RELEASES}{release.pk}/change/",
            f"{SAMPLE}{sampled.pk}/change/",
            f"{REVIEWS}?case__id__exact={own.case_id}",
            f"/cases/{own.case.code}/",
        ],
        f"{SAMPLE}{sampled.pk}/change/": [
            f"{CASES}{own.case_id}/change/",
            f"{REVIEWS}{own.pk}/change/",
        ],
        f"{REVIEWS}{own.pk}/change/": [
            f"{CASES}{own.case_id}/change/",
            f"{SAMPLE}{sampled.pk}/change/",
            f"{ANSWERS}?review__id__exact={own.pk}",
            "/people/rita/",
        ],
    }
    for path, links in pages.items():
        page = admin.get(path)
        assert page.status_code == 200
        hrefs = re.findall('href="([^"]*)"', page.content.decode())
        for link in links:
            assert link in hrefs, (path, link)
            assert admin.get(link).status_code in (200, 409), link
    for path, row in ((RELEASES, release), (CASES, own.case), (SAMPLE, sampled), (REVIEWS, own)):
        history = admin.get(f"{path}{row.pk}/history/")
        assert history.headers["Location"] == f"/releases/{release.name}/events/"


# --- What an address cannot ask for ---------------------------------------------------------------

LEAKS = [
    f"{REVIEWS}?draft__comment__contains=x",
    f"{REVIEWS}?draft__scores__personalization__value=4",
    f"{REVIEWS}?comment__startswith=x",
    f"{REVIEWS}?asked__isnull=False",
    f"{REVIEWS}?scores__isnull=False",
    f"{REVIEWS}?answers__answer=no",
    f"{REVIEWS}?flags__isnull=False",
    f"{REVIEWS}?revisions__isnull=False",
    f"{REVIEWS}?case__adjudication__isnull=False",
    f"{REVIEWS}?release__ledger_head__startswith=0",
    f"{REVIEWS}?release__id__in=1",
    f"{SAMPLE}?case__adjudication__isnull=False",
    f"{SAMPLE}?case__reviews__flags__isnull=False",
    f"{CASES}?adjudication__isnull=False",
    f"{CASES}?reviews__flags__kind=broken",
    f"{RELEASES}?ledger_head__startswith=0",
    f"{RELEASES}?adjudications__isnull=False",
    f"{RELEASES}?closings__headline__contains=GO",
    "/admin/cases/event/?data__digest__startswith=0",
    "/admin/cases/event/?kind__exact=case-adjudicated",
    "/admin/reviews/waiver/?covers__cases__has_key=feast",
    # Django itself would fail on these.
    f"{REVIEWS}?assigned_at__year=9999",
    f"{REVIEWS}?assigned_at__year=0",
]


@pytest.mark.parametrize("address", LEAKS)
def test_a_list_answers_only_what_its_filters_ask(
    release: Release, admin: Client, address: str
) -> None:
    assert admin.get(address).status_code == 400


def test_odd_values_of_a_filter_are_no_mistake_of_ours(release: Release, admin: Client) -> None:
    for path in LISTS:
        for name in ("release__id__exact", "late", "kind", "reviewer", "missing", "status__exact"):
            for odd in ("x", "9" * 40, "-1", "", "\ud7ff", "%"):
                answer = admin.get(path, {name: odd})
                assert answer.status_code in (200, 302, 400, 409), (path, name, odd)
    for month, day in (("2", "31"), ("13", "1"), ("x", "x"), ("9" * 40, "1"), ("2", "²")):
        query = {"assigned_at__year": "2026", "assigned_at__month": month, "assigned_at__day": day}
        assert admin.get(REVIEWS, query).status_code in (302, 400), (month, day)


# --- Answers, for those who may see them ----------------------------------------------------------


def answers_listed(client: Client, **query: Any) -> int:
    return len(listed(client, ANSWERS, **query))


@pytest.fixture
def judging(ada: User) -> User:
    """ada, who also reviews."""
    return also(ada, Role.REVIEWER)


def test_an_admin_with_an_open_review_sees_no_answer_of_others(
    release: Release, judging: User, admin: Client
) -> None:
    own = bed.assign(release, "ramp", judging)
    assert ChecklistAnswer.objects.count() == 16
    assert answers_listed(admin) == 0
    page = admin.get(ANSWERS, {"_facets": "True", "q": "kids"})
    assert "0 results" in words(page)
    assert "yes (0) no (0)" in words(page)
    refused = admin.get(ANSWERS, by_release(release))
    assert refused.status_code == 409
    assert "Submit your 1 open review in this release first" in words(refused)
    answer = ChecklistAnswer.objects.order_by("pk")[0]
    for part in ("change", "history"):
        gone = admin.get(f"{ANSWERS}{answer.pk}/{part}/")
        assert (gone.status_code, gone.headers["Location"]) == (302, "/admin/")
    assert not release.events.filter(kind=SEEN).exists()
    # After it is submitted there is the question, and after the look what others said.
    bed.submit(own)
    assert answers_listed(admin) == 8
    bed.look(release, judging)
    assert answers_listed(admin) == 24


def test_the_first_look_is_asked_for_and_is_an_event(
    release: Release, ada: User, admin: Client
) -> None:
    assert answers_listed(admin) == 0
    assert "wanderer-1" in words(admin.get(ANSWERS))
    door = admin.get(ANSWERS, by_release(release))
    assert door.status_code == 200
    assert "Before you look" in words(door)
    assert "personalization" not in door.content.decode()
    assert not release.events.filter(kind=SEEN).exists()
    there = f"{ANSWERS}?release__id__exact={release.pk}"
    assert f'name="next" value="{there}"' in door.content.decode()
    looked = admin.post(reverse("scores-open", args=[release.name]), {"next": there})
    assert looked.headers["Location"] == there
    assert list(release.events.filter(kind=SEEN).values_list("by", flat=True)) == ["ada"]
    # kids has both of its reviews.
    assert answers_listed(admin, **by_release(release)) == 16
    assert answers_listed(admin, reviewer="omar") == 8
    assert answers_listed(admin, answer__exact="no") == 0
    own = Review.objects.get(case__case_key="kids", reviewer__username="omar")
    assert answers_listed(admin, review__id__exact=own.pk) == 8
    answer = own.answers.order_by("item")[0]
    page = words(admin.get(f"{ANSWERS}{answer.pk}/change/"))
    assert "kids" in page
    assert "omar" in page
    assert admin.get(f"{ANSWERS}{answer.pk}/history/").headers["Location"].endswith("/events/")


def test_answers_of_a_case_are_listed_when_its_reviews_are_all_in(
    release: Release, rita: User, ada: User, mina: User, admin: Client
) -> None:
    bed.look(release, ada)
    keys = {"kids"}
    assert set(cases_listed(ada)) == keys
    bed.submit(Review.objects.get(case__case_key="feast"))
    assert set(cases_listed(ada)) == keys
    # What lacks is waived by name: the case stays as it is.
    releases_waivers.waive(release=release, rule="reviews", reason="r", user=mina, now=NOW)
    assert set(cases_listed(ada)) == {"feast", "kids"}
    assert answers_listed(admin) == 24


def cases_listed(user: User) -> list[str]:
    rows = ChecklistAnswer.objects.visible_to(user)
    return list(rows.values_list("review__case__case_key", flat=True))


def test_answers_are_visible_to_their_owner_and_after_the_closing_to_those_who_run_releases(
    rita: User, omar: User, ada: User, mina: User, sam: User, root: User
) -> None:
    shut = bed.judged(rita, omar, *bed.GOOD)
    seen = {
        user.username: ChecklistAnswer.objects.visible_to(user).count()
        for user in (rita, omar, ada, mina, sam, root)
    }
    assert seen == {"rita": 40, "omar": 40, "ada": 80, "mina": 80, "sam": 0, "root": 80}
    releases_lifecycle.reopen(release=shut, reason="r", user=mina, now=NOW)
    # Who could read it then counts as shown.
    assert ChecklistAnswer.objects.visible_to(ada).count() == 80
    newcomer = make_person("newcomer", Role.ADMIN)
    assert ChecklistAnswer.objects.visible_to(newcomer).count() == 0


def test_an_open_review_closes_the_answers_even_after_a_look(
    release: Release, judging: User, omar: User
) -> None:
    bed.look(release, judging)
    assert cases_listed(judging)
    # Nobody is assigned after a look; should a row be there all the same, it counts.
    Review.objects.create(
        release=release,
        case=release.cases.get(case_key="ramp"),
        reviewer=judging,
        assigned_at=NOW,
    )
    assert cases_listed(judging) == []


# --- What they cost -------------------------------------------------------------------------------


def queries_of(client: Client, path: str) -> list[str]:
    client.get(path)
    with CaptureQueriesContext(connection) as queries:
        page = client.get(path)
    assert page.status_code == 200
    return [query["sql"] for query in queries]


def test_as_many_queries_for_100_rows_as_for_10_and_no_list_reads_a_plan(
    ada: User, rita: User, omar: User, rubric: Rubric, admin: Client
) -> None:
    counts = []
    bed.drawn("another")  # a filter with one choice is not shown
    for size in (10, 30, 100):
        more = {f"{size}-{number:03}": () for number in range(size)}
        release = bed.started(f"size-{size}", size=size, more=more)
        bed.put_reviews(release, rita, omar)
        bed.look(release, ada)
        here = f"?release__id__exact={release.pk}"
        statements = [
            *(queries_of(admin, path + here) for path in (CASES, SAMPLE, REVIEWS, ANSWERS)),
            queries_of(admin, f"{REVIEWS}{here}&_facets=True"),
            queries_of(admin, f"{SAMPLE}{here}&_facets=True&late=no&missing=no"),
            queries_of(admin, f"{SAMPLE}{release.sample.order_by('pk')[0].pk}/change/"),
        ]
        assert len(listed(admin, SAMPLE, **by_release(release))) == size
        assert not [sql for found in statements for sql in found if '"cases_case"."data"' in sql]
        counts.append([len(found) for found in statements])
    assert counts[0] == counts[1] == counts[2]
    assert max(counts[0][:4]) <= 20


def test_as_many_queries_for_100_releases_as_for_10(rubric: Rubric, admin: Client) -> None:
    counts = []
    for size in (10, 30, 100):
        Release.objects.bulk_create(
            Release(name=f"r-{size}-{number}", rubric=rubric, created_at=NOW)
            for number in range(size - Release.objects.count())
        )
        assert len(listed(admin, RELEASES)) == size
        statements = queries_of(admin, RELEASES)
        assert not [sql for sql in statements if '"cases_rubric"."text"' in sql]
        counts.append(len(statements))
    assert counts[0] == counts[1] == counts[2] <= 14


@pytest.mark.parametrize("action", ["move_to_another", "take_back"])
def test_as_many_queries_to_look_at_30_reviews_as_at_10(
    rita: User, omar: User, admin: Client, action: str
) -> None:
    counts = []
    for size in (10, 30):
        more = {f"{size}-{number:03}": () for number in range(size)}
        release = bed.started(f"size-{size}", size=size, more=more)
        Review.objects.bulk_create(
            Review(release=release, case=row.case, reviewer=rita, assigned_at=NOW)
            for row in release.sample.select_related("case")
        )
        keys = list(release.reviews.values_list("pk", flat=True))
        data = {"action": action, "_selected_action": keys}
        with CaptureQueriesContext(connection) as queries:
            assert admin.post(REVIEWS, data).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]
