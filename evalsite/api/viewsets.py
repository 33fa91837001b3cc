"""The base class of the viewsets: checks query and body strictly."""

import io
from typing import Any, ClassVar

from django.contrib.auth.models import User
from django.http import HttpRequest, QueryDict
from rest_framework.exceptions import ValidationError
from rest_framework.generics import GenericAPIView
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSetMixin

from evalsite.api.errors import BadParameter, list_problems
from evalsite.api.filters import refuse_unknown
from evalsite.api.parsers import JSONParser, read_length
from evalsite.api.serializers import Serializer
from evalsite.models import ApiToken
from evalsite.permissions import Role


class Call(Request):
    """A request after the permission check: a user with known roles, by a token or a session."""

    user: User
    auth: ApiToken | None
    roles: frozenset[Role]
    data: Any

    @property
    def is_chunked(self) -> bool:
        """Whether the body has no length, as from a pipe. Django would read nothing of it."""
        is_declared = self.META.get("HTTP_TRANSFER_ENCODING", "").lower() == "chunked"
        return is_declared and bool(self.META.get("wsgi.input_terminated"))

    @property
    def has_body(self) -> bool:
        return bool(read_length(self.META) or self.META.get("HTTP_TRANSFER_ENCODING"))

    @property
    def stream(self) -> Any:
        """The body; never None, so that an empty one passes the same checks."""
        if self.is_chunked:
            return self.META["wsgi.input"]
        return super().stream or io.BytesIO()

    @property
    def POST(self) -> QueryDict:  # type: ignore[override]  # noqa: N802
        """Empty, because the CSRF check would read the body here before the permission check. Calls
        send the CSRF token in a header."""
        return QueryDict()


class CallView(GenericAPIView[Any]):
    """A DRF view whose requests are calls."""

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Call:
        return Call(
            request,
            parsers=self.get_parsers(),
            authenticators=self.get_authenticators(),
            negotiator=self.get_content_negotiator(),
            parser_context=self.get_parser_context(request),
        )


class ViewSet(ViewSetMixin, CallView):  # type: ignore[misc]
    """`query_serializers`: action -> its query parameters besides pagination and filters."""

    http_method_names = ["get", "head", "post", "put", "patch"]
    parser_classes = [JSONParser]
    filter_backends = []
    pagination_class: type[BasePagination] | None = None
    query_serializers: ClassVar[dict[str, type[Serializer]]] = {}
    request: Call

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.query = self.read_query(request)

    def perform_authentication(self, request: Request) -> None:
        """Count the call as soon as the caller is known, so that refused calls count too."""
        super().perform_authentication(request)
        super().check_throttles(request)

    def check_throttles(self, request: Request) -> None:
        """Do nothing: perform_authentication has checked the throttles."""

    def read_query(self, request: Request) -> dict[str, Any]:
        """Return the values of the query serializer. Raise BadParameter with everything wrong."""
        serializer_class = self.query_serializers.get(self.action)
        if not request.query_params and serializer_class is None:
            return {}
        refuse_unknown(request, self.list_parameters(serializer_class))
        if serializer_class is None:
            return {}
        serializer = serializer_class()
        given = request.query_params.dict()
        try:
            values: dict[str, Any] = serializer.run_validation(
                {name: given[name] for name in given if name in serializer.fields}
            )
        except ValidationError as error:
            raise BadParameter(*list_problems(error.detail)) from error
        return values

    def list_parameters(self, serializer_class: type[Serializer] | None) -> set[str]:
        known = set(serializer_class().fields) if serializer_class else set[str]()
        if self.action == "list":
            filterset_class = getattr(self, "filterset_class", None)
            known |= set(filterset_class.base_filters) if filterset_class else set()
            known |= {"cursor", "limit"} if self.paginator else set()
        return known

    def filterset_kwargs(self) -> dict[str, Any]:
        """Return arguments for the filter set that depend on the path."""
        return {}

    def read_body(self, serializer_class: type[Serializer]) -> Any:
        """Return the values of the body, which a POST may omit if no key is required.

        Raise exceptions that the handler turns into 400, 413 and 415."""
        serializer = serializer_class()
        needs_body = any(field.required for field in serializer.fields.values())
        if self.request.method == "POST" and not needs_body and not self.request.has_body:
            return serializer.run_validation({})
        return serializer.run_validation(self.request.data)

    def answer_with_page(self, rows: Any, serializer_class: Any, **context: Any) -> Response:
        page = self.paginate_queryset(rows)
        data = serializer_class(page, many=True, context=context).data
        return self.get_paginated_response(data)

    def finalize_response(
        self, request: Request, response: Any, *args: Any, **kwargs: Any
    ) -> Response:
        """Keep responses out of all caches."""
        response.setdefault("Cache-Control", "private, no-store")
        return super().finalize_response(request, response, *args, **kwargs)
