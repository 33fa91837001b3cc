"""Acts at the same moment, each in a thread or a process and on a connection of its own."""

import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from threading import Barrier
from typing import Any

from django.db import OperationalError, connection, connections

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
