"""Opening a release, and changing what it says of itself."""

from datetime import date, datetime
from typing import Any

import msgspec
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from cases import ledger, policy
from cases.models import Release, Rubric


class Frozen(Exception):
    """A release that is no draft changes only its due date, a closed one nothing."""

    def __init__(self, release: Release) -> None:
        self.release = release

    def __str__(self) -> str:
        if self.release.is_closed:
            return gettext(
                "%(release)s is closed, so nothing in it can change. Reopen it first."
            ) % {"release": self.release.name}
        return gettext("%(release)s is no longer a draft, so only its due date can change.") % {
            "release": self.release.name
        }


def create(
    *,
    name: str,
    product: str,
    rubric: Rubric,
    reviews_per_case: int,
    baseline: Release | None,
    due_date: date | None,
    user: User | None,
    now: datetime,
) -> Release:
    """Raises ValidationError with a sentence for each field."""
    release = Release(
        name=name,
        product=product,
        rubric=rubric,
        reviews_per_case=reviews_per_case,
        baseline=baseline,
        due_date=due_date,
        created_at=now,
    )
    with transaction.atomic():
        release.full_clean()
        if baseline and baseline.product != product:
            raise ValidationError({"baseline": other_product(baseline, product)})
        try:
            release.save(force_insert=True)
        except IntegrityError as error:
            # Somebody took the name since it was looked at.
            taken = Release._meta.get_field("name").error_messages["unique"]
            raise ValidationError({"name": taken}) from error
        ledger.append(
            release=release,
            kind="release-created",
            data={
                "product": product,
                "rubric": rubric.number,
                "rubric_digest": rubric.digest,
                "reviews_per_case": reviews_per_case,
                "baseline": baseline.name if baseline else None,
                "due_date": due_date.isoformat() if due_date else None,
            },
            user=user,
            now=now,
        )
    return release


# What a draft can change; the name is part of the ledger and of the draw.
CHANGEABLE = ("product", "rubric", "reviews_per_case", "baseline", "due_date", "policy")


def change(*, release: Release, user: User | None, now: datetime, **values: Any) -> Release:
    """Raises Frozen, and ValidationError with a sentence for each field."""
    with transaction.atomic():
        release = Release.objects.locked(release)
        before = {name: getattr(release, name) for name in CHANGEABLE}
        changed = {name: value for name, value in values.items() if before[name] != value}
        if release.is_closed or (not release.is_draft and changed.keys() - {"due_date"}):
            raise Frozen(release)
        if not changed:
            return release
        if "policy" in changed:
            check_policy(changed["policy"])
        for name, value in changed.items():
            setattr(release, name, value)
        release.full_clean()
        if release.baseline and release.baseline.product != release.product:
            raise ValidationError({"baseline": other_product(release.baseline, release.product)})
        release.save(update_fields=list(changed))
        ledger.append(
            release=release,
            kind="release-changed",
            data={
                "from": {name: as_data(before[name]) for name in changed},
                "to": {name: as_data(value) for name, value in changed.items()},
            },
            user=user,
            now=now,
        )
    return release


def check_policy(data: dict[str, Any]) -> None:
    try:
        policy.from_data(data)
    except msgspec.ValidationError as error:
        raise ValidationError({"policy": str(error)}) from error


def as_data(value: Any) -> Any:
    """A field as an event tells it: names and numbers, never keys of the database."""
    if isinstance(value, Release):
        return value.name
    if isinstance(value, Rubric):
        return value.number
    return value.isoformat() if isinstance(value, date) else value


def archive(*, release: Release, is_archived: bool, user: User | None, now: datetime) -> Release:
    """Folds a release away in lists, or brings it back. Twice is once."""
    with transaction.atomic():
        release = Release.objects.locked(release)
        if bool(release.archived_at) != is_archived:
            release.archived_at = now if is_archived else None
            release.save(update_fields=["archived_at"])
            kind = "release-archived" if is_archived else "release-unarchived"
            ledger.append(release=release, kind=kind, data={}, user=user, now=now)
    return release


def other_product(baseline: Release, product: str) -> str:
    return gettext(
        "%(baseline)s is of the product “%(theirs)s”, not of “%(own)s”. Compare within one product."
    ) % {"baseline": baseline.name, "theirs": baseline.product, "own": product}
