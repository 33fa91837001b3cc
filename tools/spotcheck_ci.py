#!/usr/bin/env python3
"""Use Spotcheck in CI: check and push the cases of a build, and later get the verdict.

This file needs only Python 3.11; copy it into your repository. SPOTCHECK_URL is the address of the
site, SPOTCHECK_TOKEN a token. docs/ci.md of Spotcheck is the guide. `check` asks no site; it needs
the package spotcheck-checker, which `make checker` builds in Spotcheck's repository.

    check exits with 0: no rule hits; 1: a rule hits; 3: an unreadable line, or anything else
    push exits with 0: done; 1: refused, no case is written; 3: anything else
    gate exits with 0: GO; 1: NO-GO or HOLD; 2: NOT ENOUGH EVIDENCE, or not closed; 3: anything else
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import ssl
import sys
import textwrap
import time
import urllib.request
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
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
HIT = 1
CODES = {"GO": 0, "NO-GO": 1, "HOLD": 1, "NOT ENOUGH EVIDENCE": 2}
MARKS = {True: "ok", False: "FAIL", None: "–"}
NDJSON = "application/x-ndjson"
# Too many calls, or the site is not reachable: repeating the call is safe.
TRY_AGAIN = (429, 502, 503, 504)
# Errors in the pushed file.
FILE_ERRORS = (400, 409, 413)
SECONDS_TO_ANSWER, SECONDS_TO_IMPORT = 60.0, 900.0
FIELDS = ("name", "product", "reviews_per_case", "baseline", "due_date")
CHUNK_SIZE = 64 * 1024
LONGEST = 160
# How often the verdict is read again if it changed before its Markdown was there.
TRIES = 5
NOT_OURS = "The answer is not from Spotcheck. Check SPOTCHECK_URL."


class NoAnswer(Exception):
    """There is no usable answer; the message explains why."""


class Refused(Exception):
    """The site refused the input, and stored none of it."""


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


# --- HTTP -----------------------------------------------------------------------------------------


class Plain(HTTPConnection):
    """Reads a response that comes before the body is sent, such as a wrong token or size."""

    def endheaders(self, *given: Any, **more: Any) -> None:
        try:
            super().endheaders(*given, **more)
        except (BrokenPipeError, ConnectionResetError):
            if self.sock is None:
                raise


class Secure(Plain, HTTPSConnection):
    pass


class ConnectionHandler(urllib.request.HTTPHandler, urllib.request.HTTPSHandler):
    def http_open(self, req: urllib.request.Request) -> Any:
        return self.do_open(Plain, req)

    def https_open(self, req: urllib.request.Request) -> Any:
        return self.do_open(Secure, req)


class NoRedirects(urllib.request.HTTPErrorProcessor):
    """Follows no redirect, because the token is for one site."""

    def http_response(self, request: Any, response: Any) -> Any:
        return response

    https_response = http_response


class Site:
    """The API at `url`. `patience`: seconds to retry while the site is down."""

    def __init__(self, url: str, token: str, patience: float) -> None:
        self.url, self.token, self.patience = url, token, patience
        self.opener = urllib.request.build_opener(ConnectionHandler, NoRedirects)

    def get(self, path: str, *, tag: str = "", into: Path | None = None) -> Answer:
        return self.ask("GET", path, headers={"If-None-Match": tag} if tag else {}, into=into)

    def post(self, path: str, body: Mapping[str, Any]) -> Answer:
        headers = {"Content-Type": "application/json"}
        return self.ask("POST", path, headers=headers, body=json.dumps(body).encode())

    def send(self, path: str, file: Path) -> Answer:
        """Post a file while reading it."""
        headers = {"Content-Type": NDJSON, "Content-Length": str(file.stat().st_size)}
        return self.ask("POST", path, headers=headers, body=file, seconds=SECONDS_TO_IMPORT)

    def ask(self, method: str, path: str, **more: Any) -> Answer:
        """Call the API and retry; repeating a call changes nothing. Raise NoAnswer."""
        until = time.monotonic() + self.patience
        for pause in pauses():
            try:
                answer = self.ask_once(method, path, **more)
            except (OSError, HTTPException) as error:
                problem, wait = describe(error, self.url), pause
            else:
                if answer.status not in TRY_AGAIN:
                    return refuse_redirect(answer, self.url)
                problem = f"{self.url} answered {answer.status}."
                wait = max(pause, parse_retry_after(answer.headers.get("Retry-After")))
            if time.monotonic() + wait > until:
                raise NoAnswer(problem)
            log(f"{problem} Trying again in {wait:.0f} s.")
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
            request = urllib.request.Request(  # noqa: S310 (http and https only: see `read_site`)
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
        while chunk := response.read(CHUNK_SIZE):
            target.write(chunk)
    # http.client does not report a short body unless all of it is read at once.
    if response.length:
        raise IncompleteRead(b"", response.length)


def parse_retry_after(text: str | None) -> float:
    """Return the seconds of Retry-After; a date, which a proxy may send, is ignored."""
    return float(text) if text and text.isdecimal() else 0.0


def describe(error: Exception, url: str) -> str:
    """Describe a connection error. Raise NoAnswer if a retry cannot help."""
    reason = error.reason if isinstance(error, URLError) else error
    if isinstance(reason, ssl.SSLCertVerificationError):
        raise NoAnswer(f"{url} has no trusted certificate: {reason.verify_message}.")
    what = getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
    if isinstance(reason, IncompleteRead):
        what = "the answer was cut off"
    return f"Asking {url} failed: {what}."


def refuse_redirect(answer: Answer, url: str) -> Answer:
    if answer.status in (301, 302, 303, 307, 308):
        raise NoAnswer(f"{url} redirects to {answer.headers['Location']}: set SPOTCHECK_URL to it.")
    return answer


def format_refusal(answer: Answer, release: str) -> str:
    """Return the site's own sentence for a refusal."""
    return f"{release}: {printable(str(answer.data.get('detail') or answer.status))}"


