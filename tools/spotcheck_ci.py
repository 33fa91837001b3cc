#!/usr/bin/env python3
"""Spotcheck in a pipeline: push the cases of a build, and ask later whether it may go.

Python 3.11 and nothing else: copy this file into your repository. SPOTCHECK_URL says where the
site is, SPOTCHECK_TOKEN holds a token; docs/ci.md of Spotcheck tells the rest.

    push ends with 0: done; 1: refused, no case is written; 3: anything else
    gate ends with 0: GO; 1: NO-GO or HOLD; 2: NOT ENOUGH EVIDENCE, or not closed; 3: anything else
"""

from __future__ import annotations

import argparse
import json
import math
import os
import ssl
import sys
import textwrap
import time
import urllib.request
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from http.client import (
    HTTPConnection,
    HTTPException,
    HTTPResponse,
    HTTPSConnection,
    IncompleteRead,
)
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import quote, urljoin, urlsplit

DONE, REFUSED, NO_ANSWER = 0, 1, 3
CODES = {"GO": 0, "NO-GO": 1, "HOLD": 1, "NOT ENOUGH EVIDENCE": 2}
MARKS = {True: "ok", False: "FAIL", None: "–"}
NDJSON = "application/x-ndjson"
# Too often, or somebody on the way is not there: the same call again does no harm.
TRY_AGAIN = (429, 502, 503, 504)
# What the sent file itself is to blame for.
BLAMED = (400, 409, 413)
SECONDS_TO_ANSWER, SECONDS_TO_IMPORT = 60.0, 900.0
FIELDS = ("name", "product", "reviews_per_case", "baseline", "due_date")
PORTION = 64 * 1024
LONGEST = 160
NOT_OURS = "What came is no answer of Spotcheck's. Is SPOTCHECK_URL right?"


class NoAnswer(Exception):
    """Why there is none, in one sentence."""


class Refused(Exception):
    """What was sent cannot be taken, and nothing of it was."""


@dataclass
class Answer:
    status: int
    headers: Message
    body: bytes

    @property
    def data(self) -> dict[str, Any]:
        try:
            found = json.loads(self.body)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise NoAnswer(NOT_OURS)
        return found


# --- Asking ---------------------------------------------------------------------------------------


class Plain(HTTPConnection):
    """Hears an answer that comes before all was sent, as that the token or the size is wrong."""

    def endheaders(self, *given: Any, **more: Any) -> None:
        try:
            super().endheaders(*given, **more)
        except (BrokenPipeError, ConnectionResetError):
            if self.sock is None:
                raise


class Secure(Plain, HTTPSConnection):
    pass


class Asking(urllib.request.HTTPHandler, urllib.request.HTTPSHandler):
    def http_open(self, req: urllib.request.Request) -> Any:
        return self.do_open(Plain, req)

    def https_open(self, req: urllib.request.Request) -> Any:
        return self.do_open(Secure, req)


class AsItCame(urllib.request.HTTPErrorProcessor):
    """No redirect is followed: the token is for one site."""

    def http_response(self, request: Any, response: Any) -> Any:
        return response

    https_response = http_response


