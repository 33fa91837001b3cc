"""The smallest site there is, for tests of the servers around one."""

from collections.abc import Callable, Iterable
from typing import Any


def application(_environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
    start("200 OK", [("Content-Type", "text/plain")])
    return [b"well"]
