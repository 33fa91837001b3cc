"""docs/case-format.md says what the structs say."""

import json
import re
from pathlib import Path

import pytest
from msgspec import inspect

from cases.formats import NAMES
from cases.itinerary import format as itinerary_format
from cases.itinerary.extra_fields import other_fields
from cases.itinerary.reading import DEEPEST, LONGEST_LINE, check

DOCS = Path(itinerary_format.__file__).parents[2] / "docs"
FORMAT = (DOCS / "case-format.md").read_text("utf-8")
STRUCTS = [
    value
    for value in vars(itinerary_format).values()
    if isinstance(value, type)
    and issubclass(value, itinerary_format.Frozen)
    and value is not itinerary_format.Frozen
]


def test_the_examples_are_cases() -> None:
    examples = [json.loads(match) for match in re.findall(r"```json\n(.*?)```", FORMAT, re.DOTALL)]
    assert len(examples) == 3
    for example in examples:
        case = {"case_key": "k", "request": {"text": "t"}} | example
        check(case)
        assert other_fields(case) == []


@pytest.mark.parametrize("struct", STRUCTS, ids=lambda struct: struct.__name__)
def test_every_field_is_described(struct: type) -> None:
    shape = inspect.type_info(struct)
    assert isinstance(shape, inspect.StructType)
    for field in shape.fields:
        assert re.search(rf"[`{{ ]{field.encode_name}[`,}} ]", FORMAT), field.encode_name


def test_the_limits_are_described() -> None:
    assert f"{LONGEST_LINE // 1024} KB a line, {DEEPEST} levels deep" in FORMAT


def test_every_shape_is_described() -> None:
    shapes = (DOCS / "case-shapes.md").read_text("utf-8")
    for name in NAMES:
        assert f"| `{name}` |" in shapes
