"""My reviews: the next one first, and nothing of where a case is from."""

import re
from datetime import date, timedelta
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from cases.models import Release
from evalsite.permissions import Role
from reviews.assignments import workflow as assignments_workflow
from reviews.desk import queue as desk_queue
from reviews.desk import workflow as desk_workflow
from reviews.desk.queue import Filters
from reviews.models import Review
from reviews.releases import lifecycle as releases_lifecycle
from reviews.sample import amendments
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.people import make_person
from tests.reviews.desk.desk import client_of, fields, given, one_for

EMPTY = Filters()


def codes(rows: list[Review]) -> list[str]:
    return [one.case.code for one in rows]


def due(release: Release, day: date | None) -> Release:
    return bed.make_due(release, day)


# --- The order ------------------------------------------------------------------------------------


def test_what_is_due_first_comes_first_and_what_is_never_due_last(rita: User) -> None:
    never, late, soon = (bed.started(name) for name in ("never", "late", "soon"))
    due(late, date(2026, 12, 24))
    due(soon, date(2026, 11, 20))
    expected = [given(rita, "feast", release=one)[0] for one in (soon, late, never)]
    waiting = desk_queue.load_queue(rita, EMPTY).waiting
    assert waiting == expected
    assert desk_queue.find_next(rita, EMPTY) == expected[0]


def test_within_a_release_the_order_is_shuffled_and_fixed(rita: User, omar: User) -> None:
    release = bed.started()
    more = [make_person(f"reader-{number}", Role.REVIEWER) for number in range(4)]
    for user in (rita, omar, *more):
        given(user, *bed.FILLING, release=release)
    orders = {
        user: codes(desk_queue.load_queue(user, EMPTY).waiting) for user in (rita, omar, *more)
    }
    # Two may have the same by chance, all six do not.
    assert len(set(map(tuple, orders.values()))) > 1
    assert len(set(map(tuple, map(sorted, orders.values())))) == 1
    assert orders[rita] == codes(desk_queue.load_queue(rita, EMPTY).waiting)


def test_what_is_begun_comes_first_what_was_saved_last_before_the_rest(rita: User) -> None:
    mine = sorted(given(rita, "feast", "rush", "kids"), key=lambda one: one.place)
    waiting, older, newer = mine
    what = bed.judgement()
    for number, begun in enumerate((older, newer)):
        later = NOW + timedelta(minutes=number)
        desk_workflow.save_draft(review=begun.pk, user=rita, version=0, said=what, now=later)
    found = desk_queue.load_queue(rita, EMPTY)
    assert (found.waiting, found.drafts) == ([waiting], [newer, older])
    assert found.next == desk_queue.find_next(rita, EMPTY) == newer
    assert desk_queue.find_next_for_desk(rita) == newer
    for address in ("/", "/reviews/"):
        page = client_of(rita).get(address).content.decode()
        assert f"Continue {newer.case.code}" in page
        assert "2 cases begun · 1 case is waiting for you" in page
    for begun in (newer, older):
        bed.submit(Review.objects.get(pk=begun.pk))
    assert desk_queue.find_next(rita, EMPTY) == waiting


def test_a_case_keeps_its_number_while_others_are_done_and_counts_agree_with_lists(
    rita: User,
) -> None:
    mine = sorted(given(rita, "feast", "rush", "kids"), key=lambda one: one.place)
    closed = one_for_closed(rita)
    client = client_of(rita)
    for done, review in ((0, mine[2]), (1, mine[0])):
        assert desk_queue.count_progress(rita).done == done
        for number, shown in enumerate(mine, 1):
            assert f">{number} of 3</span>" in client.get(f"/reviews/{shown.pk}/").content.decode()
        bed.submit(review)
    page = client.get("/reviews/").content.decode()
    assert "2 of 3 done" in page
    assert 'Done <span class="count">2</span>' in page
    queue = desk_queue.load_queue(rita, EMPTY)
    assert set(queue.done) == {mine[0], mine[2]}
    assert queue.earlier == [closed]
    assert page.count(" of 3</span>") == 3


def one_for_closed(user: User) -> Review:
    """A submitted review of a release that is closed."""
    [review] = given(user, "feast", release=bed.started("over"))
    bed.submit(review)
    releases_lifecycle.abandon(release=bed.current(review.release), reason="x", user=None, now=NOW)
    return review


