"""The part of walks.py that runs inside a checkout: only Django, addresses, commands and forms.

It imports nothing of the product: a checkout whose modules are all moved is walked in the same way.
"""

import json
import re
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path.cwd()
OURS = tuple(f"{ROOT / folder}/" for folder in ("evalsite", "cases", "reviews"))
PASSWORD = "walks-only-not-a-secret"
API = "/api/v1/"
METRICS = ("usability-value", "personalization")


@dataclass
class Step:
    """What was entered during one step. `functions` are (file, line, name)."""

    name: str
    functions: set[tuple[str, int, str]] = field(default_factory=set)
    switches: int = 0

    @property
    def files(self) -> set[str]:
        return {file for file, _, _ in self.functions}


class Counter:
    """Notes the functions of ours that are entered while a step is under way.

    A switch is a call, or a return, after which the innermost function of ours on the stack lies in
    another file than before; Django's functions in between do not count.
    """

    def __init__(self) -> None:
        self._step: Step | None = None
        self._stacks = threading.local()
        self._known: dict[str, str] = {}

    def run(self, step: Step, act: Callable[[], Any]) -> Any:
        self._step = step
        self._stacks = threading.local()
        threading.setprofile(self._note)
        sys.setprofile(self._note)
        try:
            return act()
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
            self._step = None

    def _note(self, frame: FrameType, event: str, _argument: Any) -> None:
        if event not in ("call", "return") or self._step is None:
            return
        code = frame.f_code
        if code.co_name == "<module>":
            return  # importing happens once, and belongs to no step
        file = self._known.get(code.co_filename)
        if file is None:
            file = name_of(code.co_filename)
            self._known[code.co_filename] = file
        if not file:
            return
        stack: list[str] = self._stacks.__dict__.setdefault("files", [])
        before = stack[-1] if stack else None
        if event == "call":
            self._step.functions.add((file, code.co_firstlineno, code.co_qualname))
            stack.append(file)
        elif stack:
            stack.pop()
        after = stack[-1] if stack else None
        if before is not None and after is not None and before != after:
            self._step.switches += 1


def name_of(filename: str) -> str:
    """Relative to the checkout; empty for files that are not ours."""
    if not filename.endswith(".py") or not filename.startswith(OURS):
        return ""
    return str(Path(filename).relative_to(ROOT))


class Walk:
    """Steps of one walk, in order."""

    def __init__(self, title: str, counter: Counter) -> None:
        self.title = title
        self.steps: list[Step] = []
        self._counter = counter

    def step(self, name: str, act: Callable[[], Any], *, status: int = 200) -> Any:
        """Do one step and count what it enters; any other status than this ends the walk."""
        step = Step(name)
        answer = self._counter.run(step, act)
        self.steps.append(step)
        if answer is not None and answer.status_code != status:
            text = answer.content.decode(errors="replace")
            raise SystemExit(f"{self.title}, {name}: {answer.status_code}\n{text[:3000]}")
        return answer

    def as_markdown(self, *, list_files: bool) -> str:
        files = set().union(*(step.files for step in self.steps))
        functions = set().union(*(step.functions for step in self.steps))
        switches = sum(step.switches for step in self.steps)
        lines = [
            f"## {self.title}",
            "",
            "| step | files | functions | switches |",
            "| --- | ---: | ---: | ---: |",
        ]
        lines += [
            f"| {step.name} | {len(step.files)} | {len(step.functions)} | {step.switches} |"
            for step in self.steps
        ]
        lines += [f"| **all** | **{len(files)}** | **{len(functions)}** | **{switches}** |", ""]
        if list_files:
            lines += ["Files entered:", "", *(f"- {file}" for file in sorted(files)), ""]
        return "\n".join(lines) + "\n"


# --- What the walks need before they begin: not counted -------------------------------------------


def prepare() -> None:
    """A database with the demo in it, whose people get a password of ours."""
    from django.contrib.auth.hashers import make_password
    from django.contrib.auth.models import User
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    call_command("seed_demo", verbosity=0, stdout=StringIO())
    User.objects.update(password=make_password(PASSWORD))


