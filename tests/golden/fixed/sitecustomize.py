"""Takes time and chance out of every Python process of a recorded site.

Python imports a module of this name at start. The clock stands still at the moment it is told:
times, and the digests that are taken over them, are then the same in every recording. So are the
neutral codes of cases, by which queues are shuffled. Keys, tokens and passwords stay random.
"""

import os
import random
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import time_machine

now = os.environ["GOLDEN_NOW"]
time_machine.travel(datetime.fromisoformat(now), tick=False).start()

# The letters of a neutral code, as every address of a case has them.
CODE_LETTERS = "23456789BCDFGHJKMNPQRSTVWXZ"
_same_each_time = random.Random(now)
_choice, _choices = random.SystemRandom.choice, random.SystemRandom.choices


def choice(self: random.SystemRandom, seq: Sequence[Any]) -> Any:
    return _same_each_time.choice(seq) if seq == CODE_LETTERS else _choice(self, seq)


def choices(self: random.SystemRandom, population: Sequence[Any], *more: Any, **named: Any) -> Any:
    if population == CODE_LETTERS:
        return [_same_each_time.choice(population) for _ in range(named.get("k", 1))]
    return _choices(self, population, *more, **named)


random.SystemRandom.choice = choice  # type: ignore[assignment, method-assign]
random.SystemRandom.choices = choices  # type: ignore[assignment, method-assign]
