"""Read the pairings of a release as records of a bundle."""

from collections.abc import Iterator
from typing import cast

from cases.models import Release
from reviews.models import Pairing
from reviews.pairings.judgement import from_data
from reviews.pairings.reading import read_submitted

from .queries import order_by_text
from .records import PairingRecord, PairVersionRecord, ReviewState


def read_pairings(release: Release) -> Iterator[PairingRecord]:
    """Read pairings by case and reader, in four queries."""
    rows = Pairing.objects.of(release).select_related("case", "old_case", "reader")
    found = rows.defer("case__data", "old_case__data").prefetch_related("answers", "revisions")
    for row in found.order_by(order_by_text("case__case_key"), order_by_text("reader__username")):
        yield PairingRecord(
            case_key=row.case.case_key,
            reviewer=row.reader.get_username(),
            old_digest=row.old_case.digest,
            is_new_left=row.is_new_left,
            status=cast(ReviewState, row.status),
            assigned_at=row.assigned_at,
            submitted_at=row.submitted_at,
            version=row.version if row.is_submitted else None,
            said=read_submitted(row) if row.is_submitted else None,
            decline_reason=row.decline_reason,
            earlier=[
                PairVersionRecord(
                    version=before.version,
                    said=from_data(before.content),
                    submitted_at=before.submitted_at,
                    replaced_at=before.replaced_at,
                )
                for before in sorted(row.revisions.all(), key=lambda before: before.version)
            ],
        )