def make_lines() -> str:
    """Five small cases, one for each kind of the rubric."""
    kinds = {
        "festival": ["beijing", "spring-festival"],
        "purse": ["low-budget"],
        "child": ["family"],
        "wheels": ["mobility-limited"],
        "rush": ["tight-schedule"],
    }
    rows = []
    for key, tags in kinds.items():
        item = {"start": "09:00", "end": "10:00", "kind": "sight", "title": "Old pier"}
        day = {"day": 1, "items": [item]}
        plan = {"status": "done", "summary": "Easy days.", "days": [day]}
        rows.append(
            {
                "case_key": key,
                "locale": "en",
                "request": {"text": f"Two days by the sea: {key}.", "days": 2, "people": 2},
                "plan": plan,
                "automated_summary": {"status": "PASS"},
                "tags": tags,
            }
        )
    return "".join(json.dumps(row) + "\n" for row in rows)


def make_review(value: int) -> dict[str, Any]:
    return {
        "scores": {metric: {"value": value, "rationale": "It works."} for metric in METRICS},
        "answers": {
            f"{metric}.{number}": {"answer": "no" if number == 3 else "yes"}
            for metric in METRICS
            for number in range(1, 5)
        },
    }


def browser() -> Any:
    from django.test import Client

    return Client(headers={"accept-language": "en"})


def signed_in(username: str) -> Any:
    client = browser()
    answer = sign_in(client, username)
    if answer.status_code != 302:
        raise SystemExit(f"{username} cannot sign in: {answer.status_code}")
    return client


def sign_in(client: Any, username: str) -> Any:
    return client.post("/sign-in/", {"login": username, "password": PASSWORD})


def send(client: Any, method: str, path: str, body: Any = None, **headers: str) -> Any:
    """JSON with a session, as the scripts of a page send it."""
    data = "" if body is None else json.dumps(body)
    sent = {"Accept": "application/json"} | headers
    return client.generic(method, path, data, content_type="application/json", headers=sent)


def find_value(page: str, name: str) -> str:
    """The value of a hidden field or of a button."""
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    if found is None:
        raise SystemExit(f"The page has no {name}.")
    return found[1]


def find_attribute(page: str, name: str) -> str:
    found = re.search(rf'{name}="([^"]*)"', page)
    if found is None:
        raise SystemExit(f"The page has no {name}.")
    return found[1]


# --- The walks ------------------------------------------------------------------------------------


def walk_import(counter: Counter) -> Walk:
    """From a new release to a started one, as ada does it on the pages."""
    walk = Walk("Import to draw", counter)
    ada = signed_in("ada")
    here = "/releases/pier-1/"
    new = {"name": "pier-1", "product": "pier", "rubric": "1", "reviews_per_case": "2"}
    walk.step("form of a new release", lambda: ada.get("/new-release/"))
    walk.step("create the release", lambda: ada.post("/new-release/", new), status=302)
    walk.step("page of the empty release", lambda: ada.get(here))
    walk.step("import form", lambda: ada.get(f"{here}import/"))
    text = {"text": make_lines(), "format": "auto"}
    sent = walk.step("check the cases", lambda: ada.post(f"{here}import/", text), status=302)
    page = walk.step("preview", lambda: ada.get(sent.url))
    seen = {"seen": find_value(page.content.decode(), "seen")}
    walk.step("import", lambda: ada.post(sent.url, seen), status=302)
    cases = walk.step("list of the cases", lambda: ada.get(f"{here}cases/"))
    code = find_value(cases.content.decode(), "case")
    tag = {"act": "add", "tag": "sea", "reason": "By the sea.", "case": code}
    walk.step("give a tag", lambda: ada.post(f"{here}cases/tags/", tag), status=302)
    walk.step("page of the filled release", lambda: ada.get(here))
    walk.step("draw", lambda: ada.post(f"{here}draw/", {"size": "5"}), status=302)
    walk.step("page of the draw", lambda: ada.get(f"{here}draws/1/"))
    walk.step("page before the start", lambda: ada.get(f"{here}start/"))
    walk.step("start", lambda: ada.post(f"{here}start/", {}), status=302)
    return walk


