"""Looking at the list of cases through its pages."""

import re
from html import unescape
from typing import Any
from urllib.parse import urlencode

from django.test import Client

from cases.models import Release
from tests.bed.cases import import_lines, lines

LIST = "/releases/wanderer-1/cases/"


def put(release: Release, *rows: dict[str, Any]) -> None:
    import_lines(release, lines(*rows))


def page(client: Client, **asked: str) -> str:
    response = client.get(f"{LIST}?{urlencode(asked)}")
    assert response.status_code == 200
    return response.content.decode()


def keys_on(html: str) -> list[str]:
    shown = re.findall(r'<a class="key"[^>]*>(?:<bdi>)?([^<]*)<', html.replace("<wbr>", ""))
    return [unescape(key) for key in shown]


def found(client: Client, **asked: str) -> list[str]:
    return keys_on(page(client, **asked))


def next_of(html: str) -> str | None:
    link = re.search(r'rel="next" href="([^"]*)"', html)
    return unescape(link[1]) if link else None


def walk(client: Client, **asked: str) -> list[list[str]]:
    """Page after page, by their own links."""
    pages, query = [], f"?{urlencode(asked)}"
    while query:
        html = client.get(LIST + query).content.decode()
        pages.append(keys_on(html))
        query = next_of(html) or ""
        assert len(pages) < 50
    return pages
