"""Sign-in through an OpenID Connect provider, with a small live one."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from django.test import Client

from tests import servers
from tests.bed.identity_provider import (
    CLIENT_ID,
    CLIENT_SECRET,
    IdentityProvider,
    identity_provider,
)
from tests.bed.servers import Visitor, execute, invite
from tests.conftest import MakeDatabase
from tests.people import PASSWORD


@pytest.fixture(scope="module")
def running_provider() -> Iterator[IdentityProvider]:
    with identity_provider() as provider:
        yield provider


@pytest.fixture
def provider(running_provider: IdentityProvider, settings: Any) -> IdentityProvider:
    """Return a provider that knows Rita under another name, with the site configured for it."""
    running_provider.reset()
    running_provider.person = {
        "sub": "4711",
        "email": "rita@example.com",
        "email_verified": True,
        "preferred_username": "r.levi",
    }
    app = settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"][0]
    settings.SOCIALACCOUNT_PROVIDERS = {
        "openid_connect": {
            "OAUTH_PKCE_ENABLED": True,
            "APPS": [
                app
                | {"client_id": CLIENT_ID, "secret": CLIENT_SECRET}
                | {"settings": {"server_url": running_provider.url}}
            ],
        }
    }
    return running_provider


def come_back(client: Client, *, start: str = "/sso/oidc/") -> Any:
    """Sign in at the provider like a browser, and return with its answer."""
    to_provider = client.post(start)
    assert to_provider.status_code == 302, to_provider.content.decode()
    there = requests.get(to_provider.headers["Location"], allow_redirects=False, timeout=120)
    assert there.status_code == 302, there.text
    back = urlsplit(there.headers["Location"])
    assert (back.netloc, back.path) == ("testserver", "/sso/oidc/callback/")
    return client.get(f"{back.path}?{back.query}")


def who_is_signed_in(client: Client) -> str | None:
    page = client.get("/account/")
    if page.status_code == 200:
        return str(page.context["user"].get_username())
    return None


def text_of(response: Any) -> str:
    return str(response.content.decode())


def test_an_invited_person_with_the_same_verified_address_signs_in(
    provider: IdentityProvider, rita: User, ada: User
) -> None:
    client = Client()
    response = come_back(client)
    assert (response.status_code, response.headers["Location"]) == (302, "/")
    assert who_is_signed_in(client) == "rita"
    assert User.objects.count() == 2


def test_whoever_came_once_is_known_by_the_provider_s_number_afterwards(
    provider: IdentityProvider, rita: User
) -> None:
    come_back(Client())
    provider.person |= {"email": "rita@married.example", "email_verified": False}
    client = Client()
    come_back(client)
    assert who_is_signed_in(client) == "rita"
    assert SocialAccount.objects.get().uid == "4711"


def test_somebody_who_was_not_invited_is_told_so_and_no_account_is_made(
    provider: IdentityProvider, rita: User
) -> None:
    provider.person |= {"email": "eve@example.com"}
    client = Client()
    assert "No account here yet" in text_of(come_back(client))
    assert who_is_signed_in(client) is None
    assert list(User.objects.values_list("username", flat=True)) == ["rita"]
    assert not SocialAccount.objects.exists()


# Some providers send the words; "false" is no empty string.
@pytest.mark.parametrize("verified", [False, None, "false", "False", 0])
def test_an_address_that_the_provider_has_not_verified_lets_nobody_in(
    provider: IdentityProvider, rita: User, verified: object
) -> None:
    provider.person |= {"email_verified": verified}
    client = Client()
    assert "No account here yet" in text_of(come_back(client))
    assert who_is_signed_in(client) is None
    assert not SocialAccount.objects.exists()


def test_without_word_on_the_address_nobody_gets_in(provider: IdentityProvider, rita: User) -> None:
    del provider.person["email_verified"]
    client = Client()
    come_back(client)
    assert who_is_signed_in(client) is None


def test_an_account_without_an_address_is_not_found_by_an_empty_one(
    provider: IdentityProvider, rita: User
) -> None:
    User.objects.update(email="")
    provider.person |= {"email": ""}
    client = Client()
    come_back(client)
    assert who_is_signed_in(client) is None


def test_an_address_that_two_people_share_lets_neither_in(
    provider: IdentityProvider, rita: User, ada: User
) -> None:
    User.objects.filter(pk=ada.pk).update(email="rita@example.com")
    client = Client()
    come_back(client)
    assert who_is_signed_in(client) is None


def test_capital_letters_in_an_address_make_no_difference(
    provider: IdentityProvider, rita: User
) -> None:
    User.objects.filter(pk=rita.pk).update(email="Rita@Example.com")
    client = Client()
    come_back(client)
    assert who_is_signed_in(client) == "rita"


def test_the_password_stays_after_signing_in_through_the_provider(
    provider: IdentityProvider, rita: User
) -> None:
    come_back(Client())
    client = Client()
    client.post("/sign-in/", {"login": "rita", "password": PASSWORD})
    assert who_is_signed_in(client) == "rita"


@pytest.mark.parametrize("came_before", [True, False])
def test_an_inactive_person_does_not_get_in(
    provider: IdentityProvider, rita: User, came_before: bool
) -> None:
    if came_before:
        come_back(Client())
    User.objects.filter(pk=rita.pk).update(is_active=False)
    client = Client()
    page = come_back(client)
    assert "No account here yet" in text_of(page)
    assert who_is_signed_in(client) is None
    assert SocialAccount.objects.exists() == came_before


def test_a_second_factor_is_still_asked_for(provider: IdentityProvider, rita: User) -> None:
    TOTP.activate(rita, "JBSWY3DPEHPK3PXP")
    code = RecoveryCodes.activate(rita).get_unused_codes()[0]
    client = Client()
    response = come_back(client)
    assert response.headers["Location"] == "/sign-in/second-factor/"
    assert who_is_signed_in(client) is None
    client.post("/sign-in/second-factor/", {"code": "000000"})
    assert who_is_signed_in(client) is None
    client.post("/sign-in/second-factor/", {"code": code})
    assert who_is_signed_in(client) == "rita"


def test_somebody_signed_in_cannot_join_a_foreign_identity_to_the_account(
    provider: IdentityProvider, ada: User
) -> None:
    """Otherwise a minute at an unlocked screen would give permanent access."""
    provider.person |= {"email": "eve@example.com"}
    client = Client()
    client.force_login(ada)
    assert "No account here yet" in text_of(come_back(client, start="/sso/oidc/?process=connect"))
    assert not SocialAccount.objects.exists()
    later = Client()
    come_back(later)
    assert who_is_signed_in(later) is None


def test_coming_back_without_having_asked_is_refused(
    provider: IdentityProvider, rita: User
) -> None:
    """A link with an attacker's code must not sign the victim in as the attacker."""
    attacker = Client()
    there = requests.get(
        attacker.post("/sso/oidc/").headers["Location"], allow_redirects=False, timeout=120
    )
    back = urlsplit(there.headers["Location"])
    victim = Client()
    response = victim.get(f"{back.path}?{back.query}")
    assert response.status_code == 401
    assert "Sign-in failed" in text_of(response)
    assert who_is_signed_in(victim) is None