def test_done_declined_and_taken_back_stand_apart(rita: User) -> None:
    done, declined, withdrawn, lost = given(rita, "feast", "rush", "kids", "ramp")
    release = bed.current(done.release)
    bed.submit(done)
    desk_workflow.decline(review=declined.pk, user=rita, cause="language", reason="x", now=NOW)
    assignments_workflow.withdraw(
        release=release, case_key="kids", reviewer=rita, reason="x", user=None, now=NOW
    )
    amendments.withdraw(
        release=release, case_key="ramp", cause="broken", reason="x", user=None, now=NOW
    )
    found = desk_queue.load_queue(rita, EMPTY)
    assert found.done == [done]
    assert set(found.gone) == {declined, withdrawn, lost}
    assert found.next is None
    # A revision that was begun is marked where the review stands.
    client = client_of(rita)
    assert "revision started" not in client.get("/reviews/").content.decode()
    done.refresh_from_db()
    said = bed.judgement(1)
    desk_workflow.save_draft(
        review=done.pk, user=rita, version=done.version, said=said, now=NOW + timedelta(1)
    )
    assert client.get("/reviews/").content.decode().count("revision started") == 1


# --- What is done ---------------------------------------------------------------------------------


def scores_in(page: str) -> list[list[tuple[str, str]]]:
    """The own scores of each row: the name of the metric and the value."""
    lists = re.findall(r'own-scores">(.*?)</ul>', page, re.DOTALL)
    return [re.findall(r">([^<>]+)</span> <strong>(\d)</strong>", unescape(one)) for one in lists]


def test_the_done_list_has_the_own_scores_and_what_can_still_be_revised(
    rita: User, omar: User
) -> None:
    release = bed.started()
    waiting, mine, other = given(rita, "rush", "feast", "kids", release=release)
    bed.submit(mine, bed.judgement(4, personalization=2))
    bed.submit(other, bed.judgement(1), now=NOW - timedelta(hours=1))
    bed.review(release, "feast", omar, 5)
    names = release.rubric.metric_names
    client = client_of(rita)
    page = client.get("/reviews/").content.decode()
    expected = [list(zip(names, given, strict=True)) for given in ("42", "11")]
    assert scores_in(page) == expected
    revise = f'href="/reviews/{mine.pk}/?revise=1"'
    assert page.count(revise) == 1
    assert f"/reviews/{waiting.pk}/?revise=1" not in page
    # What is being revised is not submitted: the list has what counts.
    mine.refresh_from_db()
    desk_workflow.save_draft(
        review=mine.pk,
        user=rita,
        version=mine.version,
        said=bed.judgement(0),
        now=NOW + timedelta(hours=1),
    )
    page = client.get("/reviews/").content.decode()
    assert scores_in(page) == expected
    assert re.search(re.escape(revise) + r">Continue your revision", page)


def test_after_seeing_scores_or_closing_nothing_is_to_be_revised(rita: User) -> None:
    mine = one_for(rita)
    bed.submit(mine)
    client = client_of(rita)
    assert "?revise=1" in client.get("/reviews/").content.decode()
    bed.look(mine.release, rita)
    page = client.get("/reviews/").content.decode()
    assert "?revise=1" not in page
    assert len(scores_in(page)) == 1
    closed = one_for_closed(rita)
    page = client.get("/reviews/").content.decode()
    assert "?revise=1" not in page
    assert len(scores_in(page)) == 2
    assert closed.case.code in page


def test_the_scores_have_the_names_of_the_readers_language(rita: User) -> None:
    mine = one_for(rita)
    bed.submit(mine)
    client = client_of(rita)
    client.cookies["django_language"] = "zh-hans"
    page = client.get("/reviews/").content.decode()
    rubric = mine.release.rubric
    expected = rubric.text_for("zh-hans").document.metrics
    assert [name for name, _value in scores_in(page)[0]] == [metric.name for metric in expected]


def test_nothing_of_a_closed_release_is_open_work(rita: User) -> None:
    mine = one_for(rita)
    assert desk_queue.find_next(rita, EMPTY) == mine
    releases_lifecycle.close(
        release=bed.current(mine.release), waived=["reviews"], reason="x", user=None, now=NOW
    )
    assert desk_queue.find_next(rita, EMPTY) is None
    assert desk_queue.load_queue(rita, EMPTY).gone == [mine]
    assert desk_queue.count_progress(rita) == desk_queue.Progress(0, 0)


