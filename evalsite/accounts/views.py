"""allauth's views, where they need more: turning on the second factor, and OpenID Connect."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.mfa.totp.views import ActivateTOTPView
from allauth.socialaccount.providers.openid_connect import views as openid_connect
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from requests import RequestException

from evalsite.accounts import tokens

View = Callable[..., HttpResponse]


class ActivateSecondFactor(ActivateTOTPView):  # type: ignore[misc]
    def form_valid(self, form: Any) -> HttpResponse:
        """Turn the second factor on and revoke the tokens that a password alone was enough for."""
        response: HttpResponse = super().form_valid(form)
        tokens.revoke_by_password(self.request.user)
        return response


activate_second_factor = ActivateSecondFactor.as_view()


def answer_503_without_provider(view: View) -> View:
    """Show an error page while the identity provider cannot be reached."""

    @wraps(view)
    def wrapped(request: HttpRequest, provider_id: str) -> HttpResponse:
        try:
            return view(request, provider_id)
        except RequestException:
            page = render(request, "socialaccount/authentication_error.html", status=503)
            page["Retry-After"] = "30"
            return page

    return wrapped


sso_login = answer_503_without_provider(openid_connect.login)
sso_callback = answer_503_without_provider(openid_connect.callback)
