"""How many SQL statements a request takes and what is in them, for one that asks with a header; and
a header that lets the site forget the reports it keeps."""

from collections.abc import Callable
from typing import Any

from django.core.cache import caches
from django.db import connection
from django.http import HttpRequest
from django.http.response import HttpResponseBase

ASK = "X-Count-SQL"
ANSWER = "X-SQL-Count"
# A text to look for, and how many of the statements hold it.
ASK_WITH = "X-Count-SQL-With"
ANSWER_WITH = "X-SQL-Count-With"
# As if something had happened in every release since the last request.
FORGET = "X-Forget-Reports"


class SqlCountMiddleware:
    """Stands outside of all others, so that their statements count too.

    Requests without a header, as nearly all that are timed, pass untouched. Counted is what passes
    a cursor of Django: savepoints and SQLite's BEGIN are in, COMMIT and the pool's check are not.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if FORGET in request.headers:
            caches["reports"].clear()
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
