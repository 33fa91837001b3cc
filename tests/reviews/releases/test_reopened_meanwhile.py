"""A release that is reopened just after it was read as closed: it is told as it was read."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from cases.models import Release
from reviews.models import Closing
from reviews.releases import lifecycle as releases_lifecycle
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.people import AsUser

pytestmark = pytest.mark.usefixtures("rubric")

PAGES = ["report/", "report/brief/", "report/cases/?metric=personalization", "compare/"]
FILES = ["export.csv", "export.csv?shape=cases", "export.xlsx", "export.json", "export.zip"]
CALLS = ["summary/", "verdict/", "export.csv", "export.zip"]
ADDRESSES = [f"/releases/wanderer-1/{one}" for one in PAGES + FILES]
ADDRESSES += [f"/api/v1/releases/wanderer-1/{one}" for one in CALLS]


@pytest.fixture
def closed(rita: User, omar: User) -> Release:
    release = bed.started()
    bed.put_reviews(release, rita, omar)
    releases_lifecycle.close(release=release, user=None, now=NOW)
    return bed.current(release)


@contextmanager
def reopened_after_the_first_read(release: Release) -> Iterator[None]:
    is_open = False

    def reopen(run: Callable[..., Any], sql: str, *rest: Any) -> Any:
        nonlocal is_open
        found = run(sql, *rest)
        if '"cases_release"."name" = ' in sql and not is_open:
            is_open = True
            releases_lifecycle.reopen(release=release, reason="a slip", user=None, now=NOW)
        return found

    with connection.execute_wrapper(reopen):
        yield


@pytest.mark.parametrize("address", ADDRESSES)
def test_whoever_asked_in_that_moment_gets_what_was_closed(
    as_user: AsUser, closed: Release, mina: User, address: str
) -> None:
    client = as_user(mina)
    with reopened_after_the_first_read(closed):
        answer = client.get(address)
        told = answer.getvalue()
    assert answer.status_code == 200
    assert told
    assert Closing.objects.get().reopened_at == NOW  # so it did happen in between
