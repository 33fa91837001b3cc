"""The permission table: route and method -> roles. The middleware checks it before every view.

Without permission: anonymous -> the sign-in page; signed in without a role -> 404; a role that the
row does not list -> 403. A route without a row answers 404 to everyone, and a test fails.
"""

from collections.abc import Collection, Mapping
from enum import Enum, StrEnum

from django.contrib.auth.models import AnonymousUser, Group, User
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from evalsite.statements import Statement


class Role(StrEnum):
    REVIEWER = "reviewer"
    ADMIN = "admin"
    MANAGER = "manager"
    SUPERUSER = "superuser"


# The groups of the first three roles, created by a migration of reviews/.
GROUP_OF = {Role.REVIEWER: "Reviewers", Role.ADMIN: "Admins", Role.MANAGER: "Managers"}
ROLE_OF = {group: role for role, group in GROUP_OF.items()}
ROLE_NAMES = {Role.REVIEWER: _("Reviewer"), Role.ADMIN: _("Admin"), Role.MANAGER: _("Manager")}


class Answer(Enum):
    ALLOWED = "allowed"
    SIGN_IN = "sign in"
    HIDDEN = "hidden"
    FORBIDDEN = "forbidden"
    WRONG_METHOD = "wrong method"


# Superusers have the rights of admins and managers, so rows list them only where no one else may.
EVERY_ROLE = frozenset(Role)
REVIEWERS = frozenset({Role.REVIEWER})
ADMINS = frozenset({Role.ADMIN})
MANAGERS = frozenset({Role.MANAGER})
ADMINS_AND_MANAGERS = frozenset({Role.ADMIN, Role.MANAGER})
SUPERUSERS = frozenset({Role.SUPERUSER})


class Everyone(frozenset[Role]):
    """Includes people who are not signed in, and people without a role."""


PUBLIC = Everyone()

Rights = Mapping[str, frozenset[Role]]
READ = "GET"
WRITE = "POST"
REPLACE = "PUT"
CHANGE = "PATCH"


def page(who: frozenset[Role]) -> Rights:
    return {READ: who}


def form(who: frozenset[Role]) -> Rights:
    return {READ: who, WRITE: who}


def act(who: frozenset[Role]) -> Rights:
    return {WRITE: who}