# --- Check ----------------------------------------------------------------------------------------

NO_CHECKER = (
    "`check` needs the package spotcheck-checker, which is not installed here: run `make checker` "
    "in Spotcheck's repository and install the wheel that it names."
)


def check(options: argparse.Namespace) -> int:
    """Check every line against the adopted rules. A line that cannot be read wins over a hit."""
    checker = load_checker()
    rules = read_rules(checker, options.rules)
    counts = Counter[str]()
    part = options.out and options.out.with_name(options.out.name + ".part")
    try:
        with part.open("wb") if part else nullcontext() as target:
            for file in options.files:
                for result in check_file(checker, file, rules):
                    if isinstance(result, checker.Unread):
                        counts["unread"] += 1
                        log(printable(f"{file}:{result.line}: {result.problem}"))
                        continue
                    counts["checked"] += 1
                    counts["hit"] += bool(result.hits)
                    for hit in result.hits:
                        print(printable(f"{file}:{result.line}: {hit.fact}: {hit.sentence}"))
                    if target:
                        target.write(checker.write_checks(result))
        if part:
            part.replace(options.out)
    except OSError as error:
        raise NoAnswer(f"{options.out}: {error.strerror}.") from error
    finally:
        if part:
            part.unlink(missing_ok=True)
    sys.stdout.flush()
    log(
        f"Cases checked: {counts['checked']}. Rules: {len(rules.rules)}. "
        f"Cases with a hit: {counts['hit']}. Lines that cannot be read: {counts['unread']}."
    )
    return NO_ANSWER if counts["unread"] else HIT if counts["hit"] else DONE


def load_checker() -> Any:
    try:
        return importlib.import_module("cases.rule")
    except ImportError as error:
        raise NoAnswer(NO_CHECKER) from error


def read_rules(checker: Any, file: Path) -> Any:
    try:
        return checker.read_rules(file.read_bytes())
    except checker.BadRules as error:
        raise NoAnswer(printable(f"{file}: this is no rules.json: {error}")) from error
    except OSError as error:
        raise NoAnswer(f"{file}: {error.strerror}.") from error


