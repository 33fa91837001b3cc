"""What waits for admins and managers: each state of a release, just inside and just outside."""

import re
from dataclasses import replace
from datetime import date, datetime, timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from cases.models import Release
from evalsite.permissions import Role
from reviews.adjudication.workflow import judge_flag
from reviews.assignments import workflow as assignments_workflow
from reviews.assignments.reminder import remind
from reviews.desk import workflow as desk_workflow
from reviews.home.queries import forget_work, load_open_releases, load_waiting, load_work
from reviews.home.tasks import (
    Person,
    Scarce,
    Task,
    TaskKind,
    UnderWay,
    Waiting,
    Work,
    list_tasks,
    list_under_way,
)
from reviews.home.work import NOTHING
from reviews.models import Review
from reviews.people import workflow as people_workflow
from reviews.releases import decision, lifecycle, waivers
from reviews.sample import extension
from tests.bed import reviewed as bed
from tests.bed.cases import NOW, make_release
from tests.people import AsUser, make_person

pytestmark = pytest.mark.usefixtures("rubric")

TODAY = date(2026, 11, 19)
YESTERDAY = TODAY - timedelta(days=1)
ADMIN, MANAGER = frozenset({Role.ADMIN}), frozenset({Role.MANAGER})
BOTH = ADMIN | MANAGER


def tasks_on(response: Any) -> list[str]:
    """Each task on a home in words: what it is and its button."""
    page = response.content.decode()
    found = []
    section = re.search(r'aria-labelledby="tasks".*?</section>', page, re.DOTALL)
    for row in re.findall(r"<li>(.*?)</li>", section[0] if section else "", re.DOTALL):
        what = re.findall(r"<strong>(.*?)</strong>", row, re.DOTALL)[0]
        [button] = re.findall(r'<a class="button[^"]*" href="[^"]*">([^<]*)', row)
        found.append(f"{unescape(what)} -> {unescape(button)}")
    return found


def home(user: User, as_user: AsUser) -> list[str]:
    forget_work()  # some tests write rows without events
    return tasks_on(as_user(user).get("/"))


@pytest.fixture
def ada_sees(as_user: AsUser, ada: User) -> Any:
    return lambda: home(ada, as_user)


@pytest.fixture
def mina_sees(as_user: AsUser, mina: User) -> Any:
    return lambda: home(mina, as_user)


# --- Drafts ---------------------------------------------------------------------------------------


def test_a_draft_without_cases_or_with_too_few_needs_an_import(ada_sees: Any) -> None:
    release = make_release("wanderer-1")
    assert ada_sees() == ["Import cases -> Import cases"]
    bed.bring(release, bed.row("feast"))
    assert ada_sees() == ["Import more eligible cases -> Import cases"]


def test_a_draft_with_enough_cases_is_ready_to_draw_and_then_to_start(
    ada_sees: Any, mina_sees: Any
) -> None:
    release = bed.filled(without=bed.SPARE)
    assert ada_sees() == ["Ready to draw -> Draw the sample"]
    bed.draw(release)
    assert ada_sees() == ["Ready to start -> Start the review"]
    lifecycle.start(release=release, user=None, now=NOW)
    assert ada_sees() == ["Ready to assign -> Plan the assignments"]
    assert mina_sees() == []


def test_a_draw_that_may_have_changed_is_to_be_checked_again(ada_sees: Any) -> None:
    release = bed.drawn(without=bed.SPARE)
    bed.bring(release, bed.row("late-one"))
    assert ada_sees() == ["Check the sample again -> See the sample"]
    bed.draw(release, size=6)
    assert ada_sees() == ["Ready to start -> Start the review"]


def scarce(release: Release) -> dict[str, int]:
    forget_work()
    [work] = [load_work([row])[row.pk] for row in load_open_releases() if row.pk == release.pk]
    return {found.kind: found.releases for found in work.scarce}


def test_a_kind_with_one_candidate_is_named(ada_sees: Any) -> None:
    two_each = {f"{key}-2": tags for key, tags in bed.FILLING.items() if key != "ramp"}
    release = bed.drawn(without=bed.SPARE, more=two_each)
    assert scarce(release) == {"Mobility-limited case": 1}
    assert ada_sees()[1:] == ["“Mobility-limited case” has one candidate -> Import more cases"]
    bed.bring(release, bed.row("ramp-2", "mobility-limited"))
    bed.draw(release)
    assert scarce(release) == {}


