"""How much more work a larger input is, measured so that a busy machine does not matter.

Only the CPU time of this process counts, and of each size the fastest round: what else runs on the
machine can make a round slower, never faster. So one good round is enough, and a cost that really
grows faster has none.
"""

import time
from collections.abc import Callable

ROUNDS = 40


def cpu_seconds(act: Callable[[], object]) -> float:
    started = time.process_time()
    act()
    return time.process_time() - started


def grows_at_most(
    times: float, small: Callable[[], object], large: Callable[[], object], *, slack: float = 0.0
) -> bool:
    """Whether `large` costs at most so many times as much as `small`, and these seconds more."""
    least_small = least_large = float("inf")
    for _round in range(ROUNDS):
        least_small = min(least_small, cpu_seconds(small))
        least_large = min(least_large, cpu_seconds(large))
        if least_large <= times * least_small + slack:
            return True
    return False


def takes_at_most(seconds: float, act: Callable[[], object]) -> bool:
    return any(cpu_seconds(act) <= seconds for _round in range(ROUNDS))
