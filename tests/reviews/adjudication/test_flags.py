"""Flags: confirmed or rejected with a reason by somebody who did not review the case."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from cases.models import Release
from evalsite.permissions import Role
from reviews.adjudication import workflow as adjudication_workflow
from reviews.models import Flag
from reviews.releases import lifecycle as releases_lifecycle
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.people import AsUser, make_person
from tests.reviews.adjudication.settling_pages import code_of, list_of, queries, words

pytestmark = pytest.mark.usefixtures("rubric")

GOOD = {"outcome": "confirmed", "reason": "Half of the plan is cut off."}


@pytest.fixture
def release() -> Release:
    return bed.started()


@pytest.fixture
def raised(release: Release, rita: User) -> Flag:
    return bed.flag(release, "feast", rita)


@pytest.fixture
def admin(as_user: AsUser, release: Release, ada: User) -> Client:
    bed.look(release, ada)
    return as_user(ada)


def page_of(flag: Flag) -> str:
    return f"/flags/{flag.pk}/"


def test_who_may_judge(as_user: AsUser, raised: Flag, rita: User, sam: User, mina: User) -> None:
    path, before = page_of(raised), bed.everything()
    for method in ("get", "post"):
        assert getattr(as_user(rita), method)(path).status_code == 403
        assert getattr(as_user(sam), method)(path).status_code == 404
        assert getattr(as_user(None), method)(path).headers["Location"].startswith("/sign-in/")
    assert as_user(rita).get("/flags/987/").status_code == 403
    assert "Before you look" in words(as_user(mina).get(path))
    assert "rita" not in words(as_user(mina).get(path))
    assert as_user(mina).post(path, GOOD).status_code == 409
    assert bed.everything() == before


def test_a_flag_that_is_not_there(admin: Client, raised: Flag) -> None:
    for pk in (raised.pk + 1, 10**30):
        assert admin.get(f"/flags/{pk}/").status_code == 404
        assert admin.post(f"/flags/{pk}/", GOOD).status_code == 404
    assert admin.put(page_of(raised)).status_code == 405


def test_flags_stand_on_the_list_with_their_state(
    admin: Client, release: Release, raised: Flag, omar: User, ada: User
) -> None:
    bed.flag(release, "kids", omar, "harmful")
    page = words(admin.get(list_of(release)))
    assert "2 flags to judge" in page
    adjudication_workflow.judge_flag(flag=raised.pk, **GOOD, user=ada, now=NOW)
    page = words(admin.get(list_of(release)))
    assert "1 flag to judge" in page
    assert "confirmed ada: Half of the plan is cut off." in page
    assert page.index("harmful content") < page.index("case broken")


def test_a_confirmed_broken_case_leads_on_to_withdrawing_it(
    admin: Client, release: Release, raised: Flag
) -> None:
    answer = admin.post(page_of(raised), GOOD, follow=True)
    assert "Case broken: confirmed." in words(answer)
    withdraw = f"/releases/{release.name}/sample/{code_of(release, 'feast')}/withdraw/"
    assert f'href="{withdraw}"' in answer.content.decode()
    # Until it is done it waits, here and on the first page.
    assert f'href="{withdraw}"' in admin.get(list_of(release)).content.decode()
    for path in ("/", list_of(release)):
        assert "1 broken case to withdraw" in words(admin.get(path))
    assert release.events.get(kind="flag-judged").data == {
        "case": "feast",
        "flag": "broken",
        **GOOD,
    }
    admin.post(withdraw, {"cause": "broken", "reason": "cut off"})
    page = admin.get(page_of(raised))
    assert "The case is already withdrawn." in words(page)
    assert f'href="{withdraw}"' not in page.content.decode()
    for path in ("/", list_of(release)):
        assert "to withdraw" not in words(admin.get(path))
    assert f'href="{withdraw}"' not in admin.get(list_of(release)).content.decode()


def test_a_manager_is_told_that_an_admin_withdraws(
    as_user: AsUser, release: Release, raised: Flag, mina: User
) -> None:
    bed.look(release, mina)
    page = as_user(mina).post(page_of(raised), GOOD, follow=True)
    assert "An admin does this." in words(page)
    assert "/withdraw/" not in page.content.decode()


@pytest.mark.parametrize(
    ("kind", "outcome"), [("broken", "rejected"), ("harmful", "confirmed"), ("harmful", "rejected")]
)
def test_nothing_else_leads_on(
    admin: Client, release: Release, omar: User, kind: str, outcome: str
) -> None:
    raised = bed.flag(release, "kids", omar, kind)
    page = admin.post(page_of(raised), GOOD | {"outcome": outcome}, follow=True)
    assert "Withdraw the case" not in words(page)
    assert "to withdraw" not in words(admin.get("/"))
    raised.refresh_from_db()
    assert raised.outcome == outcome


def test_judged_twice_in_the_same_way_it_is_judged_once(admin: Client, raised: Flag) -> None:
    admin.post(page_of(raised), GOOD)
    before = bed.everything()
    assert admin.post(page_of(raised), GOOD).status_code == 302
    assert bed.everything() == before


def test_judged_again_otherwise_is_refused_in_words(admin: Client, raised: Flag) -> None:
    admin.post(page_of(raised), GOOD)
    before = bed.everything()
    answer = admin.post(page_of(raised), {"outcome": "rejected", "reason": "It is whole."})
    assert answer.status_code == 409
    assert "This flag has already been judged: confirmed." in words(answer)
    assert "It is whole." in words(answer)
    assert bed.everything() == before


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"reason": "so"}, "Confirm the flag or reject it."),
        ({"outcome": "open", "reason": "so"}, "Select a valid choice"),
        ({"outcome": "confirmed", "reason": " "}, "This field is required."),
        ({"outcome": "confirmed", "reason": "y" * 501}, "at most 500 characters"),
    ],
)
def test_what_is_incomplete_is_refused_and_stays(
    admin: Client, raised: Flag, data: dict[str, str], sentence: str
) -> None:
    before = bed.everything()
    answer = admin.post(page_of(raised), data)
    assert answer.status_code == 422
    assert sentence in words(answer)
    assert bed.everything() == before


def test_nobody_judges_a_flag_on_a_case_they_reviewed(
    as_user: AsUser, release: Release, raised: Flag
) -> None:
    both = make_person("both", Role.ADMIN, Role.REVIEWER)
    bed.review(release, "feast", both, 4)
    bed.look(release, both)
    before, client = bed.everything(), as_user(both)
    assert "Judge the flag" not in words(client.get(page_of(raised)))
    answer = client.post(page_of(raised), GOOD)
    assert answer.status_code == 409
    assert "You reviewed this case, so someone else has to settle it." in words(answer)
    assert bed.everything() == before


def test_a_flag_that_was_taken_back_meanwhile_is_gone(
    release: Release, raised: Flag, ada: User
) -> None:
    bed.submit(raised.review, bed.judgement())
    with pytest.raises(adjudication_workflow.NoSuchFlag):
        adjudication_workflow.judge_flag(flag=raised.pk, **GOOD, user=ada, now=NOW)


def test_an_unjudged_flag_never_keeps_a_release_open(
    admin: Client, release: Release, rita: User, omar: User, raised: Flag
) -> None:
    bed.review_all(release, rita, omar, but=["feast"])
    bed.review(release, "feast", omar)
    assert list(releases_lifecycle.find_missing_for_close(release)) == []
    releases_lifecycle.close(release=release, user=None, now=NOW)
    before = bed.everything()
    page = admin.get(page_of(raised))
    assert page.status_code == 200
    assert "Judge the flag" not in words(page)
    answer = admin.post(page_of(raised), GOOD)
    assert answer.status_code == 409
    assert "is closed, so nothing in it can change" in words(answer)
    assert bed.everything() == before


def test_home_counts_flags_and_cases_in_releases_where_one_may_look(
    as_user: AsUser, admin: Client, release: Release, raised: Flag, ada: User
) -> None:
    assert "1 flag to judge" in words(admin.get("/"))
    both = make_person("both", Role.MANAGER, Role.REVIEWER)
    own = bed.assign(release, "kids", both)
    assert "flag to judge" not in words(as_user(both).get("/"))
    bed.submit(own, bed.judgement())
    assert "1 flag to judge" in words(as_user(both).get("/"))
    adjudication_workflow.judge_flag(
        flag=raised.pk, **GOOD | {"outcome": "rejected"}, user=ada, now=NOW
    )
    assert "flag to judge" not in words(admin.get("/"))


def test_the_page_takes_the_same_queries_however_many_flags_there_are(
    admin: Client, release: Release, raised: Flag, omar: User
) -> None:
    few = queries(admin, page_of(raised)), queries(admin, list_of(release))
    for case_key in ("kids", "rush", "ramp", "thrift"):
        bed.flag(release, case_key, omar, "harmful")
    assert (queries(admin, page_of(raised)), queries(admin, list_of(release))) == few
