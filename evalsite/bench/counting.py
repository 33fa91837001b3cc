"""How many SQL statements a request takes, for whoever asks with a header."""

from collections.abc import Callable
from typing import Any

from django.db import connection
from django.http import HttpRequest
from django.http.response import HttpResponseBase

ASK = "X-Count-SQL"
ANSWER = "X-SQL-Count"


class SqlCountMiddleware:
    """Stands outside of all others, so that their statements count too.

    Requests without the header, all that are timed, pass untouched. Counted is what passes a
    cursor of Django: savepoints and SQLite's BEGIN are in, COMMIT and the pool's check are not.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if ASK not in request.headers:
            return self.get_response(request)
        statements = 0

        def count(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
            nonlocal statements
            statements += len(params) if many else 1
            return execute(sql, params, many, context)

        with connection.execute_wrapper(count):
            response = self.get_response(request)
        response[ANSWER] = str(statements)
        return response
