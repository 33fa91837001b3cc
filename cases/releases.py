"""Opening a release."""

from datetime import date, datetime

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from cases import ledger
from cases.models import Release, Rubric


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


def other_product(baseline: Release, product: str) -> str:
    return gettext(
        "%(baseline)s is of the product “%(theirs)s”, not of “%(own)s”. Compare within one product."
    ) % {"baseline": baseline.name, "theirs": baseline.product, "own": product}
