"""How allauth behaves here: nobody signs up, people come by invitation."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse

from evalsite.views import remember_language
from reviews.models import Reviewer


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def post_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse:
        """The language that somebody chose for good goes with them to a new browser."""
        response: HttpResponse = super().post_login(request, user, **kwargs)
        reviewer = Reviewer.objects.filter(user=user).exclude(interface_language="").first()
        if reviewer:
            remember_language(response, reviewer.interface_language)
        return response


class SocialAccountAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        return False
