"""The first look at what others say: asked for, an event, and refused to those who still judge."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from cases.models import Release
from evalsite.permissions import Role
from reviews.adjudication import workflow as adjudication_workflow
from reviews.adjudication.visibility import StillJudging
from reviews.assignments import workflow as assignments_workflow
from reviews.models import Review
from reviews.releases import lifecycle as releases_lifecycle
from reviews.releases import waivers as releases_waivers
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.people import AsUser, also, make_person
from tests.reviews.adjudication.settling_pages import list_of, page_of, words

pytestmark = pytest.mark.usefixtures("rubric")

DIFFER = "1 against 4"


@pytest.fixture
def apart(rita: User, omar: User) -> Release:
    """All reviews are in; the two differ on the feast."""
    release = bed.started()
    bed.put_reviews(release, rita, omar, but=["feast"])
    differing = {rita: bed.judgement(4), omar: bed.judgement(4, usability_value=1)}
    bed.put_judgements(release, {"feast": differing})
    return bed.current(release)


@pytest.fixture
def both(db: None) -> User:
    """A manager who also reviews."""
    return make_person("both", Role.MANAGER, Role.REVIEWER)


def events(release: Release) -> list[tuple[str, str]]:
    return [(one.kind, one.by) for one in release.events.filter(kind="scores-seen")]


def test_before_the_first_look_the_page_says_what_it_means_and_shows_nothing(
    as_user: AsUser, apart: Release, mina: User
) -> None:
    client = as_user(mina)
    before = bed.everything()
    for path in (list_of(apart), page_of(apart, "feast")):
        page = client.get(path)
        assert page.status_code == 200
        assert "you cannot be assigned any more reviews" in words(page)
        assert DIFFER not in words(page)
        assert "omar" not in words(page)
        assert f'value="{path}"' in page.content.decode()
    assert bed.everything() == before


def test_the_look_is_an_event_once_and_leads_back(
    as_user: AsUser, apart: Release, mina: User
) -> None:
    client = as_user(mina)
    path = page_of(apart, "feast")
    for _ in range(2):
        answer = client.post(f"{list_of(apart)}look/", {"next": path})
        assert (answer.status_code, answer.headers["Location"]) == (302, path)
    assert events(apart) == [("scores-seen", "mina")]
    assert DIFFER in words(client.get(list_of(apart)))


def test_the_look_leads_nowhere_else(as_user: AsUser, apart: Release, mina: User) -> None:
    client = as_user(mina)
    for target in ("", "https://elsewhere.example/", "//elsewhere.example", "x"):
        answer = client.post(f"{list_of(apart)}look/", {"next": target})
        assert answer.headers["Location"] == list_of(apart), target


def test_who_has_looked_can_neither_revise_nor_be_assigned(
    as_user: AsUser, apart: Release, both: User
) -> None:
    own = bed.review(apart, "kids", both, 4)
    client = as_user(both)
    assert "you cannot revise your submitted review" in words(client.get(list_of(apart)))
    client.post(f"{list_of(apart)}look/")
    with pytest.raises(assignments_workflow.SeenScores):
        bed.assign(apart, "rush", both)
    with pytest.raises(assignments_workflow.SeenScores):
        bed.submit(own, bed.judgement(2))


def test_who_has_an_own_review_to_submit_is_refused_in_words(
    as_user: AsUser, apart: Release, both: User
) -> None:
    bed.assign(apart, "kids", both)
    before, client = bed.everything(), as_user(both)
    answers = [
        client.get(list_of(apart)),
        client.get(page_of(apart, "feast")),
        client.post(page_of(apart, "feast")),
        client.post(f"{list_of(apart)}look/"),
    ]
    for answer in answers:
        assert answer.status_code == 409
        assert "Submit your 1 open review in this release first" in words(answer)
        assert DIFFER not in words(answer)
    assert bed.everything() == before


@pytest.mark.parametrize("ended", ["declined", "withdrawn"])
def test_a_review_that_was_declined_or_taken_back_keeps_nobody_from_looking(
    as_user: AsUser, apart: Release, both: User, ended: str
) -> None:
    own = bed.assign(apart, "kids", both)
    Review.objects.filter(pk=own.pk).update(status=ended, declined_for="conflict")
    assert as_user(both).get(list_of(apart)).status_code == 200


def test_a_superuser_is_as_blind_as_anybody(as_user: AsUser, apart: Release, root: User) -> None:
    bed.assign(apart, "kids", also(root, Role.REVIEWER))
    assert as_user(root).get(list_of(apart)).status_code == 409


def test_a_closed_release_is_shown_without_an_event(
    as_user: AsUser, apart: Release, mina: User
) -> None:
    bed.settle(apart, "feast", mina, usability_value=3)
    releases_lifecycle.close(release=apart, user=None, now=NOW)
    before = bed.everything()
    client = as_user(mina)
    assert DIFFER in words(client.get(list_of(apart)))
    page = client.get(page_of(apart, "feast"))
    assert "is closed, so nothing in it can change" in words(page)
    assert "Save the agreed scores" not in words(page)
    assert client.post(f"{list_of(apart)}look/").status_code == 302
    assert bed.everything() == before


def test_a_draft_has_nothing_to_look_at_and_a_look_is_no_event(as_user: AsUser, mina: User) -> None:
    release = bed.drawn()
    client = as_user(mina)
    assert "nothing to show" in words(client.get(list_of(release)))
    before = bed.everything()
    answer = client.post(f"{list_of(release)}look/")
    assert answer.status_code == 409
    assert "still a draft" in words(answer)
    assert bed.everything() == before


# --- What else could tell -------------------------------------------------------------------------


def told(client: Client, release: Release) -> list[str]:
    """Whatever a blind manager can open about the release."""
    paths = ["/", f"/releases/{release.name}/", f"/releases/{release.name}/events/"]
    paths += ["/releases/", f"/releases/{release.name}/close/", list_of(release)]
    return [words(client.get(path)) for path in paths]


def test_steps_closing_and_home_tell_the_blind_nothing_of_a_difference(
    as_user: AsUser, apart: Release, both: User, mina: User
) -> None:
    own = bed.assign(apart, "kids", both)
    client = as_user(both)
    [home, page, _history, _list, closing, _adjudications] = told(client, apart)
    assert "Reviewers disagree" not in home
    assert "Submit your own work first" in page
    assert "waiting for adjudication" not in page
    assert "Submit your 1 open review in this release first" in closing
    assert "waiting for adjudication" not in closing
    bed.submit(own, bed.judgement(4))
    [home, page, _history, _list, closing, _adjudications] = told(client, apart)
    assert "Reviewers disagree on 1 case" in home
    assert "1 case is waiting for adjudication." in page
    # How many is needed to act; which ones, only who has looked is told.
    assert "1 case is waiting for adjudication; look at the scores to see which." in closing
    assert "feast" not in closing
    refused = client.post(f"/releases/{apart.name}/close/")
    assert "look at the scores" in words(refused)
    assert "feast" not in words(refused)
    bed.look(apart, both)
    assert "1 case is waiting for adjudication: feast." in told(client, apart)[4]


def test_the_blind_cannot_ask_by_closing_or_waiving(apart: Release, both: User) -> None:
    bed.assign(apart, "kids", both)
    before = bed.everything()
    with pytest.raises(StillJudging):
        releases_lifecycle.close(release=apart, user=both, now=NOW)
    with pytest.raises(StillJudging):
        releases_waivers.waive(
            release=apart, rule="adjudications", reason="late", user=both, now=NOW
        )
    assert bed.everything() == before


def test_a_refused_closing_tells_the_blind_nothing(
    as_user: AsUser, apart: Release, both: User
) -> None:
    bed.assign(apart, "kids", both)
    answer = as_user(both).post(f"/releases/{apart.name}/close/")
    assert answer.status_code == 409
    assert "waiting for adjudication" not in words(answer)
    assert "Submit your 1 open review" in words(answer)


def test_history_and_news_keep_what_was_settled_from_the_blind(
    as_user: AsUser, apart: Release, both: User, mina: User
) -> None:
    own = bed.assign(apart, "kids", both)
    client = as_user(both)
    client.get(f"/releases/{apart.name}/")
    bed.settle(apart, "feast", mina, usability_value=3)
    page, history = (words(client.get(f"/releases/{apart.name}/{one}")) for one in ("", "events/"))
    assert "settled the scores" not in page
    assert "settled the scores" not in history
    assert "Details" not in history
    assert "did something that depends on scores" in history
    bed.submit(own, bed.judgement(4))
    page, history = (words(client.get(f"/releases/{apart.name}/{one}")) for one in ("", "events/"))
    assert "settled the scores" not in page + history
    assert "You can see it after looking at the scores" in history
    assert "missed-evidence" not in history
    bed.look(apart, both)
    page, history = (words(client.get(f"/releases/{apart.name}/{one}")) for one in ("", "events/"))
    assert "settled the scores of feast" in page
    assert "settled the scores of feast" in history
    assert "Details" in history


def test_the_blind_settle_nothing_even_without_a_page(
    apart: Release, both: User, rita: User
) -> None:
    flagged = bed.flag(apart, "rush", make_person("wei", Role.REVIEWER))
    bed.assign(apart, "kids", both)
    before = bed.everything()
    with pytest.raises(StillJudging):
        bed.settle(apart, "feast", both, usability_value=3)
    with pytest.raises(StillJudging):
        adjudication_workflow.judge_flag(
            flag=flagged.pk, outcome="confirmed", reason="so", user=both, now=NOW
        )
    assert bed.everything() == before