def test_an_answer_of_the_provider_works_once(provider: IdentityProvider, rita: User) -> None:
    client = Client()
    there = requests.get(
        client.post("/sso/oidc/").headers["Location"], allow_redirects=False, timeout=120
    )
    back = urlsplit(there.headers["Location"])
    assert client.get(f"{back.path}?{back.query}").status_code == 302
    client.post("/sign-out/")
    assert client.get(f"{back.path}?{back.query}").status_code == 401
    assert who_is_signed_in(client) is None


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": "another-site"},
        {"iss": "https://elsewhere.example"},
        {"exp": int(time.time()) - 3600},
    ],
    ids=["for another site", "from another provider", "expired"],
)
def test_a_token_that_is_not_for_us_lets_nobody_in(
    provider: IdentityProvider, rita: User, claims: dict[str, Any]
) -> None:
    provider.token_claims = claims
    client = Client()
    response = come_back(client)
    assert response.status_code == 401
    assert "Sign-in failed" in text_of(response)
    assert who_is_signed_in(client) is None


def test_cancelling_at_the_provider_leads_to_a_page_of_ours(
    provider: IdentityProvider, rita: User
) -> None:
    provider.person_declines = True
    client = Client()
    response = come_back(client)
    assert response.headers["Location"] == "/sso/cancelled/"
    assert "Sign-in was cancelled" in text_of(client.get("/sso/cancelled/"))
    assert who_is_signed_in(client) is None