def test_several_kinds_of_a_release_have_one_line(ada_sees: Any) -> None:
    bed.drawn()
    assert ada_sees()[1:] == ["5 kinds have one candidate each -> Import more cases"]


def test_it_is_said_in_how_many_releases_of_the_product_it_was_the_same() -> None:
    """The draw took all cases, so it had no choice: only repeated cases are named."""
    bed.started("earlier-1")
    bed.started("earlier-2")
    bed.drawn("draft")
    release = bed.drawn("now", without=bed.SPARE)
    assert scarce(release) == dict.fromkeys(bed.TEXT_OF.values(), 3)
    Release.objects.filter(name="earlier-1").update(product="Another")
    assert scarce(release) == dict.fromkeys(bed.TEXT_OF.values(), 2)
    Release.objects.update(product="")
    assert scarce(release) == {}


# --- In review ------------------------------------------------------------------------------------


def test_a_case_without_its_reviewers_is_ready_to_assign(
    ada_sees: Any, mina_sees: Any, rita: User, omar: User
) -> None:
    release = bed.started(k=1)
    for key in ("feast", "kids", "ramp", "rush"):
        bed.assign(release, key, rita)
    assert ada_sees() == ["Ready to assign -> Plan the assignments"]
    bed.assign(release, "thrift", omar)
    assert ada_sees() == []
    assert mina_sees() == []


def test_a_complete_release_is_ready_to_close_for_a_manager_and_for_the_next_look_for_an_admin(
    ada_sees: Any, mina_sees: Any, rita: User
) -> None:
    release = bed.started(k=1)
    bed.review_all(release, rita, but=["feast"])
    bed.assign(release, "feast", rita)
    assert (ada_sees(), mina_sees()) == ([], [])
    bed.review(release, "feast", rita)
    assert ada_sees() == ["Ready for the next look -> Take the next look"]
    assert mina_sees() == ["Ready to close -> Close"]
    bed.at_last_look(release)
    assert ada_sees() == []
    lifecycle.close(release=bed.current(release), user=None, now=NOW)
    assert mina_sees() == ["Ready to sign -> Read the report and sign"]


def test_after_the_next_look_its_cases_are_waited_for(
    ada_sees: Any, mina_sees: Any, rita: User
) -> None:
    release = bed.started(k=1)
    bed.review_all(release, rita)
    extension.extend(release=release, look=2, user=None, now=NOW)
    assert (ada_sees(), mina_sees()) == ([], [])


def test_a_signed_release_waits_for_no_one(
    ada_sees: Any, mina_sees: Any, mina: User, rita: User
) -> None:
    release = bed.started(k=1)
    bed.review_all(release, rita)
    closing = lifecycle.close(release=release, user=None, now=NOW)
    signed = {"decision": "ship", "reason": "Fine.", "digest": closing.digest}
    decision.sign(release=bed.current(release), user=mina, now=NOW, **signed)
    make_release("next")
    assert mina_sees() == []
    assert ada_sees() == ["Import cases -> Import cases"]


def test_a_difference_is_to_be_settled_before_the_release_is_ready_to_close(
    ada_sees: Any, mina_sees: Any, ada: User, rita: User, omar: User
) -> None:
    release = bed.at_last_look(bed.started(k=2))
    bed.review_all(release, rita, omar, but=["feast"])
    bed.review(release, "feast", rita, 5)
    bed.review(release, "feast", omar, 2)
    assert ada_sees() == ["Reviewers disagree on 1 case -> Settle"]
    assert mina_sees() == ["Reviewers disagree on 1 case -> Settle"]
    bed.look(release, ada)
    bed.settle(release, "feast", ada, usability_value=3, personalization=3)
    assert ada_sees() == []
    assert mina_sees() == ["Ready to close -> Close"]


