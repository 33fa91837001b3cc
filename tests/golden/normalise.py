"""Takes out of an answer what differs from run to run, and nothing else.

The clock of a recorded site stands still (fixed/sitecustomize.py), so times and digests stay as
they are. What is left is random: CSRF tokens, keys of forms, API tokens, request ids, links of
invitations, the port. Neutral codes and the numbers of rows would differ as soon as something is
stored in another order, so they are written as what they stand for.
"""

import json
import re
from html.parser import HTMLParser
from typing import Any

# Fields whose value is made at random for each answer.
RANDOM_FIELDS = {"csrfmiddlewaretoken": "<csrf>", "key": "<key>"}
RANDOM_KEYS = {"token": "<token>", "request_id": "<request id>"}

PATTERNS: list[tuple[re.Pattern[str], str]] = [
    (re.compile(r"(?<=/invitation/)[^/\s\"]+/[^/\s\"]+(?=/)"), "<link>"),
    (re.compile(r"(?<=/tokens/)(?!new/)[\w-]+(?=/revoke/)"), "<token key>"),
    # How a cursor is written is nobody's business but the site's.
    (re.compile(r"(?<=[?&;]cursor=)[^&\s\"]+"), "<cursor>"),
    # Names of static files may get a part that depends on their content.
    (re.compile(r"(/static/[\w./-]+?)\.[0-9a-f]{12}(\.\w+)"), r"\1\2"),
    (re.compile(r"(/static/[\w./-]+)\?v=[\w.-]+"), r"\1"),
]
# Numbers of rows: where they stand, and what the rows are called.
NUMBERED = {
    "review": re.compile(r"(?<=/reviews/)\d+(?=/)"),
    "flag": re.compile(r"(?<=/flags/)\d+(?=/)"),
    "question": re.compile(r"(?<=/questions/)\d+(?=/)"),
    "upload": re.compile(r"(?<=/import/)\d+(?=/)"),
    "absence": re.compile(r"(?<=/absences/)\d+(?=/)"),
}
# Attributes that hold the number of a review for scripts.
NUMBERED_ATTRIBUTES = {"data-review", "data-kept"}


class Names:
    """Names that stand for random values, known for the whole recording or found on the way."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._rows: dict[tuple[str, str], str] = {}
        self._pattern: re.Pattern[str] | None = None

    def learn(self, value: str, name: str) -> None:
        """From here on `value` is written as `name` wherever it is a word of its own."""
        if value and value not in self._known:
            self._known[value] = name
            self._pattern = None

    def learn_row(self, kind: str, number: int, name: str) -> None:
        """The row of this kind and number is called `name`."""
        self._rows.setdefault((kind, str(number)), name)

    def in_text(self, text: str) -> str:
        """Rows that have no name yet are counted anew in each text, in order of appearance."""
        unnamed: dict[tuple[str, str], str] = {}

        def name_row(kind: str, number: str) -> str:
            if (kind, number) in self._rows:
                return self._rows[kind, number]
            count = sum(known == kind for known, _ in unnamed) + 1
            return unnamed.setdefault((kind, number), f"<{kind} {count}>")

        for kind, pattern in NUMBERED.items():
            text = pattern.sub(lambda found, kind=kind: name_row(kind, found[0]), text)  # type: ignore[misc]
        for pattern, name in PATTERNS:
            text = pattern.sub(name, text)
        if self._known:
            text = self._all_known().sub(lambda found: self._known[found[0]], text)
        return text

    def _all_known(self) -> re.Pattern[str]:
        if self._pattern is None:
            longest_first = sorted(self._known, key=len, reverse=True)
            values = "|".join(map(re.escape, longest_first))
            self._pattern = re.compile(rf"(?<![0-9A-Za-z_])(?:{values})(?![0-9A-Za-z_])")
        return self._pattern

    def in_data(self, data: Any, key: str = "") -> Any:
        """The same for what JSON holds. `key` is the one under which `data` was found."""
        if isinstance(data, dict):
            return {self.in_text(name): self.in_data(part, name) for name, part in data.items()}
        if isinstance(data, list):
            return [self.in_data(part, key) for part in data]
        if isinstance(data, str):
            return RANDOM_KEYS[key] if data and key in RANDOM_KEYS else self.in_text(data)
        if key == "id" and isinstance(data, int):
            return self._rows.get(("review", str(data)), "<id>")
        return data

    def in_json(self, text: str) -> str:
        """JSON, with the keys in order and one value on each line."""
        return write_json(self.in_data(json.loads(text)))

    def in_html(self, text: str) -> str:
        """HTML, one tag or text on each line, so that a difference is a line."""
        reader = _Lines()
        reader.feed(text)
        reader.close()
        return self.in_text("\n".join(reader.lines) + "\n")


def write_json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


class _Lines(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = []
        self._text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._end_text()
        found = dict(attrs)
        name = found.get("name") or ""
        if tag == "input" and name in RANDOM_FIELDS and found.get("type") == "hidden":
            found["value"] = RANDOM_FIELDS[name]
        for attribute in NUMBERED_ATTRIBUTES & set(found):
            found[attribute] = "<review>"
        parts = [
            attribute if value is None else f'{attribute}="{" ".join(value.split())}"'
            for attribute, value in sorted(found.items())
        ]
        self.lines.append(f"<{' '.join([tag, *parts])}>")

    def handle_endtag(self, tag: str) -> None:
        self._end_text()
        self.lines.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self._text.append(data)

    def handle_decl(self, decl: str) -> None:
        self.lines.append(f"<!{decl}>")

    def close(self) -> None:
        super().close()
        self._end_text()

    def _end_text(self) -> None:
        text = " ".join("".join(self._text).split())
        self._text.clear()
        if text:
            self.lines.append(text)
