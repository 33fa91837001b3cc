"""The files of a release, and its rows read back raw: `manage.py bench export`."""

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import partial

from cases.models import Release
from reviews.export import files
from reviews.models import Review
from tests.bench import cpu, driver
from tests.bench.summary_ours import seconds

# Those that stream come first: what memory one of them takes is seen in all that follow.
FILES = {
    "wide": files.TABLES["wide"],
    "long": files.TABLES["long"],
    "json": files.SUMMARY,
    "zip": files.BUNDLE,
    "xlsx": files.WORKBOOK,
}
# What both tables are made of, as text, so that no driver makes anything else of it.
READ_BACK = (
    "SELECT review.id, case_key, username, version, comment, CAST(submitted_at AS text) "
    "FROM reviews_review AS review JOIN cases_case ON cases_case.id = case_id "
    "JOIN auth_user ON auth_user.id = reviewer_id WHERE review.release_id = %s",
    "SELECT review_id, metric, value, rationale, coherence, CAST(changed_mind AS integer), "
    "CAST(evidence AS text) FROM reviews_score WHERE release_id = %s",
    "SELECT review_id, item, answer, note, CAST(evidence AS text) "
    "FROM reviews_checklistanswer WHERE release_id = %s",
)


@dataclass(frozen=True)
class Exported:
    """One file. `grown_bytes` is how far the peak of memory rose, with what was written before."""

    what: str
    reviews: int
    ours: list[float]  # CPU seconds, round by round
    raw: list[float]
    grown_bytes: int


def printed(found: Iterable[Exported]) -> str:
    return json.dumps([asdict(one) for one in found])


def read(text: str) -> list[Exported]:
    return [Exported(**one) for one in json.loads(text.splitlines()[-1])]


def measured(
    name: str, *, warm_up: str, kinds: list[str], rounds: int, database_pids: list[int]
) -> list[Exported]:
    """In a process that has written all files of another release, which is small."""
    current = Release.objects.select_related("rubric", "baseline")
    current = current.prefetch_related("rubric__translations")
    small, release = current.get(name=warm_up), current.get(name=name)
    for kind in kinds:
        written(kind, small)
    reviews = Review.objects.of(release).submitted().count()
    statements = [(sql, (release.pk,)) for sql in READ_BACK]
    processes = [os.getpid(), *database_pids]
    before = cpu.peak_rss_bytes()
    ours: dict[str, list[float]] = {}
    grown: dict[str, int] = {}
    for kind in kinds:
        act = partial(written, kind, release)
        ours[kind] = [seconds(act, processes) for _ in range(rounds)]
        grown[kind] = cpu.peak_rss_bytes() - before
    # Behind all of them: a driver may hold the rows that it reads.
    raw = [seconds(partial(driver.fetch, statements), processes) for _ in range(rounds)]
    return [Exported(kind, reviews, ours[kind], raw, grown[kind]) for kind in kinds]


def written(kind: str, release: Release) -> None:
    """Nobody keeps the parts."""
    for _part in FILES[kind].parts(release):
        pass
