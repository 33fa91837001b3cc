"""pytest, with room for the frames of all its calls.

CPython asks the system for 16 KB whenever calls go beyond what it has for frames, and gives them
back when they return: where calls go up and down around such an edge, a thousand times a test. The
frame of `roomy` is so large that whatever is called within it fits beside it.
"""

import sys
from collections.abc import Callable

import pytest

SLOTS = 20_000


def roomy(run: Callable[[list[str]], int], arguments: list[str]) -> int:
    return run(arguments)


roomy.__code__ = roomy.__code__.replace(co_stacksize=SLOTS)

if __name__ == "__main__":
    sys.exit(roomy(pytest.main, sys.argv[1:]))
