"""Compare pairings with their digest and with the ledger: on the site, and in a restored bundle."""

from collections.abc import Iterator

from cases.models import Release
from reviews.models import Pairing
from reviews.pairings import judgement
from reviews.pairings.reading import read_submitted
from reviews.pairings.sides import is_new_left


def find_mismatches(release: Release) -> Iterator[str]:
    """Find sides that do not follow from their digest, and what the ledger says otherwise."""
    events = list(
        release.events.filter(kind__startswith="pairing")
        .order_by("number")
        .values_list("kind", "data", "at")
    )
    planned = {
        (case_key, username): (side, at)
        for kind, data, at in events
        if kind == "pairings-planned"
        for case_key, username, side in data["pairings"]
    }
    said = {
        (data["case"], data["reviewer"]): (data["version"], data["content"], at)
        for kind, data, at in events
        if kind in ("pairing-submitted", "pairing-revised")
    }
    rows = Pairing.objects.of(release).select_related("case", "reader").defer("case__data")
    for row in rows.prefetch_related("answers").order_by("pk"):
        own = (row.case.case_key, row.reader.get_username())
        name = " by ".join(own)
        if row.is_new_left != is_new_left(
            rubric_digest=release.rubric.digest,
            case_key=own[0],
            reader=own[1],
            release=release.name,
        ):
            yield f"{name}: the side of the new plan does not follow from its digest."
        side = "left" if row.is_new_left else "right"
        if planned.pop(own, None) != (side, row.assigned_at):
            yield f"{name}: was not assigned as the ledger says."
        submitted = said.pop(own, None)
        if submitted and not row.is_submitted:
            yield f"{name}: was submitted, but is not any more."
        elif row.is_submitted and submitted != (
            row.version,
            judgement.digest(read_submitted(row)),
            row.submitted_at,
        ):
            yield f"{name}: says something else than what was submitted."
    for case_key, username in sorted(planned.keys() | said.keys()):
        yield f"{case_key} by {username}: missing, but it is in the ledger."
