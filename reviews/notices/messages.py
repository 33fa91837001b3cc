"""The events that a team can subscribe to, each as a message without scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec
from django.conf import settings
from django.urls import reverse

from cases.models import Event, Release

CLOSED, REOPENED, SIGNED = "closed", "reopened", "signed"
READY, LATE = "ready-to-close", "late"

# The kind of the event in the ledger, and what it is called here.
FROM_LEDGER = {
    "release-closed": CLOSED,
    "release-abandoned": CLOSED,
    "release-reopened": REOPENED,
    "release-signed": SIGNED,
}
EVENTS = (CLOSED, REOPENED, SIGNED, READY, LATE)
# What an event of the ledger tells others; all of it is ids, digests and reasons.
TOLD = ("closing", "summary", "reason", "decision", "verdict", "is_against", "decision_voided")


@dataclass(frozen=True)
class Message:
    """A message. `number` is that of its event in the ledger; None if it was worked out."""

    id: str
    event: str
    release: Release
    at: datetime
    details: Mapping[str, Any]
    number: int | None = None

    def encode(self) -> bytes:
        """Return the message as one line of JSON."""
        fields = {
            "id": self.id,
            "event": self.event,
            "release": self.release.name,
            "product": self.release.product,
            "at": self.at.astimezone(UTC).isoformat().replace("+00:00", "Z"),
            "url": settings.SITE_URL + reverse("release", args=[self.release.name]),
            **self.details,
        }
        return msgspec.json.encode(fields) + b"\n"


def describe_event(event: Event, words: Mapping[int, str | None]) -> Message:
    """Describe an event of the ledger; `words` are the verdicts of the release's closings."""
    details = {"by": event.by, **{name: event.data[name] for name in TOLD if name in event.data}}
    if event.kind == "release-closed":
        details["verdict"] = words.get(event.data["closing"])
    if FROM_LEDGER[event.kind] == CLOSED:
        details["is_abandoned"] = event.kind == "release-abandoned"
    return Message(
        id=f"{event.release.name}:{event.number}",
        event=FROM_LEDGER[event.kind],
        release=event.release,
        at=event.at,
        details=details,
        number=event.number,
    )
