"""One import as people do it, and what it costs: `manage.py bench import`."""

import tempfile
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from django.db import transaction

from cases import imports
from cases.models import Release, Rubric
from cases.releases import workflow as releases_workflow
from tests.bench import itineraries
from tests.bench.cost import Cost, cost_of

NOW = datetime(2026, 1, 1, tzinfo=UTC)
WARM_UP = 100


def measured(file: Path, *, name: str, database_pids: list[int]) -> Cost:
    """Imports a file into a new release, in a process that has imported before."""
    warm_up(file)
    release = open_release(name)
    return cost_of(lambda: import_file(file, release), database_pids=database_pids)


def warm_up(file: Path) -> None:
    """A few of the cases, which are not kept."""
    with tempfile.TemporaryDirectory() as place, transaction.atomic():
        few = Path(place) / "few.jsonl"
        with file.open("rb") as lines:
            few.write_bytes(b"".join(islice(lines, WARM_UP)))
        import_file(few, open_release("warm-up"))
        transaction.set_rollback(True)


def open_release(
    name: str,
    baseline: Release | None = None,
    *,
    rubric: Rubric | None = None,
    reviews_per_case: int = 2,
) -> Release:
    """By the rubric that comes with the product, which is the first, unless told otherwise."""
    return releases_workflow.create(
        name=name,
        product=itineraries.PRODUCT,
        rubric=rubric or Rubric.objects.earliest("number"),
        reviews_per_case=reviews_per_case,
        baseline=baseline,
        due_date=None,
        user=None,
        now=NOW,
    )


def import_file(file: Path, release: Release) -> int:
    """How many cases are new."""
    source = imports.Source(file.name, lambda: file.open("rb"))
    with imports.check([source], imports.Options()) as checked:
        return imports.store(checked, release=release, user=None, now=NOW).new
