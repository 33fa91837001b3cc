"""What every answer tells the browser, whoever asks and whatever went wrong."""

from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from typing import Any

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from django.contrib.auth.models import User
from django.core.exceptions import SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.test import Client
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from cases.models import Rubric
from evalsite.permissions import READ, methods_of, rights_on
from reviews.people import invitation_tokens
from reviews.views import home
from tests.bed.routes import all_routes
from tests.bed.sides import shared
from tests.people import PASSWORD

EXPECTED = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
}
# Beside these sources only the sign-in provider's address, and only as the target of a form.
SOURCES = {"'none'", "'self'"}


def faults(response: Any) -> list[str]:
    """What is missing or too lax in the headers of an answer."""
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


def test_the_check_itself_sees_a_lax_policy() -> None:
    strict = "default-src 'none'; script-src 'self'; style-src 'self'; form-action 'self'; "
    strict += "frame-ancestors 'none'; base-uri 'none'"
    assert policy_faults(strict) == []
    for lax in ("'unsafe-inline'", "'unsafe-eval'", "*", "https:", "data:", "*.example.com"):
        assert policy_faults(strict.replace("script-src", f"script-src {lax}")) != []
    assert policy_faults(strict.replace("base-uri 'none'", "")) != []
    assert policy_faults("") != []


WHO = ("anonymous", "rita", "ada", "root")
METHODS = ("GET", "POST", "DELETE")


@pytest.mark.parametrize("who", shared(*WHO))
def test_every_route_answers_everybody_with_all_headers(
    who: str, rita: User, ada: User, root: User, rubric: Rubric
) -> None:
    """Everybody sends every route one method, and somebody each."""
    client = Client()
    if who != "anonymous":
        client.force_login(User.objects.get(username=who))
    wrong = {}
    for place, route in enumerate(all_routes()):
        method = METHODS[(place + WHO.index(who)) % len(METHODS)]
        if (route.name, method) == ("account_logout", "POST"):
            continue  # would end the walk
        response = client.generic(method, route.path)
        if found := faults(response):
            wrong[f"{method} {route.path} {response.status_code}"] = found
    assert wrong == {}


def provoke_static_file(client: Client) -> Any:
    return client.get("/static/spotcheck/site.css")


def provoke_unchanged_static_file(client: Client) -> Any:
    first = client.get("/static/spotcheck/site.css")
    first.close()
    return client.get(
        "/static/spotcheck/site.css",
        headers={"If-Modified-Since": first.headers["Last-Modified"]},
    )


def provoke_missing_static_file(client: Client) -> Any:
    return client.get("/static/spotcheck/no-such-file.css")


def provoke_admin_static_file(client: Client) -> Any:
    return client.get("/static/admin/css/base.css")


def provoke_not_found(client: Client) -> Any:
    return client.get("/no/such/page/")


def provoke_bad_host(client: Client) -> Any:
    return client.get("/sign-in/", headers={"Host": "evil.example"})


def provoke_wrong_method(client: Client) -> Any:
    return client.get("/language/")


def provoke_csrf_failure(client: Client) -> Any:
    return Client(enforce_csrf_checks=True).post("/sign-in/", {"login": "rita"})


def provoke_missing_slash(client: Client) -> Any:
    return client.get("/people")


def provoke_sign_in_redirect(client: Client) -> Any:
    return client.get("/people/")


def provoke_htmx_sign_in(client: Client) -> Any:
    return client.get("/people/", headers={"HX-Request": "true"})


def provoke_too_many_attempts(client: Client) -> Any:
    for _ in range(30):
        client.post("/sign-in/", {"login": "rita"})
    return client.post("/sign-in/", {"login": "rita"})


def provoke_too_much_data(client: Client) -> Any:
    return client.post("/sign-in/", {f"field{number}": "" for number in range(1001)})


def provoke_head(client: Client) -> Any:
    return client.head("/sign-in/")


def provoke_packed_page(client: Client) -> Any:
    return client.get("/sign-in/", headers={"Accept-Encoding": "gzip"})


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("provoke", "status"),
    [
        (provoke_static_file, 200),
        (provoke_unchanged_static_file, 304),
        (provoke_missing_static_file, 404),
        (provoke_admin_static_file, 200),
        (provoke_not_found, 404),
        (provoke_bad_host, 400),
        (provoke_wrong_method, 405),
        (provoke_csrf_failure, 403),
        (provoke_missing_slash, 301),
        (provoke_sign_in_redirect, 302),
        (provoke_htmx_sign_in, 401),
        (provoke_too_many_attempts, 429),
        (provoke_too_much_data, 400),
        (provoke_head, 200),
        (provoke_packed_page, 200),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)).removeprefix("provoke_"),
)
def test_answers_beside_the_pages_carry_all_headers(
    provoke: Callable[[Client], Any], status: int
) -> None:
    response = provoke(Client())
    response.close()
    assert response.status_code == status
    assert faults(response) == []