def test_progress_counts_one_s_own_alone(rita: User, omar: User) -> None:
    mine = given(rita, "feast", "rush", "kids")
    given(omar, "thrift", release=mine[0].release)
    assert desk_queue.count_progress(rita) == desk_queue.Progress(0, 3)
    bed.submit(mine[0])
    found = desk_queue.count_progress(rita)
    assert (found.done, found.total) == (1, 3)
    assert sorted(found.places.values()) == [1, 2, 3]


# --- Filters --------------------------------------------------------------------------------------


def test_filters_by_language_and_length(rita: User) -> None:
    chinese = bed.row("han", request={"text": "两天慢慢走，看看纸坊和河堤。"})
    long = bed.row("long", plan={"days": [{"items": [{"title": "Mill"}]}] * 7})
    release = bed.filled()
    bed.bring(release, chinese, long)
    bed.draw(release)
    for key in ("han", "long"):
        amendments.add(release=release, case_key=key, reason="x", user=None, now=NOW)
    release = releases_lifecycle.start(release=release, user=None, now=NOW)
    han, week, plain = given(rita, "han", "long", "feast", release=release)
    found = desk_queue.load_queue(rita, Filters(language="zh"))
    assert (found.waiting, found.languages) == ([han], ["en", "zh"])
    assert desk_queue.load_queue(rita, Filters(length="long")).waiting == [week]
    assert set(desk_queue.load_queue(rita, Filters(length="short")).waiting) == {han, plain}
    assert desk_queue.find_next(rita, Filters(language="en", length="long")) == week
    assert desk_queue.find_next(rita, Filters(language="fr")) is None
    page = client_of(rita).get("/reviews/?language=zh").content.decode()
    assert han.case.code in page
    assert plain.case.code not in page
    answer = client_of(rita).get("/reviews/next/?language=zh")
    assert answer.headers["Location"] == f"/reviews/{han.pk}/?language=zh"
    # They stay from one case to the next, with scripts and without.
    desk = client_of(rita).get(f"/reviews/{week.pk}/?length=long&x=1").content.decode()
    assert f'data-next="/reviews/next/?after={week.case.code}&amp;length=long"' in desk
    form = fields(3, act="submit")
    done = client_of(rita).post(f"/reviews/{week.pk}/?length=long", form)
    assert done.headers["Location"] == f"/reviews/next/?after={week.case.code}&length=long"
    shown = client_of(rita).get(done.headers["Location"], follow=True)
    assert shown.redirect_chain[-1] == ("/reviews/?length=long", 302)
    assert "None of your open cases matches the filters." in shown.content.decode()
    assert "Nothing more is waiting" not in shown.content.decode()


@pytest.mark.parametrize("asked", ["?language=xx&length=none", "?length=", "?language=" + "x" * 99])
def test_filters_that_nothing_fits_say_so_or_do_nothing(rita: User, asked: str) -> None:
    one_for(rita)
    assert client_of(rita).get(f"/reviews/{asked}").status_code == 200


# --- The pages ------------------------------------------------------------------------------------


def test_the_list_shows_codes_and_words_and_never_where_a_case_is_from(rita: User) -> None:
    release = bed.started("secret-release")
    due(release, date(2026, 11, 26))
    [mine] = given(rita, "feast", release=release)
    for address in ("/reviews/", "/", f"/reviews/{mine.pk}/"):
        page = client_of(rita).get(address).content.decode()
        assert mine.case.code in page
        assert "Two slow days in Yunxi" in page
        assert "Thu 26 Nov" in page
        for hidden in ("secret-release", "feast", "spring-festival", "has_days", "wanderer"):
            assert hidden not in page


def test_start_next_leads_to_the_first_and_says_what_was_submitted(rita: User) -> None:
    first, second = sorted(given(rita, "feast", "rush"), key=lambda one: one.place)
    client = client_of(rita)
    assert client.get("/reviews/next/").headers["Location"] == f"/reviews/{first.pk}/"
    bed.submit(first)
    page = client.get(f"/reviews/next/?after={first.case.code}", follow=True)
    assert page.redirect_chain == [(f"/reviews/{second.pk}/", 302)]
    said = f"You submitted {first.case.code}."
    assert f'{said} <a href="/reviews/{first.pk}/?revise=1">Revise</a>' in page.content.decode()
    assert "is submitted" not in client.get(f"/reviews/{second.pk}/").content.decode()


