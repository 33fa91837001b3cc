"""Acts at the same moment, each in a thread and on a connection of its own."""

import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
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
