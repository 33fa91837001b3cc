"""Pairings in the admin site: found by what an admin asks; nothing that was said, and no side."""

from datetime import date, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from cases.models import Release
from reviews.models import Pairing
from tests.bed import pairs
from tests.bed import reviewed as bed
from tests.people import AsUser
from tests.reviews.admin.test_admin_lists import by_release, listed, words

pytestmark = pytest.mark.django_db

PAIRINGS = "/admin/reviews/pairing/"


@pytest.fixture
def release(rita: User, omar: User) -> Release:
    """Both read every pair; rita has submitted that of the first case."""
    release = pairs.beside_baseline(rita, omar)
    planned = pairs.plan(release)
    [first] = [row for row in planned if row.case.case_key == "feast" and row.reader == rita]
    pairs.read(first, pairs.prefer_new(first, -2, why="A secret reason.", newer="left"))
    return bed.current(release)


def count(client: Client, **query: Any) -> int:
    return len(listed(client, PAIRINGS, **query))


def test_they_are_found_by_release_status_reader_and_words(release: Release, admin: Client) -> None:
    assert release.baseline is not None
    assert count(admin, **by_release(release)) == 10
    assert count(admin, **by_release(release.baseline)) == 0
    assert count(admin, status__exact="submitted") == 1
    assert count(admin, reader="rita") == 5
    assert count(admin, reader="wei") == 0
    assert count(admin, q="kids") == 2
    assert count(admin, q="omar") == 5


def test_late_is_what_is_open_after_the_due_date(release: Release, admin: Client) -> None:
    today = date.today()
    bed.make_due(release, today)
    assert count(admin, late="yes") == 0
    bed.make_due(release, today - timedelta(days=1))
    assert (count(admin, late="yes"), count(admin, late="no")) == (9, 1)


def test_nothing_that_was_said_and_no_side_is_on_its_pages(release: Release, admin: Client) -> None:
    said = Pairing.objects.get(status="submitted")
    for address in (PAIRINGS, f"{PAIRINGS}{said.pk}/change/"):
        page = admin.get(address)
        assert page.status_code == 200
        for secret in ("secret", "left", "right", "much better", "recognised"):
            assert secret not in words(page)
    for lookup in ("is_new_left__exact", "newer__exact", "answers__step__exact"):
        assert admin.get(PAIRINGS, {lookup: "1"}).status_code in (302, 400)


def test_nothing_can_be_changed_and_only_admins_may_look(
    release: Release, admin: Client, as_user: AsUser, mina: User, rita: User
) -> None:
    row = Pairing.objects.first()
    assert row is not None
    assert admin.post(f"{PAIRINGS}{row.pk}/change/", {"status": "submitted"}).status_code in (
        403,
        405,
    )
    for user in (mina, rita):
        assert as_user(user).get(PAIRINGS).status_code == 403


def test_the_list_has_a_fixed_number_of_queries_and_reads_no_plan(
    release: Release, admin: Client
) -> None:
    counts = []
    for query in ({"q": "kids"}, {"q": ""}):
        with CaptureQueriesContext(connection) as queries:
            assert admin.get(PAIRINGS, query).status_code == 200
        counts.append(len(queries))
        for one in queries.captured_queries:
            assert '"cases_case"."data"' not in one["sql"]
            assert '"reviews_pairing"."draft"' not in one["sql"]
    assert counts[0] == counts[1]
