"""Lists by cursor: the place where a page ended, so that what comes in meanwhile moves nothing."""

import base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from http import HTTPStatus
from types import GenericAlias
from typing import Any, TypeVar
from urllib.parse import urlencode

import msgspec
from django.db.models import Model, QuerySet
from django.utils.translation import gettext
from rest_framework.request import Request

from evalsite.api.errors import ApiError, Problem
from evalsite.api.queries import Parameter
from evalsite.paging import beyond

M = TypeVar("M", bound=Model)
R = TypeVar("R")
S = TypeVar("S")

PAGE_SIZE = 50
MOST = 200
PAGING = (
    Parameter("cursor", "Where the page before ended: as `next` names it.", longest=1000),
    Parameter(
        "limit",
        f"How many at most; {PAGE_SIZE}, if it is left out.",
        longest=3,
        schema={"type": "integer", "minimum": 1, "maximum": MOST},
    ),
)


def page_of(
    request: Request,
    found: Mapping[str, str],
    rows: QuerySet[M],
    order: Mapping[str, Any],
    shown: Callable[[list[M]], list[R]],
) -> dict[str, Any]:
    """{results, next}: the address of the next page, null on the last one.

    `order` are the fields, a minus before those that go down, with their types; the last one
    decides between equals."""
    size = size_in(found)
    place = place_in(found, tuple(order.values()))
    rows = rows.order_by(*order)
    if place:
        rows = rows.filter(beyond(list(order), place))
    return told(
        request, found, list(rows[: size + 1]), size, lambda row: place_of(row, order), shown
    )


def part_of(
    request: Request,
    found: Mapping[str, str],
    rows: Iterable[R],
    order: Callable[[R], tuple[Any, ...]],
    types: tuple[Any, ...],
    shown: Callable[[list[R]], list[S]],
) -> dict[str, Any]:
    """As `page_of`, of rows that are computed: `order` is where each stands, of these types."""
    size = size_in(found)
    after = tuple(place_in(found, types))
    here = sorted((one for one in rows if not after or order(one) > after), key=order)
    return told(request, found, here[: size + 1], size, order, shown)


def told(
    request: Request,
    found: Mapping[str, str],
    here: list[R],
    size: int,
    place: Callable[[R], Sequence[Any]],
    shown: Callable[[list[R]], list[S]],
) -> dict[str, Any]:
    """`here` has one row more than the page, if there is a next one."""
    has_next = len(here) > size
    here = here[:size]
    ends = cursor_at(place(here[-1])) if has_next else None
    return {"results": shown(here), "next": address(request, found, ends) if ends else None}


def size_in(found: Mapping[str, str]) -> int:
    text = found.get("limit", str(PAGE_SIZE))
    if not (text.isascii() and text.isdecimal() and 1 <= int(text) <= MOST):
        sentence = gettext("must be a whole number from 1 to %(most)d.") % {"most": MOST}
        raise bad_parameter("limit", sentence)
    return int(text)


def place_in(found: Mapping[str, str], types: tuple[Any, ...]) -> list[Any]:
    if "cursor" not in found:
        return []
    wanted: Any = GenericAlias(tuple, types)
    try:
        text = base64.urlsafe_b64decode(found["cursor"].encode())
        return [stored(one) for one in msgspec.json.decode(text, type=wanted)]
    except (ValueError, OverflowError, msgspec.MsgspecError, RecursionError) as error:
        raise bad_parameter("cursor", gettext("is not one of ours.")) from error


def stored(value: Any) -> Any:
    """As the database has it. Raises ValueError and OverflowError for what it cannot have."""
    if isinstance(value, str) and "\0" in value:
        raise ValueError(value)
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(value)
        return value.astimezone(UTC)
    return value


def bad_parameter(name: str, sentence: str) -> ApiError:
    problem = Problem(name, sentence)
    detail = f"{name}: {sentence}"
    return ApiError(HTTPStatus.BAD_REQUEST, "bad_parameter", problem, detail=detail)


def place_of(row: Model, order: Iterable[str]) -> list[Any]:
    return [getattr(row, name.removeprefix("-")) for name in order]


def cursor_at(place: Sequence[Any]) -> str:
    return base64.urlsafe_b64encode(msgspec.json.encode(place)).decode()


def address(request: Request, found: Mapping[str, str], cursor: str) -> str:
    """The same filters, another cursor."""
    query = urlencode({**found, "cursor": cursor})
    return request.build_absolute_uri(f"{request.path}?{query}")
