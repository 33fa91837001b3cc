"""Changes that admins make to the tags of a draft's cases, and which cases cannot be drawn."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from cases import ledger
from cases.models import Case, CaseTag, Exclusion, Release
from cases.models.cases import CaseQuerySet, TagOrigin, TagStrength


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


def give(
    *, release: Release, codes: Collection[str], tag: str, reason: str, user: User, now: datetime
) -> int:
    """The cases have the tag from now on. Returns how many did not have it."""
    with transaction.atomic():
        locked, cases = chosen(release, codes)
        has = CaseTag.objects.standing().filter(case__in=cases, tag=tag).values("case")
        lacking = list(cases.exclude(pk__in=has))
        say(lacking, tag=tag, removed=False, reason=reason)
        said = {"tag": tag, "reason": reason}
        note(locked, "tag-given", lacking, said, user=user, now=now)
    return len(lacking)


def take_away(
    *, release: Release, codes: Collection[str], tag: str, reason: str, user: User, now: datetime
) -> int:
    """The cases do not have the tag any more. Returns how many had it."""
    with transaction.atomic():
        locked, cases = chosen(release, codes)
        has = CaseTag.objects.standing().filter(case__in=cases, tag=tag).values("case")
        having = list(cases.filter(pk__in=has))
        say(having, tag=tag, removed=True, reason=reason)
        said = {"tag": tag, "reason": reason}
        note(locked, "tag-taken-away", having, said, user=user, now=now)
    return len(having)


def leave_to_detectors(
    *, release: Release, codes: Collection[str], tag: str, reason: str, user: User, now: datetime
) -> int:
    """What admins said about the tag goes. Returns on how many cases they had said something."""
    with transaction.atomic():
        locked, cases = chosen(release, codes)
        rows = CaseTag.objects.filter(case__in=cases, tag=tag, origin=TagOrigin.ADMIN)
        told = list(cases.filter(pk__in=rows.values("case")))
        rows.delete()
        said = {"tag": tag, "reason": reason}
        note(locked, "tag-left-to-detectors", told, said, user=user, now=now)
    return len(told)


def say(cases: list[Case], *, tag: str, removed: bool, reason: str) -> None:
    CaseTag.objects.bulk_create(
        [
            CaseTag(
                case=case,
                tag=tag,
                origin=TagOrigin.ADMIN,
                strength=TagStrength.STRONG,
                removed=removed,
                reason=reason,
            )
            for case in cases
        ],
        update_conflicts=True,
        unique_fields=["case", "tag", "origin"],
        update_fields=["removed", "reason"],
    )


def exclude(
    *, release: Release, codes: Collection[str], reason: str, user: User | None, now: datetime
) -> int:
    """These cases cannot be drawn any more. Returns how many could. Raises DraftOnly."""
    with transaction.atomic():
        locked, cases = chosen(release, codes)
        drawable = list(cases.filter(exclusion=None))
        Exclusion.objects.bulk_create(
            Exclusion(
                release=locked,
                case=case,
                reason=reason,
                excluded_at=now,
                by=user.get_username() if user else "",
            )
            for case in drawable
        )
        note(locked, "cases-excluded", drawable, {"reason": reason}, user=user, now=now)
    return len(drawable)


def let_in(
    *, release: Release, codes: Collection[str], reason: str, user: User | None, now: datetime
) -> int:
    """These cases can be drawn again. Returns how many were excluded. Raises DraftOnly."""
    with transaction.atomic():
        locked, cases = chosen(release, codes)
        excluded = list(cases.filter(exclusion__isnull=False))
        Exclusion.objects.filter(case__in=excluded).delete()
        note(locked, "cases-let-in", excluded, {"reason": reason}, user=user, now=now)
    return len(excluded)
