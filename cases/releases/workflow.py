"""Open a release, change it, archive it."""

from collections.abc import Iterator
from datetime import date, datetime
from typing import Any

import msgspec
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import formats, timezone
from django.utils.translation import gettext

from cases import ledger
from cases.models import Release, Rubric
from cases.releases import policy as policies
from cases.rules.counting import count_release
from evalsite.errors import Problem, Refusal


class ReleaseFrozen(Refusal):
    """After the start only the due date can change, and in a closed release nothing."""

    code = "release_frozen"

    def __init__(self, release: Release) -> None:
        if release.is_closed:
            sentence = gettext(
                "%(release)s is closed, so nothing in it can change. Reopen it first."
            )
        else:
            sentence = gettext("%(release)s is no longer a draft, so only its due date can change.")
        super().__init__(sentence % {"release": release.name})


class NameTaken(Refusal):
    """A release with this name exists and was opened with other values."""

    code = "release_exists"

    def __init__(self) -> None:
        sentence = str(Release._meta.get_field("name").error_messages["unique"])
        super().__init__(Problem("name", sentence))


def create(
    *,
    name: str,
    product: str,
    rubric: Rubric,
    reviews_per_case: int,
    baseline: Release | None,
    due_date: date | None,
    policy: dict[str, Any] | None = None,
    user: User | None,
    now: datetime,
) -> Release:
    """Open a release as a draft. Raises ValidationError with a sentence for each field."""
    release = Release(
        name=name,
        product=product,
        rubric=rubric,
        reviews_per_case=reviews_per_case,
        baseline=baseline,
        due_date=due_date,
        policy=policy or {},
        created_at=now,
    )
    with transaction.atomic():
        release.full_clean()
        check_due_date(due_date, now)
        check_policy(release.policy, rubric)
        if baseline and baseline.product != product:
            raise ValidationError({"baseline": describe_other_product(baseline, product)})
        try:
            release.save(force_insert=True)
        except IntegrityError as error:
            # Another release took the name after full_clean looked.
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
                **({"policy": policy} if policy else {}),
            },
            user=user,
            now=now,
        )
    return release


def create_once(
    *, name: str, rubric: Rubric | None, user: User | None, now: datetime, **values: Any
) -> tuple[Release, bool]:
    """Open a release, or find the one that was opened with the same values.

    Returns the release and whether it is new. The ledger has the values it was opened with.
    `rubric` None: the newest. Raises NameTaken, and ValidationError like `create`.
    """
    known = find(name)
    if known is None:
        newest = rubric or Rubric.objects.newest()
        if newest is None:
            raise ValidationError({"rubric": gettext("No rubric is published yet.")})
        try:
            return create(name=name, rubric=newest, user=user, now=now, **values), True
        except ValidationError:
            # Another request may have opened it in the meantime.
            known = find(name)
            if known is None:
                raise
    first = known.events.get(number=1).data
    same = {name: as_data(value) for name, value in values.items()}
    if rubric is not None:
        same["rubric"] = rubric.number
    if any(first.get(name, {}) != value for name, value in same.items()):
        raise NameTaken
    return known, False


def find(name: str) -> Release | None:
    return Release.objects.select_related("rubric", "baseline").filter(name=name).first()


# What can change in a draft; the name is part of the ledger and of the draw.
CHANGEABLE = ("product", "rubric", "reviews_per_case", "baseline", "due_date", "policy")


def change(*, release: Release, user: User | None, now: datetime, **values: Any) -> Release:
    """Change a release. Raises ReleaseFrozen, and ValidationError with sentences by field."""
    with transaction.atomic():
        release = Release.objects.locked(release)
        before = {name: getattr(release, name) for name in CHANGEABLE}
        changed = {name: value for name, value in values.items() if before[name] != value}
        if release.is_closed or (not release.is_draft and changed.keys() - {"due_date"}):
            raise ReleaseFrozen(release)
        if not changed:
            return release
        if "due_date" in changed:
            check_due_date(changed["due_date"], now)
        if "policy" in changed:
            check_policy(changed["policy"], changed.get("rubric", release.rubric))
        for name, value in changed.items():
            setattr(release, name, value)
        release.full_clean()
        if release.baseline and release.baseline.product != release.product:
            raise ValidationError(
                {"baseline": describe_other_product(release.baseline, release.product)}
            )
        release.save(update_fields=list(changed))
        if "product" in changed:
            count_release(release)
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


