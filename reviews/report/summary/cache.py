"""Per-process cache of what is computed about a release (`CACHES["reports"]`).

The key covers everything that can change the result, so an entry is never out of date and never
has to be removed. The cache does not check access: callers check `reviews.adjudication.visibility`
first.
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
from reviews.export.code import read_code_version
from reviews.models import Ruling

T = TypeVar("T", bytes, dict[str, str])

# About the size for ten thousand reviews. Larger results would fill the memory of the process.
LONGEST = 2_000_000


def name_version(release: Release) -> list[str]:
    """List everything that a result about the release depends on.

    Every act is an event, here and in the baseline; rulings and translations belong to the rubric;
    the rest is in the code. Load the release before computing the result: a result that is newer
    than its version is only found until the release is loaded again.
    """
    ruling = None
    if not release.is_closed:
        ruling = Ruling.objects.filter(rubric=release.rubric_id).aggregate(last=Max("pk"))["last"]
    language = get_language()
    return [
        read_code_version().digest,
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
    """Return the cached result of this name, or make and cache it.

    `version` is `name_version(release)`, if the caller has it already.
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
