"""What calls about rubrics, releases and cases take and give."""

from datetime import date, datetime
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from cases.models.releases import MOST_REVIEWS_PER_CASE, RELEASE_NAME
from cases.releases.policy import Policy
from cases.rubric import Document
from evalsite.api.errors import Error

# What is checked later, with a sentence of its own, and only told here.
NewName = Annotated[
    str, Meta(extra_json_schema={"pattern": f"^{RELEASE_NAME}$", "minLength": 1, "maxLength": 80})
]
Product = Annotated[str, Meta(extra_json_schema={"maxLength": 200})]
PerCase = Annotated[int, Meta(ge=1, le=MOST_REVIEWS_PER_CASE)]


class RubricShort(msgspec.Struct):
    number: int
    title: str
    languages: list[str]
    digest: str
    metrics: list[str]
    published_at: datetime
    published_by: str | None


class RubricVersion(RubricShort):
    """`text` and `document` are in `language`: the reader's where there is a translation."""

    language: str
    text: str
    document: Document


class RubricList(msgspec.Struct):
    results: list[RubricShort]
    next: str | None


class ReleaseShape(msgspec.Struct):
    name: str
    product: str
    rubric: int
    reviews_per_case: int
    baseline: str | None
    due_date: date | None
    policy: dict[str, Any]
    status: str
    created_at: datetime
    is_archived: bool


class ReleaseList(msgspec.Struct):
    results: list[ReleaseShape]
    next: str | None


class NewRelease(msgspec.Struct, forbid_unknown_fields=True):
    """`rubric`: the newest, if it is left out."""

    name: NewName
    product: Product = ""
    rubric: int | None = None
    reviews_per_case: PerCase = 2
    baseline: str | None = None
    due_date: date | None = None
    policy: Policy | None = None


class ReleaseChange(msgspec.Struct, forbid_unknown_fields=True):
    """Only what is named changes. What a release has besides may stand there as it is, so that what
    a call gave can be sent back; the name is part of the ledger and of the draw."""

    name: str | UnsetType = UNSET
    status: str | UnsetType = UNSET
    created_at: datetime | UnsetType = UNSET
    is_archived: bool | UnsetType = UNSET
    product: Product | UnsetType = UNSET
    rubric: int | UnsetType = UNSET
    reviews_per_case: PerCase | UnsetType = UNSET
    baseline: str | UnsetType | None = UNSET
    due_date: date | UnsetType | None = UNSET
    policy: Policy | UnsetType = UNSET


class CaseShape(msgspec.Struct):
    """`kinds`: those of the sampling rule that it fits. `excluded`: why it is not drawn."""

    case_key: str
    code: str
    digest: str
    check_status: str
    has_plan: bool
    locale: str
    days: int
    opening: str
    tags: list[str]
    kinds: list[str]
    excluded: str | None


class CaseList(msgspec.Struct):
    results: list[CaseShape]
    next: str | None


class Imported(msgspec.Struct):
    """`batch` is null when nothing changed, or nothing was to be written."""

    batch: int | None
    created: int
    changed: int
    unchanged: int
    warnings: list[str]


class BadLines(Error):
    """`total` counts what is wrong, also beyond what is listed. `versions`: the key of a row comes
    more than once, and taking one of these with `?version=` would help."""

    total: int
    versions: list[str]
