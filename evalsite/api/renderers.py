"""Render every response as JSON and ignore the Accept header."""

from typing import Any

import msgspec
from django.utils.functional import Promise
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request


class JSONRenderer(BaseRenderer):
    """Encodes with msgspec: times in UTC, and parts that are already encoded."""

    media_type = "application/json"
    format = "json"
    charset = None
    render_style = "binary"

    def render(self, data: Any, *_context: Any, **_more: Any) -> bytes:
        return b"" if data is None else msgspec.json.encode(data, enc_hook=encode_lazy_text)


def encode_lazy_text(value: Any) -> str:
    if isinstance(value, Promise):
        return str(value)
    raise TypeError(f"{type(value)} in an answer")


class OneRenderer(DefaultContentNegotiation):
    """Always selects the view's only renderer; the parser is selected by Content-Type."""

    def select_renderer(self, request: Request, renderers: Any, format_suffix: Any = None) -> Any:
        return renderers[0], renderers[0].media_type
