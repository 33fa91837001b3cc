"""Calls on rows that only their owner may know of: reading a body, hiding the row from others."""

from datetime import datetime
from functools import cache
from typing import Annotated, TypeVar

import msgspec
from django.http import Http404
from django.utils.translation import gettext
from rest_framework.response import Response

from evalsite.api import parsers
from evalsite.api.errors import BadBody
from evalsite.api.schema import header
from evalsite.api.serializers import Serializer
from evalsite.api.viewsets import ViewSet
from evalsite.http import LONGEST_KEY

S = TypeVar("S", bound=msgspec.Struct)
LARGEST_VERSION = 2_147_483_647
Version = Annotated[int, msgspec.Meta(ge=0, le=LARGEST_VERSION)]
KEY = header(
    "Idempotency-Key",
    "The same key and body again get the first answer again. Printable characters.",
    schema={"type": "string", "minLength": 1, "maxLength": LONGEST_KEY},
    required=True,
)
# Only the owner of a row learns what is wrong with a call; anybody else gets 404.
ABOUT_THE_CALL = {400, 404, 405, 409, 413, 415}


class Saved(msgspec.Struct):
    """`sentence` says when it was saved, in the caller's language and the site's time."""

    version: int
    saved_at: datetime
    sentence: str


class Submitted(msgspec.Struct):
    version: int
    submitted_at: datetime


class OwnerViewSet(ViewSet):
    """Calls on rows that only their owner may know of."""

    def handle_exception(self, error: Exception) -> Response:
        """Answer 404 to all but the owner, and tell the owner nothing of the release."""
        status = getattr(error, "status", getattr(error, "status_code", None))
        if self.detail and status in ABOUT_THE_CALL:
            error = error if self.is_owner() else Http404()
        return super().handle_exception(self.hide(error))

    def hide(self, error: Exception) -> Exception:
        """Return the error without what its owner must not know."""
        return error

    def is_owner(self) -> bool:
        return self.find_own(self.kwargs["pk"]) is not None

    def find_own(self, pk: int) -> object | None:
        """Return the row if it is the caller's."""
        return None


def decode(raw: bytes, struct: type[S], serializer_class: type[Serializer]) -> S:
    """Decode a body into its struct. Raises Malformed, or BadBody in the serializer's words."""
    try:
        body: S = make_decoder(struct).decode(raw)
    except parsers.UNREADABLE as error:
        serializer_class().run_validation(parsers.decode(raw))
        raise BadBody(gettext("is not a valid value.")) from error
    if b"\\u0000" in raw:
        parsers.decode(raw)
    return body


@cache
def make_decoder(struct: type[S]) -> msgspec.json.Decoder[S]:
    return msgspec.json.Decoder(struct)
