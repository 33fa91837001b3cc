"""What admins say about tags: one tag, many cases, one reason."""

from collections.abc import Collection
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from cases.choosing import chosen, note
from cases.models import Case, CaseTag, Release
from cases.models.cases import TagOrigin, TagStrength


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