def test_waived_reviews_are_not_waited_for(mina_sees: Any, mina: User, rita: User) -> None:
    release = bed.started(k=1)
    bed.review_all(release, rita, but=["feast"])
    assert mina_sees() == []
    waivers.waive(release=release, rule="reviews", reason="Time.", user=mina, now=NOW)
    assert mina_sees() == ["Ready to close -> Close"]


def test_a_declined_case_is_to_be_answered_until_someone_else_has_it(
    ada_sees: Any, rita: User, omar: User
) -> None:
    release = bed.started(k=1)
    for key in bed.sampled(release):
        bed.assign(release, key, rita)
    own = Review.objects.get(case__case_key="feast")
    desk_workflow.decline(review=own.pk, user=rita, cause="broken", reason="Cut off.", now=NOW)
    assert ada_sees() == [
        "1 case cannot be judged, says its reviewer -> Answer",
        "Ready to assign -> Plan the assignments",
    ]
    bed.assign(release, "feast", omar)
    assert ada_sees() == []


def test_a_question_is_to_be_answered_by_an_admin(
    ada_sees: Any, mina_sees: Any, rita: User
) -> None:
    release = bed.started(k=1)
    for key in bed.sampled(release):
        bed.assign(release, key, rita)
    bed.ask(release, "feast", rita)
    assert ada_sees() == ["1 question about the rubric to answer -> Answer"]
    assert mina_sees() == []


def test_a_flag_is_to_be_judged_and_a_broken_case_withdrawn(
    ada_sees: Any, mina_sees: Any, ada: User, rita: User
) -> None:
    release = bed.started(k=1)
    for key in ("kids", "ramp", "rush", "thrift"):
        bed.assign(release, key, rita)
    raised = bed.flag(release, "feast", rita)
    assert ada_sees() == ["1 flag to judge -> Judge"]
    assert mina_sees() == ["1 flag to judge -> Judge"]
    bed.look(release, ada)
    judge_flag(flag=raised.pk, outcome="confirmed", reason="It is.", user=ada, now=NOW)
    assert ada_sees() == ["1 broken case to withdraw -> Withdraw"]
    assert mina_sees() == []


# --- Late -----------------------------------------------------------------------------------------


@pytest.fixture
def late(rita: User, omar: User) -> Release:
    """In review since some days; rita has three open reviews, omar two."""
    release = bed.started(k=1)
    for key in ("feast", "kids", "ramp"):
        bed.assign(release, key, rita)
    for key in ("rush", "thrift"):
        bed.assign(release, key, omar)
    return release


@pytest.mark.parametrize(("days", "is_late"), [(-1, True), (0, False), (1, False), (None, False)])
def test_late_reviews_are_listed_by_person_for_admins_and_by_release_for_managers(
    ada_sees: Any, mina_sees: Any, late: Release, days: int | None, is_late: bool
) -> None:
    due = timezone.localdate() + timedelta(days=days) if days is not None else None
    bed.make_due(late, due)
    since = f"{due:%b}. {due.day}, {due.year}" if due else ""
    since = since.replace("May.", "May").replace("Sep.", "Sept.")
    expected = [f"omar: 2 reviews late since {since}", f"rita: 3 reviews late since {since}"]
    assert [line.partition(" -> ")[0] for line in ada_sees()] == (expected if is_late else [])
    told = mina_sees()
    assert told == ([f"5 reviews late since {since} -> See who"] if is_late else [])


def test_the_count_is_that_of_the_one_rule(ada_sees: Any, late: Release, rita: User) -> None:
    """Home, lists, mail and admin site select late reviews alike."""
    today = timezone.localdate()
    bed.make_due(late, today - timedelta(days=1))
    bed.submit(Review.objects.get(case__case_key="feast"))
    assignments_workflow.withdraw(
        release=late, case_key="kids", reviewer=rita, reason="r", user=None, now=NOW
    )
    assert Review.objects.late(today).by(rita).count() == 1
    told = [line for line in ada_sees() if line.startswith("rita")]
    assert [line.split(" late")[0] for line in told] == ["rita: 1 review"]
    assert [review.is_late(today) for review in Review.objects.late(today)] == [True] * 3


