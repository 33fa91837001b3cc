"""What acts on many cases of a draft share: which cases, and the event."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.utils.translation import gettext

from cases import ledger
from cases.models import Case, Release
from cases.models.cases import CaseQuerySet


class DraftOnly(Exception):
    """Tags and exclusions change only while their release is a draft."""

    def __init__(self, release: Release) -> None:
        self.release = release

    def __str__(self) -> str:
        return gettext(
            "%(release)s is no longer a draft, so its cases and their tags stay as they are."
        ) % {"release": self.release.name}


def chosen(release: Release, codes: Collection[str]) -> tuple[Release, CaseQuerySet]:
    """The release, locked, and its cases of these codes. Raises DraftOnly."""
    locked = Release.objects.locked(release)
    if not locked.is_draft:
        raise DraftOnly(locked)
    # What is no code names no case; PostgreSQL would not even take a NUL.
    named = [code for code in codes if code.isalnum()]
    cases = Case.objects.filter(release=locked, code__in=named).only("case_key")
    return locked, cases.order_by("case_key")


def note(
    release: Release,
    kind: str,
    cases: list[Case],
    said: Mapping[str, Any],
    *,
    user: User | None,
    now: datetime,
) -> None:
    """An act that changes nothing is no event."""
    if cases:
        data = {**said, "cases": [case.case_key for case in cases]}
        ledger.append(release=release, kind=kind, data=data, user=user, now=now)
