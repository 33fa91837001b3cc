"""Find problems of any answer: its headers, and inline code in its page."""

from html.parser import HTMLParser
from typing import Any

EXPECTED = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
}
# Beside these sources only the sign-in provider's address, and only as the target of a form.
SOURCES = {"'none'", "'self'"}


def faults(response: Any) -> list[str]:
    """Return the missing or too permissive headers of an answer."""
    found = [
        f"{name}: {response.headers.get(name)}"
        for name, value in EXPECTED.items()
        if response.headers.get(name) != value
    ]
    found += [name for name in ("Permissions-Policy", "X-Request-ID") if name not in response]
    return found + policy_faults(response.headers.get("Content-Security-Policy", ""))


def policy_faults(policy: str) -> list[str]:
    directives = {
        name: set(sources)
        for name, *sources in (part.split() for part in policy.split(";") if part.strip())
    }
    found = [f"{name} missing" for name in MUST_SAY if name not in directives]
    for name, sources in directives.items():
        further = sources - SOURCES
        if name == "img-src":
            further -= {"data:"}  # the QR code of the second factor
        if name == "form-action":
            further -= {"http://127.0.0.1:9"}  # the provider in the settings of the tests
        found += [f"{name} {source}" for source in further]
    found += [
        f"{name} is not 'none'"
        for name in ("default-src", "frame-ancestors", "base-uri")
        if directives.get(name) != {"'none'"}
    ]
    return found


MUST_SAY = ("default-src", "script-src", "style-src", "form-action", "frame-ancestors", "base-uri")


class Inline(HTMLParser):
    """Collects inline code and external resources of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "style" or "style" in values:
            self.found.append(f"<{tag} style>")
        if tag == "script" and not values.get("src"):
            self.found.append("<script> without src")
        self.found += [f"<{tag} {name}>" for name in values if name.startswith(("on", "hx-on"))]
        for name in ("src", "href", "action", "formaction", "data", "xlink:href"):
            address = (values.get(name) or "").strip().lower()
            if address.startswith(("javascript:", "vbscript:", "data:text")):
                self.found.append(f"<{tag} {name}={address}>")
            is_loaded = tag not in ("a", "form")
            if is_loaded and address.startswith(("http:", "https:", "//")):
                self.found.append(f"<{tag} {name}={address}>")
        if tag in ("base", "object", "embed", "iframe"):
            self.found.append(f"<{tag}>")

    handle_startendtag = handle_starttag


def inline_in(page: str) -> list[str]:
    parser = Inline()
    parser.feed(page)
    parser.close()
    return parser.found