def check_due_date(day: date | None, now: datetime) -> None:
    """Refuse a day that is over. Raises ValidationError."""
    today = timezone.localdate(now)
    if day is not None and day < today:
        raise ValidationError(
            {
                "due_date": gettext(
                    "%(date)s is in the past. Choose today, %(today)s, or a later day."
                )
                % {"date": formats.date_format(day), "today": formats.date_format(today)}
            }
        )


def check_policy(data: dict[str, Any], rubric: Rubric) -> None:
    """Refuse floors for unknown metrics or outside the scale, and limits that no release can miss
    without a reason. Raises ValidationError."""
    try:
        limits = policies.from_data(data)
    except msgspec.ValidationError as error:
        raise ValidationError({"policy": str(error)}) from error
    metrics = {metric.key: metric for metric in rubric.document.metrics}
    problems = [
        gettext("The rubric has no metric “%(metric)s”.") % {"metric": key}
        for key in limits.floors
        if key not in metrics
    ]
    problems += [
        gettext("The floor of %(metric)s is a number from %(low)d to %(high)d.")
        % {"metric": metrics[key].name, "low": metrics[key].low, "high": metrics[key].high}
        for key, floor in limits.floors.items()
        if key in metrics and not metrics[key].low <= floor <= metrics[key].high
    ]
    if problems:
        raise ValidationError({"policy": problems})
    idle = list(describe_idle_limits(limits, rubric))
    if idle and not limits.reason.strip():
        raise ValidationError({"policy": [*idle, gettext("Give a reason for this.")]})


def describe_idle_limits(limits: policies.Policy, rubric: Rubric) -> Iterator[str]:
    """Describe the limits that no release can miss, a sentence each."""
    metrics = {metric.key: metric for metric in rubric.document.metrics}
    lowest = {key: float(metric.low) for key, metric in metrics.items()}
    for key in limits.list_idle_floors(lowest):
        yield gettext("No mean can be below the floor of %(metric)s, %(floor)s.") % {
            "metric": metrics[key].name,
            "floor": formats.localize(metrics[key].low),
        }
    if limits.has_idle_margin:
        yield gettext("With a margin of %(margin)s points almost no drop is a regression.") % {
            "margin": f"{limits.margin:g}"
        }
    if limits.has_idle_agreement:
        yield gettext("If no case needs scores within one point, any scores agree well enough.")


def as_data(value: Any) -> Any:
    """Convert a field for an event: names and numbers, never database keys."""
    if isinstance(value, Release):
        return value.name
    if isinstance(value, Rubric):
        return value.number
    return value.isoformat() if isinstance(value, date) else value


def archive(*, release: Release, is_archived: bool, user: User | None, now: datetime) -> Release:
    """Archive a release, so that lists hide it, or bring it back. Repeating changes nothing."""
    with transaction.atomic():
        release = Release.objects.locked(release)
        if bool(release.archived_at) != is_archived:
            release.archived_at = now if is_archived else None
            release.save(update_fields=["archived_at"])
            kind = "release-archived" if is_archived else "release-unarchived"
            ledger.append(release=release, kind=kind, data={}, user=user, now=now)
    return release


def describe_other_product(baseline: Release, product: str) -> str:
    return gettext(
        "%(baseline)s belongs to the product “%(theirs)s”, not to “%(own)s”. "
        "Choose a baseline of the same product."
    ) % {"baseline": baseline.name, "theirs": baseline.product, "own": product}
