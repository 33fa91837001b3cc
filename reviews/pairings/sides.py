"""Which side the new plan is on: it follows from a digest, so that nobody can choose it."""

from __future__ import annotations

from hashlib import sha256


def is_new_left(*, rubric_digest: str, case_key: str, reader: str, release: str) -> bool:
    """Return the side of one reader's pairing. About half of all pairings have each."""
    text = "\0".join(("side", rubric_digest, case_key, reader, release))
    return sha256(text.encode("utf-8", "surrogatepass")).digest()[0] < 128
