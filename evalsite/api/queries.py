"""What an address asks for, by an allow-list: a parameter that nobody knows is refused, not
overlooked."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from django.utils.translation import gettext
from rest_framework.request import Request

from evalsite.api.errors import ApiError, Problem


@dataclass(frozen=True)
class Parameter:
    """`choices` empty: any text of up to `longest` characters. `what` is for the schema, as is
    `schema` where it says more than that."""

    name: str
    what: str
    choices: tuple[str, ...] = ()
    longest: int = 200
    schema: Mapping[str, Any] | None = None
    required: bool = False


def asked(request: Request, parameters: tuple[Parameter, ...]) -> Mapping[str, str]:
    """The parameters that were given. Raises ApiError 400 with all that are wrong."""
    known = {one.name: one for one in parameters}
    problems = []
    found = {}
    for name, values in request.query_params.lists():
        problem = wrong_with(known.get(name), values)
        if problem:
            problems.append(Problem(name[:200], problem))
        else:
            found[name] = values[0]
    if problems:
        detail = " ".join(f"{one.path}: {one.message}" for one in problems)
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad_parameter", *problems, detail=detail)
    return found


def wrong_with(parameter: Parameter | None, values: list[str]) -> str:
    if parameter is None:
        return gettext("is not known here.")
    if len(values) > 1:
        return gettext("may stand there once.")
    if parameter.choices and values[0] not in parameter.choices:
        choices = {"values": ", ".join(one or "''" for one in parameter.choices)}
        return gettext("must be one of %(values)s.") % choices
    if len(values[0]) > parameter.longest:
        most = {"most": parameter.longest}
        return gettext("must have at most %(most)s characters.") % most
    return ""


YES = ("1", "true")
NO = ("0", "false")


def switch(name: str, what: str) -> Parameter:
    return Parameter(name, what, choices=(*YES, *NO))


def is_on(found: Mapping[str, str], name: str) -> bool:
    return found.get(name) in YES