class Site:
    """The API at `url`. `patience`: for how many seconds a site that is away is asked again."""

    def __init__(self, url: str, token: str, patience: float) -> None:
        self.url, self.token, self.patience = url, token, patience
        self.opener = urllib.request.build_opener(Asking, AsItCame)

    def get(self, path: str, *, tag: str = "", into: Path | None = None) -> Answer:
        return self.ask("GET", path, headers={"If-None-Match": tag} if tag else {}, into=into)

    def post(self, path: str, body: Mapping[str, Any]) -> Answer:
        headers = {"Content-Type": "application/json"}
        return self.ask("POST", path, headers=headers, body=json.dumps(body).encode())

    def send(self, path: str, file: Path) -> Answer:
        """The file is read while it is sent."""
        headers = {"Content-Type": NDJSON, "Content-Length": str(file.stat().st_size)}
        return self.ask("POST", path, headers=headers, body=file, seconds=SECONDS_TO_IMPORT)

    def ask(self, method: str, path: str, **more: Any) -> Answer:
        """Raises NoAnswer. All calls here can be made twice: the second changes nothing."""
        until = time.monotonic() + self.patience
        for pause in pauses():
            try:
                answer = self.ask_once(method, path, **more)
            except (OSError, HTTPException) as error:
                trouble, wait = in_words(error, self.url), pause
            else:
                if answer.status not in TRY_AGAIN:
                    return checked(answer, self.url)
                trouble = f"{self.url} answered {answer.status}."
                wait = max(pause, seconds_in(answer.headers.get("Retry-After")))
            if time.monotonic() + wait > until:
                raise NoAnswer(trouble)
            tell(f"{trouble} Trying again in {wait:.0f} s.")
            time.sleep(wait)
        raise AssertionError("pauses never end")

    def ask_once(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str],
        body: bytes | Path | None = None,
        into: Path | None = None,
        seconds: float = SECONDS_TO_ANSWER,
    ) -> Answer:
        headers = {**headers, "Authorization": f"Token {self.token}", "Accept": "*/*"}
        sent: Any = body.open("rb") if isinstance(body, Path) else body
        try:
            request = urllib.request.Request(  # noqa: S310 (http and https only: see `site`)
                f"{self.url}/api/v1/{path}", sent, headers, method=method
            )
            with self.opener.open(request, timeout=seconds) as response:
                if into is None or response.status != 200:
                    return Answer(response.status, response.headers, response.read())
                save(response, into)
                return Answer(response.status, response.headers, b"")
        finally:
            if isinstance(body, Path):
                sent.close()


def pauses() -> Iterator[float]:
    pause = 1.0
    while True:
        yield pause
        pause = min(pause * 2, 30.0)


def save(response: HTTPResponse, file: Path) -> None:
    with file.open("wb") as target:
        while portion := response.read(PORTION):
            target.write(portion)
    # http.client says nothing when less comes than was announced, unless all is read at once.
    if response.length:
        raise IncompleteRead(b"", response.length)


def seconds_in(text: str | None) -> float:
    """Of Retry-After; a proxy may say a date there, which is not worth reading."""
    return float(text) if text and text.isdecimal() else 0.0


def in_words(error: Exception, url: str) -> str:
    """Raises NoAnswer for what will not be better in a minute."""
    reason = error.reason if isinstance(error, URLError) else error
    if isinstance(reason, ssl.SSLCertVerificationError):
        raise NoAnswer(f"{url} has no certificate that is trusted here: {reason.verify_message}.")
    what = getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
    if isinstance(reason, IncompleteRead):
        what = "the answer was cut off"
    return f"Asking {url} failed: {what}."


def checked(answer: Answer, url: str) -> Answer:
    if answer.status in (301, 302, 303, 307, 308):
        raise NoAnswer(f"{url} sends on to {answer.headers['Location']}: set SPOTCHECK_URL to it.")
    return answer


def sentence_in(answer: Answer, release: str) -> str:
    """A refusal in the words of the site."""
    return f"{release}: {printable(str(answer.data.get('detail') or answer.status))}"


# --- Pushing --------------------------------------------------------------------------------------


def push(site: Site, options: argparse.Namespace) -> int:
    """Opens the release as a draft, unless it is open, and pushes a file into it."""
    file: Path = options.file
    try:
        file.open("rb").close()
    except OSError as error:
        raise NoAnswer(f"{file}: {error.strerror}.") from error
    opened = site.post("releases/", release_in(options))
    require_taken(opened, options)
    tell(f"{options.release}: {'opened' if opened.status == 201 else 'there already'}.")
    dry = "?dry_run=1" if options.dry_run else ""
    answer = site.send(f"releases/{quote(options.release, safe='')}/cases/{dry}", file)
    require_taken(answer, options)
    told = answer.data
    for warning in told["warnings"]:
        tell(f"warning: {printable(warning)}")
    counts = "{created} new, {changed} changed, {unchanged} unchanged.".format(**told)
    batch = f"Import {told['batch']}." if told["batch"] else "Nothing changed."
    print(counts, "Nothing was written (--dry-run)." if dry else batch)
    return DONE


