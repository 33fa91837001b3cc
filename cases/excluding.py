"""Keeping cases out of the draw, with a reason, while the release is a draft."""

from collections.abc import Collection
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from cases.choosing import chosen, note
from cases.models import Exclusion, Release


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
