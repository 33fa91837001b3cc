"""The settings by default, and with the environment of production."""

import ast
import json
import os
import re
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import get_password_validators, validate_password
from django.core.cache.backends.db import DatabaseCache
from django.core.exceptions import ValidationError
from django.utils.module_loading import import_string

from evalsite import settings as product
from tests import servers

BASE_DIR = Path(__file__).resolve().parents[2]
PRODUCTION = {
    "SECRET_KEY": secrets.token_hex(25),  # of fifty characters, which is enough
    "ALLOWED_HOSTS": "spotcheck.example.com",
    "HTTPS": "1",
    "TRUSTED_PROXIES": "1",
    "DATABASE_URL": "postgres://spotcheck:x@127.0.0.1:9/spotcheck",
}
READ_SETTINGS = """
import json
from evalsite import settings
print(json.dumps({name: getattr(settings, name) for name in dir(settings) if name.isupper()},
                 default=lambda value: "not JSON"))
"""


def run(*command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command with only these variables."""
    return subprocess.run(
        [sys.executable, *command],
        cwd=BASE_DIR,
        env={"PATH": os.environ["PATH"], "DJANGO_SETTINGS_MODULE": "evalsite.settings"} | variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def settings_with(**variables: str) -> dict[str, Any]:
    done = run("-c", READ_SETTINGS, **variables)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def in_production() -> dict[str, Any]:
    return settings_with(**PRODUCTION)


@pytest.fixture(scope="module")
def untouched() -> dict[str, Any]:
    return settings_with(SECRET_KEY=PRODUCTION["SECRET_KEY"])


def test_the_check_before_deployment_finds_nothing() -> None:
    check = ("manage.py", "check", "--deploy", "--fail-level", "WARNING")
    done = run(*check, **PRODUCTION)
    assert (done.returncode, done.stdout + done.stderr) == (
        0,
        "System check identified no issues (0 silenced).\n",
    )


def test_the_check_before_deployment_would_find_something() -> None:
    check = ("manage.py", "check", "--deploy", "--fail-level", "WARNING")
    done = run(*check, **PRODUCTION | {"HTTPS": "0"})
    assert done.returncode != 0
    assert "security.W008" in done.stderr


@pytest.mark.parametrize(
    "variables",
    [{}, {"SECRET_KEY": ""}, {"SECRET_KEY": "k" * 49}, {"DEBUG": "1"}],
    ids=["none", "empty", "too short", "not even for debugging"],
)
def test_without_a_secret_key_the_server_refuses_to_start(variables: dict[str, str]) -> None:
    done = run("-c", "import evalsite.wsgi", **variables)
    assert done.returncode != 0
    assert "SECRET_KEY must be set to at least 50 random characters." in done.stderr
    assert "k" * 49 not in done.stderr


def test_gunicorn_ends_as_well_and_says_why() -> None:
    with (
        pytest.raises(servers.StartFailed, match="SECRET_KEY must be set to at least 50"),
        servers.site(database_url="sqlite://:memory:", env={"SECRET_KEY": ""}),
    ):
        pass


def test_debugging_is_off_unless_asked_for(
    untouched: dict[str, Any], in_production: dict[str, Any]
) -> None:
    assert untouched["DEBUG"] is False
    assert in_production["DEBUG"] is False
    assert settings_with(SECRET_KEY="k" * 50, DEBUG="1")["DEBUG"] is True


def test_without_a_word_only_this_machine_reaches_the_site(untouched: dict[str, Any]) -> None:
    assert untouched["ALLOWED_HOSTS"] == ["127.0.0.1", "localhost", "[::1]"]
    assert untouched["TRUSTED_PROXIES"] == 0
    assert "SECURE_PROXY_SSL_HEADER" not in untouched


def test_in_production_cookies_and_pages_travel_by_https_alone(
    in_production: dict[str, Any],
) -> None:
    for name in (
        "SESSION_COOKIE_SECURE",
        "CSRF_COOKIE_SECURE",
        "LANGUAGE_COOKIE_SECURE",
        "CSRF_COOKIE_HTTPONLY",
        "SECURE_SSL_REDIRECT",
        "SECURE_HSTS_INCLUDE_SUBDOMAINS",
    ):
        assert in_production[name] is True, name
    assert in_production["SECURE_HSTS_SECONDS"] == 365 * 24 * 3600


def test_as_many_proxies_are_believed_as_are_named(
    untouched: dict[str, Any], in_production: dict[str, Any]
) -> None:
    """This number decides which address the counters of wrong passwords use."""
    assert untouched["ALLAUTH_TRUSTED_PROXY_COUNT"] == 0
    assert in_production["ALLAUTH_TRUSTED_PROXY_COUNT"] == 1


def test_passwords_are_kept_by_argon2(in_production: dict[str, Any]) -> None:
    first = in_production["PASSWORD_HASHERS"][0]
    assert first == "django.contrib.auth.hashers.Argon2PasswordHasher"


@pytest.mark.parametrize(
    ("password", "is_enough"),
    [("gumtree-lantern", True), ("gumtree-lanter", False), ("1q2w3e4r5t6y7u8i", False)],
    ids=["15 characters", "14 characters", "common"],
)
def test_a_password_has_at_least_fifteen_characters(password: str, is_enough: bool) -> None:
    rules: Any = product.AUTH_PASSWORD_VALIDATORS
    validators = get_password_validators(rules)
    try:
        validate_password(password, User(username="rita"), validators)
    except ValidationError:
        assert not is_enough
    else:
        assert is_enough


def test_counters_of_wrong_passwords_are_shared_by_all_processes(
    in_production: dict[str, Any],
) -> None:
    backend = in_production["CACHES"]["default"]["BACKEND"]
    assert issubclass(import_string(backend), DatabaseCache)


# --- No secret in the source ----------------------------------------------------------------------

SECRET_NAMES = re.compile(r"(?i)(password|passwd|secret(_key)?|api_?key|token|credential)s?$")
RANDOM = re.compile(r"\b(?:[0-9a-f]{32,}|(?=\w*\d)(?=\w*[A-Z])(?=\w*[a-z])\w{32,})\b")
PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")


def secrets_in(source: str) -> list[str]:
    """Find literal secrets in a module: variables, arguments, entries, and weak random numbers."""
    found = []
    for name, value in named_values(ast.parse(source)):
        is_text = isinstance(value, ast.Constant) and isinstance(value.value, str)
        if SECRET_NAMES.search(name) and is_text and value.value.strip():  # type: ignore[attr-defined]
            found.append(f"{name} = {value.value!r}")  # type: ignore[attr-defined]
    found += PRIVATE_KEY.findall(source)
    return found + RANDOM.findall(source)


def named_values(tree: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=targets, value=value):
                yield from ((ast.unparse(target), value) for target in targets)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                yield ast.unparse(target), value
            case ast.keyword(arg=str(name), value=value):
                yield name, value
            case ast.Dict(keys=keys, values=values):
                for key, value in zip(keys, values, strict=True):
                    if isinstance(key, ast.Constant):
                        yield str(key.value), value
            case ast.Call(func=ast.Attribute(attr="set_password"), args=[value, *_]):
                yield "password", value


@pytest.mark.parametrize(
    "source",
    [
        "SECRET_KEY = 'django-insecure-abc'",
        "user.set_password('letmein')",
        "create_superuser('root', password='letmein')",
        "app = {'secret': 'hunter2'}",
        "EMAIL_HOST_PASSWORD: str = 'letmein'",
        "x = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a'",
        "x = '''-----BEGIN RSA PRIVATE KEY-----'''",
    ],
)
def test_the_search_for_secrets_would_find_one(source: str) -> None:
    assert secrets_in(source) != []


def test_no_package_holds_a_secret() -> None:
    files = [
        path
        for package in ("evalsite", "cases", "reviews")
        for path in (BASE_DIR / package).rglob("*.py")
    ]
    assert len(files) > 20
    found = {
        str(path.relative_to(BASE_DIR)): inside
        for path in files
        if (inside := secrets_in(path.read_text()))
    }
    assert found == {}


def test_what_a_run_writes_stays_out_of_the_repository() -> None:
    assert "var/" in (BASE_DIR / ".gitignore").read_text().splitlines()
