"""Answers are JSON, whatever was asked for in Accept."""

from typing import Any

import msgspec
from django.utils.functional import Promise
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from evalsite.api.bodies import JSON


class Json(BaseRenderer):
    media_type = JSON
    format = "json"
    charset = None
    render_style = "binary"

    def render(self, data: Any, *_context: Any, **_more: Any) -> bytes:
        return b"" if data is None else msgspec.json.encode(data, enc_hook=plain)


def plain(value: Any) -> Any:
    """What Django has instead of texts."""
    if isinstance(value, Promise):
        return str(value)
    raise TypeError(f"{type(value)} in an answer")


class OneAnswer(BaseContentNegotiation):
    """There is one, whatever was asked for in Accept."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return None

    def select_renderer(self, request: Request, renderers: Any, format_suffix: Any = None) -> Any:
        return renderers[0], renderers[0].media_type