def walk_review(counter: Counter) -> Walk:
    """One review of rita's in the release of the other walk, and what becomes of it."""
    walk = Walk("One review from sign-in to report", counter)
    give_out("pier-1")
    rita, mina = browser(), signed_in("mina")
    walk.step("sign-in page", lambda: rita.get("/sign-in/"))
    walk.step("sign in", lambda: sign_in(rita, "rita"), status=302)
    walk.step("home", lambda: rita.get("/"))
    moved = walk.step("next", lambda: rita.get("/reviews/next/"), status=302)
    desk = walk.step("desk", lambda: rita.get(moved.url)).content.decode()
    said = make_review(4)
    draft, submit = (find_attribute(desk, name) for name in ("data-draft", "data-submit"))
    # An address of the API is replaced; one of the desk's own is posted to.
    method = "PUT" if draft.startswith("/api/") else "POST"
    walk.step("draft", lambda: send(rita, method, draft, said | {"version": 0}))
    key = {"Idempotency-Key": "walk"}
    walk.step("submit", lambda: send(rita, "POST", submit, said | {"version": 1}, **key))
    walk.step("page of the submitted review", lambda: rita.get(moved.url))
    walk.step("my reviews", lambda: rita.get("/reviews/"))
    code = submit_the_rest("pier-1", int(moved.url.strip("/").rpartition("/")[2]))
    here = "/releases/pier-1/"
    walk.step("page of the release", lambda: mina.get(here))
    look = {"next": f"{here}adjudications/"}
    walk.step("look at scores", lambda: mina.post(f"{here}adjudications/look/", look), status=302)
    walk.step("what reviewers differ on", lambda: mina.get(f"{here}adjudications/"))
    case = f"{here}adjudications/{code}/"
    page = walk.step("the reviews side by side", lambda: mina.get(case))
    settled = {f"agreed-{metric}": "2" for metric in METRICS} | {
        "cause": "taste",
        "note": "Read together.",
        "seen": find_value(page.content.decode(), "seen"),
    }
    walk.step("adjudicate", lambda: mina.post(case, settled), status=302)
    walk.step("page before closing", lambda: mina.get(f"{here}close/"))
    walk.step("close", lambda: mina.post(f"{here}close/", {}), status=302)
    report = walk.step("report", lambda: mina.get(f"{here}report/"))
    signed = {
        "decision": "ship",
        "reason": "Good enough.",
        "digest": find_value(report.content.decode(), "digest"),
    }
    walk.step("sign", lambda: mina.post(f"{here}decision/", signed), status=302)
    return walk


def give_out(release: str) -> None:
    """Assigned by plan, and due: what rita has open in the demo comes after it."""
    from django.core.management import call_command

    call_command("assign", release, stdout=StringIO())
    answer = send(
        signed_in("ada"), "PATCH", f"{API}releases/{release}/", {"due_date": "2035-01-01"}
    )
    if answer.status_code != 200:
        raise SystemExit(f"No due date: {answer.content.decode()}")


def submit_the_rest(release: str, walked: int) -> str:
    """Submit every other review of the release; on one case they differ much.

    Returns the code of that case: the one of the review that was walked.
    """
    rows = send(signed_in("ada"), "GET", f"{API}releases/{release}/cases/?limit=200").json()
    codes = {row["code"] for row in rows["results"]}
    code = str(send(signed_in("rita"), "GET", f"{API}reviews/{walked}/").json()["code"])
    for username in ("rita", "omar", "wei"):
        person = signed_in(username)
        for row in send(person, "GET", f"{API}reviews/?limit=200").json()["results"]:
            if row["code"] not in codes or row["status"] != "assigned":
                continue
            body = make_review(2 if row["code"] == code else 4) | {"version": row["version"]}
            path = f"{API}reviews/{row['id']}/submit/"
            answer = send(person, "POST", path, body, **{"Idempotency-Key": "rest"})
            if answer.status_code != 200:
                raise SystemExit(answer.content.decode())
    return code


def main() -> None:
    sys.path[0] = str(ROOT)  # instead of the folder of this file
    import django

    django.setup()
    prepare()
    warm_up()
    counter = Counter()
    imported = walk_import(counter)
    reviewed = walk_review(counter)
    list_files = "--files" in sys.argv
    sys.stdout.write(
        "\n".join(walk.as_markdown(list_files=list_files) for walk in (reviewed, imported))
    )


def warm_up() -> None:
    """What Python does once, as importing the modules of all addresses, belongs to no step."""
    browser().get("/sign-in/")
    for username in ("rita", "mina", "ada"):
        signed_in(username).get("/")


if __name__ == "__main__":
    main()
