"""Check the table in evalsite/permissions.py and the scopes of a token, before any query."""

from django.http import Http404
from django.utils.translation import gettext
from rest_framework.exceptions import MethodNotAllowed, NotAuthenticated, PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from evalsite import logs
from evalsite.api.errors import ScopeMissing
from evalsite.models import ApiToken, Scope
from evalsite.permissions import READ, Answer, Role, answer_for, is_public, roles_on

# The scopes that allow a writing call; reading needs READ. "push" can only create a draft release
# and add cases to it.
PUSH_OR_RUN = frozenset({Scope.PUSH, Scope.RUN})
PUSH = frozenset({Scope.PUSH})
RUN = frozenset({Scope.RUN})
REVIEW = frozenset({Scope.REVIEW})
WRITING: dict[str, frozenset[Scope]] = {
    "api-rubrics": RUN,
    "api-releases": PUSH_OR_RUN,
    "api-release": RUN,
    "api-cases": PUSH,
    "api-sample-draw": RUN,
    "api-sample-swap": RUN,
    "api-sample-withdraw": RUN,
    "api-sample-extend": RUN,
    "api-start": RUN,
    "api-close": RUN,
    "api-reopen": RUN,
    "api-waive": RUN,
    "api-decision": RUN,
    "api-assignments": RUN,
    "api-assignment-move": RUN,
    "api-assignment-withdraw": RUN,
    "api-assignment-remind": RUN,
    "api-assignment-give-back": RUN,
    "api-adjudications": RUN,
    "api-question-answer": RUN,
    "api-escape-move": RUN,
    "api-rules": RUN,
    "api-rule-shadow": RUN,
    "api-rule-adopt": RUN,
    "api-rule-retire": RUN,
    "api-review-draft": REVIEW,
    "api-review-submit": REVIEW,
    "api-review-decline": REVIEW,
    "api-review-discard": REVIEW,
    "api-review-ask": REVIEW,
    "api-release-pairings": RUN,
    "api-release-pairing-take-back": RUN,
    "api-pairing-draft": REVIEW,
    "api-pairing-submit": REVIEW,
    "api-pairing-decline": REVIEW,
}


class RoutePermission(BasePermission):
    """Raises the exceptions for 401, 404, 403 or 405, in this order."""

    def has_permission(self, request: Request, view: object) -> bool:
        resolved = request.resolver_match
        assert resolved is not None
        assert request.method is not None
        route, method = resolved.view_name, request.method
        if is_public(route):
            signed_in, roles = False, frozenset[Role]()
        else:
            signed_in, roles = request.user.is_authenticated, roles_on(request)
            logs.user_id.set(request.user.pk)
        match answer_for(route=route, method=method, signed_in=signed_in, roles=roles):
            case Answer.SIGN_IN:
                raise NotAuthenticated
            case Answer.HIDDEN:
                raise Http404
            case Answer.FORBIDDEN:
                raise PermissionDenied
            case Answer.WRONG_METHOD:
                raise MethodNotAllowed(method)
        if isinstance(request.auth, ApiToken):
            require_scope(request.auth, route, method)
        return True


def find_scopes(route: str, method: str) -> frozenset[Scope]:
    """Return the scopes that allow a call; a token needs one of them."""
    if method in (READ, "HEAD"):
        return frozenset({Scope.READ})
    return WRITING[route]


def require_scope(token: ApiToken, route: str, method: str) -> None:
    needed = find_scopes(route, method)
    if needed.isdisjoint(token.scopes):
        names = gettext(" or ").join(str(scope.label) for scope in Scope if scope in needed)
        sentence = gettext(
            "This token does not allow that. Use a token with the scope “%(scope)s”."
        )
        raise ScopeMissing(sentence % {"scope": names})