def check_file(checker: Any, file: Path, rules: Any) -> Iterator[Any]:
    """Yield a result for each line, and a last one where the file cannot be read further."""
    number = 0
    source = checker.Source(str(file), lambda: file.open("rb"))
    try:
        for result in checker.check_file(source, rules):
            number = result.line
            yield result
    except OSError as error:
        yield checker.Unread(number + 1, f"cannot be read: {error.strerror or error}.")


# --- Push -----------------------------------------------------------------------------------------


def push(site: Site, options: argparse.Namespace) -> int:
    """Create the draft release unless it exists, and push a file into it."""
    file: Path = options.file
    try:
        file.open("rb").close()
    except OSError as error:
        raise NoAnswer(f"{file}: {error.strerror}.") from error
    opened = site.post("releases/", read_release(options))
    require_success(opened, options)
    log(f"{options.release}: {'created' if opened.status == 201 else 'exists already'}.")
    dry = "?dry_run=1" if options.dry_run else ""
    answer = site.send(f"releases/{quote(options.release, safe='')}/cases/{dry}", file)
    require_success(answer, options)
    result = answer.data
    for warning in result["warnings"]:
        log(f"warning: {printable(warning)}")
    counts = "{created} new, {changed} changed, {unchanged} unchanged.".format(**result)
    batch = f"Import {result['batch']}." if result["batch"] else "Nothing changed."
    print(counts, "Nothing was written (--dry-run)." if dry else batch)
    return DONE


def read_release(options: argparse.Namespace) -> dict[str, Any]:
    values = vars(options) | {"name": options.release}
    return {name: values[name] for name in FIELDS if values[name] is not None}


def require_success(answer: Answer, options: argparse.Namespace) -> None:
    """Log every problem and raise Refused, or NoAnswer if the file is not the cause."""
    if answer.status in (200, 201):
        return
    sentence = format_refusal(answer, options.release)
    for problem in answer.data.get("errors", []):
        line = problem.get("line")
        path = problem["path"].removeprefix(str(line or "")).removeprefix(".")
        text = f"{path}: {problem['message']}" if path else problem["message"]
        if line:
            log(printable(f"{options.file}:{line}: {text}"))
        elif problem["message"] not in sentence:
            log(printable(f"{options.file}: {text}"))
    raise (Refused if answer.status in FILE_ERRORS else NoAnswer)(sentence)


# --- Gate -----------------------------------------------------------------------------------------


def gate(site: Site, options: argparse.Namespace) -> int:
    """Print the verdict and its criteria; return the exit code of `manage.py gate`."""
    verdict, markdown = ask_for_verdict(site, options)
    print(markdown.rstrip() or "\n".join(format_verdict(verdict, site.url)))
    if verdict["final"] not in CODES:
        raise NoAnswer(f"This script does not know the verdict {verdict['final']!r}.")
    if options.bundle and verdict["provisional"]:
        log("There is no bundle before the release is closed.")
    elif options.bundle:
        fetch_bundle(site, options)
    return CODES[verdict["final"]]


