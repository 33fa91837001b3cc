"""How rarely Python looks for garbage; evalsite/apps.py leaves out what was loaded at the start."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def nothing_collected() -> Iterator[None]:
    """While very many small things without cycles are made: looking through them for garbage, over
    and over, takes a fifth of the time. Other threads go without it for as long."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
