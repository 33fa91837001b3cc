"""What is measured, and the goal of each. A new row is an `Operation` in the list below."""

from dataclasses import dataclass

from evalsite.bench.seeding import ADMIN, MANAGER, reviewer_name
from evalsite.bench.target import Ask, sign_in

FLOOR_PAGE = Ask("/page/item-0500/", who="floor")
FLOOR_LIST = Ask("/list/", who="floor")


@dataclass(frozen=True)
class Operation:
    """A request to our site beside one to the floor, and what must hold. None: printed only."""

    name: str
    ours: Ask
    floor: Ask
    cpu_at_most: float | None = 3  # times the floor's
    sql_at_most: int | None = None
    kilobytes_at_most: int | None = None  # gzipped, with all scripts and styles
    sql_equal_at_every_size: bool = False
    makes: str = ""  # the table that gets one row for each good request


def operations(password: str) -> list[Operation]:
    rita = reviewer_name(1)
    return [
        Operation("home, reviewer", Ask("/", who=rita), FLOOR_PAGE, sql_at_most=8),
        Operation("home, admin", Ask("/", who=ADMIN), FLOOR_PAGE, sql_at_most=8),
        Operation(
            "home, manager", Ask("/", who=MANAGER), FLOOR_PAGE, sql_at_most=8, kilobytes_at_most=40
        ),
        Operation(
            "people list",
            Ask("/people/", who=ADMIN),
            FLOOR_LIST,
            sql_equal_at_every_size=True,
        ),
        Operation("rubric", Ask("/rubrics/1/", who=rita), FLOOR_PAGE),
        Operation(
            "sign-in",
            sign_in(reviewer_name(2), password),
            sign_in("floor", password),
            # Ten of its own; the rest count attempts: four limits with about seventeen
            # statements each, because the counts must be shared (settings.CACHES).
            sql_at_most=60,
            makes="django_session",
        ),
    ]
