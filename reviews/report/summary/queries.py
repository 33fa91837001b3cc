"""Loads the summary of a release from the database: computed, or as it was stored."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from cases.models import Release
from reviews.agreement import Reason
from reviews.agreement.results import _
from reviews.models import Closing
from reviews.report.summary.cache import get_or_make
from reviews.report.summary.counts import read_marks, read_pairs
from reviews.report.summary.rows import (
    Records,
    read_flags,
    read_pair_rows,
    read_records,
    read_remarks,
    read_sample,
)

from .computation import (
    MOST_WITH_REMARKS,
    SummaryInputs,
    add_comparison,
    build_summary,
    choose_cases_with_remarks,
    count_waived_reviews,
    find_complete,
)
from .document import OtherSchema, Summary, encode, read, serialize

# Its name in the cache.
SUMMARY = "summary"


def compute(release: Release) -> Summary:
    """Compute the summary in a dozen statements, however many reviews there are; store nothing.

    It contains what others wrote: the caller checks `visibility.require_sight` for the reader.
    """
    given = load_inputs(release)
    return add_comparison(build_summary(given), *load_baseline(release, given.records))


def load(release: Release, version: Sequence[str] | None = None) -> Summary:
    """Return the stored summary of a closed release, else the one computed since the last event.

    `version` is `cache.name_version(release)`, if the caller has it already.
    """
    computed: list[Summary] = []

    def make() -> bytes:
        computed.append(compute(release))
        return encode(computed[0])

    text = (
        stored_text(release) if release.is_closed else get_or_make(release, SUMMARY, make, version)
    )
    try:
        return computed[0] if computed else read(text)
    except OtherSchema:
        return compute(release)


def load_json(release: Release, version: Sequence[str] | None = None) -> bytes:
    """Return the summary as JSON: as stored, byte for byte, or as it would be stored."""
    if release.is_closed:
        return stored_text(release).encode()
    return get_or_make(release, SUMMARY, lambda: encode(compute(release)), version)


def stored_text(release: Release) -> str:
    return release.closings.newest().values_list("summary", flat=True).get()


def load_inputs(release: Release) -> SummaryInputs:
    """Read everything that the summary needs, except the summary of the baseline."""
    document, k = release.rubric.document, release.reviews_per_case
    records, rows = read_records(release), read_sample(release)
    complete = find_complete(rows, count_waived_reviews(records), k)
    marks = read_marks(release, document, max((len(row.reviews) for row in rows), default=0))
    return SummaryInputs(
        release=release.name,
        product=release.product,
        rubric=release.rubric.number,
        rubric_digest=release.rubric.digest,
        document=document,
        reviews_per_case=k,
        baseline=release.baseline.name if release.baseline else None,
        policy=release.policy,
        records=records,
        sample=rows,
        marks=marks,
        pairs=read_pairs(release, [row.pk for row in complete.values() if len(row.reviews) < k]),
        flags=read_flags(release),
        pair_rows=read_pair_rows(release),
        remarks=read_remarks(
            release,
            {row.pk: row.case_key for row in choose_cases_with_remarks(document, marks, complete)},
            is_large=len(rows) > MOST_WITH_REMARKS,
        ),
    )


# --- The baseline ---------------------------------------------------------------------------------


def load_baseline(release: Release, records: Records) -> tuple[Summary | Reason | None, str | None]:
    """Return the baseline's stored summary and its digest, or why there is nothing to compare."""
    if release.baseline is None:
        return None, None
    if records.baseline is None:
        return baseline_open(release.baseline.name), None
    is_abandoned, closing, digest = records.baseline
    if is_abandoned:
        return baseline_abandoned(release.baseline.name), None
    try:
        return stored_summary(closing, digest), digest
    except OtherSchema:
        # An older version stored it: compute it again from the frozen rows.
        found = build_summary(load_inputs(release.baseline))
        return found, serialize(found)[1]


@lru_cache(maxsize=2)
def stored_summary(closing: int, digest: str) -> Summary:
    """Read a stored report once: it is the baseline of reports that are opened again and again."""
    return read(Closing.objects.values_list("summary", flat=True).get(pk=closing, digest=digest))


def baseline_open(name: str) -> Reason:
    named = {"release": name}
    return Reason("baseline-open", _("not assessed: %(release)s is not closed"), params=named)


def baseline_abandoned(name: str) -> Reason:
    named = {"release": name}
    return Reason("baseline-abandoned", _("not assessed: %(release)s was abandoned"), params=named)
