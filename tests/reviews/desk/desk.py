"""Reviews on somebody's desk, and what the scripts of the desk send."""

import json
from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import User
from django.test import Client

from cases.models import Release
from reviews.desk import judgement as desk_judgement
from reviews.models import Review
from tests.bed import reviewed as bed

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

JSON = "application/json"


def client_of(user: User | None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def given(user: User, *case_keys: str, release: Release | None = None) -> list[Review]:
    """These cases of a release under review, on this person's desk."""
    release = release or bed.started()
    return [bed.assign(release, key, user) for key in case_keys]


def one_for(user: User, key: str = "feast") -> Review:
    return given(user, key)[0]


def body(version: int = 0, *, value: int = 4, **changes: Any) -> dict[str, Any]:
    """A complete review, as the desk sends it."""
    return {"version": version, **desk_judgement.to_data(bed.judgement(value)), **changes}


def send(
    client: Client, address: str, what: Any, *, key: str | None = None, method: str = ""
) -> "Response":
    """As the scripts of the desk do: a draft is put, anything else is posted."""
    method = method or ("PUT" if address.endswith("/draft/") else "POST")
    headers = {"Accept": JSON} | ({"Idempotency-Key": key} if key is not None else {})
    text = what if isinstance(what, str | bytes) else json.dumps(what)
    return client.generic(method, address, text, content_type=JSON, headers=headers)


def fields(value: int = 4, *, version: int = 0, **changes: Any) -> dict[str, Any]:
    """The form of the page without scripts, all filled in."""
    found: dict[str, Any] = {"version": str(version), "key": "form-key", "comment": ""}
    for metric in bed.METRICS:
        found |= {f"score:{metric}": str(value), f"why:{metric}": "The trams are named."}
    found |= {f"answer:{item}": "yes" for item in bed.ITEMS}
    return found | changes
