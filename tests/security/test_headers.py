"""The security headers of every answer, errors included.

That every route tells everybody the same is seen where all are walked, in test_permissions.
"""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.test import Client
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from reviews.home import views as home_views
from reviews.people.workflow import invitation_tokens
from tests.engines import share_out
from tests.security.answers import faults, inline_in, policy_faults


def test_the_check_itself_sees_a_lax_policy() -> None:
    strict = "default-src 'none'; script-src 'self'; style-src 'self'; form-action 'self'; "
    strict += "frame-ancestors 'none'; base-uri 'none'"
    assert policy_faults(strict) == []
    for lax in ("'unsafe-inline'", "'unsafe-eval'", "*", "https:", "data:", "*.example.com"):
        assert policy_faults(strict.replace("script-src", f"script-src {lax}")) != []
    assert policy_faults(strict.replace("base-uri 'none'", "")) != []
    assert policy_faults("") != []


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
    share_out(
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
    ),
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

    monkeypatch.setattr(home_views, "count_team", breaks)
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


def test_the_invitation_page_has_nothing_inline(rita: User) -> None:
    client = Client()
    uid = urlsafe_base64_encode(force_bytes(rita.pk))
    link = f"/invitation/{uid}/{invitation_tokens.make_token(rita)}/"
    page = client.get(client.get(link).headers["Location"])
    assert "password" in page.content.decode()
    assert inline_in(page.content.decode()) == []
    assert faults(page) == []


@pytest.mark.parametrize(
    "path",
    share_out("/sign-in/", "/invite/", "/people/rita/", "/account/absences/", "/rubrics/new/"),
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
