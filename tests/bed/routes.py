"""Every route of the site with an address that fits it, for tests that walk them all."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from django.urls import URLPattern, URLResolver, get_resolver


class Route(NamedTuple):
    name: str
    path: str


# Values that fit a pattern and name nothing that exists.
NOTHING = {
    "<int:number>": "987",
    "<int:pk>": "987",
    "<release:name>": "no-such-release",
    "<code:code>": "BBBBB",
    "<code:earlier>": "CCCCC",
    "<str:username>": "nobody-here",
    "<slug:key>": "0123456789abcde",
    "<uidb64>": "Mg",
    "<token>": "abc-123",
    "<product:product>": "no-such-product",
    "<rule:key>": "no-such-rule",
    "<path:object_id>": "987",
    "<id>": "987",
    "<path:content_type_id>": "987",
    "^sso/(?P<provider_id>oidc)/": "sso/oidc/",
    "(?P<url>.*)$": "no/such/thing",
}


def all_routes(values: Mapping[str, str] | None = None) -> list[Route]:
    """`values` are put in place of those of NOTHING, so that something is found."""
    return list(walk(get_resolver().url_patterns, NOTHING | dict(values or {})))


def walk(
    patterns: list[Any], values: Mapping[str, str], prefix: str = "", namespace: str = ""
) -> Iterator[Route]:
    for pattern in patterns:
        path = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            inner = namespace + (f"{pattern.namespace}:" if pattern.namespace else "")
            yield from walk(pattern.url_patterns, values, path, inner)
        else:
            assert isinstance(pattern, URLPattern)
            yield Route(namespace + (pattern.name or ""), example(path, values))


def example(path: str, values: Mapping[str, str]) -> str:
    for pattern, value in values.items():
        path = path.replace(pattern, value)
    path = path.removesuffix("$") if path.startswith("sso/") else path
    path = re.sub(r"\^\(\?P<app_label>.*\)/\$", "cases/", path)
    assert "<" not in path, f"no example value for {path}"
    return "/" + path
