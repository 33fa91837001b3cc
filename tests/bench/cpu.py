"""CPU time and memory of processes and all that they started. Linux only."""

import os
import time
from collections.abc import Callable
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def fields_of(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the third on: the second, a name, may hold spaces."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def parent_of(pid: int) -> int:
    return int(fields_of(pid)[1])


def tree(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                children.setdefault(parent_of(int(entry.name)), []).append(int(entry.name))
            except OSError:
                continue  # it ended while we looked
    found = [root]
    for pid in found:
        found.extend(children.get(pid, []))
    return found


def cpu_seconds(roots: list[int]) -> float:
    """User and system time, with that of children that ended and were waited for."""
    return total(roots, lambda pid: clock_of(pid) + waited_for(pid))


def clock_of(pid: int) -> float:
    """The kernel's own clock of a process, to the nanosecond; /proc counts in steps of 10 ms."""
    return time.clock_gettime((~pid << 3) | 2)  # what clock_getcpuclockid(3) gives


def waited_for(pid: int) -> float:
    user, system = fields_of(pid)[13:15]
    return (int(user) + int(system)) / TICKS


def rss_bytes(roots: list[int]) -> int:
    return int(total(roots, lambda pid: int(fields_of(pid)[21]) * PAGE_BYTES))


def peak_rss_bytes() -> int:
    """The most that this process held at once. Not ru_maxrss: that of the parent is in it."""
    status = Path("/proc/self/status").read_text()
    kilobytes = next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(kilobytes) * 1024


def total(roots: list[int], of: Callable[[int], float]) -> float:
    amount = 0.0
    for root in roots:
        for pid in tree(root):
            try:
                amount += of(pid)
            except OSError:
                continue  # it ended while we looked
    return amount
