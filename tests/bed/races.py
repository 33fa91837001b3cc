"""Acts at the same moment, each in a thread or a process and on a connection of its own."""

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context
from threading import Barrier
from typing import Any, TypeVar

from django.db import OperationalError, connection, connections

from reviews.errors import Refused
from tests.bed import soak

T = TypeVar("T")

# Nobody can know which act comes first.
MOST_DELAY = 0.01


def connect() -> None:
    """Before the start: the pool opens connections one at a time, which would keep acts apart.

    On a busy machine that takes longer than the pool lets anybody wait.
    """
    for _attempt in range(6):
        try:
            connection.ensure_connection()
        except OperationalError:
            continue
        return
    connection.ensure_connection()


def at_the_same_moment(*acts: Callable[[], Any], most_delay: float = 0.0) -> list[Any]:
    """What each act returned or raised. With a delay, each begins a little later or earlier."""
    start = Barrier(len(acts))

    def run(act: Callable[[], Any]) -> Any:
        try:
            connect()
            start.wait(timeout=300)
            time.sleep(random.uniform(0, most_delay))
            return act()
        except Exception as error:
            return error
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def kinds_of(answers: list[Any]) -> list[str]:
    """What came of each act: its result's type, or the code of its refusal."""
    return [one.code if isinstance(one, Refused) else type(one).__name__ for one in answers]


def run_races(
    what: str,
    things: Iterator[T],
    race: Callable[[T], tuple[list[Any], bool]],
    *,
    is_whole: Callable[[T], bool],
    rounds: int,
) -> None:
    """`race` gives what came of its acts, and whether all is as it should be."""
    bad, came = [], Counter[tuple[str, ...]]()
    for thing in islice(things, rounds):
        answers, is_sound = race(thing)
        found = tuple(kinds_of(answers))
        came[found] += 1
        if not is_sound or not is_whole(thing):
            bad.append((str(thing), found))
    tried = sum(came.values())
    soak.report(f"{what} {dict(came)}", tried=tried, bad=len(bad))
    assert tried == rounds
    assert bad == []


# --- Processes ------------------------------------------------------------------------------------


def use_no_connection_of_the_parent() -> None:
    """Nor close it, which would be the parent's to do; so it stays, and nobody finds it."""
    inherited = connections["default"]
    own = connections.create_connection("default")
    options = dict(inherited.settings_dict["OPTIONS"])
    options.pop("pool", None)  # its threads were not forked
    own.settings_dict = {**inherited.settings_dict, "OPTIONS": options}
    NOT_OURS.append(inherited)
    connections["default"] = own


NOT_OURS: list[Any] = []


@contextmanager
def killed_on_leaving(act: Callable[[], Any]) -> Iterator[None]:
    """In a process of its own, which is killed when the block ends."""
    process = get_context("fork").Process(target=run_alone, args=(act,), daemon=True)
    process.start()
    try:
        yield
    finally:
        process.kill()
        process.join(120)


def run_alone(act: Callable[[], Any]) -> None:
    use_no_connection_of_the_parent()
    act()