def release_in(options: argparse.Namespace) -> dict[str, Any]:
    said = vars(options) | {"name": options.release}
    return {name: said[name] for name in FIELDS if said[name] is not None}


def require_taken(answer: Answer, options: argparse.Namespace) -> None:
    """Raises Refused, after every problem was told; NoAnswer for what is not the file's fault."""
    if answer.status in (200, 201):
        return
    sentence = sentence_in(answer, options.release)
    for one in answer.data.get("errors", []):
        line = one.get("line")
        path = one["path"].removeprefix(str(line or "")).removeprefix(".")
        told = f"{path}: {one['message']}" if path else one["message"]
        if line:
            tell(printable(f"{options.file}:{line}: {told}"))
        elif one["message"] not in sentence:
            tell(printable(f"{options.file}: {told}"))
    raise (Refused if answer.status in BLAMED else NoAnswer)(sentence)


# --- The gate -------------------------------------------------------------------------------------


def gate(site: Site, options: argparse.Namespace) -> int:
    """Prints the verdict and what decided; the code is that of `manage.py gate`."""
    told = verdict(site, options)
    for line in lines_of(told, site.url):
        print(line)
    if told["final"] not in CODES:
        raise NoAnswer(f"This script does not know the verdict {told['final']!r}.")
    if options.bundle and told["provisional"]:
        tell("No bundle is fetched before the release is closed.")
    elif options.bundle:
        fetch_bundle(site, options)
    return CODES[told["final"]]


def verdict(site: Site, options: argparse.Namespace) -> dict[str, Any]:
    """As it is when the release is closed, or when the wait is over."""
    path = f"releases/{quote(options.release, safe='')}/verdict/"
    until = time.monotonic() + options.wait
    told: dict[str, Any] = {}
    tag = ""
    while True:
        answer = site.get(path, tag=tag)
        if answer.status not in (200, 304):
            raise NoAnswer(sentence_in(answer, options.release))
        if answer.status == 200:
            told, tag = answer.data, answer.headers.get("ETag", "")
            if "provisional" not in told:
                raise NoAnswer(NOT_OURS)
        left = until - time.monotonic()
        if not told["provisional"] or left <= 0:
            return told
        if answer.status == 200:
            tell(f"Waiting: {told['submitted']} of {told['expected']} reviews are in.")
        time.sleep(min(left, max(options.every, 1.0)))


def lines_of(told: dict[str, Any], url: str) -> Iterator[str]:
    yield headline(told)
    yield printable(told["sentence"])
    if told["decision"]:
        against = ", AGAINST THE VERDICT" if told["is_against_the_verdict"] else ""
        yield f"Signed: {told['decision']}{against}"
    due = f", due {told['due_date']}" if told["due_date"] else ""
    yield f"Reviews: {told['submitted']} of {told['expected']}{due}"
    yield f"Report: {urljoin(url, told['report_url'])}"
    yield "Criteria:"
    for one in told["criteria"]:
        yield f"  {MARKS[one['passed']]:4}  {one['name']}: {printable(one['reason'])}"
        if one["passed"] is False:
            yield f"        value {number(one['value'])}, limit {number(one['limit'])}"
            yield f"        cases: {excerpt(', '.join(one['cases'])) or '–'}"
            yield f"        {printable(one['would_change'] or '–')}"
    if told["findings"]:
        yield "Worst findings:"
    for one in told["findings"]:
        score = "" if one["standing"] is None else f" {one['standing']:.1f}"
        yield f"  {excerpt(one['case_key'])}: {excerpt(one['text'])}{score}"
        yield f"        “{excerpt(one['reason'])}”" if one["reason"] else "        –"
        yield f"        {urljoin(url, one['case_url'])}"


def headline(told: dict[str, Any]) -> str:
    if told["provisional"]:
        return f"{told['release']}: not closed. So far: {told['verdict']}"
    if told["is_abandoned"]:
        return f"{told['release']}: abandoned, without a verdict"
    return f"{told['release']}: {told['verdict']}"