@pytest.mark.django_db
def test_a_provider_that_is_away_is_said_with_503() -> None:
    """The test settings name a provider that does not listen."""
    response = Client().post("/sso/oidc/")
    assert response.status_code == 503
    assert int(response.headers["Retry-After"]) > 0
    assert "Sign-in failed" in text_of(response)


def test_a_provider_that_breaks_while_the_person_is_there_is_said_with_503(
    provider: IdentityProvider, rita: User
) -> None:
    client = Client()
    there = requests.get(
        client.post("/sso/oidc/").headers["Location"], allow_redirects=False, timeout=120
    )
    back = urlsplit(there.headers["Location"])
    provider.broken = {"/.well-known/openid-configuration"}
    response = client.get(f"{back.path}?{back.query}")
    assert response.status_code == 503
    assert "Sign-in failed" in text_of(response)


@pytest.mark.parametrize("path", ["/token", "/userinfo"])
def test_a_provider_that_breaks_half_way_lets_nobody_in(
    provider: IdentityProvider, rita: User, path: str
) -> None:
    provider.broken = {path}
    client = Client()
    response = come_back(client)
    assert response.status_code == 401
    assert "Sign-in failed" in text_of(response)
    assert who_is_signed_in(client) is None


@pytest.mark.django_db
def test_opening_the_address_of_the_button_leaves_the_site_only_after_a_click(
    provider: IdentityProvider,
) -> None:
    """A foreign page cannot start a sign-in by showing a link or an image."""
    page = Client().get("/sso/oidc/")
    assert page.status_code == 200
    assert "Spotcheck" in text_of(page), "not a page of ours"
    assert Client(enforce_csrf_checks=True).post("/sso/oidc/").status_code == 403


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example/", "javascript:x"])
def test_the_way_back_does_not_lead_to_a_foreign_site(
    provider: IdentityProvider, rita: User, target: str
) -> None:
    client = Client()
    response = come_back(client, start=f"/sso/oidc/?next={target}")
    assert (response.status_code, response.headers["Location"]) == (302, "/")


@pytest.mark.sqlite
def test_a_server_with_the_provider_in_its_environment_lets_the_invited_in(
    running_provider: IdentityProvider, migrated_database: MakeDatabase, tmp_path: Path
) -> None:
    running_provider.reset()
    running_provider.person = {"sub": "1", "email": "rita@example.com", "email_verified": True}
    database_url = migrated_database("single_sign_on", tmp_path)
    invite(database_url, rita="reviewer")
    variables = {
        "OIDC_SERVER_URL": running_provider.url,
        "OIDC_CLIENT_ID": CLIENT_ID,
        "OIDC_CLIENT_SECRET": CLIENT_SECRET,
        "OIDC_NAME": "Team ID",
    }
    with (
        servers.site(database_url=database_url, env=variables) as site,
        Visitor(site.url) as visitor,
    ):
        page = visitor.get("/sign-in/")
        assert "Sign in with Team ID" in page.text
        policy = page.headers["Content-Security-Policy"]
        assert f"form-action 'self' {running_provider.origin};" in policy + ";"
        to_provider = visitor.post("/sso/oidc/")
        there = requests.get(to_provider.headers["Location"], allow_redirects=False, timeout=120)
        assert there.headers["Location"].startswith(f"{site.url}/sso/oidc/callback/?")
        back = visitor.get(there.headers["Location"].removeprefix(site.url))
        assert (back.status_code, back.headers["Location"]) == (302, "/")
        assert visitor.is_signed_in
        log = site.log()
    assert execute(database_url, "SELECT count(*) FROM auth_user") == [(1,)]
    assert "rita" not in log
    assert CLIENT_SECRET not in log
