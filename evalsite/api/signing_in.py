"""A token for a user name and a password: for scripts of reviewers, and no longer than a day's
work."""

from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Annotated

import msgspec
from allauth.core.internal import ratelimit
from allauth.mfa.utils import is_mfa_enabled
from django.utils import timezone
from django.utils.translation import gettext
from rest_framework.response import Response

from evalsite.accounts import tokens as accounts_tokens
from evalsite.accounts.forms import SignInForm
from evalsite.api.bodies import body_of
from evalsite.api.endpoints import Call, tells
from evalsite.api.errors import ApiError, Problem
from evalsite.api.queries import asked
from evalsite.api.refusals import Refusal
from evalsite.models import Scope

LASTS = timedelta(hours=12)
SCOPES = (Scope.READ, Scope.REVIEW)


# The form asks for both, with the sentence of the sign-in page.
Said = Annotated[str, msgspec.Meta(extra_json_schema={"minLength": 1})]


class Credentials(msgspec.Struct, forbid_unknown_fields=True):
    username: Said
    password: Said


class NewToken(msgspec.Struct):
    """`token` is shown only now."""

    token: str
    scopes: list[str]
    expires_at: datetime


REFUSES = (
    Refusal(400, "invalid"),
    Refusal(401, "bad_credentials"),
    Refusal(403, "second_factor"),
    Refusal(429, "too_many_attempts"),
)


@tells({201: NewToken}, body=Credentials, refuses=REFUSES)
def token_for_password(request: Call) -> Response:
    """A token that may read and review for 12 hours.

    It ends sooner when the password changes or a second factor is switched on. Refused to anyone
    with a second factor: make a token on the account page instead. Guessing is limited together
    with the sign-in page.
    """
    asked(request, ())
    body = body_of(request._request, Credentials)
    form = SignInForm({"login": body.username, "password": body.password}, request=request._request)
    if not ratelimit.consume(request._request, app="allauth.account", action="login"):
        raise too_often(gettext("Too many failed attempts. Wait five minutes, then try again."))
    if not form.is_valid():
        raise refusal_in(form)
    if is_mfa_enabled(form.user):
        raise ApiError(
            HTTPStatus.FORBIDDEN,
            "second_factor",
            gettext("You sign in with a second step. Make a token on your account page instead."),
        )
    token, text = accounts_tokens.make(
        user=form.user,
        name=gettext("Signed in by a script"),
        scopes=SCOPES,
        lasts=LASTS,
        now=timezone.now(),
        by_password=True,
    )
    assert token.expiry is not None
    return Response(NewToken(text, token.scopes, token.expiry), status=HTTPStatus.CREATED)


def refusal_in(form: SignInForm) -> ApiError:
    """The sentences of the sign-in page."""
    found = [(name, one) for name, errors in form.errors.as_data().items() for one in errors]
    problems = [
        Problem({"login": "username", "__all__": ""}.get(name, name), sentence)
        for name, one in found
        for sentence in one.messages
    ]
    codes = {one.code for _name, one in found}
    if "too_many_login_attempts" in codes:
        return too_often(problems[0].message)
    if "username_password_mismatch" in codes:
        headers = {"WWW-Authenticate": "Token"}
        return ApiError(HTTPStatus.UNAUTHORIZED, "bad_credentials", *problems, headers=headers)
    return ApiError(HTTPStatus.BAD_REQUEST, "invalid", *problems)


def too_often(sentence: str) -> ApiError:
    headers = {"Retry-After": "300"}
    return ApiError(HTTPStatus.TOO_MANY_REQUESTS, "too_many_attempts", sentence, headers=headers)
