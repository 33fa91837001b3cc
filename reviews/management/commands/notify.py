import os
import shlex
import signal
import subprocess
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Sequence
from time import sleep
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import InterfaceError, OperationalError, connection
from django.utils import timezone

from reviews.models.notices import LONGEST_NAME
from reviews.notices.messages import EVENTS, Message
from reviews.notices.workflow import deliver_all, subscribe

SECONDS_FOR_ONE = 60.0
BETWEEN_LOOKS = 10.0
LONGEST_PAUSE = 300.0


class NotTaken(Exception):
    """The command did not take a message; the text explains why."""


def read_events(text: str) -> list[str]:
    events = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in events if name not in EVENTS]
    if unknown or not events:
        raise ArgumentTypeError(f"{text!r}: the events are {', '.join(EVENTS)}")
    return events


def read_command(text: str) -> list[str]:
    try:
        found = shlex.split(text)
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r}: {error}") from error
    if not found:
        raise ArgumentTypeError("the command is empty")
    return found


class Command(BaseCommand):
    help = (
        "Run COMMAND for every event, with one line of JSON on its standard input: at least once, "
        "in order. It takes an event by exiting with 0; otherwise it gets it again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("command", metavar="COMMAND", help="one argument, as in a shell")
        parser.add_argument(
            "--events",
            type=read_events,
            default=list(EVENTS),
            metavar="A,B",
            help=f"default: {','.join(EVENTS)}",
        )
        parser.add_argument(
            "--as", dest="name", metavar="NAME", help="go on where NAME stopped; default: COMMAND"
        )
        parser.add_argument("--once", action="store_true", help="deliver what is due, and end")

    def handle(
        self, *, command: str, events: Sequence[str], name: str | None, once: bool, **options: Any
    ) -> None:
        try:
            arguments = read_command(command)
        except ArgumentTypeError as error:
            raise CommandError(str(error)) from error
        name = (name or command)[:LONGEST_NAME]
        pause = BETWEEN_LOOKS
        while True:
            try:
                count = self.deliver(name, events, arguments)
            except (NotTaken, OperationalError, InterfaceError) as problem:
                if once:
                    raise CommandError(str(problem)) from problem
                self.stderr.write(f"{problem} Trying again in {pause:.0f} s.")
                # A server that went away must not keep this process from ever asking again.
                connection.close()
                sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
                continue
            if count or once:
                self.stdout.write(f"{count} delivered.")
            if once:
                return
            pause = BETWEEN_LOOKS
            sleep(pause)

    def deliver(self, name: str, events: Sequence[str], arguments: Sequence[str]) -> int:
        now = timezone.now()
        return deliver_all(
            subscription=subscribe(name=name, now=now),
            events=events,
            deliver=lambda message: run(arguments, message),
            now=now,
        )


def run(arguments: Sequence[str], message: Message) -> None:
    """Run the command with a message on its standard input. Raise NotTaken."""
    try:
        process = subprocess.Popen(  # noqa: S603 (it is the command of who started this one)
            arguments, stdin=subprocess.PIPE, start_new_session=True
        )
    except OSError as error:
        raise NotTaken(f"{arguments[0]}: {error.strerror}.") from error
    with process:
        try:
            process.communicate(message.encode(), timeout=SECONDS_FOR_ONE)
        except subprocess.TimeoutExpired as error:
            os.killpg(process.pid, signal.SIGKILL)
            raise NotTaken(
                f"{message.id}: {arguments[0]} took longer than {SECONDS_FOR_ONE:.0f} s."
            ) from error
    if process.returncode:
        raise NotTaken(f"{message.id}: {arguments[0]} exited with {process.returncode}.")