def ask_for_verdict(site: Site, options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """Return the verdict and, if asked for, its Markdown, both of the same moment."""
    path = f"releases/{quote(options.release, safe='')}/verdict/"
    for _try in range(TRIES):
        verdict = wait_for_verdict(site, options)
        if not options.markdown:
            return verdict, ""
        answer = site.get(f"{path}?markdown=1")
        if answer.status != 200:
            raise NoAnswer(format_refusal(answer, options.release))
        if answer.headers.get_content_type() != "text/markdown":
            raise NoAnswer(NOT_OURS)
        if site.get(path).data == verdict:
            return verdict, answer.body.decode()
    raise NoAnswer("The verdict changed while it was read. Ask again.")


def wait_for_verdict(site: Site, options: argparse.Namespace) -> dict[str, Any]:
    """Return the verdict once the release is closed or the wait is over."""
    path = f"releases/{quote(options.release, safe='')}/verdict/"
    until = time.monotonic() + options.wait
    verdict: dict[str, Any] = {}
    tag = ""
    while True:
        answer = site.get(path, tag=tag)
        if answer.status not in (200, 304):
            raise NoAnswer(format_refusal(answer, options.release))
        if answer.status == 200:
            verdict, tag = answer.data, answer.headers.get("ETag", "")
            if "provisional" not in verdict:
                raise NoAnswer(NOT_OURS)
        left = until - time.monotonic()
        if not verdict["provisional"] or left <= 0:
            return verdict
        if answer.status == 200:
            log(f"Waiting: {verdict['submitted']} of {verdict['expected']} reviews are in.")
        time.sleep(min(left, max(options.every, 1.0)))


def format_verdict(verdict: dict[str, Any], url: str) -> Iterator[str]:
    yield format_headline(verdict)
    yield printable(verdict["sentence"])
    if verdict["decision"]:
        against = ", AGAINST THE VERDICT" if verdict["is_against_the_verdict"] else ""
        yield f"Signed: {verdict['decision']}{against}"
    due = f", due {verdict['due_date']}" if verdict["due_date"] else ""
    yield f"Reviews: {verdict['submitted']} of {verdict['expected']}{due}"
    if verdict.get("looks"):
        sizes = ", ".join(map(str, verdict["looks"]))
        yield f"Look: {verdict['look']} of {len(verdict['looks'])} ({sizes} cases)"
    yield f"Report: {urljoin(url, verdict['report_url'])}"
    yield "Criteria:"
    for criterion in verdict["criteria"]:
        mark, reason = MARKS[criterion["passed"]], printable(criterion["reason"])
        yield f"  {mark:4}  {criterion['name']}: {reason}"
        if criterion["passed"] is False:
            yield f"        value {number(criterion['value'])}, limit {number(criterion['limit'])}"
            yield f"        cases: {excerpt(', '.join(criterion['cases'])) or '–'}"
            yield f"        {printable(criterion['would_change'] or '–')}"
    if verdict["findings"]:
        yield "Worst findings:"
    for finding in verdict["findings"]:
        score = "" if finding["standing"] is None else f" {finding['standing']:.1f}"
        yield f"  {excerpt(finding['case_key'])}: {excerpt(finding['text'])}{score}"
        yield f"        “{excerpt(finding['reason'])}”" if finding["reason"] else "        –"
        yield f"        {urljoin(url, finding['case_url'])}"


def format_headline(verdict: dict[str, Any]) -> str:
    word = verdict["verdict"] or "no word yet"
    conditions = "; ".join(
        printable(condition["text"]) for condition in verdict.get("conditions", [])
    )
    if conditions:
        word = f"{word} ({conditions})"
    if verdict["provisional"]:
        return f"{verdict['release']}: not closed. So far: {word}"
    if verdict["is_abandoned"]:
        return f"{verdict['release']}: abandoned, without a verdict"
    return f"{verdict['release']}: {word}"


def fetch_bundle(site: Site, options: argparse.Namespace) -> None:
    """Download the bundle, completely or not at all."""
    part = options.bundle.with_name(options.bundle.name + ".part")
    try:
        part.open("wb").close()
        answer = site.get(f"releases/{quote(options.release, safe='')}/export.zip", into=part)
        if answer.status != 200:
            raise NoAnswer(format_refusal(answer, options.release))
        if not zipfile.is_zipfile(part):
            raise NoAnswer("The answer is not a bundle.")
        part.replace(options.bundle)
    except OSError as error:
        raise NoAnswer(f"{options.bundle}: {error.strerror}.") from error
    finally:
        part.unlink(missing_ok=True)
    # Standard output may be the step summary.
    print(f"Bundle: {options.bundle}", file=sys.stderr if options.markdown else sys.stdout)


# --- The command line -----------------------------------------------------------------------------


def printable(text: str) -> str:
    """Remove control characters, which could steer a terminal."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def excerpt(text: str) -> str:
    return textwrap.shorten(printable(text), LONGEST, placeholder=" …")


def number(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, int | float) else "–"


def log(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def parse_seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds")
    return value


def on_site(act: Callable[[Site, argparse.Namespace], int]) -> Callable[[argparse.Namespace], int]:
    return lambda options: act(read_site(), options)


def read_site() -> Site:
    url = os.environ.get("SPOTCHECK_URL", "").strip().rstrip("/")
    token = os.environ.get("SPOTCHECK_TOKEN", "").strip()
    if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
        raise NoAnswer("SPOTCHECK_URL must be the address of the site: https://spotcheck.example.")
    if not token:
        raise NoAnswer("SPOTCHECK_TOKEN must be a token; create one on your account page.")
    if not (token.isascii() and token.isprintable()):
        raise NoAnswer("SPOTCHECK_TOKEN contains a character that no token has.")
    try:
        patience = parse_seconds(os.environ.get("SPOTCHECK_RETRY_SECONDS") or "120")
    except argparse.ArgumentTypeError as error:
        raise NoAnswer(f"SPOTCHECK_RETRY_SECONDS: {error}.") from error
    return Site(url, token, patience)


def build_parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    acts = found.add_subparsers(required=True, metavar="check | push | gate")
    check_parser = acts.add_parser("check", help="check cases against the rules of a product")
    check_parser.set_defaults(act=check)
    check_parser.add_argument(
        "files", metavar="FILE", type=Path, nargs="+", help="one JSON object per line"
    )
    check_parser.add_argument(
        "--rules", metavar="FILE.json", type=Path, required=True, help="from the site: rules.json"
    )
    check_parser.add_argument(
        "--out", metavar="FILE", type=Path, help="write the cases with their automated checks"
    )
    push_parser = acts.add_parser(
        "push", help="create a draft release and push the cases of a file"
    )
    push_parser.set_defaults(act=on_site(push))
    push_parser.add_argument("release", metavar="RELEASE")
    push_parser.add_argument("file", metavar="FILE", type=Path, help="one JSON object per line")
    push_parser.add_argument("--product", metavar="P", required=True)
    push_parser.add_argument("--per-case", metavar="K", type=int, dest="reviews_per_case")
    push_parser.add_argument("--baseline", metavar="NAME", help="the release to compare with")
    push_parser.add_argument("--due", metavar="DATE", dest="due_date", help="such as 2026-12-01")
    push_parser.add_argument("--dry-run", action="store_true", help="check and count, push no case")
    gate_parser = acts.add_parser("gate", help="print the verdict and set the exit code")
    gate_parser.set_defaults(act=on_site(gate))
    gate_parser.add_argument("release", metavar="RELEASE")
    gate_parser.add_argument(
        "--wait",
        metavar="SECONDS",
        type=parse_seconds,
        default=0.0,
        help="wait for the release to be closed",
    )
    gate_parser.add_argument(
        "--every",
        metavar="SECONDS",
        type=parse_seconds,
        default=30.0,
        help="how often to ask while waiting",
    )
    gate_parser.add_argument(
        "--markdown", action="store_true", help="for a pull request or step summary"
    )
    gate_parser.add_argument(
        "--bundle", metavar="FILE.zip", type=Path, help="download the bundle, too"
    )
    return found


def main(arguments: list[str] | None = None) -> int:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        options = build_parser().parse_args(arguments)
        code: int = options.act(options)
        sys.stdout.flush()
        return code
    except SystemExit as end:
        # --help, or a wrong option, for which argparse exits with 2.
        return NO_ANSWER if end.code else DONE
    except Refused as refusal:
        log(str(refusal))
        return REFUSED
    except NoAnswer as problem:
        log(str(problem))
        return NO_ANSWER
    except KeyboardInterrupt:
        log("Interrupted.")
        return NO_ANSWER
    except Exception as error:  # a pipeline must never read a crash as an answer
        secret = os.environ.get("SPOTCHECK_TOKEN") or "spotcheck_"
        log(f"{type(error).__name__}: {error}".replace(secret, "…"))
        return NO_ANSWER


if __name__ == "__main__":
    sys.exit(main())