ROUTES: dict[str, Rights] = {
    # The site itself
    "healthz": page(PUBLIC),
    "readyz": page(PUBLIC),
    "set-language": act(PUBLIC),
    "token": page(EVERY_ROLE),
    "home": page(EVERY_ROLE),
    # Signing in, and the user's own account
    "account_login": form(PUBLIC),
    "account_logout": form(PUBLIC),
    "mfa_authenticate": form(PUBLIC),
    "invitation": form(PUBLIC),
    "openid_connect_login": form(PUBLIC),
    "openid_connect_callback": page(PUBLIC),
    "socialaccount_login_cancelled": page(PUBLIC),
    "socialaccount_login_error": page(PUBLIC),
    "account": page(EVERY_ROLE),
    "absence-add": act(EVERY_ROLE),
    "absence-remove": act(EVERY_ROLE),
    "token-new": form(EVERY_ROLE),
    "token-revoke": act(EVERY_ROLE),
    "account_change_password": form(EVERY_ROLE),
    "account_set_password": form(EVERY_ROLE),
    "account_reauthenticate": form(EVERY_ROLE),
    "mfa_reauthenticate": form(EVERY_ROLE),
    "mfa_index": page(EVERY_ROLE),
    "mfa_activate_totp": form(EVERY_ROLE),
    "mfa_deactivate_totp": form(EVERY_ROLE),
    "mfa_view_recovery_codes": page(EVERY_ROLE),
    "mfa_generate_recovery_codes": form(EVERY_ROLE),
    "mfa_download_recovery_codes": page(EVERY_ROLE),
    # Rubrics
    "rubric-list": page(EVERY_ROLE),
    "rubric": page(EVERY_ROLE),
    "rubric-text": page(EVERY_ROLE),
    "rubric-new": form(ADMINS),
    "rubric-desk": act(ADMINS),
    # Releases and their cases
    "release-list": page(ADMINS_AND_MANAGERS),
    "release-new": form(ADMINS),
    "release": page(ADMINS_AND_MANAGERS),
    "release-edit": form(ADMINS),
    "release-archive": act(ADMINS),
    "event-list": page(ADMINS_AND_MANAGERS),
    "import": form(ADMINS),
    "import-preview": form(ADMINS),
    "import-undo": act(ADMINS),
    "case-list": page(ADMINS_AND_MANAGERS),
    "case-tags": act(ADMINS),
    "case-exclude": act(ADMINS),
    "case": page(ADMINS_AND_MANAGERS),
    "case-comparison": page(ADMINS_AND_MANAGERS),
    # The sample and the life of a release
    "draw": act(ADMINS),
    "draw-page": page(ADMINS_AND_MANAGERS),
    "sample-add": form(ADMINS),
    "sample-swap": form(ADMINS),
    "sample-remove": form(ADMINS),
    "sample-withdraw": form(ADMINS),
    "sample-extend": form(ADMINS),
    "release-start": form(ADMINS),
    "release-close": form(MANAGERS),
    "release-abandon": form(MANAGERS),
    "release-reopen": form(MANAGERS),
    "waive": form(MANAGERS),
    "waiver-take-back": form(MANAGERS),
    "decision": form(MANAGERS),
    # Assignments
    "assignments": page(ADMINS_AND_MANAGERS),
    "assignments-plan": form(ADMINS),
    "assignments-many": act(ADMINS),
    "assignments-due-date": act(ADMINS),
    "assignments-hand-on": form(ADMINS),
    "assignments-remind": form(ADMINS),
    "assignment-again": act(ADMINS),
    "assignment-give": form(ADMINS),
    "assignment-give-back": form(ADMINS),
    "assignment-move": form(ADMINS),
    "assignment-withdraw": form(ADMINS),
    # The report
    "report": page(ADMINS_AND_MANAGERS),
    "report-cases": page(ADMINS_AND_MANAGERS),
    "report-brief": page(ADMINS_AND_MANAGERS),
    "comparison": page(ADMINS_AND_MANAGERS),
    "trend": page(ADMINS_AND_MANAGERS),
    "escapes": form(ADMINS_AND_MANAGERS),
    "product-history": page(ADMINS_AND_MANAGERS),
    # Rules of a product
    "rules": page(ADMINS_AND_MANAGERS),
    "rule-list": page(ADMINS_AND_MANAGERS),
    "rule-export": page(ADMINS_AND_MANAGERS),
    "rule-new": form(MANAGERS),
    "rule": page(ADMINS_AND_MANAGERS),
    "rule-move": act(MANAGERS),
    # Adjudication, exports, questions and calibration
    "adjudication-list": page(ADMINS_AND_MANAGERS),
    "scores-open": act(ADMINS_AND_MANAGERS),
    "adjudication": form(ADMINS_AND_MANAGERS),
    "flag": form(ADMINS_AND_MANAGERS),
    "export-csv": page(ADMINS_AND_MANAGERS),
    "export-xlsx": page(ADMINS_AND_MANAGERS),
    "export-json": page(ADMINS_AND_MANAGERS),
    "export-tool": page(ADMINS_AND_MANAGERS),
    "export-zip": page(ADMINS_AND_MANAGERS),
    "regression-list": page(ADMINS_AND_MANAGERS),
    "export-regressions": page(ADMINS_AND_MANAGERS),
    "question-list": page(ADMINS),
    "question": form(ADMINS),
    "scoring": page(EVERY_ROLE),
    "mirror": page(REVIEWERS),
    "my-questions": page(REVIEWERS),
    # Reviewing
    "my-reviews": page(REVIEWERS),
    "review-next": page(REVIEWERS),
    "review": form(REVIEWERS),
    "review-discard": act(REVIEWERS),
    "review-keep": act(REVIEWERS),
    "review-decline": form(REVIEWERS),
    "review-ask": form(REVIEWERS),
    "pairings": page(ADMINS_AND_MANAGERS),
    "pairings-plan": form(ADMINS),
    "pairings-take-back": form(ADMINS),
    "pairing": form(REVIEWERS),
    "pairing-next": page(REVIEWERS),
    "pairing-practice": page(REVIEWERS),
    "pairing-decline": form(REVIEWERS),
    "practice": form(REVIEWERS),
    # People
    "people": page(ADMINS),
    "person-invite": form(ADMINS),
    "person": form(ADMINS),
    "person-link": act(ADMINS),
    "person-deactivate": act(ADMINS),
    "person-reactivate": act(ADMINS),
    "person-reset-second-factor": act(ADMINS),
    "person-token-revoke": act(ADMINS),
    # The API; evalsite/api/permissions.py has the scopes of tokens
    "api-schema": page(PUBLIC),
    "api-docs": page(PUBLIC),
    "api-token": act(PUBLIC),
    "api-rubrics": {READ: EVERY_ROLE, WRITE: ADMINS},
    "api-rubric": page(EVERY_ROLE),
    "api-releases": {READ: ADMINS_AND_MANAGERS, WRITE: ADMINS},
    "api-release": {READ: ADMINS_AND_MANAGERS, CHANGE: ADMINS},
    "api-cases": {READ: ADMINS_AND_MANAGERS, WRITE: ADMINS},
    "api-sample": page(ADMINS),
    "api-sample-draw": act(ADMINS),
    "api-sample-swap": act(ADMINS),
    "api-sample-withdraw": act(ADMINS),
    "api-sample-extend": act(ADMINS),
    "api-start": act(ADMINS),
    "api-close": act(MANAGERS),
    "api-reopen": act(MANAGERS),
    "api-waive": act(MANAGERS),
    "api-decision": act(MANAGERS),
    "api-assignments": form(ADMINS),
    "api-assignment-move": act(ADMINS),
    "api-assignment-withdraw": act(ADMINS),
    "api-assignment-remind": act(ADMINS),
    "api-assignment-give-back": act(ADMINS),
    "api-questions": page(ADMINS),
    "api-question-answer": act(ADMINS),
    "api-adjudications": form(ADMINS_AND_MANAGERS),
    "api-summary": page(ADMINS_AND_MANAGERS),
    "api-verdict": page(ADMINS_AND_MANAGERS),
    "api-compare": page(ADMINS_AND_MANAGERS),
    "api-regressions": page(ADMINS_AND_MANAGERS),
    "api-export-csv": page(ADMINS_AND_MANAGERS),
    "api-export-xlsx": page(ADMINS_AND_MANAGERS),
    "api-export-tool": page(ADMINS_AND_MANAGERS),
    "api-export-zip": page(ADMINS_AND_MANAGERS),
    "api-escapes": page(ADMINS_AND_MANAGERS),
    "api-escape-move": act(ADMINS_AND_MANAGERS),
    "api-rules": {READ: ADMINS_AND_MANAGERS, WRITE: MANAGERS},
    "api-rule": page(ADMINS_AND_MANAGERS),
    "api-rule-export": page(ADMINS_AND_MANAGERS),
    "api-rule-shadow": act(MANAGERS),
    "api-rule-adopt": act(MANAGERS),
    "api-rule-retire": act(MANAGERS),
    "api-reviews": page(EVERY_ROLE),
    "api-review-next": page(REVIEWERS),
    "api-review": page(REVIEWERS),
    "api-review-draft": {REPLACE: REVIEWERS},
    "api-review-submit": act(REVIEWERS),
    "api-review-decline": act(REVIEWERS),
    "api-review-discard": act(REVIEWERS),
    "api-review-ask": act(REVIEWERS),
    "api-release-pairings": {READ: ADMINS_AND_MANAGERS, WRITE: ADMINS},
    "api-release-pairing-take-back": act(ADMINS),
    "api-pairings": page(REVIEWERS),
    "api-pairing-next": page(REVIEWERS),
    "api-pairing": page(REVIEWERS),
    "api-pairing-draft": {REPLACE: REVIEWERS},
    "api-pairing-submit": act(REVIEWERS),
    "api-pairing-decline": act(REVIEWERS),
    # Django's admin site: prefixes of route names, of which the longest match applies
    "admin:": page(ADMINS),
    "admin:auth_": form(SUPERUSERS),
    # Lists with actions, which call the workflow or lead to a page that does
    "admin:reviews_review_changelist": form(ADMINS),
    "admin:reviews_sampledcase_changelist": form(ADMINS),
    "admin:cases_release_changelist": form(ADMINS),
}


