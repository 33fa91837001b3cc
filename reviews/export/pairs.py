"""Pairings of a release: records of a bundle, and a table with one row for each reading."""

from collections.abc import Iterator
from typing import cast

from cases.models import Release
from cases.rubric import Document
from reviews.models import Pairing, SampledCase
from reviews.models.pairings import PairingQuerySet, Side
from reviews.pairings.judgement import from_data
from reviews.pairings.reading import read_submitted

from .queries import order_by_text
from .records import PairingRecord, PairVersionRecord, ReviewState
from .tables import Row, Table, name_report_state

READINGS_AT_ONCE = 500


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


# --- The table ------------------------------------------------------------------------------------


def has_readings(release: Release) -> bool:
    return release.baseline_id is not None and select_readings(release).exists()


def select_readings(release: Release) -> PairingQuerySet:
    """Select the submitted pairings that may be shown: before closing, of cases in the sample."""
    rows = Pairing.objects.of(release)
    return rows.submitted() if release.is_closed else rows.counted()


def build_reading_table(release: Release) -> Table:
    """Build a table with one row for each submitted reading of a pair."""
    document = release.rubric.document
    columns = ["release", "report", "case_key", "kind", "reader", "version", "submitted_at"]
    columns += ["is_counted", "new_side", "newer"]
    for metric in document.metrics:
        columns += [metric.key, f"{metric.key}:why"]
    columns += [question.key for question in document.questions]
    return Table(columns, list_readings(release, document))


def list_readings(release: Release, document: Document) -> Iterator[Row]:
    """Yield the readings by case and reader: steps and sides are turned to old and new."""
    sample = SampledCase.objects.of(release)
    kinds = dict(sample.values_list("case__case_key", "kind").iterator())
    counted = set(sample.standing().values_list("case__case_key", flat=True))
    rows = select_readings(release).select_related("case", "reader").prefetch_related("answers")
    rows = rows.defer("case__data", "draft")
    ordered = rows.order_by(order_by_text("case__case_key"), order_by_text("reader__username"))
    state = name_report_state(release)
    for reading in ordered.iterator(chunk_size=READINGS_AT_ONCE):
        assert reading.submitted_at is not None
        key = reading.case.case_key
        row: Row = [release.name, state, key, kinds.get(key, ""), reading.reader.get_username()]
        row += [reading.version, reading.submitted_at.isoformat(), key in counted]
        row += [Side.LEFT if reading.is_new_left else Side.RIGHT, reading.newer]
        yield [*row, *list_answers(reading, document)]


def list_answers(reading: Pairing, document: Document) -> Row:
    """List the cells of what was said: steps from the old plan to the new one, and sides."""
    answers = {answer.item: answer for answer in reading.answers.all()}
    turned = {
        Side.LEFT: "new" if reading.is_new_left else "old",
        Side.RIGHT: "old" if reading.is_new_left else "new",
    }
    cells: Row = []
    for metric in document.metrics:
        said = answers.get(metric.key)
        step = said.step if said else None
        cells += [-step if step and reading.is_new_left else step, said.why if said else ""]
    for question in document.questions:
        side = answers[question.key].side if question.key in answers else ""
        cells.append(turned.get(Side(side), side) if side else "")
    return cells
