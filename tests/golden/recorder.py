"""Writes what a site answers into files, normalised."""

import json
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import requests

from tests.golden.normalise import Names, write_json
from tests.golden.site import Site
from tests.golden.visitor import Fields, Visitor

LANGUAGES = ("en", "zh-hans")
HEADERS = ("Content-Type", "Location", "WWW-Authenticate", "Allow", "Content-Disposition")


class Recorder:
    def __init__(self, site: Site, out: Path) -> None:
        self.site = site
        self.out = out
        self.names = Names()
        self.names.learn(site.url, "<site>")
        self.people = {name: Visitor(site.url, name) for name in site.passwords}
        for name, password in site.passwords.items():
            self.names.learn(password, f"<password of {name}>")
            self.people[name].sign_in(password)
        self.people["anonymous"] = Visitor(site.url)
        self.called: dict[str, set[int]] = {}
        self.code_of: dict[str, str] = {}

    def write(self, name: str, text: str) -> None:
        path = self.out / name
        if path.exists():
            raise ValueError(f"{name} is recorded twice")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    # --- Calls ------------------------------------------------------------------------------------

    def call(
        self, name: str, person: str, method: str, path: str, body: Any = None, **more: Any
    ) -> Any:
        """Call the API, record the answer under `api/` and return what it says."""
        answer = self.people[person].call(method, path, body, **more)
        shown = body.decode(errors="replace")[:2000] if isinstance(body, bytes) else body
        self.write(
            f"api/{name}.json",
            write_json(
                {
                    "call": self.names.in_text(f"{method} {path}"),
                    "by": person,
                    "body": self.names.in_data(shown),
                    **{key: str(value) for key, value in more.items()},
                    **self.describe(method, path, answer),
                }
            ),
        )
        return json.loads(answer.text) if is_json(answer) else answer

    def describe(self, method: str, path: str, answer: requests.Response) -> dict[str, Any]:
        """Status, headers and content of an answer; what was called is counted."""
        self.called.setdefault(f"{method} {path.partition('?')[0]}", set()).add(answer.status_code)
        content: Any = self.names.in_text(answer.text) if is_text(answer) else "<binary>"
        if is_json(answer):
            content = self.names.in_data(answer.json())
        return {
            "status": answer.status_code,
            "headers": self.pick_headers(answer),
            "has_etag": "ETag" in answer.headers,
            "answer": content,
        }

    def pick_headers(self, answer: requests.Response) -> dict[str, str]:
        return {
            name: self.names.in_text(answer.headers[name])
            for name in HEADERS
            # Which methods there are is said with every answer by some frameworks.
            if name in answer.headers and (name != "Allow" or answer.status_code == 405)
        }

    def archive(self, name: str, person: str, path: str) -> None:
        """Record a zip archive file by file, under a folder of its own."""
        answer = self.people[person].call("GET", path)
        self.call_counts(path, answer)
        with zipfile.ZipFile(BytesIO(answer.content)) as archive:
            self.learn_code_digest(archive)
            for member in archive.namelist():
                self.write(f"{name}/{member}", self.member(member, archive.read(member)))

    def call_counts(self, path: str, answer: requests.Response) -> None:
        if answer.status_code != 200:
            raise RuntimeError(f"{path} answered {answer.status_code}: {answer.text[:500]}")
        self.called.setdefault(f"GET {path.partition('?')[0]}", set()).add(answer.status_code)

    def learn_code_digest(self, archive: zipfile.ZipFile) -> None:
        """A bundle names the code that wrote it, which is meant to differ."""
        if "manifest.json" in archive.namelist():
            manifest = json.loads(archive.read("manifest.json"))
            self.names.learn(manifest["code"]["digest"], "<digest of the code>")

    def member(self, name: str, content: bytes) -> str:
        text = content.decode()
        if name.endswith(".json"):
            return self.names.in_json(text)
        if name.endswith(".jsonl"):
            rows = [json.loads(line) for line in text.splitlines()]
            return write_json(self.names.in_data(rows))
        if name.endswith((".xml", ".rels")):
            return self.names.in_text(text.replace("><", ">\n<")) + "\n"
        return self.names.in_text(text)

    # --- Pages ------------------------------------------------------------------------------------

    def page(
        self, name: str, person: str, path: str, languages: tuple[str, ...] = LANGUAGES
    ) -> None:
        """Record a page in each language; one step of a redirect is followed."""
        for language in languages:
            answer = self.people[person].get(path, language)
            self.write_page(f"pages/{name}.{language}.html", person, f"GET {path}", answer)

    def act(
        self, name: str, person: str, path: str, fields: Fields, **more: str
    ) -> requests.Response:
        """Fill in the form of a page, send it, and record where it leads."""
        answer = self.people[person].fill_in(path, fields, **more)
        self.write_page(f"acts/{name}.html", person, f"POST {path}", answer)
        return answer

    def write_page(self, name: str, person: str, what: str, answer: requests.Response) -> None:
        lines = [f"{what} as {person}", *self.head_of(answer)]
        target = urlsplit(answer.headers.get("Location", ""))
        if target.path:
            query = f"?{target.query}" if target.query else ""
            answer = self.people[person].get(target.path + query, self.people[person].language)
            lines += ["", *self.head_of(answer)]
        head = self.names.in_text("\n".join(lines) + "\n\n")
        text = hide_request_id(answer)
        self.write(name, head + self.names.in_html(text))

    def head_of(self, answer: requests.Response) -> list[str]:
        picked = self.pick_headers(answer)
        return [str(answer.status_code), *(f"{name}: {value}" for name, value in picked.items())]

    # --- Commands ---------------------------------------------------------------------------------

    def command(self, name: str, *arguments: str) -> None:
        """Run a command of manage.py and record its exit code and what it printed."""
        done = self.site.manage(*arguments)
        shown = " ".join(arguments).replace(str(self.site.folder.parent), "<scratch>")
        said = f"$ manage.py {shown}\nexit {done.returncode}\n\n{done.stdout}"
        said += f"\n--- standard error\n{done.stderr}" if done.stderr else ""
        said = said.replace(str(self.site.folder.parent), "<scratch>")
        self.write(f"commands/{name}.txt", self.names.in_text(said))

    # --- Names of what is random ------------------------------------------------------------------

    def learn_codes(self, release: str) -> None:
        """Call each neutral code by its release and case key."""
        path = f"releases/{release}/cases/?limit=200"
        for case in self.read("ada", path)["results"]:
            name = f"{release}/{case['case_key']}"
            self.names.learn(case["code"], f"<code of {name}>")
            self.code_of[name] = case["code"]

    def learn_reviews(self) -> None:
        """Call each review by its reviewer and case."""
        case_of = {code: name for name, code in self.code_of.items()}
        for person in ("rita", "omar", "wei"):
            for review in self.read(person, "reviews/?limit=200")["results"]:
                name = f"<review by {person} of {case_of[review['code']]}>"
                self.names.learn_row("review", review["id"], name)

    def read(self, person: str, path: str) -> Any:
        """Ask for what the recording itself needs to know; it is not recorded."""
        answer = self.people[person].call("GET", path)
        if answer.status_code != 200:
            raise RuntimeError(f"GET {path} by {person}: {answer.status_code} {answer.text[:500]}")
        return answer.json()

    def find_review(self, person: str, release: str, case_key: str) -> int:
        code = self.code_of[f"{release}/{case_key}"]
        rows = self.read(person, "reviews/?limit=200")["results"]
        return next(int(row["id"]) for row in rows if row["code"] == code)

    def find_open_reviews(self, person: str, release: str) -> dict[str, int]:
        """Case key -> the unsubmitted review of it in a release, in the order of the keys."""
        case_of = {code: name for name, code in self.code_of.items()}
        found: dict[str, int] = {}
        for row in self.read(person, "reviews/?limit=200")["results"]:
            own, _, key = case_of[row["code"]].partition("/")
            if own == release and row["status"] in ("assigned", "draft"):
                found[key] = int(row["id"])
        return dict(sorted(found.items()))


def hide_request_id(answer: requests.Response) -> str:
    number = answer.headers.get("X-Request-ID")
    return answer.text.replace(number, "<request id>") if number else answer.text


def is_json(answer: requests.Response) -> bool:
    return "json" in answer.headers.get("Content-Type", "") and bool(answer.content)


def is_text(answer: requests.Response) -> bool:
    kind = answer.headers.get("Content-Type", "text/plain")
    return kind.startswith("text/") or not answer.content
