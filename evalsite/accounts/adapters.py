"""allauth without sign-up: people join by invitation."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.internal import ratelimit
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from evalsite.http import remember_language


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    error_messages = DefaultAccountAdapter.error_messages | {
        "username_password_mismatch": _(
            "The user name or the password is wrong. Check both and try again."
        ),
        "too_many_login_attempts": _(
            "Too many failed attempts. Wait five minutes, then try again."
        ),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Count the attempts for one name from one address together.

        allauth's own key contains the Host header, which an attacker can choose freely. Counting by
        name alone would let anyone lock the owner out.
        """
        return f"{self.get_client_ip(request)} {credentials.get('username', '').lower()}"

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Apply two wider limits: one address trying many names, many addresses trying one name."""
        super().pre_authenticate(request, **credentials)
        for action in ("login_failed_address", "login_failed_anywhere"):
            further = ratelimit.consume(
                request,
                app="allauth.account",
                action=action,
                key=credentials.get("username", "").lower(),
            )
            if not further:
                raise self.validation_error("too_many_login_attempts")
            # Rolled back with the first limit when the password was right.
            self._login_failed_rl_usage.usage.extend(further.usage)

    def is_ajax(self, request: HttpRequest) -> bool:
        """Return False: allauth's JSON answer would repeat the typed password."""
        return False

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("account")

    def post_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse:
        """Set the language cookie to the language of the user's profile."""
        response: HttpResponse = super().post_login(request, user, **kwargs)
        # The profile belongs to reviews/, which this package does not import.
        language = getattr(getattr(user, "reviewer", None), "interface_language", "")
        if language:
            remember_language(response, language)
        return response


class SocialAccountAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        return False

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Let people in who signed in this way before, or who were invited with the e-mail address
        that the provider verified. A signed-in user cannot connect another identity."""
        known = sociallogin.user if sociallogin.is_existing else None
        is_for_signing_in = sociallogin.state.get("process") == "login"
        claims = sociallogin.account.get_provider_account().get_user_data() or {}
        user = known or find_invited(claims)
        if user is None or not user.is_active or not is_for_signing_in:
            raise ImmediateHttpResponse(render(request, "account/signup_closed.html", status=403))
        if known is None:
            sociallogin.connect(request, user)


def find_invited(claims: dict[str, Any]) -> User | None:
    """Return the only account with the e-mail address that the provider verified."""
    # Some providers send strings, and "false" is true in Python.
    if claims.get("email_verified") is not True or not claims.get("email"):
        return None
    found = list(User.objects.filter(email__iexact=claims["email"], is_active=True)[:2])
    return found[0] if len(found) == 1 else None
