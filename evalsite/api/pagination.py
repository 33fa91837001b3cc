"""Cursor pagination: rows added in the meantime do not shift the next page."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

import msgspec
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from rest_framework import pagination
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from evalsite.api.errors import BadParameter
from evalsite.errors import Problem


class CursorPagination(pagination.CursorPagination):
    """Orders by the fields of `view.ordering`; the last one must be unique."""

    page_size = 50
    page_size_query_param = "limit"
    max_page_size = 200
    cursor_query_description = "The cursor from `next` of the previous page."
    page_size_query_description = "Maximum number of results; 50 by default."

    def get_page_size(self, request: Request) -> int:
        text = request.query_params.get("limit", str(self.page_size))
        if not (text.isascii() and text.isdecimal() and 1 <= int(text) <= self.max_page_size):
            sentence = gettext("must be a whole number from 1 to %(most)d.")
            raise BadParameter(Problem("limit", sentence % {"most": self.max_page_size}))
        return int(text)

    def get_ordering(self, request: Any, queryset: Any, view: Any) -> tuple[str, ...]:
        self.model = queryset.model
        return tuple(view.ordering)

    def decode_cursor(self, request: Any) -> pagination.Cursor | None:
        """Decode the cursor. Raise BadParameter if it is not one of this list."""
        try:
            cursor = super().decode_cursor(request)
            if cursor is None:
                return None
            if cursor.reverse or (cursor.position is None and not cursor.offset):
                raise ValueError(cursor)
            position = None if cursor.position is None else self.read_position(cursor.position)
        except (NotFound, ValueError, OverflowError, ValidationError) as error:
            raise BadParameter(
                Problem("cursor", gettext("is not a cursor of this list."))
            ) from error
        return pagination.Cursor(cursor.offset, False, position)

    def read_position(self, text: Any) -> Any:
        """Convert the position to the type of its database field."""
        if "\0" in text:
            raise ValueError(text)
        field = self.model._meta.get_field(self.ordering[0].removeprefix("-"))
        value = field.to_python(text)
        if isinstance(value, datetime):
            if value.tzinfo is None:
                raise ValueError(text)
            return value.astimezone(UTC)
        return value

    def get_paginated_response(self, data: Any) -> Response:
        return Response({"results": data, "next": self.get_next_link()})

    def get_paginated_response_schema(self, schema: Any) -> dict[str, Any]:
        return {
            "type": "object",
            "required": ["results", "next"],
            "properties": {"results": schema, "next": {"type": ["string", "null"]}},
        }

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        limit = {"type": "integer", "minimum": 1, "maximum": self.max_page_size}
        return [
            {
                "name": self.cursor_query_param,
                "in": "query",
                "description": self.cursor_query_description,
                "schema": {"type": "string"},
            },
            {
                "name": self.page_size_query_param,
                "in": "query",
                "description": self.page_size_query_description,
                "schema": limit,
            },
        ]


class RowPagination(CursorPagination):
    """Pages of computed rows. `view.place(row)` is the sort key of a row: a tuple of the types
    `view.place_types`."""

    page: list[Any]

    def paginate_queryset(self, rows: Iterable[Any], request: Any, view: Any = None) -> list[Any]:
        self.request = request
        self.base_url = request.build_absolute_uri()
        size = self.get_page_size(request)
        self.place: Callable[[Any], tuple[Any, ...]] = view.place
        self.types = view.place_types
        self.cursor = self.decode_cursor(request)
        after = self.cursor.position if self.cursor else None
        rows = sorted(
            (row for row in rows if after is None or self.place(row) > after), key=self.place
        )
        self.page = rows[:size]
        self.has_next = len(rows) > size
        return self.page

    def read_position(self, text: Any) -> tuple[Any, ...]:
        if "\0" in text:
            raise ValueError(text)
        place: tuple[Any, ...] = msgspec.json.decode(text, type=self.types)
        return place

    def get_next_link(self) -> str | None:
        if not self.has_next:
            return None
        position: Any = msgspec.json.encode(self.place(self.page[-1])).decode()
        return self.encode_cursor(pagination.Cursor(0, False, position))
