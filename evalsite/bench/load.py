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
from dataclasses import asdict, dataclass, field
from http.client import HTTPConnection, HTTPException

MOST_CLIENTS = 64
MOST_SECONDS = 60
TIMEOUT_SECONDS = 30


@dataclass(frozen=True)
class Job:
    port: int
    method: str
    path: str
    headers: dict[str, str]
    body: str
    status: int
    clients: int
    seconds: float

    def __post_init__(self) -> None:
        if not (0 < self.clients <= MOST_CLIENTS and 0 < self.seconds <= MOST_SECONDS):
            raise ValueError(f"At most {MOST_CLIENTS} clients and {MOST_SECONDS} s: {self}")


@dataclass
class Result:
    good: int = 0
    seconds: float = 0
    p50_ms: float = 0
    p95_ms: float = 0
    errors: dict[str, int] = field(default_factory=dict)


def run(job: Job) -> Result:
    """Every request that is begun is waited for, so that its effect is known."""
    good: list[float] = []
    errors: Counter[str] = Counter()
    started = time.perf_counter()
    clients = [
        threading.Thread(target=ask_until, args=(job, started + job.seconds, good, errors))
        for _ in range(job.clients)
    ]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    seconds = time.perf_counter() - started
    if not good:
        return Result(seconds=seconds, errors=dict(errors))
    cuts = statistics.quantiles(good, n=20, method="inclusive") if len(good) > 1 else good * 19
    return Result(len(good), seconds, cuts[9] * 1000, cuts[18] * 1000, dict(errors))


def ask_until(job: Job, deadline: float, good: list[float], errors: Counter[str]) -> None:
    connection = HTTPConnection("127.0.0.1", job.port, timeout=TIMEOUT_SECONDS)
    while (begun := time.perf_counter()) < deadline:
        try:
            connection.request(job.method, job.path, job.body or None, job.headers)
            response = connection.getresponse()
            response.read()
        except (OSError, HTTPException) as error:
            errors[type(error).__name__] += 1
            connection.close()
            continue
        if response.status == job.status:
            good.append(time.perf_counter() - begun)
        else:
            errors[str(response.status)] += 1
    connection.close()


def main() -> None:
    for line in sys.stdin:
        sys.stdout.write(json.dumps(asdict(run(Job(**json.loads(line))))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
