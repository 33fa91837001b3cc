"""What the commands of this app share."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management.base import CommandError

from reviews.errors import Refused


@contextmanager
def refusals_in_words() -> Iterator[None]:
    """A refusal ends a command with exit code 1 and every reason on a line of its own."""
    try:
        yield
    except Refused as refusal:
        raise CommandError("\n".join(refusal.sentences)) from refusal