def find_rights(route: str) -> Rights | None:
    if route in ROUTES:
        return ROUTES[route]
    prefixes = [key for key in ROUTES if key.startswith("admin:") and route.startswith(key)]
    return ROUTES[max(prefixes, key=len)] if prefixes else None


def list_methods(route: str) -> list[str]:
    """List the methods that a route supports; HEAD goes with GET."""
    methods = list(find_rights(route) or {})
    return [*methods, "HEAD"] if READ in methods else methods


def is_for_scripts(route: str) -> bool:
    """Return whether the API checks this route itself, once it knows the token."""
    return route.startswith("api-")


def is_public(route: str) -> bool:
    """Return whether anyone may use some method of this route."""
    return any(who is PUBLIC for who in (find_rights(route) or {}).values())


def answer_for(*, route: str, method: str, signed_in: bool, roles: Collection[Role]) -> Answer:
    rights = find_rights(route)
    if rights is None:
        return Answer.HIDDEN
    who = rights.get(READ if method == "HEAD" else method)
    if who is PUBLIC:
        return Answer.ALLOWED
    if is_public(route):
        return Answer.WRONG_METHOD
    if not signed_in:
        return Answer.SIGN_IN
    if not roles:
        return Answer.HIDDEN
    if who is None:
        every_listed_role = frozenset[Role]().union(*rights.values())
        return Answer.WRONG_METHOD if every_listed_role.intersection(roles) else Answer.FORBIDDEN
    return Answer.ALLOWED if who.intersection(roles) else Answer.FORBIDDEN


def find_roles(user: User | AnonymousUser) -> frozenset[Role]:
    """Return the roles of a user, with one query."""
    if not user.is_authenticated:
        return frozenset()
    roles = {ROLE_OF[name] for (name,) in _groups.rows(user.pk) if name in ROLE_OF}
    if user.is_superuser:
        roles |= {Role.SUPERUSER, Role.ADMIN, Role.MANAGER}
    return frozenset(roles)


_groups = Statement[Group](lambda user: Group.objects.filter(user=user).values_list("name"))


def roles_on(request: HttpRequest) -> frozenset[Role]:
    """Return the roles of the request's user, with at most one query per request."""
    known: frozenset[Role] | None = getattr(request, "roles", None)
    if known is None:
        user = getattr(request, "user", None)
        known = find_roles(user) if user is not None else frozenset()
        request.roles = known  # type: ignore[attr-defined]
    return known
