"""The load generator, a process of its own so that its CPU is nobody's.

One job a line on standard input, one result a line on standard output, both JSON. Threads with
keep-alive connections; bounded in number and time, and to this machine.
"""

import json
import statistics
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from http.client import HTTPConnection, HTTPException
from itertools import cycle

MOST_CLIENTS = 64
MOST_SECONDS = 60
TIMEOUT_SECONDS = 30


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: str
    status: int  # of a good answer


@dataclass(frozen=True)
class Job:
    """Clients send these requests over and over, in turn, or `once` each, in their order.

    Readers ask for `beside` meanwhile.
    """

    port: int
    requests: list[Request]
    clients: int
    seconds: float
    once: bool = False
    beside: list[Request] = field(default_factory=list)
    readers: int = 0

    def __post_init__(self) -> None:
        is_bounded = self.clients + self.readers <= MOST_CLIENTS and self.seconds <= MOST_SECONDS
        if not (is_bounded and self.clients > 0 and self.seconds > 0):
            raise ValueError(f"At most {MOST_CLIENTS} clients and {MOST_SECONDS} s: {self}")

    @classmethod
    def read(cls, line: str) -> "Job":
        values = json.loads(line)
        for name in ("requests", "beside"):
            values[name] = [Request(**one) for one in values[name]]
        return cls(**values)


@dataclass
class Result:
    """`read` counts the good answers to the readers; errors are everybody's."""

    good: int = 0
    seconds: float = 0
    p50_ms: float = 0
    p95_ms: float = 0
    errors: dict[str, int] = field(default_factory=dict)
    sent: int = 0
    read: int = 0


@dataclass
class Tally:
    good: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)


def run(job: Job) -> Result:
    """Every request that is begun is waited for, so that its effect is known.

    Each client begins at least one, however busy the machine is.
    """
    tally, beside = Tally(), Tally()
    # Taking the next one is atomic: both are written in C.
    requests = iter(job.requests) if job.once else cycle(job.requests)
    all_there = threading.Barrier(job.clients + job.readers + 1)
    is_late, over = threading.Event(), threading.Event()
    clients = [
        threading.Thread(target=ask_until, args=(job.port, requests, all_there, is_late, tally))
        for _ in range(job.clients)
    ]
    readers = [
        threading.Thread(
            target=ask_until, args=(job.port, cycle(job.beside), all_there, over, beside)
        )
        for _ in range(job.readers)
    ]
    for one in clients + readers:
        one.start()
    all_there.wait()
    started = time.perf_counter()
    deadline = threading.Timer(job.seconds, is_late.set)
    deadline.start()
    for client in clients:
        client.join()
    seconds = time.perf_counter() - started
    deadline.cancel()
    over.set()
    for reader in readers:
        reader.join()
    return Result(
        len(tally.good),
        seconds,
        *cuts_of(tally.good),
        dict(tally.errors + beside.errors),
        len(tally.good) + tally.errors.total(),
        len(beside.good),
    )


def cuts_of(good: list[float]) -> tuple[float, float]:
    """The median and what 19 of 20 stay under, in milliseconds."""
    if not good:
        return 0, 0
    cuts = statistics.quantiles(good, n=20, method="inclusive") if len(good) > 1 else good * 19
    return cuts[9] * 1000, cuts[18] * 1000


def ask_until(
    port: int,
    requests: Iterator[Request],
    start: threading.Barrier,
    end: threading.Event,
    tally: Tally,
) -> None:
    connection = HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_SECONDS)
    start.wait()
    while request := next(requests, None):
        begun = time.perf_counter()
        try:
            connection.request(request.method, request.path, request.body or None, request.headers)
            response = connection.getresponse()
            response.read()
        except (OSError, HTTPException) as error:
            tally.errors[type(error).__name__] += 1
            connection.close()
        else:
            if response.status == request.status:
                tally.good.append(time.perf_counter() - begun)
            else:
                tally.errors[str(response.status)] += 1
        if end.is_set():
            break
    connection.close()


def main() -> None:
    for line in sys.stdin:
        sys.stdout.write(json.dumps(asdict(run(Job.read(line)))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
