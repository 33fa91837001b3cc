"""Signing in through the team's OpenID Connect provider, which may be away."""

from collections.abc import Callable
from functools import wraps

from allauth.socialaccount.providers.openid_connect import views
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from requests import RequestException

View = Callable[..., HttpResponse]


def says_when_the_provider_is_away(view: View) -> View:
    @wraps(view)
    def wrapped(request: HttpRequest, provider_id: str) -> HttpResponse:
        try:
            return view(request, provider_id)
        except RequestException:
            page = render(request, "socialaccount/authentication_error.html", status=503)
            page["Retry-After"] = "30"
            return page

    return wrapped


login = says_when_the_provider_is_away(views.login)
callback = says_when_the_provider_is_away(views.callback)
