"""List the fields of a stored case that the format does not know; admins see them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, TypeAlias

from msgspec import inspect

from .format import Case

LEFT_OVER = "other"  # foreign shapes put here what our format has no field for

Path: TypeAlias = tuple[str | int, ...]


def other_fields(data: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return (JSON pointer, value) of each, in an order that does not depend on the keys' order.

    Values under "other" are listed one by one; an unknown field elsewhere is listed as a whole.
    """
    return [(_pointer(path), value) for path, value in _unknown(data, _CASE, ())]


_CASE = inspect.type_info(Case)


@cache
def _known(struct: type) -> dict[str, inspect.Type]:
    """Return the fields of a struct. A translation has the shape of a case, by a special rule."""
    shape = inspect.type_info(struct)
    assert isinstance(shape, inspect.StructType)
    fields = {field.encode_name: field.type for field in shape.fields}
    if struct is Case:
        fields["translations"] = inspect.DictType(inspect.StrType(), _CASE)
    return fields


def _unknown(value: Any, expected: inspect.Type, path: Path) -> Iterator[tuple[Path, Any]]:
    options = expected.types if isinstance(expected, inspect.UnionType) else (expected,)
    for option in options:
        if isinstance(option, inspect.StructType) and isinstance(value, dict):
            known = _known(option.cls)
            for name in sorted(value):
                if name in known:
                    yield from _unknown(value[name], known[name], (*path, name))
                elif name == LEFT_OVER and not path:
                    yield from _leaves(value[name], (name,))
                else:
                    yield (*path, name), value[name]
        elif isinstance(option, inspect.DictType) and isinstance(value, dict):
            for name in sorted(value):
                yield from _unknown(value[name], option.value_type, (*path, name))
        elif isinstance(option, inspect.ListType) and isinstance(value, list):
            for place, item in enumerate(value):
                yield from _unknown(item, option.item_type, (*path, place))


def _leaves(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Yield the leaves of a value. An empty object in a list is only a placeholder."""
    if isinstance(value, dict) and value:
        for name in sorted(value):
            yield from _leaves(value[name], (*path, name))
    elif isinstance(value, list) and value:
        for place, item in enumerate(value):
            yield from _leaves(item, (*path, place))
    elif value != {} or not isinstance(path[-1], int):
        yield path, value


def _pointer(path: Path) -> str:
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)
