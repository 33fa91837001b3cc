"""What the tests of settling, asking and looking back share."""

import re
from html import unescape
from typing import Any

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from cases.models import Case, Release


def words(response: Any) -> str:
    page = re.sub(r"<head>.*?</head>", " ", response.content.decode(), flags=re.DOTALL)
    return re.sub(r"\s+", " ", unescape(re.sub("<[^>]*>", " ", page)))


def code_of(release: Release, case_key: str) -> str:
    return Case.objects.get(case_key=case_key, release=release).code


def list_of(release: Release) -> str:
    return f"/releases/{release.name}/adjudications/"


def page_of(release: Release, case_key: str) -> str:
    return f"{list_of(release)}{code_of(release, case_key)}/"


def queries(client: Client, path: str) -> int:
    """Of the second visit: the first may fill what is kept."""
    assert client.get(path).status_code == 200
    with CaptureQueriesContext(connection) as asked:
        client.get(path)
    return len(asked)
