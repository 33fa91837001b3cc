"""The summary of a release, from the database: computed, or as it was stored."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from cases.models import Release
from reviews.agreement import Reason
from reviews.agreement.results import _
from reviews.models import Closing
from reviews.report.summary.cache import get_or_make
from reviews.report.summary.counts import read_marks, read_pairs
from reviews.report.summary.rows import Records, read_records, read_sample, read_words

from .computation import (
    SummaryInputs,
    against,
    build_summary,
    complete_in,
    told_in_words,
    waived_reviews,
)
from .document import OtherSchema, Summary, encode, read, serialize

# What is kept under this name.
SUMMARY = "summary"


def compute(release: Release) -> Summary:
    """A dozen statements, however many cases and reviews there are. Nothing of it is stored.

    It holds what others said: ask `workflow.opening.require_sight` for whoever will read it.
    """
    given = load_inputs(release)
    return against(build_summary(given), *load_baseline(release, given.records))


def load(release: Release, version: Sequence[str] | None = None) -> Summary:
    """What pages show: of a closed release the stored summary, else what was computed since the
    last event. `version` is that of `cache.name_version`, where it is known."""
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
    """The same as JSON: as it was stored, byte for byte, or as it would be."""
    if release.is_closed:
        return stored_text(release).encode()
    return get_or_make(release, SUMMARY, lambda: encode(compute(release)), version)


def stored_text(release: Release) -> str:
    return release.closings.newest().values_list("summary", flat=True).get()


def load_inputs(release: Release) -> SummaryInputs:
    """All that the summary rests on, but the baseline's own summary."""
    document, k = release.rubric.document, release.reviews_per_case
    records, rows = read_records(release), read_sample(release)
    complete = complete_in(rows, waived_reviews(records), k)
    marks = read_marks(release, document, max((len(row.said) for row in rows), default=0))
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
        pairs=read_pairs(release, [row.pk for row in complete.values() if len(row.said) < k]),
        words=read_words(release, [row.pk for row in told_in_words(document, marks, complete)]),
    )


# --- The baseline ---------------------------------------------------------------------------------


def load_baseline(release: Release, records: Records) -> tuple[Summary | Reason | None, str | None]:
    """The summary that was stored when the baseline was closed, with its digest; or why there is
    none to compare."""
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
        # What an older code stored is computed from the frozen rows.
        found = build_summary(load_inputs(release.baseline))
        return found, serialize(found)[1]


@lru_cache(maxsize=2)
def stored_summary(closing: int, digest: str) -> Summary:
    """A stored report, taken apart once: what is compared with it is looked at again and again."""
    return read(Closing.objects.values_list("summary", flat=True).get(pk=closing, digest=digest))


def baseline_open(name: str) -> Reason:
    named = {"release": name}
    return Reason("baseline-open", _("not assessed: %(release)s is not closed"), params=named)


def baseline_abandoned(name: str) -> Reason:
    named = {"release": name}
    return Reason("baseline-abandoned", _("not assessed: %(release)s was abandoned"), params=named)
