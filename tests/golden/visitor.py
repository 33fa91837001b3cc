"""A person who uses a site over HTTP: pages as a browser without scripts, calls as a script."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests

Fields = Mapping[str, str | Sequence[str]]
JSON = "application/json"
LANGUAGE_COOKIE = "django_language"
TIMEOUT_SECONDS = 120


class NoSuchForm(Exception):
    """A page has no form with the fields that are to be filled in."""


@dataclass
class Form:
    action: str
    method: str
    values: dict[str, list[str]] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    buttons: dict[str, str] = field(default_factory=dict)


class FormReader(HTMLParser):
    """Reads the forms of a page with what a browser would send if nothing were changed."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self._open: Form | None = None
        self._area: str | None = None
        self._select: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        name = found.get("name", "")
        if tag == "form":
            self._open = Form(found.get("action", ""), found.get("method", "get").lower())
            self.forms.append(self._open)
        if self._open is None:
            return
        if tag == "option" and self._select:
            values = self._open.values.setdefault(self._select, [])
            if "selected" in found or not values:
                self._open.values[self._select] = [found.get("value", "")]
        if not name:
            return
        self._open.names.add(name)
        if tag == "button":
            self._open.buttons.setdefault(name, found.get("value", ""))
        elif tag == "select":
            self._select = name
        elif tag == "textarea":
            self._area = name
            self._open.values[name] = [""]
        elif tag == "input":
            kind = found.get("type", "text")
            is_chosen = kind not in ("checkbox", "radio") or "checked" in found
            if is_chosen and kind not in ("submit", "file", "image", "button"):
                self._open.values.setdefault(name, []).append(found.get("value", ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._open = None
        elif tag == "textarea":
            self._area = None
        elif tag == "select":
            self._select = None

    def handle_data(self, data: str) -> None:
        if self._open is not None and self._area is not None:
            self._open.values[self._area][0] += data


def find_form(page: str, fields: Fields, action: str) -> Form:
    """Find the form that has all these fields and, if `action` is given, goes to that address."""
    reader = FormReader()
    reader.feed(page)
    for form in reader.forms:
        is_on_every_page = form.action in ("/language/", "/sign-out/")
        if form.method != "post" or is_on_every_page:
            continue
        if set(fields) <= form.names and form.action.endswith(action):
            return form
    shown = [(form.action, sorted(form.names)) for form in reader.forms]
    raise NoSuchForm(f"No form with {sorted(fields)} to {action!r}; the page has {shown}")


class Visitor:
    """Keeps cookies, sends the CSRF token, follows nothing by itself."""

    def __init__(self, url: str, name: str = "anonymous") -> None:
        self.url = url
        self.name = name
        self.language = "en"
        self.browser = new_session()
        self.script = new_session()

    def sign_in(self, password: str) -> None:
        self.get("/sign-in/")
        answer = self.post("/sign-in/", {"login": self.name, "password": password})
        if answer.status_code != 302:
            raise RuntimeError(f"{self.name} cannot sign in: {answer.status_code}")
        # A call is answered in the language of its header, so the language cookie stays out.
        for name in ("sessionid", "csrftoken"):
            self.script.cookies.set(name, self.browser.cookies[name])

    def speak(self, language: str) -> None:
        """Replaces also the cookie that the site sets when somebody signs in."""
        self.language = language
        host = urlsplit(self.url).hostname
        self.browser.cookies.set(LANGUAGE_COOKIE, language, domain=host, path="/")

    def get(self, path: str, language: str = "en") -> requests.Response:
        self.speak(language)
        return self.browser.get(self.url + path, allow_redirects=False, timeout=TIMEOUT_SECONDS)

    def post(self, path: str, fields: Fields, language: str = "en") -> requests.Response:
        self.speak(language)
        return self.browser.post(
            urljoin(self.url + "/", path),
            data=dict(fields),
            headers={"X-CSRFToken": self.browser.cookies.get("csrftoken") or ""},
            allow_redirects=False,
            timeout=TIMEOUT_SECONDS,
        )

    def fill_in(
        self, path: str, fields: Fields, *, action: str = "", press: str = "", to: str = ""
    ) -> requests.Response:
        """Open a page, change these fields of its form and send it.

        `action` is how the address of the form ends, `press` the name of the button, `to` another
        address to send the form to, as some buttons do.
        """
        page = self.get(path)
        wanted = dict(fields) | ({press: ""} if press else {})
        form = find_form(page.text, wanted, action)
        pressed = {press: form.buttons[press]} if press else {}
        target = to or urljoin(self.url + path, form.action)
        return self.post(target, {**form.values, **pressed, **fields})

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        content_type: str = JSON,
        headers: Mapping[str, str] | None = None,
        language: str = "en",
    ) -> requests.Response:
        """Call the API. A body that is no bytes is sent as JSON."""
        sent = dict(headers or {}) | {"Accept-Language": language}
        if "csrftoken" in self.script.cookies:
            sent["X-CSRFToken"] = self.script.cookies["csrftoken"] or ""
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        if data is not None:
            sent["Content-Type"] = content_type
        return self.script.request(
            method,
            f"{self.url}/api/v1/{path}",
            data=data,
            headers=sent,
            allow_redirects=False,
            timeout=TIMEOUT_SECONDS,
        )


def new_session() -> requests.Session:
    session = requests.Session()
    session.trust_env = False  # no proxy between the recorder and the site
    # A server that refuses a body without reading it closes the connection.
    session.headers["Connection"] = "close"
    return session