@pytest.mark.parametrize(
    ("trouble", "status"),
    [
        (ZeroDivisionError("our mistake"), 500),
        (OperationalError("the connection is closed"), 503),
        (InterfaceError("the connection is closed"), 503),
        (SuspiciousOperation("odd"), 400),
    ],
)
def test_a_view_that_breaks_answers_with_all_headers(
    ada: User, trouble: Exception, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks() -> None:
        raise trouble

    monkeypatch.setattr(home, "team", breaks)
    client = Client(raise_request_exception=False)
    client.force_login(ada)
    response = client.get("/")
    assert response.status_code == status
    assert ("Retry-After" in response) == (status == 503)
    assert str(trouble) not in response.content.decode()
    assert faults(response) == []


@pytest.mark.parametrize(
    ("host", "status"), [("testserver", 301), ("evil.example", 400)], ids=["redirect", "bad host"]
)
def test_where_https_is_demanded_the_answer_to_plain_http_carries_all_headers(
    host: str, status: int, settings: Any
) -> None:
    settings.SECURE_SSL_REDIRECT = True
    response = Client().get("/sign-in/", headers={"Host": host})
    assert response.status_code == status
    assert faults(response) == []


def test_strict_transport_is_said_on_https_alone(settings: Any) -> None:
    settings.SECURE_HSTS_SECONDS = 365 * 24 * 3600
    assert "Strict-Transport-Security" not in Client().get("/healthz")
    assert "max-age=31536000" in Client().get("/healthz", secure=True)["Strict-Transport-Security"]


class Inline(HTMLParser):
    """Collects what a strict policy forbids in a page, and what it would load from elsewhere."""

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


@pytest.mark.parametrize(
    "page",
    [
        '<p style="color: red">',
        "<style>p { color: red }</style>",
        "<script>alert(1)</script>",
        "<button onclick=x>",
        '<svg><path style="fill: red"/></svg>',
        '<a href="javascript:x">',
        '<img src="https://elsewhere.example/pixel">',
        "<iframe>",
    ],
)
def test_the_check_itself_sees_what_is_inline(page: str) -> None:
    assert inline_in(page) != []


def pages_for(client: Client, values: dict[str, str]) -> Iterator[tuple[str, str]]:
    for route in all_routes(values):
        if READ not in methods_of(route.name) or rights_on(route.name) is None:
            continue
        response = client.get(route.path)
        if response.status_code == 200 and response.headers["Content-Type"].startswith("text/html"):
            yield route.name, response.content.decode()


MAIN_PAGES = {"home", "account", "rubric-list", "rubric", "account_change_password", "mfa_index"}
PAGES_OF = {
    "anonymous": {"account_login", "openid_connect_login", "socialaccount_login_cancelled"},
    "rita": MAIN_PAGES | {"mfa_activate_totp"},
    "ada": MAIN_PAGES | {"people", "person", "person-invite", "rubric-new", "admin:index"},
    "mina": MAIN_PAGES | {"mfa_view_recovery_codes", "mfa_deactivate_totp"},
    "root": MAIN_PAGES | {"people", "person", "admin:auth_user_change", "admin:auth_user_add"},
    "sam": set(),
}


@pytest.mark.parametrize("who", shared(*PAGES_OF))
def test_no_page_has_inline_code_or_style_or_loads_from_elsewhere(
    who: str, rita: User, ada: User, mina: User, root: User, sam: User, rubric: Rubric
) -> None:
    client = Client()
    if who == "mina":
        TOTP.activate(mina, "JBSWY3DPEHPK3PXP")
        code = RecoveryCodes.activate(mina).get_unused_codes()[0]
    if who != "anonymous":
        client.post("/sign-in/", {"login": who, "password": PASSWORD})
    if who == "mina":
        client.post("/sign-in/second-factor/", {"code": code})
    client.post("/account/confirm/", {"password": PASSWORD})
    found = dict(
        pages_for(
            client,
            {
                "<int:number>": str(rubric.number),
                "<str:username>": "rita",
                "<path:object_id>": str(rita.pk),
            },
        )
    )
    assert PAGES_OF[who] <= found.keys(), sorted(PAGES_OF[who] - found.keys())
    assert {name: inline for name, page in found.items() if (inline := inline_in(page))} == {}


def test_the_invitation_page_has_nothing_inline(rita: User) -> None:
    client = Client()
    uid = urlsafe_base64_encode(force_bytes(rita.pk))
    link = f"/invitation/{uid}/{invitation_tokens.make_token(rita)}/"
    page = client.get(client.get(link).headers["Location"])
    assert "password" in page.content.decode()
    assert inline_in(page.content.decode()) == []
    assert faults(page) == []


@pytest.mark.parametrize(
    "path", ["/sign-in/", "/invite/", "/people/rita/", "/account/absences/", "/rubrics/new/"]
)
def test_a_form_that_comes_back_with_mistakes_has_nothing_inline(
    path: str, ada: User, rita: User
) -> None:
    client = Client()
    if path != "/sign-in/":
        client.force_login(ada)
    page = client.post(path, {"roles": "none", "capacity": "-1"})
    assert page.status_code in (200, 422)
    assert "error" in page.content.decode()
    assert inline_in(page.content.decode()) == []
    assert faults(page) == []


def test_what_a_signed_in_person_saw_is_not_kept_by_the_browser(ada: User, rita: User) -> None:
    client = Client()
    client.force_login(ada)
    for path in ("/", "/people/", "/people/rita/", "/account/", "/admin/", "/no/such/page/"):
        assert "no-store" in client.get(path).headers.get("Cache-Control", ""), path
