"""Releases: opened and changed by admins."""

from datetime import datetime
from http import HTTPStatus
from typing import Any

import msgspec
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext
from rest_framework.response import Response

from cases.api.shapes import NewRelease, ReleaseChange, ReleaseList, ReleaseShape
from cases.models import Release, Rubric
from cases.models.releases import Status
from cases.releases import policy
from cases.releases import workflow as releases_workflow
from cases.releases.queries import find_release
from evalsite.api.bodies import body_of
from evalsite.api.endpoints import Call, tells
from evalsite.api.paging import PAGING, page_of
from evalsite.api.queries import Parameter, asked
from evalsite.api.refusals import Refusal

LISTING = (
    *PAGING,
    Parameter("status", "Only releases in this status.", choices=tuple(Status.values)),
    Parameter("product", "Only releases of this product."),
)


@tells({200: ReleaseList}, query=LISTING)
def release_list(request: Call) -> Response:
    """Releases, the newest first."""
    found = asked(request, LISTING)
    rows = Release.objects.select_related("rubric", "baseline")
    wanted = {name: found[name] for name in ("status", "product") if name in found}
    order = {"-created_at": datetime, "-id": int}
    return Response(
        page_of(request, found, rows.filter(**wanted), order, lambda here: list(map(shown, here)))
    )


INVALID = Refusal(400, "invalid")


@tells(
    {200: ReleaseShape, 201: ReleaseShape},
    body=NewRelease,
    refuses=(INVALID, Refusal(409, "release_exists")),
)
def release_open(request: Call) -> Response:
    """Open a release as a draft.

    The same body again answers 200 and opens nothing; another body under the same name is a
    conflict.
    """
    asked(request, ())
    body = body_of(request._request, NewRelease)
    release, is_new = releases_workflow.create_once(
        name=body.name,
        product=body.product,
        rubric=find_rubric(body.rubric),
        reviews_per_case=body.reviews_per_case,
        baseline=find_baseline(body.baseline),
        due_date=body.due_date,
        policy=policy.to_data(body.policy) if body.policy else {},
        user=request.user,
        now=timezone.now(),
    )
    return Response(shown(release), status=HTTPStatus.CREATED if is_new else HTTPStatus.OK)


@tells({200: ReleaseShape})
def release_one(request: Call, name: str) -> Response:
    """One release."""
    asked(request, ())
    return Response(shown(find_release(name)))


@tells(
    {200: ReleaseShape},
    body=ReleaseChange,
    refuses=(INVALID, Refusal(409, "release_frozen")),
)
def release_change(request: Call, name: str) -> Response:
    """Change what a release says of itself.

    A draft changes everything but its name, which is part of its ledger and of the draw; later on
    only the due date changes, and of a closed release nothing. A name or a status may be sent if it
    is the one that stands.
    """
    asked(request, ())
    release = find_release(name)
    body = body_of(request._request, ReleaseChange)
    require_same(release, body)
    values = changes_in(release, body)
    changed = releases_workflow.change(
        release=release, user=request.user, now=timezone.now(), **values
    )
    return Response(shown(changed))


# What a release is given back with, and no call changes.
FIXED = ("name", "status", "created_at", "is_archived")


def require_same(release: Release, body: ReleaseChange) -> None:
    """Raises ValidationError with every part that would be another."""
    stands = shown(release)
    problems = {
        name: gettext("This cannot be changed here.")
        for name in FIXED
        if getattr(body, name) not in (msgspec.UNSET, getattr(stands, name))
    }
    if "name" in problems:
        sentence = gettext("The name is part of the ledger and of the draw, so it cannot change.")
        problems["name"] = sentence
    if problems:
        raise ValidationError(problems)


def changes_in(release: Release, body: ReleaseChange) -> dict[str, Any]:
    said = msgspec.structs.asdict(body)
    values = {
        name: value
        for name, value in said.items()
        if value is not msgspec.UNSET and name not in FIXED
    }
    if "rubric" in values:
        values["rubric"] = find_rubric(values["rubric"])
    if "baseline" in values:
        values["baseline"] = find_baseline(values["baseline"])
    if "policy" in values:
        # A release in review has its policy spelled out, which says the same.
        limits = values["policy"]
        same = limits == policy.from_data(release.policy)
        values["policy"] = release.policy if same else policy.to_data(limits)
    return values


def find_rubric(number: int | None) -> Rubric | None:
    """Raises ValidationError, as for any other part of a release."""
    if number is None:
        return None
    found = Rubric.objects.filter(number=number).first()
    if found is None:
        raise ValidationError({"rubric": gettext("There is no such version.")})
    return found


def find_baseline(name: str | None) -> Release | None:
    if name is None:
        return None
    found = releases_workflow.find(name)
    if found is None:
        raise ValidationError({"baseline": gettext("There is no such release.")})
    return found


def shown(release: Release) -> ReleaseShape:
    return ReleaseShape(
        name=release.name,
        product=release.product,
        rubric=release.rubric.number,
        reviews_per_case=release.reviews_per_case,
        baseline=release.baseline.name if release.baseline else None,
        due_date=release.due_date,
        policy=release.policy,
        status=release.status,
        created_at=release.created_at,
        is_archived=release.archived_at is not None,
    )
