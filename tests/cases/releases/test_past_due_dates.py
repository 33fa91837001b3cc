"""A due date in the past is refused in every place that sets one; one that has passed stays."""

from collections.abc import Iterator
from datetime import timedelta
from io import StringIO

import pytest
import time_machine
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from cases.models import Release
from tests.bed import reviewed as bed
from tests.bed.api import Script, code, problems
from tests.bed.cases import NOW
from tests.people import AsUser
from tests.reviews.adjudication.settling_pages import words

pytestmark = pytest.mark.usefixtures("rubric")

TODAY = timezone.localdate(NOW)
YESTERDAY = TODAY - timedelta(days=1)
SENTENCE = "Nov. 16, 2026 is in the past. Choose today, Nov. 17, 2026, or a later day."
NEW = {"product": "wanderer", "rubric": "1", "reviews_per_case": "2", "baseline": ""}


@pytest.fixture(autouse=True)
def _now() -> Iterator[None]:
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def admin(as_user: AsUser, ada: User) -> Client:
    return as_user(ada)


def test_a_new_release_is_due_today_at_the_earliest(admin: Client) -> None:
    body = NEW | {"name": "wanderer-1", "due_date": str(YESTERDAY)}
    refused = admin.post("/new-release/", body)
    assert refused.status_code == 422
    assert SENTENCE in words(refused)
    assert not Release.objects.exists()
    assert admin.post("/new-release/", body | {"due_date": str(TODAY)}).status_code == 302
    assert Release.objects.get().due_date == TODAY


def test_a_release_in_review_is_not_moved_into_the_past(admin: Client) -> None:
    release = bed.started()
    before = bed.everything()
    for path in ("edit/", "assignments/due-date/"):
        refused = admin.post(f"/releases/wanderer-1/{path}", {"due_date": str(YESTERDAY)})
        assert refused.status_code == 422
        assert SENTENCE in words(refused)
        assert f'value="{YESTERDAY}"' in refused.content.decode()
    assert bed.everything() == before
    admin.post("/releases/wanderer-1/assignments/due-date/", {"due_date": str(TODAY)})
    assert bed.current(release).due_date == TODAY


def test_scripts_read_the_same_sentence(ada: User) -> None:
    release, script = bed.started(), Script(session=ada)
    changed = script.patch("releases/wanderer-1/", {"due_date": str(YESTERDAY)})
    opened = script.post("releases/", {"name": "wanderer-2", "due_date": str(YESTERDAY)})
    for refused in (changed, opened):
        assert code(refused) == (400, "invalid")
        assert problems(refused) == {"due_date": SENTENCE}
    assert bed.current(release).due_date is None
    assert Release.objects.count() == 1
    assert script.patch("releases/wanderer-1/", {"due_date": str(TODAY)}).status_code == 200


def test_the_command_refuses_it_too() -> None:
    with pytest.raises(CommandError, match=f"due_date: {SENTENCE}"):
        call_command("create_release", "wanderer-1", "--due", str(YESTERDAY), stdout=StringIO())
    assert not Release.objects.exists()


def test_a_day_that_has_passed_since_does_not_stop_other_changes(ada: User) -> None:
    bed.make_due(bed.filled(), YESTERDAY)
    body = {"due_date": str(YESTERDAY), "reviews_per_case": 3}
    assert Script(session=ada).patch("releases/wanderer-1/", body).status_code == 200
    assert Release.objects.get().reviews_per_case == 3


def test_the_same_release_is_opened_again_when_its_day_has_passed(ada: User) -> None:
    body = {"name": "wanderer-2", "due_date": str(TODAY)}
    assert Script(session=ada).post("releases/", body).status_code == 201
    with time_machine.travel(NOW + timedelta(days=3), tick=False):
        assert Script(session=ada).post("releases/", body).status_code == 200
