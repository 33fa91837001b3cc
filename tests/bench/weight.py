"""What a browser with an empty cache fetches for a page, in bytes on the wire."""

import gzip
import re
from html.parser import HTMLParser
from urllib.parse import urljoin

from tests.bench.target import Ask, Target

IMPORTED = re.compile(r"""\b(?:from|import)\s*\(?\s*["']([./][^"']+)["']""")


class Parts(HTMLParser):
    """Scripts, style sheets, icons and pictures of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.paths: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag in ("script", "img") and (source := values.get("src")):
            self.paths.append(source)
        rel = values.get("rel") or ""
        if tag == "link" and rel in ("stylesheet", "icon", "modulepreload", "manifest"):
            self.paths.append(values.get("href") or "")


def page_weight(target: Target, page: Ask) -> dict[str, int]:
    """Bytes of each part by its path; modules that a script imports are parts too."""
    first = target.ask(page)
    body = gzip.decompress(first.body) if first.headers["Content-Encoding"] else first.body
    parts = Parts()
    parts.feed(body.decode())
    weights = {page.path: len(first.body)}
    waiting = [urljoin(page.path, path) for path in parts.paths if not path.startswith("data:")]
    for path in waiting:
        if path in weights:
            continue
        answer = target.ask(Ask(path))
        weights[path] = len(answer.body)
        if "javascript" in (answer.headers["Content-Type"] or ""):
            packed = answer.headers["Content-Encoding"] == "gzip"
            text = (gzip.decompress(answer.body) if packed else answer.body).decode()
            waiting.extend(urljoin(path, found) for found in IMPORTED.findall(text))
    return weights
