"""Starting a process, waiting for it, and ending it whatever happens to us."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HOST = "127.0.0.1"
# Not $TMPDIR: the user that PostgreSQL runs as must be able to get there.
TEMPORARY = "/tmp"
START_SECONDS = 300
STOP_SECONDS = 60
REMOVE_SECONDS = 300  # a hundred databases on a busy disk


class StartFailed(Exception):
    """A server did not start; the message ends with what it wrote."""


def free_port() -> int:
    """A port that the system gives to no other process while this one runs.

    A socket that is bound and does not listen keeps it; a server, which reuses addresses, may
    listen there.
    """
    probe = socket.socket()
    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    probe.bind((HOST, 0))
    port = int(probe.getsockname()[1])
    probe.detach()  # open until this process ends
    return port


def port_is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
        return True


@contextmanager
def guarded(script: str, *arguments: str, **who: Any) -> Iterator[None]:
    """Run a shell script on the way out, also when this process is killed with -9.

    The guard waits for the end of a pipe whose other end only we hold.
    """
    command = ["/bin/sh", "-c", f"read -r nothing; {script}", "guard", *arguments]
    guard = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env={"PATH": os.defpath},
        start_new_session=True,
        **who,
    )
    try:
        yield
    finally:
        assert guard.stdin is not None
        guard.stdin.close()
        guard.wait(REMOVE_SECONDS)


def wait_until(is_ready: Callable[[], bool], process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not is_ready():
        if process.poll() is not None:
            raise StartFailed(
                f"{process.args!r} ended with status {process.returncode}:\n{log.read_text()}"
            )
        if time.monotonic() > deadline:
            raise StartFailed(
                f"{process.args!r} did not answer within {START_SECONDS} s:\n{log.read_text()}"
            )
        time.sleep(0.05)


def end(process: "subprocess.Popen[bytes]") -> None:
    """Wait for a process that was told to stop, and kill it with its group if it does not."""
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        kill_group(process.pid)
        process.wait(STOP_SECONDS)


def kill_group(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
