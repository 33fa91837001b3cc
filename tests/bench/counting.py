"""How many SQL statements a request takes and what is in them, for whoever asks with a header."""

from collections.abc import Callable
from typing import Any

from django.db import connection
from django.http import HttpRequest
from django.http.response import HttpResponseBase

ASK = "X-Count-SQL"
ANSWER = "X-SQL-Count"
# A text to look for, and how many of the statements hold it.
ASK_WITH = "X-Count-SQL-With"
ANSWER_WITH = "X-SQL-Count-With"


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
        wanted = request.headers.get(ASK_WITH)
        statements = holding = 0

        def count(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
            nonlocal statements, holding
            statements += len(params) if many else 1
            holding += wanted is not None and wanted in sql
            return execute(sql, params, many, context)

        with connection.execute_wrapper(count):
            response = self.get_response(request)
        response[ANSWER] = str(statements)
        response[ANSWER_WITH] = str(holding)
        return response
