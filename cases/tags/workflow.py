"""Change the tags of a draft's cases, and exclude cases from the draw."""

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
    """The release is no longer a draft, so its tags and exclusions do not change."""

    def __init__(self, release: Release) -> None:
        self.release = release

    def __str__(self) -> str:
        return gettext(
            "%(release)s is no longer a draft, so its cases and their tags cannot change."
        ) % {"release": self.release.name}


def lock_cases(release: Release, codes: Collection[str]) -> tuple[Release, CaseQuerySet]:
    """Lock the release and select its cases with these codes. Raises DraftOnly."""
    locked = Release.objects.locked(release)
    if not locked.is_draft:
        raise DraftOnly(locked)
    # Leave out what cannot be a code; PostgreSQL would not accept a NUL.
    named = [code for code in codes if code.isalnum()]
    cases = Case.objects.filter(release=locked, code__in=named).only("case_key")
    return locked, cases.order_by("case_key")


def append_event(
    release: Release,
    kind: str,
    cases: list[Case],
    details: Mapping[str, Any],
    *,
    user: User | None,
    now: datetime,
) -> None:
    """Append an event to the ledger, unless no case changed."""
    if cases:
        data = {**details, "cases": [case.case_key for case in cases]}
        ledger.append(release=release, kind=kind, data=data, user=user, now=now)


def give(
    *, release: Release, codes: Collection[str], tag: str, reason: str, user: User, now: datetime
) -> int:
    """Give the cases a tag. Returns how many did not have it. Raises DraftOnly."""
    with transaction.atomic():
        locked, cases = lock_cases(release, codes)
        has = CaseTag.objects.standing().filter(case__in=cases, tag=tag).values("case")
        lacking = list(cases.exclude(pk__in=has))
        set_by_admin(lacking, tag=tag, removed=False, reason=reason)
        details = {"tag": tag, "reason": reason}
        append_event(locked, "tag-given", lacking, details, user=user, now=now)
    return len(lacking)


def take_away(
    *, release: Release, codes: Collection[str], tag: str, reason: str, user: User, now: datetime
) -> int:
    """Take a tag away from the cases. Returns how many had it. Raises DraftOnly."""
    with transaction.atomic():
        locked, cases = lock_cases(release, codes)
        has = CaseTag.objects.standing().filter(case__in=cases, tag=tag).values("case")
        having = list(cases.filter(pk__in=has))
        set_by_admin(having, tag=tag, removed=True, reason=reason)
        details = {"tag": tag, "reason": reason}
        append_event(locked, "tag-taken-away", having, details, user=user, now=now)
    return len(having)


def leave_to_detectors(
    *, release: Release, codes: Collection[str], tag: str, reason: str, user: User, now: datetime
) -> int:
    """Delete what admins set for the tag. Returns on how many cases. Raises DraftOnly."""
    with transaction.atomic():
        locked, cases = lock_cases(release, codes)
        rows = CaseTag.objects.filter(case__in=cases, tag=tag, origin=TagOrigin.ADMIN)
        changed = list(cases.filter(pk__in=rows.values("case")))
        rows.delete()
        details = {"tag": tag, "reason": reason}
        append_event(locked, "tag-left-to-detectors", changed, details, user=user, now=now)
    return len(changed)


def set_by_admin(cases: list[Case], *, tag: str, removed: bool, reason: str) -> None:
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
    """Exclude cases from the draw. Returns how many were not excluded. Raises DraftOnly."""
    with transaction.atomic():
        locked, cases = lock_cases(release, codes)
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
        append_event(locked, "cases-excluded", drawable, {"reason": reason}, user=user, now=now)
    return len(drawable)


def let_in(
    *, release: Release, codes: Collection[str], reason: str, user: User | None, now: datetime
) -> int:
    """Let excluded cases be drawn again. Returns how many were excluded. Raises DraftOnly."""
    with transaction.atomic():
        locked, cases = lock_cases(release, codes)
        excluded = list(cases.filter(exclusion__isnull=False))
        Exclusion.objects.filter(case__in=excluded).delete()
        append_event(locked, "cases-let-in", excluded, {"reason": reason}, user=user, now=now)
    return len(excluded)
