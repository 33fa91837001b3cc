"""What is measured, and the goal of each. A new row is an `Operation` in the list below."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tests.bench.reviewed import reviewed_name
from tests.bench.seeding import ADMIN, MANAGER, release_name, reviewer_name
from tests.bench.stock import Asks, Round, Same, Saves, Stock, Submits
from tests.bench.target import API, Ask, sign_in

FLOOR_PAGE = Ask("/page/item-0500/", who="floor")
FLOOR_LIST = Ask("/list/25/", who="floor")
FLOOR_LONG_LIST = Ask("/list/50/", who="floor")
FLOOR_SUBMIT = Ask(
    "/submit/",
    who="floor",
    method="POST",
    form={"title": "One review"} | {f"answer-{number}": "yes" for number in range(1, 9)},
    status=302,
)
# By token, JSON both ways.
FLOOR_CALL = Ask(f"{API}/items/item-0500/", who="floor", by_token=True)
FLOOR_CALL_SUBMIT = Ask(
    f"{API}/items/",
    who="floor",
    method="POST",
    json=json.dumps({"title": "One review", "answers": ["yes"] * 8}),
    status=201,
    by_token=True,
)
ITINERARY = '"cases_case"."data"'
# Times the floor's, of homes and of lists.
LISTS_AT_MOST = 4
# Each case has so many reviews, by some of so many people.
REVIEWS, REVIEWERS = 3, 10


@dataclass(frozen=True)
class Operation:
    """A request to our site beside one to the floor, and what must hold. None: printed only."""

    name: str
    ours: Ask | Asks
    floor: Ask
    cpu_at_most: float | None = 3  # times the floor's
    sql_at_most: int | None = None
    kilobytes_at_most: int | None = None  # gzipped, with all scripts and styles
    # The same SQL with any number of these, and the request if it depends on the number.
    sql_equal_with: str = ""
    at_size: Callable[[int], Ask] | None = None
    # A column that no statement may name.
    never_reads: str = ""
    # How the cost grows from a small number of those to a large one.
    sizes: tuple[int, int] | None = None
    # Times the CPU that it takes with few reviews in the tables.
    growth_at_most: float | None = None
    # The tables, ours and the floor's, that get one row for each good request.
    makes: tuple[str, str] | None = None

    @property
    def asks(self) -> Asks:
        return Same(self.ours) if isinstance(self.ours, Ask) else self.ours


def operations(password: str, few_cases: int, most_cases: int) -> list[Operation]:
    """There is a release of few cases and one of many."""
    rita = reviewer_name(1)
    return [
        home("home, reviewer", rita),
        home("home, admin", ADMIN),
        replace(home("home, manager", MANAGER), kilobytes_at_most=40),
        Operation(
            "people list",
            Ask("/people/", who=ADMIN),
            FLOOR_LIST,
            cpu_at_most=LISTS_AT_MOST,
            sql_equal_with="reviewers",
        ),
        Operation(
            "release list",
            Ask("/releases/", who=ADMIN),
            FLOOR_LIST,
            cpu_at_most=LISTS_AT_MOST,
            sql_equal_with="releases",
            never_reads=ITINERARY,
        ),
        Operation(
            "case list",
            case_list(most_cases),
            FLOOR_LONG_LIST,
            cpu_at_most=LISTS_AT_MOST,
            sql_equal_with="cases",
            at_size=case_list,
            never_reads=ITINERARY,
            sizes=(few_cases, most_cases),
        ),
        Operation("rubric", Ask("/rubrics/1/", who=rita), FLOOR_PAGE),
        Operation(
            "sign-in",
            sign_in(reviewer_name(2), password),
            sign_in("floor", password),
            # Ten of its own; the rest count attempts: four limits with four statements each, three
            # of them taken back, because the counts must be shared (settings.CACHES).
            sql_at_most=60,
            makes=("django_session", "django_session"),
        ),
    ]


def home(name: str, who: str) -> Operation:
    return Operation(name, Ask("/", who=who), FLOOR_PAGE, cpu_at_most=LISTS_AT_MOST, sql_at_most=10)


def desk_operations(stock: Stock, *, desks: Sequence[Ask], releases: int) -> list[Operation]:
    """What people do in a database with many reviews, in so many releases.

    `desks` are of the last of them, which is open, as is the one before.
    """
    rita = reviewer_name(1)
    closed, complete, waiting = (reviewed_name(releases - back) for back in (2, 1, 0))
    return [
        Operation(
            "next case", Ask("/reviews/next/", who=rita, status=302), FLOOR_PAGE, sql_at_most=8
        ),
        Operation(
            "review desk",
            # Each process keeps what it rendered of a case: one desk alone would flatter it.
            Round(desks),
            FLOOR_PAGE,
            sql_at_most=10,
            kilobytes_at_most=60,
        ),
        Operation(
            "my reviews",
            Ask("/reviews/", who=rita),
            FLOOR_LONG_LIST,
            cpu_at_most=LISTS_AT_MOST,
            sql_at_most=11,
        ),
        Operation(
            "release list, reviewed",
            Ask("/releases/", who=ADMIN),
            FLOOR_LIST,
            cpu_at_most=LISTS_AT_MOST,
            never_reads=ITINERARY,
        ),
        Operation(
            "case list, reviewed",
            Ask(f"/releases/{waiting}/cases/", who=ADMIN),
            FLOOR_LONG_LIST,
            cpu_at_most=LISTS_AT_MOST,
            never_reads=ITINERARY,
        ),
        changed(replace(home("home, admin", ADMIN), cpu_at_most=25, sql_at_most=40)),
        report("report, closed", closed, cpu_at_most=10),
        report("report, open", complete, cpu_at_most=12),
        changed(report("report, open", complete, cpu_at_most=25)),
        Operation("autosave", Saves(stock), FLOOR_SUBMIT, sql_at_most=10),
        Operation(
            "submit",
            Submits(stock),
            FLOOR_SUBMIT,
            cpu_at_most=4,
            sql_at_most=14,
            makes=("reviews_submission", "floor_item"),
        ),
        *calls(stock, desks=desks, closed=closed, complete=complete),
    ]


def calls(stock: Stock, *, desks: Sequence[Ask], closed: str, complete: str) -> list[Operation]:
    """What scripts do, by token; as little as what people do."""
    whole = Ask(f"{API}/releases/{complete}/summary/", who=MANAGER, by_token=True)
    summed = replace(
        report("API: summary, open", complete, cpu_at_most=5), ours=whole, floor=FLOOR_CALL
    )
    return [
        Operation(
            "API: next review",
            Ask(f"{API}/reviews/next/", who=reviewer_name(1), by_token=True),
            FLOOR_CALL,
            sql_at_most=8,
        ),
        Operation(
            "API: review",
            Round([replace(one, path=f"{API}{one.path}", by_token=True) for one in desks]),
            FLOOR_CALL,
            sql_at_most=8,
        ),
        Operation("API: draft", Saves(stock, by_token=True), FLOOR_CALL_SUBMIT, sql_at_most=10),
        Operation(
            "API: submit",
            Submits(stock, by_token=True),
            FLOOR_CALL_SUBMIT,
            cpu_at_most=4,
            sql_at_most=14,
            makes=("reviews_submission", "floor_item"),
        ),
        replace(
            report("API: summary, closed", closed),
            ours=replace(whole, path=f"{API}/releases/{closed}/summary/"),
            floor=FLOOR_CALL,
        ),
        summed,
        changed(replace(summed, cpu_at_most=25)),
        Operation(
            "API: summary, 304",
            replace(whole, has_seen=True, status=304),
            FLOOR_CALL,
            sql_at_most=8,
        ),
    ]


def pair_operations(pairs: Sequence[Ask], release: str) -> list[Operation]:
    """What is done with pairs of a release in which 300 are read."""
    return [
        # Like desks: each process keeps what it rendered of a pair.
        Operation("pair desk", Round(pairs), FLOOR_PAGE, cpu_at_most=5, sql_at_most=10),
        Operation(
            "API: pair",
            Round([replace(one, path=f"{API}{one.path}", by_token=True) for one in pairs]),
            FLOOR_CALL,
            cpu_at_most=5,
            sql_at_most=10,
        ),
        report("report with pairs, open", release, cpu_at_most=12),
        changed(report("report with pairs, open", release, cpu_at_most=25)),
    ]


def report(name: str, release: str, *, cpu_at_most: float | None = None) -> Operation:
    """Of a release at hand, so of 300 reviews."""
    return Operation(
        name,
        Ask(f"/releases/{release}/report/", who=MANAGER),
        FLOOR_PAGE,
        cpu_at_most=cpu_at_most,
        sql_at_most=20,
        growth_at_most=1.25,
    )


def changed(operation: Operation) -> Operation:
    """The same when something happened since the last look, so that nothing kept is of use."""
    assert isinstance(operation.ours, Ask)
    ours = replace(operation.ours, has_changed=True)
    return replace(operation, name=f"{operation.name}, changed", ours=ours)


def case_list(cases: int) -> Ask:
    return Ask(f"/releases/{release_name(cases)}/cases/", who=ADMIN)
