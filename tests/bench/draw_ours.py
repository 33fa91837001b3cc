"""One draw as an admin does it, and what it costs: `manage.py bench draw`."""

from collections.abc import Sequence
from typing import Any

from django.db import connection, transaction

from cases.models import Release
from reviews.errors import Refused
from reviews.releases import waivers as releases_waivers
from reviews.sample import workflow as sample_workflow
from tests.bench.cost import Cost, cost_of
from tests.bench.import_ours import NOW

ITINERARY = '"cases_case"."data"'


class ReadsPlans(Exception):
    """A draw must do without the itineraries."""


def measured(names: Sequence[str], *, database_pids: list[int]) -> list[Cost]:
    return [measured_in(name, database_pids=database_pids) for name in names]


def measured_in(name: str, *, database_pids: list[int]) -> Cost:
    """Draws in a process that has drawn before; the draw of the warm-up is not kept."""
    release = Release.objects.get(name=name)
    waive_what_is_missing(release)
    with transaction.atomic():
        draw(release)
        transaction.set_rollback(True)
    return cost_of(lambda: draw(release), database_pids=database_pids)


def waive_what_is_missing(release: Release) -> None:
    """Invented cases need not fill every kind, and a few of them are too few."""
    try:
        with transaction.atomic():
            draw(release)
            transaction.set_rollback(True)
    except Refused as refusal:
        for one in refusal.missing:
            releases_waivers.waive(
                release=release, rule=one.rule, reason="invented", user=None, now=NOW
            )


def draw(release: Release) -> int:
    """From how many cases."""

    def refuse_plans(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if ITINERARY in sql:
            raise ReadsPlans(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(refuse_plans):
        return sample_workflow.draw(release=release, size=None, user=None, now=NOW).pool_size