@pytest.mark.parametrize(("days", "count"), [(-1, 5), (0, 0)])
def test_the_lists_and_pages_of_releases_and_the_assignments_mark_late_reviews_alike(
    as_user: AsUser, ada: User, rita: User, late: Release, days: int, count: int
) -> None:
    bed.make_due(late, timezone.localdate() + timedelta(days=days))
    admin = as_user(ada)
    badge = f'href="/releases/wanderer-1/assignments/?show=late">{count} late</a>'
    for path in ("/releases/", "/releases/wanderer-1/"):
        assert (badge in admin.get(path).content.decode()) is bool(count)
    [waiting] = load_under_way(ada)
    assert waiting.late == count
    rows = admin.get("/api/v1/releases/wanderer-1/assignments/").json()["results"]
    assert sum(row["is_late"] for row in rows) == count
    shown = admin.get("/releases/wanderer-1/assignments/?show=late").content.decode()
    assert ("Late: was due" in shown) is bool(count)
    own = as_user(rita).get("/").content.decode()
    assert ('<span class="badge check-warn">late</span>' in own) is bool(count)


def load_under_way(user: User) -> list[UnderWay]:
    today = timezone.localdate()
    return list_under_way(load_waiting(user, ADMIN, today), today=today)


def test_who_was_reminded_today_is_marked(as_user: AsUser, ada: User, late: Release) -> None:
    bed.make_due(late, timezone.localdate() - timedelta(days=3))
    release = bed.current(late)

    def remind_rita(now: datetime) -> None:
        remind(release=release, username="rita", link="-", user=ada, now=now)

    remind_rita(timezone.now() - timedelta(days=1))
    assert "reminded today" not in as_user(ada).get("/").content.decode()
    remind_rita(timezone.now())
    assert as_user(ada).get("/").content.decode().count("reminded today") == 1


def test_open_reviews_of_who_left_are_to_be_reassigned_late_or_not(
    ada_sees: Any, ada: User, late: Release, omar: User
) -> None:
    people_workflow.deactivate(by=ada, user=omar)
    line = "omar can no longer review and has 2 open reviews -> Reassign"
    assert ada_sees() == [line]
    bed.make_due(late, timezone.localdate() - timedelta(days=1))
    assert [told.split(":")[0] for told in ada_sees()] == ["rita", line]


# --- Two worlds -----------------------------------------------------------------------------------


def test_the_home_of_a_reviewer_says_the_same_whatever_others_scored(
    as_user: AsUser, rita: User, omar: User
) -> None:
    release = bed.started(k=2)
    for key in ("feast", "kids"):
        bed.assign(release, key, rita)
    pages = []
    for value in (0, 5):
        forget_work()
        bed.review(release, "feast", omar, value)
        pages.append(without_tokens(as_user(rita).get("/")))
    assert pages[0] == pages[1]


def test_who_judges_and_manages_learns_nothing_of_a_difference(
    as_user: AsUser, rita: User, omar: User
) -> None:
    both = make_person("both", Role.MANAGER, Role.ADMIN, Role.REVIEWER)
    release = bed.started(k=2)
    bed.review_all(release, rita, omar)
    own = bed.assign(release, "feast", both)
    pages = []
    for value in (4, 0):
        forget_work()
        bed.review(release, "kids", omar, value)
        pages.append(without_tokens(as_user(both).get("/")))
    assert pages[0] == pages[1]
    bed.submit(own)
    assert "Reviewers disagree on 1 case -> Settle" in home(both, as_user)


def without_tokens(response: Any) -> str:
    page = response.content.decode()
    return re.sub(r'name="csrfmiddlewaretoken" value="[^"]*"', "", page)


# --- Their order ----------------------------------------------------------------------------------


def make_work(*, scarce: bool = False, **facts: Any) -> Work:
    found = (Scarce("Kids", 1),) if scarce else ()
    return Work(replace(NOTHING, **facts), open_by={7: 2}, scarce=found)


def list_for(roles: frozenset[Role], *releases: tuple[Release, Work], **more: Any) -> list[Task]:
    people = {7: Person("rita", can_review=True)}
    waiting = Waiting(viewer=1, releases=releases, people=people, **more)
    return list_tasks(waiting, roles=roles, today=TODAY)