def fetch_bundle(site: Site, options: argparse.Namespace) -> None:
    """Whole or not at all."""
    part = options.bundle.with_name(options.bundle.name + ".part")
    try:
        part.open("wb").close()
        answer = site.get(f"releases/{quote(options.release, safe='')}/export.zip", into=part)
        if answer.status != 200:
            raise NoAnswer(sentence_in(answer, options.release))
        if not zipfile.is_zipfile(part):
            raise NoAnswer("What came is no bundle.")
        part.replace(options.bundle)
    except OSError as error:
        raise NoAnswer(f"{options.bundle}: {error.strerror}.") from error
    finally:
        part.unlink(missing_ok=True)
    print(f"Bundle: {options.bundle}")


# --- The command line -----------------------------------------------------------------------------


def printable(text: str) -> str:
    """What people wrote must not steer a terminal."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def excerpt(text: str) -> str:
    return textwrap.shorten(printable(text), LONGEST, placeholder=" …")


def number(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, int | float) else "–"


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds")
    return value


def site() -> Site:
    url = os.environ.get("SPOTCHECK_URL", "").strip().rstrip("/")
    token = os.environ.get("SPOTCHECK_TOKEN", "").strip()
    if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
        raise NoAnswer("SPOTCHECK_URL must say where the site is: https://spotcheck.example.")
    if not token:
        raise NoAnswer("SPOTCHECK_TOKEN must hold a token; one is made on your account page.")
    if not (token.isascii() and token.isprintable()):
        raise NoAnswer("SPOTCHECK_TOKEN holds a character that no token has.")
    try:
        patience = seconds(os.environ.get("SPOTCHECK_RETRY_SECONDS") or "120")
    except argparse.ArgumentTypeError as error:
        raise NoAnswer(f"SPOTCHECK_RETRY_SECONDS: {error}.") from error
    return Site(url, token, patience)


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    acts = found.add_subparsers(required=True, metavar="push | gate")
    pushing = acts.add_parser("push", help="open a draft release and push the cases of a file")
    pushing.set_defaults(act=push)
    pushing.add_argument("release", metavar="RELEASE")
    pushing.add_argument("file", metavar="FILE", type=Path, help="one JSON object a line")
    pushing.add_argument("--product", metavar="P", required=True)
    pushing.add_argument("--per-case", metavar="K", type=int, dest="reviews_per_case")
    pushing.add_argument("--baseline", metavar="NAME", help="the release to compare with")
    pushing.add_argument("--due", metavar="DATE", dest="due_date", help="such as 2026-12-01")
    pushing.add_argument("--dry-run", action="store_true", help="check and count, push no case")
    asking = acts.add_parser("gate", help="the verdict, as text and as an exit code")
    asking.set_defaults(act=gate)
    asking.add_argument("release", metavar="RELEASE")
    asking.add_argument(
        "--wait", metavar="SECONDS", type=seconds, default=0.0, help="for the release to be closed"
    )
    asking.add_argument(
        "--every", metavar="SECONDS", type=seconds, default=30.0, help="how often to ask meanwhile"
    )
    asking.add_argument("--bundle", metavar="FILE.zip", type=Path, help="fetch the bundle, too")
    return found


def main(arguments: list[str] | None = None) -> int:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        options = parser().parse_args(arguments)
        code: int = options.act(site(), options)
        sys.stdout.flush()
        return code
    except SystemExit as end:
        # Help was asked for, or an option is wrong, which argparse ends with 2.
        return NO_ANSWER if end.code else DONE
    except Refused as refusal:
        tell(str(refusal))
        return REFUSED
    except NoAnswer as trouble:
        tell(str(trouble))
        return NO_ANSWER
    except KeyboardInterrupt:
        tell("Interrupted.")
        return NO_ANSWER
    except Exception as error:  # a pipeline must never read a crash as an answer
        secret = os.environ.get("SPOTCHECK_TOKEN") or "spotcheck_"
        tell(f"{type(error).__name__}: {error}".replace(secret, "…"))
        return NO_ANSWER


if __name__ == "__main__":
    sys.exit(main())
