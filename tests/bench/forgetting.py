"""Let the site forget what its homes keep, for a request with the header of `counting`."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from reviews.home.queries import forget_work
from tests.bench.counting import FORGET


class ForgetWorkMiddleware:
    """Only in the product: the floor has no homes."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if FORGET in request.headers:
            forget_work()
        return self.get_response(request)
