"""A revision that was begun can be given up: what was submitted stands, and stands in the draft."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from cases.models import Release
from reviews.desk import judgement as judgements
from reviews.desk import revision as desk_revision
from reviews.desk import workflow as desk_workflow
from reviews.errors import WrongStatus
from reviews.models import Review
from reviews.releases import lifecycle as releases_lifecycle
from tests.bed.api import by
from tests.bed.cases import NOW
from tests.bed.reviewed import assign, current, everything, judgement, started, submit
from tests.reviews.desk.desk import client_of, send

LATER = NOW + timedelta(minutes=5)
FIRST = judgements.from_data(
    judgements.to_data(judgement(4, comment="First.")) | {"flags": ["harmful", "broken"]}
)


@pytest.fixture
def release(db: None) -> Release:
    return started()


@pytest.fixture
def own(release: Release, rita: User) -> Review:
    """Submitted, and a revision of it is begun: version 2."""
    own = assign(release, "feast", rita)
    submit(own, FIRST)
    desk_workflow.save_draft(
        review=own.pk, user=rita, version=1, said=judgement(1, comment="No."), now=LATER
    )
    own.refresh_from_db()
    return own


def discard(own: Review, **changes: Any) -> desk_workflow.Saved:
    options: dict[str, Any] = {"review": own.pk, "user": own.reviewer, "version": own.version}
    return desk_revision.discard(**(options | changes))


def test_the_draft_says_again_what_was_submitted(release: Release, own: Review) -> None:
    assert own.is_being_revised
    length = current(release).ledger_length
    assert discard(own) == desk_workflow.Saved(3, NOW)
    own.refresh_from_db()
    said = judgements.from_data(own.draft)
    assert (said.scores, said.answers, said.comment) == (FIRST.scores, FIRST.answers, "First.")
    assert sorted(said.flags) == ["broken", "harmful"]
    assert (own.status, own.version, own.is_being_revised) == ("submitted", 3, False)
    assert sorted(own.scores.values_list("value", flat=True)) == [4, 4]
    assert not own.revisions.exists()
    assert current(release).ledger_length == length


def test_discarding_again_changes_nothing(own: Review) -> None:
    discard(own)
    before = everything()
    assert discard(own).version == 3
    assert discard(own, version=3).version == 3
    assert everything() == before


def test_what_was_saved_since_is_not_discarded(own: Review, rita: User) -> None:
    desk_workflow.save_draft(
        review=own.pk, user=rita, version=2, said=judgement(2, comment="Elsewhere."), now=LATER
    )
    before = everything()
    with pytest.raises(desk_workflow.Stale):
        discard(own)
    assert everything() == before


def test_only_ones_own_submitted_review_while_it_is_open(
    release: Release, own: Review, rita: User, omar: User
) -> None:
    with pytest.raises(desk_workflow.NoSuchReview):
        discard(own, user=omar)
    with pytest.raises(desk_workflow.NotOpen, match="not submitted"):
        discard(assign(release, "kids", rita))
    releases_lifecycle.close(
        release=release,
        waived=[one.rule for one in releases_lifecycle.find_missing_for_close(release)],
        reason="time",
        user=None,
        now=LATER,
    )
    with pytest.raises(WrongStatus):
        discard(own)


def test_the_desk_offers_it_and_leads_back_to_what_was_submitted(own: Review, rita: User) -> None:
    client = client_of(rita)
    address = reverse("review-discard", args=[own.pk])
    assert "Continue your revision" in client.get(own.get_absolute_url()).text
    assert address in client.get(own.get_absolute_url() + "?revise=1").text
    response = client.post(address, {"version": "2"}, follow=True)
    assert response.redirect_chain == [(own.get_absolute_url(), 302)]
    assert "Your revision is discarded." in response.text
    assert "First." in response.text
    assert "Revise it" in response.text


def test_a_form_that_is_too_late_says_so_and_discards_nothing(own: Review, rita: User) -> None:
    response = client_of(rita).post(
        reverse("review-discard", args=[own.pk]), {"version": "x"}, follow=True
    )
    assert "was saved elsewhere" in response.text
    own.refresh_from_db()
    assert own.is_being_revised


def test_the_script_of_the_desk_gets_the_version(own: Review, rita: User, omar: User) -> None:
    address = reverse("api-review-discard", args=[own.pk])
    stale = send(client_of(rita), address, {"version": 1})
    assert (stale.status_code, stale.json()["code"]) == (409, "stale_version")
    assert send(client_of(rita), address, {"version": "two"}).status_code == 400
    assert send(client_of(omar), address, {"version": 2}).status_code == 404
    client = client_of(rita)
    done = send(client, address, {"version": 2}).json()
    assert done == {
        "version": 3,
        "sentence": "Your revision is discarded. The review you submitted still counts.",
    }
    assert done["sentence"] in client.get(own.get_absolute_url()).text


def test_a_discard_by_token_leaves_no_session(own: Review, rita: User) -> None:
    answer = by(rita).post(f"reviews/{own.pk}/discard/", {"version": 2})
    assert answer.json()["version"] == 3
    assert not answer.cookies
