"""Everything that a call can raise, and what is answered: the same sentences as on the pages."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig, ValidationError
from django.http import Http404
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from rest_framework import exceptions
from rest_framework.response import Response

from cases import imports, rubric
from cases.releases import workflow as releases_workflow
from evalsite.api.bodies import too_large
from evalsite.api.errors import ApiError, Error, Problem, answer_to
from evalsite.api.refusals import Refusal
from reviews.adjudication import workflow as adjudication_workflow
from reviews.api.review_shapes import StaleVersion
from reviews.assignments import workflow as assignments_workflow
from reviews.desk import workflow as desk_workflow
from reviews.desk.workflow import Stale
from reviews.refusing import STATUS, problems_of, stored_in
from reviews.releases import waivers as releases_waivers
from reviews.report import summary
from reviews.report.sentences import tell_reason
from reviews.sample import amendments
from reviews.workflow.refusals import NoSuchCase, Refused

E = TypeVar("E", bound=Exception)


def answer(error: Exception, context: dict[str, Any]) -> Response | None:
    """None: a mistake of ours, or a database that is away."""
    if isinstance(error, ApiError):
        return answer_to(error)
    if isinstance(error, Refused):
        route = context["request"].resolver_match.view_name
        return answer_to(refused(error, is_blind=route.startswith("api-review")))
    for kind, told in TOLD:
        if isinstance(error, kind):
            return answer_to(told(error))
    return None


def not_found(error: Exception) -> ApiError:
    return ApiError(404, "not_found", _("There is no such thing here."))


def not_signed_in(error: Exception) -> ApiError:
    sentence = _("Sign in, or send a token: “Authorization: Token …”.")
    return ApiError(401, "not_signed_in", sentence, headers={"WWW-Authenticate": "Token"})


def forbidden(error: Exception) -> ApiError:
    return ApiError(403, "forbidden", _("Your role does not include this."))


def wrong_method(error: Exception) -> ApiError:
    return ApiError(405, "wrong_method", _("This address has no such method."))


def body_too_big(error: Exception) -> ApiError:
    return too_large(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)


def invalid(error: ValidationError) -> ApiError:
    """Of a model: a sentence for each field."""
    if hasattr(error, "error_dict"):
        problems = [
            Problem("" if name == "__all__" else name, sentence)
            for name, sentences in error.message_dict.items()
            for sentence in sentences
        ]
    else:
        problems = [Problem("", sentence) for sentence in error.messages]
    return ApiError(400, "invalid", *problems)


def bad_lines(refusal: imports.BadFile) -> ApiError:
    """What is wrong with the file as a whole, as that it is empty, has no line."""
    problems = [
        Problem(
            ".".join(filter(None, [str(one.line or ""), one.problem.path])),
            _(one.problem.message) % one.problem.params,
            one.line or None,
        )
        for one in refusal.problems
    ]
    return ApiError(
        400,
        "bad_lines",
        *problems,
        detail=ngettext(
            "Nothing was written: %(total)d problem.",
            "Nothing was written: %(total)d problems.",
            refusal.total,
        )
        % {"total": refusal.total},
        more={"total": refusal.total, "versions": refusal.versions},
    )


def bad_rubric(error: rubric.RubricError) -> ApiError:
    problems = [Problem("", _(one.message) % one.params, one.line) for one in error.problems]
    return ApiError(400, "bad_rubric", *problems)


def frozen(error: Exception) -> ApiError:
    return ApiError(409, "release_frozen", str(error))


def name_taken(error: Exception) -> ApiError:
    return ApiError(409, "release_exists", Problem("name", str(error)))


# Beyond what the desk has: what was named does not exist. Anything else is a conflict with what is
# stored.
BAD_INPUT = (
    NoSuchCase,
    amendments.NoSuchCause,
    desk_workflow.NoSuchCause,
    releases_waivers.NoSuchRule,
    assignments_workflow.NotAReviewer,
    assignments_workflow.BadPerCase,
    adjudication_workflow.BadAgreement,
)


def status_of(kind: type[Refused]) -> int:
    if issubclass(kind, BAD_INPUT):
        return 400
    return next((code for one, code in STATUS.items() if issubclass(kind, one)), 409)


def refusals(*kinds: type[Refused]) -> tuple[Refusal, ...]:
    """As the schema tells them."""
    return tuple(
        Refusal(status_of(one), one.code, StaleVersion if one is Stale else Error) for one in kinds
    )


def refused(refusal: Refused, *, is_blind: bool) -> ApiError:
    """`is_blind`: whoever asks does not know the release, and the sentence must not name it."""
    missing = problems_of(refusal) if is_blind else refusal.missing
    return ApiError(
        status_of(type(refusal)),
        refusal.code,
        *(Problem(one.rule, one.sentence) for one in missing),
        more=stored_in(refusal) if isinstance(refusal, Stale) else None,
    )


def not_comparable(error: summary.NotComparable) -> ApiError:
    return ApiError(409, "not_comparable", tell_reason(error.reason, {}))


TOLD: list[tuple[type[Exception], Callable[[Any], ApiError]]] = [
    (Http404, not_found),
    (exceptions.NotFound, not_found),
    (exceptions.NotAuthenticated, not_signed_in),
    (exceptions.AuthenticationFailed, not_signed_in),
    (exceptions.PermissionDenied, forbidden),
    (PermissionDenied, forbidden),
    (exceptions.MethodNotAllowed, wrong_method),
    (RequestDataTooBig, body_too_big),
    (ValidationError, invalid),
    (imports.BadFile, bad_lines),
    (imports.CasesFrozen, frozen),
    (releases_workflow.ReleaseFrozen, frozen),
    (releases_workflow.NameTaken, name_taken),
    (rubric.RubricError, bad_rubric),
    (summary.NotComparable, not_comparable),
]
