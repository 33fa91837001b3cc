"""Answers are JSON, whatever the Accept header asks for."""

from typing import Any

import msgspec
from django.utils.functional import Promise
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request


class JSONRenderer(BaseRenderer):
    """msgspec encodes dates as UTC, and inserts parts that were encoded before."""

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
    """Chooses the parser by Content-Type, and the view's only renderer."""

    def select_renderer(self, request: Request, renderers: Any, format_suffix: Any = None) -> Any:
        return renderers[0], renderers[0].media_type
