"""Whoever was shown a closed release's scores judges nothing in it when it is reopened."""

import pytest
from django.contrib.auth.models import User

from cases.models import Event, Release
from evalsite.permissions import Role
from reviews.adjudication.visibility import look_into_mirror
from reviews.assignments import workflow as assignments_workflow
from reviews.desk.mirror import list_closings
from reviews.models import MirrorLook
from reviews.models.reviews import SEEN, ReviewStatus
from reviews.releases import lifecycle as releases_lifecycle
from reviews.releases.history import describe_event
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.people import make_person
from tests.reviews.desk.desk import client_of

pytestmark = pytest.mark.usefixtures("rubric")

MIRROR = "/mirror/"


@pytest.fixture
def both(db: None, request: pytest.FixtureRequest) -> User:
    """Somebody who reviews and can read what others say: a manager, unless a test says more."""
    role = getattr(request, "param", Role.MANAGER)
    person = make_person("both", Role.REVIEWER, *({role} - {Role.SUPERUSER}))
    person.is_superuser = role is Role.SUPERUSER
    person.save()
    return person


@pytest.fixture
def shut(rita: User, omar: User, both: User) -> Release:
    """Closed without one of both's reviews and one of rita's."""
    release = bed.started()
    bed.put_reviews(release, rita, omar, but=["rush"])
    bed.review(release, "feast", both, 4)
    for person in (rita, both):
        bed.assign(release, "rush", person)
    rules = [one.rule for one in releases_lifecycle.find_missing_for_close(release)]
    releases_lifecycle.close(release=release, waived=rules, reason="time", user=None, now=NOW)
    return bed.current(release)


def reopen(release: Release) -> Release:
    return releases_lifecycle.reopen(release=release, reason="a slip", user=None, now=NOW)


def seen(release: Release) -> dict[str, object]:
    return {one.by: one.data for one in release.events.filter(kind=SEEN)}


def state(release: Release, user: User, case_key: str) -> str:
    return release.reviews.get(reviewer=user, case__case_key=case_key).status


@pytest.mark.parametrize("both", [Role.ADMIN, Role.MANAGER, Role.SUPERUSER], indirect=True)
def test_who_could_read_the_closed_release_neither_revises_nor_submits_nor_is_assigned(
    shut: Release, both: User
) -> None:
    release = reopen(shut)
    assert seen(release)["both"] == {"closing": 1}
    with pytest.raises(assignments_workflow.SeenScores):
        bed.submit(release.reviews.get(reviewer=both, case__case_key="feast"))
    with pytest.raises(assignments_workflow.SeenScores):
        bed.assign(release, "kids", both)
    # An unsubmitted one is taken back, so that the admin finds somebody else.
    assert state(release, both, "rush") == ReviewStatus.WITHDRAWN
    with pytest.raises(assignments_workflow.SeenScores):
        bed.assign(release, "rush", both)
    told = [
        describe_event(one) for one in Event.objects.filter(release=release, by="both", kind=SEEN)
    ]
    assert told == ["could read the scores of others while the release was closed"]


def test_reviewers_who_did_not_look_find_their_reviews_open_again(
    shut: Release, rita: User, omar: User
) -> None:
    release = reopen(shut)
    assert not {"rita", "omar"} & seen(release).keys()
    assert state(release, rita, "rush") == ReviewStatus.ASSIGNED
    bed.submit(release.reviews.get(reviewer=omar, case__case_key="kids"), bed.judgement(2))


def test_a_reviewer_who_looked_into_the_mirror_has_been_shown_what_was_agreed(
    shut: Release, rita: User, omar: User
) -> None:
    before = shut.ledger_length
    client = client_of(rita)
    for _again in range(2):
        assert "Closed" in client.get(MIRROR).text
    assert MirrorLook.objects.get().user == rita
    # Reading a closed release writes nothing into its ledger.
    assert bed.current(shut).ledger_length == before
    release = reopen(shut)
    assert seen(release)["rita"] == {"closing": 1}
    assert "omar" not in seen(release)
    own = release.reviews.get(reviewer=rita, case__case_key="kids")
    with pytest.raises(assignments_workflow.SeenScores):
        bed.submit(own)
    assert "so you can no longer change yours" in client.get(own.get_absolute_url()).text
    assert state(release, rita, "rush") == ReviewStatus.WITHDRAWN


def test_nobody_is_shown_a_mirror_of_what_is_open_again(shut: Release, rita: User) -> None:
    closings = list(list_closings(rita))
    reopen(shut)
    assert look_into_mirror(user=rita, closings=closings, now=NOW) == []
    assert "Closed" not in client_of(rita).get(MIRROR).text


def test_a_second_closing_is_looked_at_anew_and_one_event_is_enough(
    shut: Release, rita: User, omar: User
) -> None:
    client_of(rita).get(MIRROR)
    release = reopen(shut)
    rules = [one.rule for one in releases_lifecycle.find_missing_for_close(release)]
    releases_lifecycle.close(release=release, waived=rules, reason="time", user=None, now=NOW)
    client_of(rita).get(MIRROR)
    client_of(omar).get(MIRROR)
    release = reopen(release)
    assert seen(release)["omar"] == {"closing": 2}
    assert release.events.filter(kind=SEEN, by="rita").count() == 1


def test_a_draft_that_was_abandoned_had_nothing_to_show(both: User) -> None:
    release = bed.drawn()
    releases_lifecycle.abandon(release=release, reason="no plan", user=None, now=NOW)
    assert seen(reopen(bed.current(release))) == {}
