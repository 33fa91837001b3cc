"""What admins say about tags: one tag, many cases, one reason."""

from collections.abc import Collection
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext

from cases import ledger
from cases.models import Case, CaseTag, Release
from cases.models.cases import TagOrigin, TagStrength


class TagsFrozen(Exception):
    """Tags change only while their release is a draft."""

    def __init__(self, release: Release) -> None:
        self.release = release

    def __str__(self) -> str:
        return gettext(
            "%(release)s is no longer a draft, so the tags of its cases stay as they are."
        ) % {"release": self.release.name}


def give(
    *, release: Release, codes: Collection[str], tag: str, reason: str, user: User, now: datetime
) -> int:
    """The cases have the tag from now on. Returns how many did not have it."""
    with transaction.atomic():
        locked, cases = chosen(release, codes)
        has = CaseTag.objects.standing().filter(case__in=cases, tag=tag).values("case")
        lacking = list(cases.exclude(pk__in=has))
        say(lacking, tag=tag, removed=False, reason=reason)
        note(locked, "tag-given", lacking, tag=tag, reason=reason, user=user, now=now)
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
        note(locked, "tag-taken-away", having, tag=tag, reason=reason, user=user, now=now)
    return len(having)


def leave_to_detectors(
    *, release: Release, codes: Collection[str], tag: str, reason: str, user: User, now: datetime
) -> int:
    """What admins said about the tag goes. Returns on how many cases they had said something."""
    with transaction.atomic():
        locked, cases = chosen(release, codes)
        said = CaseTag.objects.filter(case__in=cases, tag=tag, origin=TagOrigin.ADMIN)
        told = list(cases.filter(pk__in=said.values("case")))
        said.delete()
        note(locked, "tag-left-to-detectors", told, tag=tag, reason=reason, user=user, now=now)
    return len(told)


def chosen(release: Release, codes: Collection[str]) -> tuple[Release, QuerySet[Case]]:
    locked = Release.objects.select_for_update().get(pk=release.pk)
    if not locked.is_draft:
        raise TagsFrozen(locked)
    # What is no code names no case; PostgreSQL would not even take a NUL.
    named = [code for code in codes if code.isalnum()]
    cases = Case.objects.filter(release=locked, code__in=named).only("case_key")
    return locked, cases.order_by("case_key")


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


def note(
    release: Release,
    kind: str,
    cases: list[Case],
    *,
    tag: str,
    reason: str,
    user: User,
    now: datetime,
) -> None:
    """An edit that changes nothing is no event."""
    if cases:
        keys = [case.case_key for case in cases]
        data = {"tag": tag, "reason": reason, "cases": keys}
        ledger.append(release=release, kind=kind, data=data, user=user, now=now)
