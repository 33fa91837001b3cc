"""Cases in which every field that the format knows is filled, found by walking its structs."""

import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from typing import Any, NamedTuple

from msgspec import inspect

from cases.itinerary.format import CLOCK, DATE, LOCALE, ONE_LINE, Case

# What a text of a case becomes, by the JSON pointer of where it stands. "~key": the key itself.
Write = Callable[[str], str]

# What decides how much is shown, so that all of it is.
CHOSEN = {
    "/plan/status": "done",
    "/automated_summary/status": "PASS",
    "/plan/days/0/items/0/kind": "sight",
    "/plan/days/0/items/1/kind": "transport",
    "/plan/days/1/items/0/kind": "meal",
    "/plan/days/1/items/1/kind": "sight",
}
FORMS = {DATE: "2026-05-12", LOCALE: "en-GB"}
CLOCKS = {"0/start": "09:00", "0/end": "10:00", "1/start": "11:00", "1/end": "12:30"}
TRANSLATED_INTO = "fr"


def filled(write: Write, *, lists: bool = True, **changes: Any) -> dict[str, Any]:
    """Every field, with two of each list.

    `lists`: where the format takes a text or a list of texts, it is a list. `changes` are whole
    fields of the case.
    """
    case: dict[str, Any] = _value(_CASE, "", write, lists)
    case["translations"] = {
        language: {
            name: _value(_field(name), f"/translations/{language}/{name}", write, lists)
            for name in ("request", "plan")
        }
        for language in (TRANSLATED_INTO, write("/translations/~key"))
    }
    return case | changes


_CASE = inspect.type_info(Case)


def _field(name: str) -> inspect.Type:
    assert isinstance(_CASE, inspect.StructType)
    return next(field.type for field in _CASE.fields if field.encode_name == name)


def _value(kind: inspect.Type, pointer: str, write: Write, lists: bool) -> Any:
    def inside(one: inspect.Type, step: object) -> Any:
        return _value(one, f"{pointer}/{step}", write, lists)

    match kind:
        case inspect.UnionType(types=types):
            known = [option for option in types if not isinstance(option, inspect.NoneType)]
            return _value(known[-1 if lists else 0], pointer, write, lists)
        case inspect.StructType(fields=fields):
            return {field.encode_name: inside(field.type, field.encode_name) for field in fields}
        case inspect.ListType(item_type=item):
            return [inside(item, place) for place in range(2)]
        case inspect.DictType(value_type=value):
            return {write(f"{pointer}/{key}~key"): inside(value, key) for key in ("a", "b")}
        case inspect.LiteralType(values=values):
            return CHOSEN.get(pointer, values[0])
        case inspect.IntType():
            place = re.search(r"/(\d+)/day$", pointer)
            return int(place[1]) + 1 if place else 2
        case inspect.FloatType():
            return 0.5 if pointer.endswith("/score") else 12
        case inspect.StrType(pattern=pattern, max_length=longest):
            if pattern == CLOCK:
                return CLOCKS["/".join(pointer.split("/")[-2:])]
            return FORMS.get(pattern or "") or fitting(write(pointer), pattern, longest)
        case _:  # anything: pages show it as JSON
            return {write(f"{pointer}/any~key"): [write(f"{pointer}/any")]}


def fitting(text: str, pattern: str | None, longest: int | None) -> str:
    """As much of a text as its field takes."""
    line = re.sub(r"[\x00-\x1f\x7f]", " ", text) if pattern == ONE_LINE else text
    return line[:longest]


def texts_in(value: Any, pointer: str = "") -> Iterator[tuple[str, str]]:
    """(pointer, text) of every text, keys of open objects among them."""
    if isinstance(value, str):
        yield pointer, value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from texts_in(item, f"{pointer}/{name}")
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield from texts_in(part, f"{pointer}/{place}")


class Node(NamedTuple):
    """A text of a page, or an attribute's value, with the elements around it, outermost first."""

    text: str
    around: tuple[tuple[str, dict[str, str]], ...]

    @property
    def language(self) -> str | None:
        languages = [found["lang"] for _tag, found in self.around if "lang" in found]
        return languages[-1] if languages else None

    def is_inside(self, tag: str, css_class: str = "") -> bool:
        return any(
            name == tag and (not css_class or css_class in found.get("class", "").split())
            for name, found in self.around
        )


VOID = {"input", "br", "meta", "link", "img", "hr", "path", "rect", "option"}


class Nodes(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[Node] = []
        self._around: list[tuple[str, dict[str, str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self._around.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self._around[-1][0] == tag, f"</{tag}> closes <{self._around[-1][0]}>"
            self._around.pop()

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.found.append(Node(data, tuple(self._around)))


def nodes_of(page: str) -> list[Node]:
    """Every text of a page. Fails where an element is not closed in its turn."""
    parser = Nodes()
    parser.feed(page)
    parser.close()
    return parser.found
