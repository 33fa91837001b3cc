"""A token for user name and password, for scripts of reviewers."""

from datetime import timedelta
from http import HTTPStatus
from typing import Any

from allauth.core.internal import ratelimit
from allauth.mfa.utils import is_mfa_enabled
from django.utils import timezone
from django.utils.translation import gettext
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from evalsite.accounts import tokens
from evalsite.accounts.forms import SignInForm
from evalsite.api.errors import SIGN_IN, Invalid
from evalsite.api.schema import refuses
from evalsite.api.serializers import CheckedLaterField, Serializer
from evalsite.api.viewsets import Call, ViewSet
from evalsite.errors import Problem, Refusal
from evalsite.models import Scope

LASTS = timedelta(hours=12)
SCOPES = (Scope.READ, Scope.REVIEW)


class BadCredentials(Refusal):
    status = HTTPStatus.UNAUTHORIZED
    code = "bad_credentials"
    headers = SIGN_IN


class SecondFactor(Refusal):
    """The user has a second factor, which a script cannot provide."""

    status = HTTPStatus.FORBIDDEN
    code = "second_factor"


class TooManyAttempts(Refusal):
    status = HTTPStatus.TOO_MANY_REQUESTS
    code = "too_many_attempts"
    headers = {"Retry-After": "300"}


class CredentialsSerializer(Serializer):
    """The form refuses empty values, in the words of the sign-in page."""

    username = CheckedLaterField(limits={"minLength": 1})
    password = CheckedLaterField(limits={"minLength": 1})


class NewTokenSerializer(serializers.Serializer[Any]):
    """`token` is shown only once."""

    token = serializers.CharField()
    scopes = serializers.ListField(child=serializers.CharField())
    expires_at = serializers.DateTimeField()


class TokenViewSet(ViewSet):
    authentication_classes = ()

    @extend_schema(
        operation_id="token_for_password",
        request=CredentialsSerializer,
        responses={201: NewTokenSerializer},
        auth=[],
    )
    @refuses(Invalid, BadCredentials, SecondFactor, TooManyAttempts)
    def create(self, request: Call) -> Response:
        """Get a token that may read and review for 12 hours.

        It ends earlier when the password changes or a second factor is turned on. Refused to users
        with a second factor: make a token on the account page instead. Attempts count together with
        those on the sign-in page.
        """
        body = self.read_body(CredentialsSerializer)
        form = SignInForm(
            {"login": body["username"], "password": body["password"]}, request=request
        )
        if not ratelimit.consume(request, app="allauth.account", action="login"):
            sentence = gettext("Too many failed attempts. Wait five minutes, then try again.")
            raise TooManyAttempts(sentence)
        if not form.is_valid():
            raise translate_errors(form)
        if is_mfa_enabled(form.user):
            sentence = gettext(
                "You sign in with a second step. Make a token on your account page instead."
            )
            raise SecondFactor(sentence)
        token, text = tokens.make(
            user=form.user,
            name=gettext("Signed in by a script"),
            scopes=SCOPES,
            lasts=LASTS,
            now=timezone.now(),
            by_password=True,
        )
        answer = {"token": text, "scopes": token.scopes, "expires_at": token.expiry}
        return Response(NewTokenSerializer(answer).data, status=HTTPStatus.CREATED)


def translate_errors(form: SignInForm) -> Refusal:
    """Convert the errors of the sign-in form."""
    found = [(name, error) for name, errors in form.errors.as_data().items() for error in errors]
    problems = [
        Problem({"login": "username", "__all__": ""}.get(name, name), sentence)
        for name, error in found
        for sentence in error.messages
    ]
    codes = {error.code for _name, error in found}
    if "too_many_login_attempts" in codes:
        return TooManyAttempts(problems[0].message)
    if "username_password_mismatch" in codes:
        return BadCredentials(*problems)
    return Invalid(*problems)