def test_the_most_urgent_comes_first() -> None:
    late = Release(pk=1, name="b", status="reviewing", due_date=YESTERDAY)
    later = Release(pk=2, name="a", status="reviewing", due_date=YESTERDAY - timedelta(days=3))
    draft = Release(pk=3, name="c", status="draft")
    ready = make_work(cases=9, available=9, least=5, scarce=True)
    releases = (
        (draft, replace(ready, open_by={})),
        (late, make_work(is_waiting=True)),
        (later, make_work(is_waiting=True, unassigned=1)),
    )
    found = list_for(ADMIN, *releases, questions=2)
    assert [(task.kind, task.release.name if task.release else "") for task in found] == [
        (TaskKind.LATE, "a"),
        (TaskKind.LATE, "b"),
        (TaskKind.QUESTIONS, ""),
        (TaskKind.ASSIGN, "a"),
        (TaskKind.DRAW, "c"),
        (TaskKind.SCARCE, "c"),
    ]


def test_nothing_waits_where_nothing_is() -> None:
    for roles in (ADMIN, MANAGER, BOTH):
        assert list_for(roles) == []
    assert list_under_way(Waiting(viewer=1), today=TODAY) == []


def test_a_manager_who_is_an_admin_has_one_line_for_each_person() -> None:
    late = Release(pk=1, name="b", status="reviewing", due_date=YESTERDAY)
    work = make_work(is_waiting=True)
    assert [task.kind for task in list_for(MANAGER, (late, work))] == [TaskKind.BEHIND]
    assert TaskKind.BEHIND not in [task.kind for task in list_for(BOTH, (late, work))]


# --- What is kept ---------------------------------------------------------------------------------


def test_the_work_is_read_again_after_each_event_and_only_then(rita: User) -> None:
    release = bed.started(k=1)
    load_work(load_open_releases())
    with CaptureQueriesContext(connection) as queries:
        load_work(load_open_releases())
    assert len(queries) == 1
    bed.assign(release, "feast", rita)
    [work] = load_work(load_open_releases()).values()
    assert work.open_by == {rita.pk: 1}


def test_what_is_kept_is_in_the_language_of_the_reader(as_user: AsUser, ada: User) -> None:
    bed.drawn()
    english = as_user(ada)
    chinese = as_user(ada)
    chinese.cookies["django_language"] = "zh-hans"
    assert "Mobility-limited case" in english.get("/").content.decode()
    assert "Mobility-limited case" not in chinese.get("/").content.decode()
    assert "Mobility-limited case" in english.get("/").content.decode()


# --- Cost -----------------------------------------------------------------------------------------


def queries_of(client: Client) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get("/").status_code == 200
    return len(queries)


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_a_home_takes_at_most_nine_queries_however_many_releases_there_are(
    as_user: AsUser, ada: User, mina: User, rita: User, omar: User, language: str
) -> None:
    clients = [as_user(user) for user in (ada, mina, rita)]
    for client in clients:
        client.cookies["django_language"] = language
    found = []
    for count in (1, 4):
        for number in range(count):
            release = bed.started(f"release-{count}-{number}", k=2)
            bed.review(release, "feast", omar)
            bed.assign(release, "feast", rita)
            bed.make_due(release, YESTERDAY)
            bed.drawn(f"draft-{count}-{number}")
        [client.get("/") for client in clients]
        found.append([queries_of(client) for client in clients])
    assert found[0] == found[1]
    # One more for the rubric in another language.
    assert max(found[0]) <= 10 + (language != "en")


def test_after_an_event_the_number_of_queries_does_not_depend_on_the_releases(
    as_user: AsUser, ada: User, rita: User, omar: User
) -> None:
    client = as_user(ada)
    found = []
    for count in (1, 4):
        for number in range(count):
            release = bed.started(f"release-{count}-{number}", k=2)
            bed.review(release, "feast", omar)
            bed.assign(release, "feast", rita)
            bed.put_reviews(bed.started(f"complete-{count}-{number}", k=1), rita)
            bed.drawn(f"draft-{count}-{number}")
        forget_work()
        found.append(queries_of(client))
    assert found[0] == found[1]
    assert found[0] <= 40
