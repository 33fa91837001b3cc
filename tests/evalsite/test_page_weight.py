"""The size of a first visit."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from cases.models import Rubric

MOST_BYTES = 40 * 1024


def transferred(client: Client, path: str) -> bytes:
    response = client.get(path, headers={"Accept-Encoding": "gzip"})
    assert response.status_code == 200
    return response.getvalue()


@pytest.mark.parametrize("who", ["rita", "ada", "mina"])
def test_the_signed_in_home_with_all_it_needs_is_at_most_40_kb(
    request: pytest.FixtureRequest, rubric: Rubric, who: str
) -> None:
    user: User = request.getfixturevalue(who)
    client = Client()
    client.force_login(user)
    page = client.get("/").content.decode()
    parts = re.findall(r'(?:src|href)="(/static/[^"]+)"', page)
    assert len(parts) == 4  # icon, style, htmx, script
    assert sum(len(transferred(client, path)) for path in ["/", *parts]) <= MOST_BYTES


def test_no_page_asks_another_host_for_anything(rubric: Rubric, ada: User) -> None:
    client = Client()
    client.force_login(ada)
    for path in ["/", "/people/", "/rubrics/1/", "/rubrics/new/", "/account/", "/admin/"]:
        page = client.get(path).content.decode()
        assert re.findall(r'(?:src|href|action)="(?:https?:)?//[^"]*"', page) == []
