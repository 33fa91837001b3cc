"""Keeps what was made of a release until something happens to it.

Each process keeps its own (`CACHES["reports"]`), so nothing has to be told to the others. The key
is over all that can change what is made, so an entry is never out of date and none is ever removed
for that. It does not say who may see it: `reviews.adjudication.visibility` is asked before this is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import TypeVar

from django.core.cache import caches
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import get_language

from cases.models import Release
from reviews.export.code import code
from reviews.models import Ruling

T = TypeVar("T", bytes, dict[str, str])

# Of a release of ten thousand reviews. More of that size would fill the memory of a process.
LONGEST = 2_000_000


def name_version(release: Release) -> list[str]:
    """Names all that an answer about the release depends on.

    Every act is an event, here and in the baseline; rulings and translations are of the rubric; the
    rest is in the code. Read the release before what is made of it: what is newer than its name
    is asked for under that name only until the release is read again.
    """
    ruling = None
    if not release.is_closed:
        ruling = Ruling.objects.filter(rubric=release.rubric_id).aggregate(last=Max("pk"))["last"]
    language = get_language()
    return [
        code().digest,
        release.name,
        release.ledger_head,
        release.baseline.ledger_head if release.baseline else "",
        str(ruling),
        str(language),
        release.rubric.text_for(language).digest,
    ]


def get_or_make(
    release: Release, what: str, make: Callable[[], T], version: Sequence[str] | None = None
) -> T:
    """What was made under this name since the last event, else what `make` makes now.

    `version` is that of the release, for a caller who knows it already.
    """
    reports = caches["reports"]
    parts = [what, str(timezone.localdate()), str(release.pk), *(version or name_version(release))]
    key = sha256("\n".join(parts).encode()).hexdigest()
    kept: T | None = reports.get(key)
    if kept is not None:
        return kept
    made = make()
    if sum(map(len, [made] if isinstance(made, bytes) else made.values())) <= LONGEST:
        reports.set(key, made)
    return made