@pytest.mark.parametrize("after", ["", "XXXXX", "<b>", "%00"])
def test_only_what_was_submitted_is_called_so(rita: User, after: str) -> None:
    mine = one_for(rita)
    client = client_of(rita)
    for code in (after, mine.case.code):
        answer = client.get(f"/reviews/next/?after={code}")
        assert answer.status_code in (302, 400)
    assert "is submitted" not in client.get(f"/reviews/{mine.pk}/").content.decode()


def test_without_a_next_one_the_list_says_so(rita: User) -> None:
    page = client_of(rita).get("/reviews/next/", follow=True)
    assert page.redirect_chain == [("/reviews/", 302)]
    assert "You have no more cases to review." in page.content.decode()


def test_practice_is_offered_before_the_first_real_case(rita: User) -> None:
    mine = one_for(rita)
    assert "Try a practice case first" in client_of(rita).get("/reviews/").content.decode()
    bed.submit(mine)
    assert "Try a practice case first" not in client_of(rita).get("/reviews/").content.decode()


def test_nobody_sees_another_s_queue(rita: User, omar: User) -> None:
    mine = one_for(rita)
    assert mine.case.code not in client_of(omar).get("/reviews/").content.decode()
    assert client_of(omar).get("/reviews/next/").headers["Location"] == "/reviews/"


@pytest.mark.parametrize("address", ["/reviews/", "/reviews/next/", "/practice/"])
@pytest.mark.parametrize(
    ("who", "expected"), [("sam", 404), ("mina", 403), ("ada", 403), ("root", 403), (None, 302)]
)
def test_the_pages_are_for_reviewers(
    request: pytest.FixtureRequest, db: None, address: str, who: str | None, expected: int
) -> None:
    user = request.getfixturevalue(who) if who else None
    assert client_of(user).get(address).status_code == expected


def test_the_first_page_has_the_same_way_to_the_next_case(rita: User) -> None:
    assert "Nothing is waiting for you" in client_of(rita).get("/").content.decode()
    one_for(rita)
    page = client_of(rita).get("/").content.decode()
    assert "1 case is waiting for you" in page
    assert re.search(r'href="/reviews/next/" data-key="n"', page)


# --- Cost -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["/reviews/", "/", "/reviews/next/"])
def test_the_same_queries_for_1_review_and_for_10(
    rita: User, django_assert_num_queries: DjangoAssertNumQueries, address: str
) -> None:
    first, done = given(rita, "feast", "rush")
    bed.submit(done)
    client = client_of(rita)
    client.get(address)  # the text of the rubric is read once in each process
    with CaptureQueriesContext(connection) as for_one:
        client.get(address)
    assert len(for_one) <= (8 if address == "/reviews/next/" else 11)
    given(rita, "thrift", "kids", "ramp", release=first.release)
    for done in given(rita, *bed.FILLING, release=bed.started("other")):
        bed.submit(done, now=timezone.now() - timedelta(hours=1))
    with django_assert_num_queries(len(for_one)):
        client.get(address)
    large = ('"cases_case"."data"', '"reviews_review"."draft"')
    assert not any(column in one["sql"] for one in for_one for column in large)


# What SQLite says of a way that reads more rows of a person than it gives out: by the person alone
# (whatever column comes next is in no condition), or the whole table.
READS_ALL = re.compile(r"(reviewer_id=\?\)|SCAN reviews_review)")


@pytest.mark.sqlite
def test_no_query_reads_all_that_somebody_ever_did(rita: User) -> None:
    """Without an index the done ones are sorted as a whole, and the others sought among them."""
    one_for(rita)
    with CaptureQueriesContext(connection) as queries:
        desk_queue.load_queue(rita, EMPTY)
        desk_queue.count_progress(rita)
        desk_queue.find_next(rita, EMPTY)
    plans = [plan_of(one["sql"]) for one in queries]
    assert len(plans) == 5
    assert not [plan for plan in plans if READS_ALL.search(plan)]
    assert "TEMP B-TREE" not in plans[0], "what was done last is read in order"
    assert "review_by_work" in plans[3], "progress seeks open releases, not all that was submitted"


def plan_of(sql: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN QUERY PLAN " + sql.replace("%", "%%"))
        return "\n".join(row[3] for row in cursor.fetchall())
